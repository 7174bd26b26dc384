"""The command line with a journal on a Postgres server: judge, be killed, judge again, replay."""

import asyncio
import json
import signal
import sys
import zlib
from pathlib import Path

import pytest
from runs.conftest import Command
from scripted.provider import judges, waits

EXAMPLE = Path(__file__).parents[2] / "examples" / "compare.json"


@pytest.fixture
def said(tmp_path):
    """What a command says, called in this process."""
    command = Command(tmp_path)

    async def call(*args, expected=0, **environment):
        command.environment |= environment
        done = await command(*args)
        assert done.code == expected, done.err
        return done.out + done.err if expected else done.out

    return call


async def test_a_comparison_is_kept_on_the_server_and_replayed_from_it(provider, postgres, said):
    place = postgres.new_place()
    compare = ("compare", str(EXAMPLE), "--judge", f"{provider.url}/v1#m", "--format", "json")
    first = await said(*compare, "--journal", place)
    assert provider.calls == 2, "one for each order"
    assert await said(*compare, ADJUDGE_JOURNAL=place) == first
    assert provider.calls == 2, "nothing is left to pay"
    ((verdict_id,),) = postgres.do("select id from adjudge_verdicts", place)
    assert json.loads(first)["verdict_id"] == verdict_id
    replayed = await said("replay", verdict_id, "--journal", place)
    assert provider.calls == 2
    assert replayed == await said("replay", verdict_id[:6], ADJUDGE_JOURNAL=place)
    ((stored,),) = postgres.do("select verdict from adjudge_verdicts", place)
    assert json.loads(replayed) == json.loads(zlib.decompress(stored))


async def test_after_kill_9_between_two_calls_the_first_is_not_made_again(provider, postgres, said):
    place, answered = postgres.new_place(), []

    def one_quick_one_stuck(request):
        answered.append(request)
        return judges() if len(answered) == 1 else waits(600)

    provider.script = one_quick_one_stuck
    compare = ("compare", str(EXAMPLE), "--judge", f"{provider.url}/v1#m", "--journal", place)
    killed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "adjudge.cli.main", *compare),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        while True:
            await asyncio.sleep(0.05)
            tables = postgres.do("select 1 from pg_tables where tablename = 'adjudge_outcomes'")
            if len(answered) == 2 and tables and postgres.do("select 1 from adjudge_replies", place):
                break
    killed.send_signal(signal.SIGKILL)
    await killed.communicate()
    provider.script = lambda request: judges()
    await said(*compare)
    assert provider.calls == 3, "only the call that never ended is made again"


async def test_the_doctor_names_the_server_without_the_password(postgres, said):
    place = postgres.new_place().replace("//postgres:@", "//postgres:hush-hush@")
    out = await said("doctor", ADJUDGE_JOURNAL=place)
    assert "ok       journal: postgresql://postgres:***@/" in out
    assert "hush" not in out
    lost = await said("doctor", ADJUDGE_JOURNAL="postgresql://ann:hush-hush@127.0.0.1:1/d", expected=1)
    assert "failed   journal: postgresql://ann:***@127.0.0.1:1/d: the journal cannot be opened" in lost
    assert "hush" not in lost
