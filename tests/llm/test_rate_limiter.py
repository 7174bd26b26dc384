"""A rate limiter by itself: the order of calls, how the bound adapts, what all callers wait for; no slot is lost."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest
from clock import clock
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.llm.rate_limiter import OpenCircuit, RateLimiter, RateLimits


async def entered(limiter):
    ticket = limiter.ticket()
    assert await limiter.acquire(ticket) is None
    return ticket


async def rounds(limiter, calls):
    """So many calls, all at once, all answered."""

    async def call():
        ticket = await entered(limiter)
        await asyncio.sleep(0)
        limiter.succeeded(ticket)
        limiter.release(ticket)

    await asyncio.gather(*(call() for _ in range(calls)))


async def test_no_more_calls_are_in_flight_than_the_bound_allows():
    limiter = RateLimiter(RateLimits(start=3, ceiling=3))
    most = 0

    async def call():
        nonlocal most
        ticket = await entered(limiter)
        most = max(most, limiter.in_flight)
        await asyncio.sleep(0.001)
        limiter.succeeded(ticket)
        limiter.release(ticket)

    await asyncio.gather(*(call() for _ in range(50)))
    assert most == 3
    assert limiter.in_flight == 0


async def test_calls_start_in_the_order_they_came_also_after_a_retry():
    limiter = RateLimiter(RateLimits(start=1, ceiling=1, first_wait=0.001))
    order: list[int] = []
    pushed = False

    async def call(number):
        nonlocal pushed
        ticket = limiter.ticket()
        while True:
            assert await limiter.acquire(ticket) is None
            await asyncio.sleep(0)
            if number == 2 and not pushed:
                pushed = True
                assert limiter.refused(ticket, None)
                limiter.release(ticket)
                continue
            order.append(number)
            limiter.release(ticket)
            return

    await asyncio.gather(*(call(number) for number in range(6)))
    assert order == [0, 1, 2, 3, 4, 5]


async def test_the_bound_grows_to_the_ceiling_while_it_is_used_and_replies_come():
    limiter = RateLimiter(RateLimits(start=2, ceiling=9))
    await rounds(limiter, 60)
    assert limiter.limit == 9


async def test_a_bound_that_is_not_reached_stays():
    limiter = RateLimiter(RateLimits(start=4, ceiling=100))
    for _ in range(50):
        await rounds(limiter, 1)
    assert limiter.limit == 4


async def test_refusals_of_calls_that_were_in_flight_together_halve_the_bound_once():
    limiter = RateLimiter(RateLimits(start=16, ceiling=16, first_wait=0.001))
    tickets = [await entered(limiter) for _ in range(16)]
    for ticket in tickets:
        limiter.refused(ticket, None)
        limiter.release(ticket)
    assert limiter.limit == 8
    ticket = await entered(limiter)
    limiter.refused(ticket, None)
    limiter.release(ticket)
    assert limiter.limit == 4


async def test_after_a_halving_the_bound_grows_by_one_per_window():
    limiter = RateLimiter(RateLimits(start=8, ceiling=100, first_wait=0.001))
    ticket = await entered(limiter)
    limiter.refused(ticket, None)
    limiter.release(ticket)
    assert limiter.limit == 4
    await rounds(limiter, 8)
    assert limiter.limit == 5
    await rounds(limiter, 9)
    assert limiter.limit == 6


@pytest.mark.fake_clock
async def test_a_wait_that_one_caller_is_told_all_callers_keep():
    limiter = RateLimiter(RateLimits(start=8))
    ticket = await entered(limiter)
    began = clock().time()
    limiter.refused(ticket, 0.15)
    limiter.release(ticket)
    await asyncio.gather(*(entered(limiter) for _ in range(4)))
    assert clock().time() - began == pytest.approx(0.15)


@pytest.mark.fake_clock
async def test_a_rate_spreads_the_calls_evenly():
    limiter = RateLimiter(RateLimits(start=100, per_minute=60 * 50))
    starts = []

    async def call():
        ticket = await entered(limiter)
        starts.append(clock().time())
        limiter.release(ticket)

    await asyncio.gather(*(call() for _ in range(21)))
    assert starts == sorted(starts)
    assert starts[-1] - starts[0] >= 20 / 50 - 0.06
    for first, later in zip(starts, starts[10:], strict=False):
        assert later - first >= 10 / 50 - 0.06


@pytest.mark.fake_clock
@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining-requests": "10", "x-ratelimit-reset-requests": "500ms"},
        {"x-ratelimit-remaining-requests": "10", "x-ratelimit-reset-requests": "0m0.5s"},
        {
            "x-ratelimit-remaining-requests": "1000", "x-ratelimit-reset-requests": "1s",
            "x-ratelimit-remaining-tokens": "10000", "x-ratelimit-reset-tokens": "500ms",
        },
    ],
)  # fmt: skip
async def test_what_is_left_is_spread_over_the_time_until_the_reset(headers):
    limiter = RateLimiter(RateLimits(start=100))
    limiter.read_headers(headers, 4000)  # a thousand tokens
    began = clock().time()
    for _ in range(7):
        await entered(limiter)
    assert 0.2 <= clock().time() - began < 0.5


@pytest.mark.fake_clock
async def test_with_nothing_left_it_waits_until_the_reset():
    from datetime import UTC, datetime, timedelta

    limiter = RateLimiter(RateLimits())
    reset = (datetime.now(UTC) + timedelta(seconds=100)).isoformat().replace("+00:00", "Z")
    limiter.read_headers(
        {"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": reset}, 100
    )
    began = clock().time()
    await entered(limiter)
    # The header names a moment on the wall clock, and some of the hundred seconds had gone by when it was read.
    assert 10 <= clock().time() - began <= 100


@pytest.mark.fake_clock
@pytest.mark.parametrize("reset", ["", "soon", "-1", "1.2.3s", "nan"])
async def test_malformed_headers_change_nothing(reset):
    limiter = RateLimiter(RateLimits())
    limiter.read_headers({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}, 100)
    began = clock().time()
    await entered(limiter)
    assert clock().time() == began


@pytest.mark.fake_clock
async def test_a_call_that_is_refused_while_others_are_answered_gives_up():
    limiter = RateLimiter(RateLimits(start=4, first_wait=0.0001))
    ticket = limiter.ticket()
    pushed, again = 0, True
    while again and pushed < 100:
        await limiter.acquire(ticket)
        pushed, again = pushed + 1, limiter.refused(ticket, None)
        limiter.release(ticket)
        await rounds(limiter, 1)
    assert 5 < pushed < 30


# -- the circuit ------------------------------------------------------------------------------------------------------

QUICK = RateLimits(start=4, open_after=3, cool_down=0.05)


async def opened(limiter):
    for _ in range(3):
        ticket = await entered(limiter)
        limiter.failed(ticket, "connection", "nobody there")
        limiter.release(ticket)


@pytest.mark.fake_clock
async def test_failures_in_a_row_open_the_circuit_and_an_answer_between_them_prevents_it():
    limiter = RateLimiter(QUICK)
    for _ in range(2):
        ticket = await entered(limiter)
        limiter.failed(ticket, "timeout", "slow")
        limiter.release(ticket)
    await rounds(limiter, 1)
    await opened(limiter)
    assert await limiter.acquire(limiter.ticket()) == OpenCircuit("connection", "nobody there")


async def test_waiting_callers_fail_when_the_circuit_opens():
    limiter = RateLimiter(RateLimits(start=1, ceiling=1, open_after=1))
    ticket = await entered(limiter)
    waiting = [asyncio.create_task(limiter.acquire(limiter.ticket())) for _ in range(5)]
    await asyncio.sleep(0)
    limiter.failed(ticket, "connection", "nobody there")
    limiter.release(ticket)
    assert await asyncio.gather(*waiting) == [OpenCircuit("connection", "nobody there")] * 5


@pytest.mark.fake_clock
async def test_one_call_at_a_time_probes_an_open_circuit():
    limiter = RateLimiter(QUICK)
    await opened(limiter)
    await asyncio.sleep(0.06)
    probe = limiter.ticket()
    assert await limiter.acquire(probe) is None
    assert isinstance(await limiter.acquire(limiter.ticket()), OpenCircuit)
    limiter.failed(probe, "timeout", "still not")
    limiter.release(probe)
    assert await limiter.acquire(limiter.ticket()) == OpenCircuit("timeout", "still not")
    await asyncio.sleep(0.06)
    assert isinstance(await limiter.acquire(limiter.ticket()), OpenCircuit), "the second cool-down is longer"
    await asyncio.sleep(0.06)
    probe = await entered(limiter)
    limiter.succeeded(probe)
    limiter.release(probe)
    assert await limiter.acquire(limiter.ticket()) is None


@pytest.mark.fake_clock
async def test_a_cancelled_probe_lets_the_next_call_probe():
    limiter = RateLimiter(QUICK)
    await opened(limiter)
    await asyncio.sleep(0.06)
    probe = await entered(limiter)
    limiter.release(probe)
    assert await limiter.acquire(limiter.ticket()) is None


# -- nothing is lost --------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(2, 40))
def test_no_slot_is_lost_whichever_call_is_cancelled_whenever(seed, limit, calls):
    chance = random.Random(seed)

    async def main():
        limiter = RateLimiter(RateLimits(start=limit, ceiling=limit * 2, first_wait=0.0001, open_after=10**6))

        async def call():
            ticket = limiter.ticket()
            for _ in range(chance.randint(1, 3)):
                if await limiter.acquire(ticket) is not None:
                    return
                try:
                    await asyncio.sleep(chance.choice((0, 0, 0.0003)))
                    chance.choice((lambda: limiter.succeeded(ticket), lambda: limiter.refused(ticket, None)))()
                finally:
                    limiter.release(ticket)

        tasks = [asyncio.create_task(call()) for _ in range(calls)]
        for task in tasks:
            if chance.random() < 0.5:
                await asyncio.sleep(0)
            if chance.random() < 0.4:
                task.cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
        assert (limiter.in_flight, limiter.waiting) == (0, 0)
        await asyncio.wait_for(entered(limiter), 60)

    asyncio.run(main())


def test_a_limiter_outlives_its_loops():
    limiter = RateLimiter(RateLimits(start=2, ceiling=2, first_wait=0.001))
    served: list[int] = []

    async def main(number):
        async def call():
            ticket = limiter.ticket()
            for attempt in range(2):
                await limiter.acquire(ticket)
                await asyncio.sleep(0)
                if attempt == 0 and number == 1:
                    limiter.refused(ticket, None)
                else:
                    limiter.succeeded(ticket)
                limiter.release(ticket)
            served.append(number)

        await asyncio.gather(*(call() for _ in range(4)))

    for number in range(3):
        asyncio.run(asyncio.wait_for(main(number), 60))
    assert served == [0] * 4 + [1] * 4 + [2] * 4
    assert (limiter.in_flight, limiter.waiting) == (0, 0)


def test_a_loop_that_ends_while_its_callers_wait_blocks_no_others():
    limiter = RateLimiter(RateLimits(start=1, ceiling=1))

    async def leaves_callers_behind():
        await entered_and_held(limiter)
        waiting = [asyncio.create_task(limiter.acquire(limiter.ticket())) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)

    async def entered_and_held(limiter):
        ticket = await entered(limiter)
        limiter.refused(ticket, 0.05)
        limiter.release(ticket)

    asyncio.run(leaves_callers_behind())
    asyncio.run(asyncio.wait_for(entered(limiter), 60))


def test_each_provider_and_host_has_one_limiter():
    limits = RateLimits(start=8, ceiling=40, per_minute=600)
    one = limits.limiter("openai", "https://api.openai.com/v1/chat/completions")
    assert limits.limiter("openai", "https://api.openai.com/v1/other") is one
    assert limits.limiter("openai", "https://elsewhere/v1/chat/completions") is not one
    assert limits.limiter("anthropic", "https://api.openai.com/v1/messages") is not one
    assert set(limits.named()) >= {"openai api.openai.com", "anthropic api.openai.com"}
    assert replace(limits).named() == {}, "a copy has limiters of its own"
