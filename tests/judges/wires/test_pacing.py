"""A pace by itself: who goes first, how the bound moves, what everybody waits for, and that no place is ever lost."""

from __future__ import annotations

import asyncio
import pickle
import random
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.wires.pacing import Broken, Pace, Pacing, Turn


async def entered(pace: Pace) -> Turn:
    turn = pace.turn()
    assert await pace.enter(turn) is None
    return turn


async def rounds(pace: Pace, calls: int) -> None:
    """So many calls, all at once, all answered."""

    async def call() -> None:
        turn = await entered(pace)
        await asyncio.sleep(0)
        pace.answered(turn)
        pace.leave(turn)

    await asyncio.gather(*(call() for _ in range(calls)))


async def test_no_more_calls_are_in_flight_than_the_bound_allows() -> None:
    pace = Pace(Pacing(start=3, ceiling=3))
    most = 0

    async def call() -> None:
        nonlocal most
        turn = await entered(pace)
        most = max(most, pace.state().in_flight)
        await asyncio.sleep(0.001)
        pace.answered(turn)
        pace.leave(turn)

    await asyncio.gather(*(call() for _ in range(50)))
    assert most == 3
    assert pace.state().in_flight == 0


async def test_who_came_first_goes_first_also_after_having_to_come_back() -> None:
    pace = Pace(Pacing(start=1, ceiling=1, first_wait=0.001))
    order: list[int] = []
    pushed = False

    async def call(number: int) -> None:
        nonlocal pushed
        turn = pace.turn()
        while True:
            assert await pace.enter(turn) is None
            await asyncio.sleep(0)
            if number == 2 and not pushed:
                pushed = True
                assert pace.pushed_back(turn, None)
                pace.leave(turn)
                continue
            order.append(number)
            pace.leave(turn)
            return

    await asyncio.gather(*(call(number) for number in range(6)))
    assert order == [0, 1, 2, 3, 4, 5]


async def test_the_bound_grows_to_the_ceiling_while_it_is_used_and_replies_come() -> None:
    pace = Pace(Pacing(start=2, ceiling=9))
    await rounds(pace, 60)
    assert pace.state().limit == 9


async def test_a_bound_that_nobody_comes_near_stays() -> None:
    pace = Pace(Pacing(start=4, ceiling=100))
    for _ in range(50):
        await rounds(pace, 1)
    assert pace.state().limit == 4


async def test_many_refusals_of_one_round_trip_halve_once() -> None:
    pace = Pace(Pacing(start=16, ceiling=16, first_wait=0.001))
    turns = [await entered(pace) for _ in range(16)]
    for turn in turns:
        pace.pushed_back(turn, None)
        pace.leave(turn)
    assert pace.state().limit == 8
    turn = await entered(pace)
    pace.pushed_back(turn, None)
    pace.leave(turn)
    assert pace.state().limit == 4


async def test_after_a_halving_the_bound_grows_by_one_a_window() -> None:
    pace = Pace(Pacing(start=8, ceiling=100, first_wait=0.001))
    turn = await entered(pace)
    pace.pushed_back(turn, None)
    pace.leave(turn)
    assert pace.state().limit == 4
    await rounds(pace, 8)
    assert pace.state().limit == 5
    await rounds(pace, 9)
    assert pace.state().limit == 6


async def test_what_one_is_told_to_wait_all_wait() -> None:
    pace = Pace(Pacing(start=8))
    turn = await entered(pace)
    began = time.monotonic()
    pace.pushed_back(turn, 0.15)
    pace.leave(turn)
    await asyncio.gather(*(entered(pace) for _ in range(4)))
    assert time.monotonic() - began >= 0.15


