"""Nothing paid is paid twice: kill -9 between two calls, run again, and count what the server was asked."""

import asyncio
import json
import signal
import sqlite3
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from runs.conftest import Command
from scripted.provider import judges, waits

EXAMPLE = Path(__file__).parents[2] / "examples" / "compare.json"


def first_answer_of(request):
    return request.turns[0].partition("<<<ANSWER 1")[2][:200]


@pytest.fixture
def compare(provider, tmp_path):
    """Compares the example: called in this process, or started in one of its own that can be killed."""
    command = Command(tmp_path)
    command.environment["ADJUDGE_JOURNAL"] = str(tmp_path / "journal.db")
    words = ("compare", EXAMPLE, "--judge", f"{provider.url}/v1#m")
    return SimpleNamespace(call=partial(command, *words), start=partial(command.start, *words))


async def until_kept(journal, replies):
    """Wait until the journal on disk holds so many replies."""
    for _ in range(2400):
        await asyncio.sleep(0.05)
        if journal.exists():
            with sqlite3.connect(journal) as database:
                tables = database.execute("select name from sqlite_master where name = 'replies'").fetchall()
                if tables and database.execute("select count(*) from replies").fetchone()[0] >= replies:
                    return
    raise AssertionError("the reply never reached the journal")


async def test_after_kill_9_between_two_calls_the_first_is_not_made_again(provider, compare, tmp_path):
    answered = []

    def one_quick_one_stuck(request):
        answered.append(request)
        return judges() if len(answered) == 1 else waits(600)

    provider.script = one_quick_one_stuck
    killed = await compare.start()
    await until_kept(tmp_path / "journal.db", 1)
    killed.send_signal(signal.SIGKILL)
    await killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    paid = first_answer_of(answered[0])

    provider.script = lambda request: judges()
    before = provider.calls
    again = await compare.call()
    assert again.code == 0, again.err
    asked = provider.requests[before:]
    assert len(asked) == 1, "only the other order is asked for"
    assert first_answer_of(asked[0]) != paid
    assert json.loads(again.out)["evaluation"]["order_consistent"] is not None

    third = await compare.start()
    third_out, _ = await third.communicate()
    assert provider.calls == before + 1, "nothing is left to pay"
    assert third_out.decode() == again.out, "to the byte, also in another process"


@pytest.mark.slow
async def test_two_processes_with_one_journal_pay_once_between_them(provider, compare):
    provider.script = lambda request: waits(0.5, judges())
    both = await asyncio.gather(*(compare.start() for _ in range(2)))
    outputs = await asyncio.gather(*(process.communicate() for process in both))
    assert [process.returncode for process in both] == [0, 0], outputs
    assert provider.calls == 2, "two orders, each paid once"
    assert outputs[0][0] == outputs[1][0]


async def test_a_new_sample_is_paid_anew(provider, compare):
    provider.script = lambda request: judges()
    for number in ("0", "0", "1"):
        assert (await compare.call("--sample", number)).code == 0
    assert provider.calls == 4
