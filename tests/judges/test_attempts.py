"""A question whose stored reply is unusable is asked anew when another attempt is allowed, and never otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scripted.judging import OpenJudge
from scripted.provider import Behaviour, ScriptedProvider, fails, is_cut_off, judges, refuses, says

from adjudge.api import replay
from adjudge.engine import open_engine
from adjudge.journal import Journal, ReplayJournal
from adjudge.judges.llm import LLMJudge
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.compare.verdict import ComparisonOpinion, ComparisonVerdict
from adjudge.protocols.rubrics import shipped


def allowed(judge: LLMJudge, attempt: int) -> LLMJudge:
    return replace(judge, sampling=replace(judge.sampling, attempt=attempt))


@pytest.fixture
def question(case: Comparison) -> CompareQuestion:
    return CompareQuestion(case, shipped("compare"), "ab")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([says("no JSON"), says("still none")], "malformed"),
        ([refuses()], "refused"),
        ([is_cut_off(), is_cut_off()], "cut_off"),
    ],
    ids=["malformed", "refused", "cut off"],
)
async def test_another_attempt_asks_anew_what_was_unusable_and_keeps_both_replies(
    openai_judge: OpenJudge,
    provider: ScriptedProvider,
    journal: Journal,
    question: CompareQuestion,
    bad: list[Behaviour],
    reason: str,
) -> None:
    provider.script = [*bad, judges()]
    judge = openai_judge()
    first = await judge.opine(question)
    again = await judge.opine(question)
    assert isinstance(first, Failure)
    assert isinstance(again, Failure)
    assert (first.reason, provider.calls) == (reason, len(bad)), "the same attempt reads the stored reply"
    opinion = await allowed(judge, 1).opine(question)
    assert isinstance(opinion, ComparisonOpinion)
    assert provider.calls == len(bad) + 1
    assert [call.attempt for call in opinion.calls] == [1]
    for call in (*first.calls, *opinion.calls):
        assert journal.get(call.key) is not None
    assert await allowed(replace(judge, journal=ReplayJournal(journal)), 1).opine(question) == opinion
    assert await allowed(judge, 7).opine(question) == opinion, "what is usable is not asked for again"
    assert provider.calls == len(bad) + 1


async def test_a_question_that_was_never_answered_is_asked_as_the_first_attempt(
    openai_judge: OpenJudge, provider: ScriptedProvider, question: CompareQuestion
) -> None:
    provider.script = [fails(400, "no"), judges()]
    judge = openai_judge()
    assert isinstance(await judge.opine(question), Failure)
    later = await allowed(judge, 3).opine(question)
    assert isinstance(later, ComparisonOpinion)
    assert [call.attempt for call in later.calls] == [0]
    assert await judge.opine(question) == later


async def test_one_attempt_at_a_time_is_paid(
    openai_judge: OpenJudge, provider: ScriptedProvider, question: CompareQuestion
) -> None:
    provider.script = lambda request: refuses()
    judge = openai_judge()
    for paid in (1, 2, 3, 3):
        failure = await allowed(judge, 2).opine(question)
        assert isinstance(failure, Failure)
        assert provider.calls == paid
    assert [call.attempt for call in failure.calls] == [2]


async def test_a_verdict_names_the_attempt_it_used_and_its_replay_reads_that_one(
    provider: ScriptedProvider, tmp_path: Path, case: Comparison
) -> None:
    provider.script = [refuses(), judges(), judges()]
    settings = CompareSettings(judge=f"{provider.url}/v1#m", one_order=True)
    async with open_engine(tmp_path / "journal.db") as engine:
        assert isinstance(await engine.judge(case, settings), Failure)
        verdict = await engine.judge(case, replace(settings, attempt=1))
    assert isinstance(verdict, ComparisonVerdict)
    assert [call.attempt for call in verdict.calls] == [1]
    replayed = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert replayed.kept == replayed.made
    assert b'"attempt":1' in replayed.kept
