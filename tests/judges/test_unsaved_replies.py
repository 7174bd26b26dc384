"""How many replies may be asked for and not yet be in the journal: what a kill can cost."""

from __future__ import annotations

import asyncio
from typing import Any

from scripted.judging import OpenJudge
from scripted.provider import ScriptedProvider

from adjudge.journal import Stored
from adjudge.judges.llm import LLMJudge
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.rubrics import shipped


class Watched:
    """A journal that counts the replies it is given, and stores none until it is told to."""

    def __init__(self, kept: Any) -> None:
        self._kept, self.given, self.go_on = kept, 0, asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    async def put(self, key: str, stored: Stored) -> None:
        self.given += 1
        await self.go_on.wait()
        await self._kept.put(key, stored)


def watched(judge: LLMJudge, places: int) -> Watched:
    journal = Watched(judge.journal)
    judge.journal, judge.unsaved = journal, asyncio.Semaphore(places)
    return journal


def questions(count: int) -> list[CompareQuestion]:
    text = "Keep the first version small enough that two people can finish it."
    cases = [Comparison(f"Plan tool {n}.", f"{n}. {text}", f"{text} {n}.") for n in range(count)]
    return [CompareQuestion(case, shipped("compare"), "ab") for case in cases]


async def until_given(journal: Watched, count: int) -> None:
    for _ in range(6000):
        if journal.given == count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{journal.given} of {count} replies came")


async def test_no_request_is_sent_while_the_allowed_number_of_replies_is_unsaved(
    openai_judge: OpenJudge, provider: ScriptedProvider
) -> None:
    judge = openai_judge()
    journal = watched(judge, 2)
    asked = [asyncio.create_task(judge.opine(question)) for question in questions(5)]
    await until_given(journal, 2)
    await asyncio.sleep(0.1)
    assert len(provider.requests) == 2
    journal.go_on.set()
    await asyncio.gather(*asked)
    assert len(provider.requests) == 5