async def test_a_rate_spreads_the_starts_evenly() -> None:
    pace = Pace(Pacing(start=100, per_minute=60 * 50))
    began = time.monotonic()
    starts = []

    async def call() -> None:
        turn = await entered(pace)
        starts.append(time.monotonic() - began)
        pace.leave(turn)

    await asyncio.gather(*(call() for _ in range(21)))
    assert starts == sorted(starts)
    assert starts[-1] >= 20 / 50 - 0.06
    for first, later in zip(starts, starts[10:], strict=False):
        assert later - first >= 10 / 50 - 0.07


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining-requests": "10", "x-ratelimit-reset-requests": "500ms"},
        {"x-ratelimit-remaining-requests": "10", "x-ratelimit-reset-requests": "0m0.5s"},
        {
            "x-ratelimit-remaining-requests": "1000",
            "x-ratelimit-reset-requests": "1s",
            "x-ratelimit-remaining-tokens": "10000",
            "x-ratelimit-reset-tokens": "500ms",
        },
    ],
)
async def test_what_is_left_is_spread_over_the_time_until_there_is_more(headers: dict[str, str]) -> None:
    pace = Pace(Pacing(start=100))
    pace.heed(headers, 4000)  # a thousand tokens
    began = time.monotonic()
    for _ in range(7):
        await entered(pace)
    assert 0.2 <= time.monotonic() - began < 1.0


async def test_nothing_left_means_waiting_until_there_is() -> None:
    from datetime import UTC, datetime, timedelta

    pace = Pace(Pacing())
    reset = (datetime.now(UTC) + timedelta(seconds=0.2)).isoformat().replace("+00:00", "Z")
    pace.heed({"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": reset}, 100)
    began = time.monotonic()
    await entered(pace)
    assert 0.1 <= time.monotonic() - began < 1.0


@pytest.mark.parametrize("reset", ["", "soon", "-1", "1.2.3s", "nan"])
async def test_headers_nobody_can_read_change_nothing(reset: str) -> None:
    pace = Pace(Pacing())
    pace.heed({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}, 100)
    await asyncio.wait_for(entered(pace), 0.1)


async def test_a_call_that_is_pushed_back_while_others_are_served_gives_up() -> None:
    pace = Pace(Pacing(start=4, first_wait=0.0001, longest_wait=0.0001))
    turn = pace.turn()
    pushed, again = 0, True
    while again and pushed < 100:
        await pace.enter(turn)
        pushed, again = pushed + 1, pace.pushed_back(turn, None)
        pace.leave(turn)
        await rounds(pace, 1)
    assert 5 < pushed < 30


# -- the circuit ------------------------------------------------------------------------------------------------------

QUICK = Pacing(start=4, breaks_after=3, cool_down=0.05, longest_cool_down=0.1)


async def broken(pace: Pace) -> None:
    for _ in range(3):
        turn = await entered(pace)
        pace.failed(turn, "connection", "nobody there")
        pace.leave(turn)


async def test_failures_in_a_row_leave_the_provider_alone_and_an_answer_between_them_does_not() -> None:
    pace = Pace(QUICK)
    for _ in range(2):
        turn = await entered(pace)
        pace.failed(turn, "timeout", "slow")
        pace.leave(turn)
    await rounds(pace, 1)
    await broken(pace)
    assert await pace.enter(pace.turn()) == Broken("connection", "nobody there")


async def test_those_who_wait_hear_of_it_at_once() -> None:
    pace = Pace(Pacing(start=1, ceiling=1, breaks_after=1))
    turn = await entered(pace)
    waiting = [asyncio.create_task(pace.enter(pace.turn())) for _ in range(5)]
    await asyncio.sleep(0)
    pace.failed(turn, "connection", "nobody there")
    pace.leave(turn)
    assert await asyncio.gather(*waiting) == [Broken("connection", "nobody there")] * 5


async def test_one_at_a_time_tries_whether_it_is_back() -> None:
    pace = Pace(QUICK)
    await broken(pace)
    await asyncio.sleep(0.06)
    probe = pace.turn()
    assert await pace.enter(probe) is None
    assert isinstance(await pace.enter(pace.turn()), Broken)
    pace.failed(probe, "timeout", "still not")
    pace.leave(probe)
    assert await pace.enter(pace.turn()) == Broken("timeout", "still not")
    await asyncio.sleep(0.06)
    assert isinstance(await pace.enter(pace.turn()), Broken), "the second time it is left alone for longer"
    await asyncio.sleep(0.06)
    probe = await entered(pace)
    pace.answered(probe)
    pace.leave(probe)
    assert await pace.enter(pace.turn()) is None


