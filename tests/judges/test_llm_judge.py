"""The LLM judge through real sockets: what becomes of each kind of reply, what is kept, what it cost."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from scripted.judging import OpenJudge
from scripted.provider import Behaviour, ScriptedProvider, fails, is_cut_off, judges, refuses, says, waits
from scripted.replies import USAGE

from adjudge.errors import NotJournalledError
from adjudge.journal import Journal, ReplayJournal, open_journal
from adjudge.models.common import Failure, Usage, total_cost, total_usage
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion, ResearchQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion, Order, Research
from adjudge.protocols.rubrics import shipped


def asked(case: Comparison, order: Order = "ab") -> CompareQuestion:
    return CompareQuestion(case, shipped("compare"), order)


@pytest.fixture(params=["openai_judge", "anthropic_judge"])
def any_judge(request: pytest.FixtureRequest) -> OpenJudge:
    return request.getfixturevalue(request.param)


# -- good replies -----------------------------------------------------------------------------------------------------


async def test_a_good_reply_is_an_opinion_on_every_criterion(any_judge: OpenJudge, case: Comparison) -> None:
    opinion = await any_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert list(opinion.scores) == [criterion.key for criterion in shipped("compare").criteria]
    assert {(item.criterion, item.answer) for item in opinion.evidence} == {
        (key, label) for key in opinion.scores for label in ("A", "B")
    }
    for item in opinion.evidence:
        assert case.answer(item.answer)[item.start : item.end] == item.quote
    assert opinion.warnings == ()
    assert len(opinion.calls) == 1


async def test_both_orders_come_back_in_the_cases_own_labels(any_judge: OpenJudge, case: Comparison) -> None:
    judge = any_judge()
    ab, ba = [await judge.opine(asked(case, order)) for order in ("ab", "ba")]
    assert isinstance(ab, ComparisonOpinion)
    assert isinstance(ba, ComparisonOpinion)
    assert {key: {label: mark.value for label, mark in marks.items()} for key, marks in ab.scores.items()} == {
        key: {label: mark.value for label, mark in marks.items()} for key, marks in ba.scores.items()
    }
    assert {(item.answer, item.quote) for item in ab.evidence} == {(item.answer, item.quote) for item in ba.evidence}
    assert ab.preference == ba.preference == "A"
    assert ab.summaries == {"A": "Response A in short.", "B": "Response B in short."}
    assert ba.summaries == {"A": "Response A in short.", "B": "Response B in short."}
    assert ab.rationale == "Response A and Response B were read; Response B stood second."
    assert ba.rationale == "Response B and Response A were read; Response A stood second."
    assert ba.scores["clarity_structure"]["B"].justification == "Response B says what it says."
    assert {item.rationale for item in ba.evidence if item.answer == "A"} == {"Response A is clear."}


async def test_the_researcher_asks_for_searches(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [says({"queries": ["egg  boiling\ntime", "", "egg boiling time", *"abcdef"]})]
    research = await any_judge().opine(ResearchQuestion(case))
    assert isinstance(research, Research)
    assert research.queries == ("egg boiling time", "a", "b", "c")


async def test_nothing_but_the_case_is_sent(any_judge: OpenJudge, provider: ScriptedProvider, tmp_path: Path) -> None:
    case = Comparison(
        task="Say hello.", a="Hello there, dear world!", b="Hi.", weights={"clarity_structure": Decimal("0.73391")}
    )
    await any_judge().opine(asked(case))
    sent = provider.requests[0].body + repr(provider.requests[0].headers).encode()
    for secret in (b"0.73391", b"weight", str(tmp_path).encode(), b"journal"):
        assert secret not in sent


# -- usage and cost ---------------------------------------------------------------------------------------------------


async def test_usage_and_cost_come_from_the_reply_and_published_prices(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    opinion = await openai_judge("gpt-4o").opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    usage = opinion.calls[0].usage
    assert usage == Usage(input_tokens=1000, output_tokens=200, reasoning_tokens=30, cache_read_tokens=400)
    # 600 × $2.50 + 400 × $1.25 + 200 × $10.00 a million
    assert opinion.calls[0].cost == Decimal("0.004")


async def test_anthropics_cached_tokens_count_as_input(anthropic_judge: OpenJudge, case: Comparison) -> None:
    opinion = await anthropic_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert opinion.calls[0].usage == Usage(input_tokens=1000, output_tokens=200, cache_read_tokens=400)
    assert opinion.calls[0].cost is not None


async def test_replies_that_led_to_nothing_are_counted_too(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [is_cut_off(), says("no JSON"), says("still no JSON")]
    failure = await any_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert [call.purpose for call in failure.calls] == ["opinion", "longer", "repair"]
    assert total_usage(failure.calls).total_tokens == 3 * (USAGE["input"] + USAGE["output"])
    cost = total_cost(failure.calls)
    assert cost is not None
    assert cost == 3 * (failure.calls[0].cost or 0)


async def test_a_model_nobody_prices_has_no_cost(openai_judge: OpenJudge, case: Comparison) -> None:
    opinion = await openai_judge("a-model-of-our-own").opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert opinion.calls[0].cost is None


# -- bad replies ------------------------------------------------------------------------------------------------------


async def test_a_refusal_is_a_failure_with_the_models_words(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [refuses("I would rather not.")]
    failure = await any_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.message) == ("refused", "I would rather not.")
    assert len(failure.calls) == provider.calls == 1


async def test_a_reply_of_more_than_a_million_characters_is_a_failure_and_not_sent_back(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = lambda request: says("[" * 1_000_001)
    failure = await openai_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert (failure.reason, len(failure.calls), len(provider.requests)) == ("malformed", 1, 1)
    assert "a reply of 1,000,001 characters; at most 1,000,000 are read" in failure.message


async def test_a_reply_cut_off_is_asked_for_once_with_twice_the_room(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [is_cut_off(), judges()]
    opinion = await any_judge(max_tokens=500).opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert [call.purpose for call in opinion.calls] == ["opinion", "longer"]
    rooms = [
        request.json.get("max_tokens") or request.json.get("max_completion_tokens") for request in provider.requests
    ]
    assert rooms == [500, 1000]


async def test_a_reply_cut_off_twice_is_a_failure(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [is_cut_off(), is_cut_off()]
    failure = await any_judge(max_tokens=500).opine(asked(case))
    assert isinstance(failure, Failure)
    assert failure.reason == "cut_off"
    assert "1000 tokens" in failure.message
    assert len(failure.calls) == 2


@pytest.mark.parametrize(
    ("trouble", "reason"), [(fails(429), "rate_limited"), (fails(503), "server_error"), (fails(402), "rejected")]
)
async def test_a_provider_in_trouble_is_a_failure_without_calls(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, trouble: Behaviour, reason: str
) -> None:
    provider.script = lambda request: trouble
    failure = await any_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.calls) == (reason, ())


async def test_an_envelope_nobody_can_read_is_malformed_and_counted_as_paid(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    async def behave(request: object, raw: object) -> web.Response:
        return web.json_response({"choices": [{"words": "no message"}]})

    provider.script = [behave]
    failure = await openai_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert failure.reason == "malformed"
    assert len(failure.calls) == 1


@pytest.mark.parametrize(
    "disguised",
    [
        {"choices": []},
        {"error": {"message": "overloaded"}, "choices": []},
        {"choices": [{"message": {"content": ""}, "finish_reason": "error"}]},
    ],
)
async def test_an_error_in_a_replys_clothes_is_tried_again_and_never_stored(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, disguised: dict[str, Any]
) -> None:
    async def behave(request: object, raw: object) -> web.Response:
        return web.json_response(disguised)

    provider.script = [behave, judges()]
    opinion = await openai_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert [call.attempts for call in opinion.calls] == [2]


# -- paid once --------------------------------------------------------------------------------------------------------


async def test_the_same_question_is_paid_once(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    judge = any_judge()
    first, again = [await judge.opine(asked(case)) for _ in range(2)]
    assert first == again
    assert provider.calls == 1


async def test_callers_at_the_same_time_share_one_call(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = lambda request: waits(0.05)
    judge = openai_judge()
    opinions = await asyncio.gather(*(judge.opine(asked(case)) for _ in range(10)))
    assert all(opinion == opinions[0] for opinion in opinions)
    assert provider.calls == 1


async def test_two_journal_objects_on_one_file_share_one_call(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, tmp_path: Path
) -> None:
    provider.script = lambda request: waits(0.05)
    other = open_journal(tmp_path / "journal.db")
    opinions = await asyncio.gather(openai_judge().opine(asked(case)), openai_judge(keep=other).opine(asked(case)))
    other.close()
    assert opinions[0] == opinions[1]
    assert provider.calls == 1


async def test_another_sample_model_order_or_rubric_is_another_question(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    await openai_judge().opine(asked(case))
    await openai_judge(sample=1).opine(asked(case))
    await openai_judge("gpt-4.1").opine(asked(case))
    await openai_judge(max_tokens=100).opine(asked(case))
    await openai_judge().opine(asked(case, "ba"))
    assert provider.calls == 5


async def test_a_reply_is_kept_before_it_is_read(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, journal: Journal
) -> None:
    provider.script = [says("not JSON at all"), says("nor this")]
    judge = openai_judge()
    failure = await judge.opine(asked(case))
    assert isinstance(failure, Failure)
    stored = [journal.get(call.key) for call in failure.calls]
    assert [b"not JSON at all" in entry.body for entry in stored if entry] == [True, False]
    assert await judge.opine(asked(case)) == failure, "reading it again costs nothing"
    assert provider.calls == 2


async def test_a_failed_call_is_not_kept(openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison) -> None:
    provider.script = [fails(400, "no"), judges()]
    judge = openai_judge()
    assert isinstance(await judge.opine(asked(case)), Failure)
    assert isinstance(await judge.opine(asked(case)), ComparisonOpinion)


async def test_a_replay_reads_what_is_stored_and_pays_nothing(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, journal: Journal
) -> None:
    first = await openai_judge().opine(asked(case))
    replaying = openai_judge(keep=ReplayJournal(journal))
    assert await replaying.opine(asked(case)) == first
    with pytest.raises(NotJournalledError):
        await replaying.opine(asked(case, "ba"))
    assert provider.calls == 1
