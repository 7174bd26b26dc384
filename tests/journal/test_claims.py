"""One caller at a time for each question, across tasks, journal objects and processes; a killed one lets go."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from scripted.provider import ScriptedProvider, waits

from adjudge.journal import Journal, open_journal

KEY, OTHER_KEY = "0123456789abcdef" * 4, "fedcba9876543210" * 4


async def test_a_claim_is_held_by_one_at_a_time(journal: Journal) -> None:
    inside, most = 0, 0

    async def work() -> None:
        nonlocal inside, most
        async with journal.claim(KEY):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.005)
            inside -= 1

    await asyncio.gather(*(work() for _ in range(5)))
    assert most == 1


async def test_different_questions_do_not_wait_for_each_other(journal: Journal) -> None:
    async with asyncio.timeout(1), journal.claim(KEY), journal.claim(OTHER_KEY):
        pass


async def test_a_claim_ends_with_an_error_too(journal: Journal) -> None:
    with pytest.raises(ZeroDivisionError):
        async with journal.claim(KEY):
            _ = 1 / 0
    async with asyncio.timeout(1), journal.claim(KEY):
        pass


async def test_two_journal_objects_on_one_file_exclude_each_other(journal: Journal, tmp_path: Path) -> None:
    other = open_journal(tmp_path / "journal.db")
    async with journal.claim(KEY):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), other.claim(KEY):
                pass
    other.close()
    async with asyncio.timeout(1), journal.claim(KEY):
        pass


HOLDER = """
import asyncio, sys
from adjudge.journal import open_journal
async def main():
    async with open_journal(sys.argv[1]).claim(sys.argv[2]):
        print("held", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


async def test_a_killed_process_lets_go_of_its_claim(journal: Journal, tmp_path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, str(tmp_path / "journal.db"), KEY, stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1), journal.claim(KEY):
            pass
    holder.kill()
    await holder.wait()
    async with asyncio.timeout(2), journal.claim(KEY):
        pass


JUDGE = """
import asyncio, sys
from scripted.judging import open_openai
from scripted.provider import ScriptedProvider
from adjudge.cases import Comparison
from adjudge.journal import open_journal
from adjudge.judges.base import CompareQuestion
from adjudge.rubric import shipped
async def main():
    provider = ScriptedProvider()
    provider.url = sys.argv[2]
    judge = open_openai(provider, open_journal(sys.argv[1]))
    case = Comparison(task="A question", a="one two three four five six", b="seven eight nine ten eleven twelve")
    opinions = await asyncio.gather(
        *(judge.opine(CompareQuestion(case, shipped("compare"), order)) for order in ("ab", "ba", "ab"))
    )
    await judge.close()
    print(opinions[0].model_dump_json())
asyncio.run(main())
"""


async def test_processes_that_share_a_journal_pay_for_a_question_once(
    provider: ScriptedProvider, tmp_path: Path
) -> None:
    provider.script = lambda request: waits(0.3)
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    runs = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", JUDGE, str(tmp_path / "journal.db"), provider.url),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        for _ in range(3)
    ]
    outputs = [(await run.communicate())[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert len(set(outputs)) == 1
    assert b'"scores"' in outputs[0]
    assert provider.calls == 2, "one for each order"
