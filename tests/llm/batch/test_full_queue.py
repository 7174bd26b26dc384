"""A batch that the provider's queue has no space for is submitted again; nothing is paid twice, nothing is lost."""

import asyncio
import logging
from dataclasses import replace

import pytest
from calls import all_judged, ask, reasons
from runs.conftest import until

from adjudge.llm.batch.base import BatchSettings
from adjudge.llm.batch.ledger import BatchLedger


@pytest.fixture
def kind():
    return "openai"


@pytest.fixture
def quick(tmp_path):
    return BatchSettings(tmp_path / "batches", idle=0.2, poll=0.01, longest_poll=0.03, most_requests=4)


@pytest.fixture
def queue(provider, quick):
    """The provider's queue, without space at first; `refused()` waits until it has turned a batch away."""
    ledger = BatchLedger(quick.ledger)
    provider.batches.refused = lambda: until(lambda: provider.batches.turned_away and not ledger.unfinished())
    provider.batches.room = 0
    return provider.batches


def paid_once(provider, count):
    """Each question was answered, and is to be paid for, exactly once."""
    done = [batch for batch in provider.batches.made if batch.status == "completed"]
    keys = [key for batch in done for key, _ in batch.questions]
    return len(keys) == len(set(keys)) == provider.calls == count


async def stop(judge, asking):
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await judge.close()


async def test_a_batch_that_was_not_accepted_is_submitted_again_when_another_has_ended(
    provider, queue, batched, caplog
):
    queue.polls, queue.room = 20, 4
    with caplog.at_level(logging.WARNING, "adjudge.batches"):
        assert all_judged(await asyncio.wait_for(ask(batched(), 8), 60))
    assert queue.turned_away and paid_once(provider, 8)
    told = caplog.messages[0]
    assert told.startswith("openai:gpt-4o: the batch queue is full, 4 requests not accepted (batch batch_")
    assert "Enqueued token limit reached" in told
    again = "completed); submitting again when one of our batches has ended, or in 1 second; nothing was paid"
    assert told.endswith(again)


async def test_a_batch_that_never_fits_is_halved(provider, queue, batched, quick, caplog):
    queue.room = 12
    assert all_judged(await asyncio.wait_for(ask(batched(replace(quick, most_requests=41)), 41), 60))
    assert paid_once(provider, 41)
    assert "41 requests not accepted" in caplog.messages[0]
    assert caplog.messages[0].endswith("completed); submitting again in 1 second; nothing was paid")
    assert caplog.messages[1].endswith("submitting again 20 now and 21 in 1 second; nothing was paid")
    assert max(len(batch.questions) for batch in queue.made if batch.status == "completed") <= 12


async def test_while_others_fill_the_queue_few_batches_are_submitted(queue, batched, quick):
    outcomes = await asyncio.wait_for(ask(batched(replace(quick, most_requests=32)), 32), 60)
    assert "" not in reasons(outcomes)
    sizes = [len(batch.questions) for batch in queue.made]
    assert sizes.count(32) == 2 and min(sizes) == 8
    assert len(sizes) <= 128  # how many depends on which polls coincide; one request a batch would be far more


async def test_a_queue_that_stays_full_is_a_failure_that_says_why(queue, batched, caplog):
    judge = batched()
    (outcome,) = await asyncio.wait_for(ask(judge, 1), 60)
    assert outcome.reason == "rate_limited" and "Enqueued token limit reached" in outcome.message
    assert "1 request not accepted (" in caplog.messages[0]
    queue.room = 10
    assert all_judged(await ask(judge, 2))


async def test_a_process_that_stops_while_it_waits_for_space_asks_anew(provider, queue, batched, journal, quick):
    asking = asyncio.create_task(ask(judge := batched(replace(quick, poll=600.0, longest_poll=600.0)), 3))
    await queue.refused()
    await stop(judge, asking)
    queue.room, again = 10, batched()
    assert await again.wire.collect(journal) == 0
    assert all_judged(await ask(again, 3)) and paid_once(provider, 3)


@pytest.mark.parametrize("cancelled", ["before it was refused", "while it waits for space"])
async def test_requests_without_callers_are_not_submitted_again(provider, queue, batched, quick, cancelled):
    judge = batched(replace(quick, poll=0.3))
    kept, left = (asyncio.create_task(ask(judge, count)) for count in (1, 3))
    await (queue.refused() if cancelled == "while it waits for space" else until(lambda: queue.made))
    left.cancel()
    await asyncio.gather(left, return_exceptions=True)
    queue.room = 10
    assert all_judged(await asyncio.wait_for(kept, 60))
    assert [len(batch.questions) for batch in queue.made] == [3, 1] and paid_once(provider, 1)
    assert all_judged(await asyncio.wait_for(ask(judge, 3), 60)) and paid_once(provider, 3)


@pytest.mark.parametrize("collects", [True, False])
async def test_a_batch_of_a_killed_process_that_was_not_accepted_is_submitted_by_the_next(
    provider, queue, batched, journal, collects
):
    queue.silent_at = "before poll"
    asking = asyncio.create_task(ask(judge := batched(), 3))
    await asyncio.wait_for(queue.silent.wait(), 60)
    await stop(judge, asking)
    queue.room, queue.silent_at, again = 10, None, batched()
    if collects:
        assert await again.wire.collect(journal) == 0
    assert all_judged(await ask(again, 3))
    assert len(queue.turned_away) == 1 and paid_once(provider, 3)
