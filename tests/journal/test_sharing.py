"""Several processes on one journal: nothing is paid twice, nothing is lost, and a killed one lets go."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest
from scripted.provider import waits

from adjudge.journal import call_key, open_journal

KEYS = ["0123456789abcdef" * 4, "fedcba9876543210" * 4]

HOLDER = """
import asyncio, sys
from adjudge.journal import open_journal
async def main():
    journal = open_journal(sys.argv[1])
    async with journal.claim(sys.argv[2]), journal.claim(sys.argv[3]):
        print("held", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


async def test_a_killed_process_lets_go_of_its_claims(journal, place, environment):
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, place, *KEYS), stdout=asyncio.subprocess.PIPE, env=environment
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    for key in KEYS:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), journal.claim(key):
                pass
    holder.kill()
    await holder.wait()
    for key in KEYS:
        async with asyncio.timeout(60), journal.claim(key) as stored:
            assert stored is None


JUDGE = """
import asyncio, sys
from scripted.judging import open_openai
from scripted.provider import ScriptedProvider
from adjudge.protocols.compare.case import Comparison
from adjudge.journal import open_journal
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.rubrics import shipped
async def main():
    provider = ScriptedProvider()
    provider.url = sys.argv[2]
    journal = open_journal(sys.argv[1])
    judge = open_openai(provider, journal)
    print("ready", flush=True)
    sys.stdin.readline()
    numbers = range(60) if sys.argv[3] == "forth" else range(59, -1, -1)
    def question(number):
        case = Comparison(task=f"Question {number}", a="one two three four five six", b="seven eight nine ten eleven")
        return CompareQuestion(case, shipped("compare"), "ab")
    opinions = await asyncio.gather(*(judge.opine(question(number)) for number in numbers))
    await judge.close()
    journal.close()
    print(len(opinions), sum(len(opinion.scores) > 0 for opinion in opinions))
asyncio.run(main())
"""


@pytest.mark.slow
async def test_two_processes_that_ask_the_same_60_questions_pay_for_60_calls(provider, place, environment):
    provider.script = lambda request: waits(0.05)
    runs = [await started(JUDGE, place, provider.url, way, environment=environment) for way in ("forth", "back")]
    assert await all_said(runs) == [b"60 60"] * 2
    assert provider.calls == 60


WRITER = """
import asyncio, sys
from adjudge.journal import Stored, call_key, open_journal
async def main():
    journal = open_journal(sys.argv[1])
    number = 0
    while True:
        await journal.put(call_key({"number": number}), Stored(b"x" * 5000, 1.0))
        print(number, flush=True)
        number += 1
asyncio.run(main())
"""


def test_what_was_reported_kept_survives_a_kill(place, environment):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, place], stdout=subprocess.PIPE, text=True, env=environment)
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(20)]
    os.kill(writer.pid, signal.SIGKILL)
    lines += writer.stdout.readlines()
    writer.wait()
    writer.stdout.close()
    kept = [int(line) for line in lines if line.strip().isdigit() and line.endswith("\n")]
    assert len(kept) >= 19
    journal = open_journal(place)
    assert all(journal.get(call_key({"number": number})) for number in kept)
    journal.close()


OPENER = """
import asyncio, sys
from adjudge.journal import Stored, open_journal
print("ready", flush=True)
sys.stdin.readline()
journal = open_journal(sys.argv[1])
asyncio.run(journal.put(sys.argv[2] * 64, Stored(b"x", 1.0)))
print(journal.secret.hex())
journal.close()
"""


async def started(script, *arguments, environment):
    """A process that waits for a line once it is ready."""
    pipe = asyncio.subprocess.PIPE
    command = sys.executable, "-c", script, *arguments
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, env=environment)
    assert await process.stdout.readline() == b"ready\n"
    return process


async def all_said(processes):
    """What they said, after they were let go at once."""
    outputs = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    assert [process.returncode for process in processes] == [0] * len(processes)
    return [said.strip() for said, _ in outputs]


@pytest.mark.slow
async def test_processes_that_make_a_journal_at_once_all_succeed_and_end_with_one_secret(place, environment):
    openers = [await started(OPENER, place, letter, environment=environment) for letter in "abcd"]
    said = await all_said(openers)
    journal = open_journal(place)
    assert set(said) == {journal.secret.hex().encode()}
    assert all(journal.get(letter * 64) for letter in "abcd")
    journal.close()


SAME_ROWS = """
import asyncio, random, sys
from adjudge.journal import Stored, call_key, open_journal
async def main():
    journal = open_journal(sys.argv[1])
    for wave in range(12):
        numbers = list(range(wave * 50, wave * 50 + 50))
        random.shuffle(numbers)
        await asyncio.gather(*(journal.put(call_key({"n": n}), Stored(b"x" * 200, 1.0)) for n in numbers),
                             *(journal.put_verdict(f"c{n:x}", b"in", b"out") for n in numbers),
                             *(journal.put_failure("r1", n, sys.argv[2].encode()) for n in numbers))
    journal.close()
asyncio.run(main())
"""


@pytest.mark.slow
def test_processes_that_write_the_same_rows_in_other_orders_do_not_block_each_other(place, environment):
    open_journal(place).close()
    writers = [subprocess.Popen([sys.executable, "-c", SAME_ROWS, place, letter], env=environment) for letter in "ab"]
    assert [writer.wait(120) for writer in writers] == [0] * 2
    journal = open_journal(place)
    assert [position for position, _, _ in journal.outcomes("r1")] == [*range(600)]
    journal.close()
