"""A rate limiter by itself: the order of calls, how the bound adapts, what all callers wait for; no slot is lost."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from clock import clock
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.llm.rate_limiter import OpenCircuit, RateLimiter, RateLimits


def limiter_of(**limits):
    return RateLimiter(RateLimits(**limits))


async def entered(limiter):
    ticket = limiter.ticket()
    assert await limiter.acquire(ticket) is None
    return ticket


async def call(limiter, outcome="succeeded", *said):
    """One call with its outcome: `succeeded`, `refused` with a wait, `failed` with a reason and a message."""
    ticket = await entered(limiter)
    await asyncio.sleep(0)
    getattr(limiter, outcome)(ticket, *said)
    limiter.release(ticket)


async def rounds(limiter, calls):
    await asyncio.gather(*(call(limiter) for _ in range(calls)))


async def test_no_more_calls_are_in_flight_than_the_bound_allows():
    limiter, in_flight = limiter_of(start=3, ceiling=3), []

    async def one():
        ticket = await entered(limiter)
        in_flight.append(limiter.in_flight)
        await asyncio.sleep(0.001)
        limiter.succeeded(ticket)
        limiter.release(ticket)

    await asyncio.gather(*(one() for _ in range(50)))
    assert (max(in_flight), limiter.in_flight) == (3, 0)


@pytest.mark.fake_clock
async def test_calls_start_in_the_order_they_came_also_after_a_retry():
    limiter, order, pushed = limiter_of(start=1, ceiling=1, first_wait=0.001), [], []

    async def one(number):
        ticket = limiter.ticket()
        while number not in order:
            assert await limiter.acquire(ticket) is None
            await asyncio.sleep(0)
            if number == 2 and not pushed:
                pushed.append(limiter.refused(ticket, None))
            else:
                order.append(number)
            limiter.release(ticket)

    await asyncio.gather(*(one(number) for number in range(6)))
    assert (order, pushed) == ([0, 1, 2, 3, 4, 5], [True])


async def test_the_bound_grows_to_the_ceiling_while_it_is_used_and_stays_where_it_is_not_reached():
    used, unused = limiter_of(start=2, ceiling=9), limiter_of(start=4, ceiling=100)
    await rounds(used, 60)
    for _ in range(50):
        await rounds(unused, 1)
    assert (used.limit, unused.limit) == (9, 4)


async def test_refusals_of_calls_that_were_in_flight_together_halve_the_bound_once():
    limiter = limiter_of(start=16, ceiling=16, first_wait=0.001)
    for ticket in [await entered(limiter) for _ in range(16)]:
        limiter.refused(ticket, None)
        limiter.release(ticket)
    assert limiter.limit == 8
    await call(limiter, "refused", None)
    assert limiter.limit == 4


async def test_after_a_halving_the_bound_grows_by_one_per_window():
    limiter = limiter_of(start=8, ceiling=100, first_wait=0.001)
    await call(limiter, "refused", None)
    for calls, limit in ((0, 4), (8, 5), (9, 6)):
        await rounds(limiter, calls)
        assert limiter.limit == limit


@pytest.mark.fake_clock
async def test_a_wait_that_one_caller_is_told_all_callers_keep():
    limiter, began = limiter_of(start=8), clock().time()
    await call(limiter, "refused", 0.15)
    await asyncio.gather(*(entered(limiter) for _ in range(4)))
    assert clock().time() - began == pytest.approx(0.15)


@pytest.mark.fake_clock
async def test_a_rate_spreads_the_calls_evenly():
    limiter, starts = limiter_of(start=100, per_minute=60 * 50), []

    async def one():
        ticket = await entered(limiter)
        starts.append(clock().time())
        limiter.release(ticket)

    await asyncio.gather(*(one() for _ in range(21)))
    assert starts == sorted(starts) and starts[-1] - starts[0] >= 20 / 50 - 0.06
    assert all(later - first >= 10 / 50 - 0.06 for first, later in zip(starts, starts[10:], strict=False))


def left(kind, remaining, reset):
    return {f"x-ratelimit-remaining-{kind}": remaining, f"x-ratelimit-reset-{kind}": reset}


async def seconds_to_enter(limiter, calls=1):
    began = clock().time()
    for _ in range(calls):
        await entered(limiter)
    return clock().time() - began


@pytest.mark.fake_clock
@pytest.mark.parametrize(
    "headers",
    [left("requests", "10", "500ms"), left("requests", "10", "0m0.5s"),
     left("requests", "1000", "1s") | left("tokens", "10000", "500ms")],
)  # fmt: skip
async def test_what_is_left_is_spread_over_the_time_until_the_reset(headers):
    limiter = limiter_of(start=100)
    limiter.read_headers(headers, 4000)  # a thousand tokens
    assert 0.2 <= await seconds_to_enter(limiter, 7) < 0.5


@pytest.mark.fake_clock
async def test_with_nothing_left_it_waits_until_the_reset():
    limiter, named = limiter_of(), "anthropic-ratelimit-requests-"
    reset = (datetime.now(UTC) + timedelta(seconds=100)).isoformat().replace("+00:00", "Z")
    limiter.read_headers({f"{named}remaining": "0", f"{named}reset": reset}, 100)
    # The header names a moment on the wall clock, and some of the hundred seconds had gone by when it was read.
    assert 10 <= await seconds_to_enter(limiter) <= 100


@pytest.mark.fake_clock
async def test_malformed_headers_change_nothing():
    for reset in ("", "soon", "-1", "1.2.3s", "nan"):
        limiter = limiter_of()
        limiter.read_headers(left("requests", "0", reset), 100)
        assert await seconds_to_enter(limiter) == 0, reset


@pytest.mark.fake_clock
async def test_a_call_that_is_refused_while_others_are_answered_gives_up():
    limiter = limiter_of(start=4, first_wait=0.0001)
    ticket, pushed, again = limiter.ticket(), 0, True
    while again and pushed < 100:
        await limiter.acquire(ticket)
        pushed, again = pushed + 1, limiter.refused(ticket, None)
        limiter.release(ticket)
        await rounds(limiter, 1)
    assert 5 < pushed < 30


async def test_a_limiter_says_why_everybody_waits():
    limiter = limiter_of()
    await call(limiter, "refused", 200.0, "HTTP 429: slow down")
    seconds, why = limiter.held
    assert (why, 100 < seconds <= 200) == ("HTTP 429: slow down", True)


# -- the circuit ------------------------------------------------------------------------------------------------------

NOBODY = OpenCircuit("connection", "nobody there")


async def opened(limiter):
    for _ in range(3):
        await call(limiter, "failed", "connection", "nobody there")


@pytest.fixture
def quick():
    return limiter_of(start=4, open_after=3, cool_down=0.05)


@pytest.mark.fake_clock
async def test_failures_in_a_row_open_the_circuit_and_an_answer_between_them_prevents_it(quick):
    for _ in range(2):
        await call(quick, "failed", "timeout", "slow")
    await rounds(quick, 1)
    await opened(quick)
    assert await quick.acquire(quick.ticket()) == NOBODY


async def test_waiting_callers_fail_when_the_circuit_opens():
    limiter = limiter_of(start=1, ceiling=1, open_after=1)
    ticket = await entered(limiter)
    waiting = [asyncio.create_task(limiter.acquire(limiter.ticket())) for _ in range(5)]
    await asyncio.sleep(0)
    limiter.failed(ticket, "connection", "nobody there")
    limiter.release(ticket)
    assert await asyncio.gather(*waiting) == [NOBODY] * 5


@pytest.mark.fake_clock
async def test_one_call_at_a_time_probes_an_open_circuit(quick):
    await opened(quick)
    await asyncio.sleep(0.06)
    probe = await entered(quick)
    assert isinstance(await quick.acquire(quick.ticket()), OpenCircuit)
    quick.failed(probe, "timeout", "still not")
    quick.release(probe)
    assert await quick.acquire(quick.ticket()) == OpenCircuit("timeout", "still not")
    await asyncio.sleep(0.06)
    assert isinstance(await quick.acquire(quick.ticket()), OpenCircuit), "the second cool-down is longer"
    await asyncio.sleep(0.06)
    await call(quick)
    await entered(quick)


@pytest.mark.fake_clock
async def test_a_cancelled_probe_lets_the_next_call_probe(quick):
    await opened(quick)
    await asyncio.sleep(0.06)
    quick.release(await entered(quick))
    await entered(quick)


# -- nothing is lost --------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(2, 40))
def test_no_slot_is_lost_whichever_call_is_cancelled_whenever(seed, limit, calls):
    chance = random.Random(seed)

    async def main():
        limiter = limiter_of(start=limit, ceiling=limit * 2, first_wait=0.0001, open_after=10**6)

        async def one():
            ticket = limiter.ticket()
            for _ in range(chance.randint(1, 3)):
                if await limiter.acquire(ticket) is not None:
                    return
                try:
                    await asyncio.sleep(chance.choice((0, 0, 0.0003)))
                    chance.choice((lambda: limiter.succeeded(ticket), lambda: limiter.refused(ticket, None)))()
                finally:
                    limiter.release(ticket)

        tasks = [asyncio.create_task(one()) for _ in range(calls)]
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
    limiter, served = limiter_of(start=2, ceiling=2, first_wait=0.001), []

    async def one(number):
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

    async def main(number):
        await asyncio.wait_for(asyncio.gather(*(one(number) for _ in range(4))), 60)

    for number in range(3):
        asyncio.run(main(number))
    assert (served, limiter.in_flight, limiter.waiting) == ([0] * 4 + [1] * 4 + [2] * 4, 0, 0)


def test_a_loop_that_ends_while_its_callers_wait_blocks_no_others():
    limiter = limiter_of(start=1, ceiling=1)

    async def leaves_callers_behind():
        await call(limiter, "refused", 0.05)
        waiting = [asyncio.create_task(limiter.acquire(limiter.ticket())) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)

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
