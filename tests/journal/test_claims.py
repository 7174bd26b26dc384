"""One caller at a time for each question, across tasks and open journals; whoever comes later finds the reply."""

import asyncio

import pytest

from adjudge.journal import Stored

REPLY = Stored(b"{}", 1_700_000_000.125, 3, {"temperature": None})
KEY, OTHER_KEY = "0123456789abcdef" * 4, "fedcba9876543210" * 4


async def test_a_claim_ends_with_an_error_too_and_different_questions_do_not_wait_for_each_other(journal):
    with pytest.raises(ZeroDivisionError):
        async with journal.claim(KEY):
            _ = 1 / 0
    async with asyncio.timeout(60), journal.claim(KEY), journal.claim(OTHER_KEY):
        pass


async def test_one_at_a_time_holds_a_claim_and_those_who_waited_find_what_the_first_one_stored(journal):
    asked = inside = most = 0

    async def ask():
        nonlocal asked, inside, most
        async with journal.claim(KEY) as stored:
            inside += 1
            most = max(most, inside)
            if stored is None:
                asked += 1
                await asyncio.sleep(0.02)
                await journal.put(KEY, stored := REPLY)
            await asyncio.sleep(0)
            inside -= 1
        return stored

    assert await asyncio.gather(*(ask() for _ in range(20))) == [REPLY] * 20
    assert (asked, most) == (1, 1)


async def test_a_caller_that_gives_up_waiting_leaves_nothing_claimed(journal, other):
    for pause in (0.0, 0.0, 0.001, 0.002, 0.005):
        task = asyncio.create_task(_hold(journal, 10))
        await asyncio.sleep(pause)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(60), other.claim(KEY):
            pass


async def _hold(journal, seconds):
    async with journal.claim(KEY):
        await asyncio.sleep(seconds)


async def test_two_open_journals_exclude_each_other(journal, other):
    async with journal.claim(KEY):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), other.claim(KEY):
                pass
    async with asyncio.timeout(60), other.claim(KEY):
        pass
    async with asyncio.timeout(60), journal.claim(KEY):
        pass


async def test_many_claims_in_two_open_journals_pay_once_for_each_question(journal, other):
    paid = []

    async def ask(opened, number):
        key = f"{number:064x}"[::-1]
        async with opened.claim(key) as stored:
            if stored is None:
                paid.append(number)
                await asyncio.sleep(0.001)
                await opened.put(key, stored := Stored(b"%d" % number, 1.0))
        return stored

    asks = [ask(opened, number) for number in range(300) for opened in (journal, other)]
    replies = await asyncio.gather(*asks)
    assert sorted(paid) == [*range(300)]
    assert [reply.body for reply in replies] == [b"%d" % number for number in range(300) for _ in (0, 1)]