async def test_a_try_that_is_cancelled_leaves_the_place_to_the_next() -> None:
    pace = Pace(QUICK)
    await broken(pace)
    await asyncio.sleep(0.06)
    probe = await entered(pace)
    pace.leave(probe)
    assert await pace.enter(pace.turn()) is None


# -- nothing is lost --------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(2, 40))
def test_no_place_is_lost_whoever_is_cancelled_whenever(seed: int, limit: int, calls: int) -> None:
    chance = random.Random(seed)

    async def main() -> None:
        pace = Pace(Pacing(start=limit, ceiling=limit * 2, first_wait=0.0001, longest_wait=0.0002, breaks_after=10**6))

        async def call() -> None:
            turn = pace.turn()
            for _ in range(chance.randint(1, 3)):
                if await pace.enter(turn) is not None:
                    return
                try:
                    await asyncio.sleep(chance.choice((0, 0, 0.0003)))
                    chance.choice((lambda: pace.answered(turn), lambda: pace.pushed_back(turn, None)))()
                finally:
                    pace.leave(turn)

        tasks = [asyncio.create_task(call()) for _ in range(calls)]
        for task in tasks:
            if chance.random() < 0.5:
                await asyncio.sleep(0)
            if chance.random() < 0.4:
                task.cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        state = pace.state()
        assert (state.in_flight, state.waiting) == (0, 0)
        await asyncio.wait_for(entered(pace), 10)

    asyncio.run(main())


def test_a_pace_outlives_its_loops_and_serves_several_threads_at_once() -> None:
    pace = Pace(Pacing(start=2, ceiling=2, first_wait=0.001, longest_wait=0.002))
    served: list[int] = []

    async def main(number: int) -> None:
        async def call() -> None:
            turn = pace.turn()
            for attempt in range(2):
                await pace.enter(turn)
                await asyncio.sleep(0.0005)
                if attempt == 0 and number == 1:
                    pace.pushed_back(turn, None)
                else:
                    pace.answered(turn)
                pace.leave(turn)
            served.append(number)

        await asyncio.gather(*(call() for _ in range(40)))

    asyncio.run(main(0))
    threads = [threading.Thread(target=asyncio.run, args=(main(number),)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(served) == sorted([0] * 80 + [1] * 40 + [2] * 40)
    assert (pace.state().in_flight, pace.state().waiting) == (0, 0)


def test_a_loop_that_ends_while_its_callers_wait_holds_nobody_up() -> None:
    pace = Pace(Pacing(start=1, ceiling=1))

    async def leaves_callers_behind() -> None:
        await entered_and_held(pace)
        waiting = [asyncio.create_task(pace.enter(pace.turn())) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)

    async def entered_and_held(pace: Pace) -> None:
        turn = await entered(pace)
        pace.pushed_back(turn, 0.05)
        pace.leave(turn)

    asyncio.run(leaves_callers_behind())
    asyncio.run(asyncio.wait_for(entered(pace), 5))


def test_each_provider_and_host_has_one_pace_and_a_copy_elsewhere_has_its_own() -> None:
    pacing = Pacing(start=8, ceiling=40, per_minute=600)
    one = pacing.pace("openai", "https://api.openai.com/v1/chat/completions")
    assert pacing.pace("openai", "https://api.openai.com/v1/other") is one
    assert pacing.pace("openai", "https://elsewhere/v1/chat/completions") is not one
    assert pacing.pace("anthropic", "https://api.openai.com/v1/messages") is not one
    assert set(pacing.states()) >= {"openai api.openai.com", "anthropic api.openai.com"}
    assert pickle.loads(pickle.dumps(pacing)).states() == {}
    share = pacing.shared_by(4)
    assert (share.start, share.ceiling, share.per_minute, share.states()) == (2, 10, 150, {})
