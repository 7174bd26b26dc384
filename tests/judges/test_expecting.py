"""What is on its way to the journal: how much a kill can cost, and whom the journal still expects."""

from __future__ import annotations

import asyncio
from typing import Any

from scripted.judging import OpenJudge
from scripted.provider import ScriptedProvider, fails, judges, waits

from adjudge.cases import Comparison
from adjudge.journal import Stored
from adjudge.judges.base import CompareQuestion
from adjudge.judges.llm import LLMJudge
from adjudge.rubric import shipped
from adjudge.verdicts import ComparisonOpinion, Failure


class Watched:
    """A journal that notes how many replies were still expected when one was there, and keeps none until told to."""

    def __init__(self, kept: Any) -> None:
        self._kept, self.expected, self.go_on = kept, list[int](), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    async def put(self, key: str, stored: Stored) -> None:
        self.expected.append(self._kept.expecting().count)
        await self.go_on.wait()
        await self._kept.put(key, stored)


def watched(judge: LLMJudge, places: int) -> Watched:
    journal = Watched(judge.journal)
    judge.journal, judge.room = journal, asyncio.Semaphore(places)
    return journal


def questions(count: int) -> list[CompareQuestion]:
    text = "Keep the first version small enough that two people can finish it."
    cases = [Comparison(f"Plan tool {n}.", f"{n}. {text}", f"{text} {n}.") for n in range(count)]
    return [CompareQuestion(case, shipped("compare"), "ab") for case in cases]


async def until_kept_or_waiting(journal: Watched, count: int) -> None:
    for _ in range(1000):
        if len(journal.expected) == count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{len(journal.expected)} of {count} replies came")


async def test_the_journal_knows_how_many_replies_are_on_their_way(
    openai_judge: OpenJudge, provider: ScriptedProvider
) -> None:
    judge = openai_judge()
    provider.script = [waits(0.2)] * 3
    journal = watched(judge, 3)
    asked = [asyncio.create_task(judge.opine(question)) for question in questions(3)]
    await until_kept_or_waiting(journal, 3)
    journal.go_on.set()
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await asyncio.gather(*asked))
    assert journal.expected == [2, 1, 0]


async def test_nobody_is_asked_while_all_places_hold_replies_that_are_not_kept(
    openai_judge: OpenJudge, provider: ScriptedProvider
) -> None:
    judge = openai_judge()
    journal = watched(judge, 2)
    asked = [asyncio.create_task(judge.opine(question)) for question in questions(5)]
    await until_kept_or_waiting(journal, 2)
    await asyncio.sleep(0.1)
    assert len(provider.requests) == 2
    journal.go_on.set()
    await asyncio.gather(*asked)
    assert len(provider.requests) == 5


async def test_a_call_that_fails_is_no_longer_expected(openai_judge: OpenJudge, provider: ScriptedProvider) -> None:
    judge = openai_judge()
    journal = watched(judge, 2)
    journal.go_on.set()
    provider.script = [fails(400), judges()]
    failure, opinion = [await judge.opine(question) for question in questions(2)]
    assert isinstance(failure, Failure)
    assert isinstance(opinion, ComparisonOpinion)
    assert journal.expected == [0]
