"""Turns at the processor: what can be sent goes first, and the same piece of many cases is done together."""

from __future__ import annotations

import asyncio

from adjudge.judges.turns import Turns, turn


async def test_whoever_got_room_by_what_was_just_done_goes_before_those_who_wait_for_a_turn() -> None:
    turns, room, done = Turns(), asyncio.Semaphore(0), []

    async def read(name: str) -> None:
        room.release()
        await turns.take()
        done.append(f"read {name}")

    async def send(name: str) -> None:
        async with room:
            done.append(f"sent {name}")

    senders = [asyncio.create_task(send(name)) for name in "ab"]
    await asyncio.sleep(0)
    await asyncio.gather(read("c"), read("d"), *senders)
    assert done == ["sent a", "sent b", "read c", "read d"]


async def test_a_piece_is_done_for_all_before_the_next_piece_is_done_for_one() -> None:
    turns, done = Turns(), []

    async def work(name: str) -> None:
        for piece in (1, 2, 3):
            await turns.take()
            done.append((piece, name))

    await asyncio.gather(*map(work, "abc"))
    assert done == [(piece, name) for piece in (1, 2, 3) for name in "abc"]


async def test_the_network_is_heard_while_many_wait() -> None:
    turns, begun, done = Turns(), asyncio.Event(), []

    async def work(number: int) -> None:
        await turns.take()
        begun.set()
        done.append(number)

    waiting = [asyncio.create_task(work(number)) for number in range(500)]
    await begun.wait()
    assert len(done) < 100
    await asyncio.gather(*waiting)
    assert done == list(range(500))


async def test_who_stops_waiting_holds_nobody_up() -> None:
    turns = Turns()
    first, second = asyncio.create_task(turns.take()), asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait_for(second, 5)
    await asyncio.wait_for(turns.take(), 5)


async def test_without_turns_nobody_waits() -> None:
    await asyncio.wait_for(turn(None), 5)
