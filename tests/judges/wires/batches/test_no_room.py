"""A provider that has no room for a batch gets it again later; nothing is paid twice, and nothing is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from runs.conftest import until
from scripted.judging import open_openai
from scripted.provider import ScriptedProvider

from adjudge.cases import Comparison
from adjudge.journal import Journal
from adjudge.judges.base import CompareQuestion
from adjudge.judges.llm import LLMJudge
from adjudge.judges.wires.batches.base import BatchSettings
from adjudge.judges.wires.batches.ledger import Ledger
from adjudge.judges.wires.batches.room import TRIES, Room
from adjudge.judges.wires.batches.wire import BatchWire
from adjudge.judges.wires.openai import OpenAIWire
from adjudge.rubric import shipped
from adjudge.verdicts import ComparisonOpinion, Failure


@pytest.fixture
def quick(tmp_path: Path) -> BatchSettings:
    return BatchSettings(tmp_path / "batches.db", idle=0.05, poll=0.01, longest_poll=0.03, most_requests=4)


def opened(provider: ScriptedProvider, journal: Journal, settings: BatchSettings) -> LLMJudge:
    judge = open_openai(provider, journal)
    assert isinstance(judge.wire, OpenAIWire)
    judge.wire = BatchWire(judge.wire, settings)
    return judge


async def ask(judge: LLMJudge, count: int) -> list[ComparisonOpinion | Failure]:
    cases = [Comparison("Say hello.", f"Hello number {number}, how are you?", "Hi.") for number in range(count)]
    return await asyncio.gather(*(judge.opine(CompareQuestion(case, shipped("compare"), "ab")) for case in cases))


def answered(provider: ScriptedProvider) -> list[str]:
    """The questions that the provider answered, and wants to be paid for."""
    done = [batch for batch in provider.batches.made if batch.status == "completed"]
    return sorted(key for batch in done for key, _ in batch.questions)


@pytest.fixture
def ledger(quick: BatchSettings) -> Iterator[Ledger]:
    opened = Ledger(quick.ledger)
    yield opened
    opened.close()


async def test_what_found_no_room_is_handed_in_again_when_another_batch_has_ended(
    provider: ScriptedProvider, journal: Journal, quick: BatchSettings, caplog: pytest.LogCaptureFixture
) -> None:
    provider.batches.polls, provider.batches.room = 3, 4
    judge = opened(provider, journal, quick)
    with caplog.at_level(logging.WARNING, "adjudge.batches"):
        opinions = await asyncio.wait_for(ask(judge, 8), 60)
    await judge.close()
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert provider.batches.turned_away
    assert len(answered(provider)) == len(set(answered(provider))) == provider.calls == 8
    told = caplog.messages[0]
    assert told.startswith("openai:gpt-4o: no room for 4 questions (batch batch_")
    assert "Enqueued token limit reached" in told
    assert told.endswith("completed); handed in again when a batch of ours has ended, or in 1 second; nothing was paid")


async def test_a_batch_that_never_fits_is_halved(
    provider: ScriptedProvider, journal: Journal, quick: BatchSettings, caplog: pytest.LogCaptureFixture
) -> None:
    provider.batches.room = 12
    judge = opened(provider, journal, replace(quick, most_requests=41))
    opinions = await asyncio.wait_for(ask(judge, 41), 60)
    await judge.close()
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert len(answered(provider)) == len(set(answered(provider))) == provider.calls == 41
    assert "no room for 41 questions" in caplog.messages[0]
    assert caplog.messages[0].endswith("completed); handed in again in 1 second; nothing was paid")
    assert caplog.messages[1].endswith("handed in again 20 at once and 21 in 1 second; nothing was paid")
    assert max(len(batch.questions) for batch in provider.batches.made if batch.status == "completed") <= 12


async def test_where_others_fill_the_queue_few_batches_are_handed_in(
    provider: ScriptedProvider, journal: Journal, quick: BatchSettings
) -> None:
    provider.batches.room = 0
    judge = opened(provider, journal, replace(quick, most_requests=64))
    outcomes = await asyncio.wait_for(ask(judge, 64), 60)
    await judge.close()
    assert all(isinstance(outcome, Failure) for outcome in outcomes)
    sizes = [len(batch.questions) for batch in provider.batches.made]
    assert sizes.count(64) == 2 and min(sizes) == 8
    assert len(sizes) <= 80


async def test_where_there_is_never_any_room_the_failure_says_why(
    provider: ScriptedProvider, journal: Journal, quick: BatchSettings, caplog: pytest.LogCaptureFixture
) -> None:
    provider.batches.room = 0
    judge = opened(provider, journal, quick)
    outcomes = await asyncio.wait_for(ask(judge, 1), 60)
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert outcome.reason == "rate_limited" and "Enqueued token limit reached" in outcome.message
    assert "no room for 1 question (" in caplog.messages[0]
    provider.batches.room = 10
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(judge, 2))
    await judge.close()


async def test_who_stops_while_it_waits_for_room_is_asked_anew(
    provider: ScriptedProvider, journal: Journal, quick: BatchSettings, ledger: Ledger
) -> None:
    provider.batches.room = 0
    judge = opened(provider, journal, replace(quick, poll=600.0, longest_poll=600.0))
    asking = asyncio.create_task(ask(judge, 3))
    await until(lambda: provider.batches.turned_away and not ledger.open_entries())
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await judge.close()
    provider.batches.room = 10
    again = opened(provider, journal, quick)
    assert isinstance(again.wire, BatchWire)
    assert await again.wire.collect(journal) == 0
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(again, 3))
    await again.close()
    assert len(answered(provider)) == provider.calls == 3


@pytest.mark.parametrize("cancelled", ["before it found no room", "while it waits for room"])
async def test_what_nobody_waits_for_any_more_is_not_handed_in_again(
    provider: ScriptedProvider, journal: Journal, quick: BatchSettings, ledger: Ledger, cancelled: str
) -> None:
    provider.batches.room = 0
    judge = opened(provider, journal, replace(quick, poll=0.3))
    kept = asyncio.create_task(ask(judge, 1))
    left = asyncio.create_task(ask(judge, 3))
    if cancelled == "while it waits for room":
        await until(lambda: provider.batches.turned_away and not ledger.open_entries())
    else:
        await until(lambda: provider.batches.made)
    left.cancel()
    await asyncio.gather(left, return_exceptions=True)
    provider.batches.room = 10
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await asyncio.wait_for(kept, 60))
    assert [len(batch.questions) for batch in provider.batches.made] == [3, 1]
    assert len(answered(provider)) == provider.calls == 1
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await asyncio.wait_for(ask(judge, 3), 60))
    await judge.close()
    assert len(answered(provider)) == provider.calls == 3


@pytest.mark.parametrize("collects", [True, False])
async def test_a_batch_of_a_killed_process_that_found_no_room_is_handed_in_by_the_next(
    provider: ScriptedProvider, journal: Journal, quick: BatchSettings, collects: bool
) -> None:
    provider.batches.room, provider.batches.silent_at = 0, "before poll"
    judge = opened(provider, journal, quick)
    asking = asyncio.create_task(ask(judge, 3))
    await asyncio.wait_for(provider.batches.silent.wait(), 10)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await judge.close()
    provider.batches.room, provider.batches.silent_at = 10, None
    again = opened(provider, journal, quick)
    assert isinstance(again.wire, BatchWire)
    if collects:
        assert await again.wire.collect(journal) == 0
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(again, 3))
    await again.close()
    assert len(provider.batches.turned_away) == 1
    assert len(answered(provider)) == provider.calls == 3


async def test_a_batch_that_ends_wakes_one_that_waits_and_one_that_found_no_room_wakes_nobody() -> None:
    room = Room(600.0, 600.0)
    with room.taken():
        waiting = [asyncio.create_task(room.wait(0)) for _ in range(2)]
        await asyncio.sleep(0)
        with room.taken() as stay:
            stay.found_room = False
        await asyncio.sleep(0.05)
        assert room.is_ours and not any(task.done() for task in waiting)
    assert await asyncio.wait_for(waiting[0], 5) is True
    assert not room.is_ours and not waiting[1].done()
    waiting[1].cancel()
    with room.taken():
        pass


async def test_without_a_batch_of_ours_the_pause_grows_to_an_end() -> None:
    room = Room(0.01, 0.02)
    assert await room.wait(0) is False
    pauses = [room.pause(tries) for tries in range(TRIES + 1)]
    assert pauses[:3] == [0.01, 0.02, 0.04] and pauses == sorted(pauses) and pauses[-1] == pytest.approx(0.24)
