"""Nothing paid is paid twice: kill -9 between two calls, run again, and count what the server was asked."""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from pathlib import Path

from scripted.provider import judges, waits

EXAMPLE = Path(__file__).parents[2] / "examples" / "compare.json"


def first_answer_of(request):
    return request.turns[0].partition("<<<ANSWER 1")[2][:200]


async def start(provider, journal, *more):
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "adjudge.cli.main", "compare", str(EXAMPLE), "--judge", f"{provider.url}/v1#m", *more),
        env={**os.environ, "ADJUDGE_JOURNAL": str(journal)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def until_kept(journal, replies):
    """Wait until the journal on disk holds so many replies."""
    for _ in range(600):
        await asyncio.sleep(0.05)
        if journal.exists():
            with sqlite3.connect(journal) as database:
                tables = database.execute("select name from sqlite_master where name = 'replies'").fetchall()
                if tables and database.execute("select count(*) from replies").fetchone()[0] >= replies:
                    return
    raise AssertionError("the reply never reached the journal")


async def test_after_kill_9_between_two_calls_the_first_is_not_made_again(provider, tmp_path):
    journal = tmp_path / "journal.db"
    answered = []

    def one_quick_one_stuck(request):
        answered.append(request)
        return judges() if len(answered) == 1 else waits(600)

    provider.script = one_quick_one_stuck
    killed = await start(provider, journal)
    await until_kept(journal, 1)
    killed.send_signal(signal.SIGKILL)
    await killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    paid = first_answer_of(answered[0])

    provider.script = lambda request: judges()
    before = provider.calls
    again = await start(provider, journal)
    out, err = await again.communicate()
    assert again.returncode == 0, err
    asked = provider.requests[before:]
    assert len(asked) == 1, "only the other order is asked for"
    assert first_answer_of(asked[0]) != paid
    assert json.loads(out)["evaluation"]["order_consistent"] is not None

    third = await start(provider, journal)
    third_out, _ = await third.communicate()
    assert provider.calls == before + 1, "nothing is left to pay"
    assert third_out == out


async def test_two_processes_with_one_journal_pay_once_between_them(provider, tmp_path):
    provider.script = lambda request: waits(0.5, judges())
    both = await asyncio.gather(*(start(provider, tmp_path / "journal.db") for _ in range(2)))
    outputs = await asyncio.gather(*(process.communicate() for process in both))
    assert [process.returncode for process in both] == [0, 0], outputs
    assert provider.calls == 2, "two orders, each paid once"
    assert outputs[0][0] == outputs[1][0]


async def test_a_new_sample_is_paid_anew(provider, tmp_path):
    provider.script = lambda request: judges()
    for number in ("0", "0", "1"):
        done = await start(provider, tmp_path / "journal.db", "--sample", number)
        await done.communicate()
        assert done.returncode == 0
    assert provider.calls == 4
