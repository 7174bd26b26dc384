"""Several processes on one journal: nothing is paid twice, nothing is lost, and a killed one lets go."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest
from scripted.provider import ScriptedProvider, waits

from adjudge.journal import Journal, call_key, open_journal

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


async def test_a_killed_process_lets_go_of_its_claims(
    journal: Journal, place: str, environment: dict[str, str]
) -> None:
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


async def test_two_processes_that_ask_the_same_60_questions_pay_for_60_calls(
    provider: ScriptedProvider, place: str, environment: dict[str, str]
) -> None:
    provider.script = lambda request: waits(0.05)
    pipe = asyncio.subprocess.PIPE
    runs = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", JUDGE, place, provider.url, way), stdin=pipe, stdout=pipe, env=environment
        )
        for way in ("forth", "back")
    ]
    for run in runs:
        assert run.stdout is not None
        assert await run.stdout.readline() == b"ready\n"
    outputs = await asyncio.gather(*(run.communicate(b"go\n") for run in runs))
    assert [run.returncode for run in runs] == [0, 0]
    assert [said for said, _ in outputs] == [b"60 60\n"] * 2
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


def test_what_was_reported_kept_survives_a_kill(place: str, environment: dict[str, str]) -> None:
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
journal = open_journal(sys.argv[1])
asyncio.run(journal.put(sys.argv[2] * 64, Stored(b"x", 1.0)))
journal.close()
"""


def test_processes_that_open_a_new_journal_at_once_all_succeed(place: str, environment: dict[str, str]) -> None:
    openers = [subprocess.Popen([sys.executable, "-c", OPENER, place, letter], env=environment) for letter in "abcdef"]
    assert [opener.wait(120) for opener in openers] == [0] * 6
    journal = open_journal(place)
    assert all(journal.get(letter * 64) for letter in "abcdef")
    journal.close()


SAME_ROWS = """
import asyncio, random, sys
from adjudge.journal import Stored, call_key, open_journal
async def main():
    journal = open_journal(sys.argv[1])
    for wave in range(20):
        numbers = list(range(wave * 50, wave * 50 + 50))
        random.shuffle(numbers)
        await asyncio.gather(*(journal.put(call_key({"n": n}), Stored(b"x" * 200, 1.0)) for n in numbers),
                             *(journal.put_verdict(f"c{n:x}", b"in", b"out") for n in numbers),
                             *(journal.put_failure("r1", n, sys.argv[2].encode()) for n in numbers))
    journal.close()
asyncio.run(main())
"""


def test_processes_that_write_the_same_rows_in_other_orders_do_not_block_each_other(
    place: str, environment: dict[str, str]
) -> None:
    open_journal(place).close()
    writers = [subprocess.Popen([sys.executable, "-c", SAME_ROWS, place, letter], env=environment) for letter in "abc"]
    assert [writer.wait(120) for writer in writers] == [0] * 3
    journal = open_journal(place)
    assert [position for position, _, _ in journal.outcomes("r1")] == [*range(1000)]
    journal.close()
