"""A batch that the provider's queue has no space for is submitted again; nothing is paid twice, nothing is lost."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import pytest
from runs.conftest import until
from scripted.judging import open_openai

from adjudge.llm.batch.base import BatchSettings
from adjudge.llm.batch.ledger import BatchLedger
from adjudge.llm.batch.wire import BatchWire
from adjudge.llm.openai import OpenAIWire
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion
from adjudge.protocols.rubrics import shipped


@pytest.fixture
def quick(tmp_path):
    return BatchSettings(tmp_path / "batches", idle=0.2, poll=0.01, longest_poll=0.03, most_requests=4)


def opened(provider, journal, settings):
    judge = open_openai(provider, journal)
    assert isinstance(judge.wire, OpenAIWire)
    judge.wire = BatchWire(judge.wire, settings)
    return judge


async def ask(judge, count):
    cases = [Comparison("Say hello.", f"Hello number {number}, how are you?", "Hi.") for number in range(count)]
    return await asyncio.gather(*(judge.opine(CompareQuestion(case, shipped("compare"), "ab")) for case in cases))


def answered(provider):
    """The questions that the provider answered, and wants to be paid for."""
    done = [batch for batch in provider.batches.made if batch.status == "completed"]
    return sorted(key for batch in done for key, _ in batch.questions)


@pytest.fixture
def ledger(quick):
    return BatchLedger(quick.ledger)


async def test_a_batch_that_was_not_accepted_is_submitted_again_when_another_has_ended(
    provider, journal, quick, caplog
):
    provider.batches.polls, provider.batches.room = 20, 4
    judge = opened(provider, journal, quick)
    with caplog.at_level(logging.WARNING, "adjudge.batches"):
        opinions = await asyncio.wait_for(ask(judge, 8), 60)
    await judge.close()
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert provider.batches.turned_away
    assert len(answered(provider)) == len(set(answered(provider))) == provider.calls == 8
    told = caplog.messages[0]
    assert told.startswith("openai:gpt-4o: the batch queue is full, 4 requests not accepted (batch batch_")
    assert "Enqueued token limit reached" in told
    assert told.endswith(
        "completed); submitting again when one of our batches has ended, or in 1 second; nothing was paid"
    )


async def test_a_batch_that_never_fits_is_halved(provider, journal, quick, caplog):
    provider.batches.room = 12
    judge = opened(provider, journal, replace(quick, most_requests=41))
    opinions = await asyncio.wait_for(ask(judge, 41), 60)
    await judge.close()
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert len(answered(provider)) == len(set(answered(provider))) == provider.calls == 41
    assert "41 requests not accepted" in caplog.messages[0]
    assert caplog.messages[0].endswith("completed); submitting again in 1 second; nothing was paid")
    assert caplog.messages[1].endswith("submitting again 20 now and 21 in 1 second; nothing was paid")
    assert max(len(batch.questions) for batch in provider.batches.made if batch.status == "completed") <= 12


async def test_while_others_fill_the_queue_few_batches_are_submitted(provider, journal, quick):
    provider.batches.room = 0
    judge = opened(provider, journal, replace(quick, most_requests=64))
    outcomes = await asyncio.wait_for(ask(judge, 64), 60)
    await judge.close()
    assert all(isinstance(outcome, Failure) for outcome in outcomes)
    sizes = [len(batch.questions) for batch in provider.batches.made]
    assert sizes.count(64) == 2 and min(sizes) == 8
    assert len(sizes) <= 128  # how many depends on which polls coincide; one request a batch would be far more


async def test_a_queue_that_stays_full_is_a_failure_that_says_why(provider, journal, quick, caplog):
    provider.batches.room = 0
    judge = opened(provider, journal, quick)
    outcomes = await asyncio.wait_for(ask(judge, 1), 60)
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert outcome.reason == "rate_limited" and "Enqueued token limit reached" in outcome.message
    assert "1 request not accepted (" in caplog.messages[0]
    provider.batches.room = 10
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(judge, 2))
    await judge.close()


async def test_a_process_that_stops_while_it_waits_for_space_asks_anew(provider, journal, quick, ledger):
    provider.batches.room = 0
    judge = opened(provider, journal, replace(quick, poll=600.0, longest_poll=600.0))
    asking = asyncio.create_task(ask(judge, 3))
    await until(lambda: provider.batches.turned_away and not ledger.unfinished())
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


@pytest.mark.parametrize("cancelled", ["before it was refused", "while it waits for space"])
async def test_requests_without_callers_are_not_submitted_again(provider, journal, quick, ledger, cancelled):
    provider.batches.room = 0
    judge = opened(provider, journal, replace(quick, poll=0.3))
    kept = asyncio.create_task(ask(judge, 1))
    left = asyncio.create_task(ask(judge, 3))
    if cancelled == "while it waits for space":
        await until(lambda: provider.batches.turned_away and not ledger.unfinished())
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
async def test_a_batch_of_a_killed_process_that_was_not_accepted_is_submitted_by_the_next(
    provider, journal, quick, collects
):
    provider.batches.room, provider.batches.silent_at = 0, "before poll"
    judge = opened(provider, journal, quick)
    asking = asyncio.create_task(ask(judge, 3))
    await asyncio.wait_for(provider.batches.silent.wait(), 60)
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
