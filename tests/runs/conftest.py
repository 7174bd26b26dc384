"""What the tests of runs share: files of cases, the command in a process of its own, and a run's files read back."""

import asyncio
import io
import json
import os
import re
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripted.provider import judges

from adjudge.cli.main import main

SENTENCE = "Keep the first version small enough that two people can finish it within a fortnight."


def pairs(count, **more):
    """Comparisons that differ from each other, and whose answers hold what the scripted judge quotes."""
    return [
        {"id": f"case-{n}", "task": f"Plan tool {n}.", "a": f"Plan {n}. {SENTENCE}", "b": f"{SENTENCE} Draft {n}."}
        | more
        for n in range(count)
    ]


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def read_lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


async def until(holds, patience=180.0):
    """Wait for something that another process makes true."""
    for _ in range(int(patience / 0.01)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to pass")


def children_of(pid):
    """The workers of a run, by its parent's number."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def judge_of(provider):
    return f"{provider.url}/v1#m"


def number_in(request):
    """Which of the pairs a request is about."""
    return int(re.search(r"Plan tool (\d+)\.", request.turns[0])[1])


def judging_but(behaviours):
    """A provider's script: it judges all pairs but those with these numbers, which have a behaviour of their own."""
    return lambda request: behaviours.get(number_in(request)) or judges()


@dataclass
class Finished:
    code: int
    out: str
    err: str


class Command:
    """`adjudge …` as a user gives it: called in this process, or started in one of its own that can be killed."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "ADJUDGE_JOURNAL": str(folder / "unused.db")}

    async def run(self, cases, *options, folder="out", exits=0):
        """A run over so many pairs, or over these rows, that ends with this code."""
        write_lines(self.folder / "pairs.jsonl", pairs(cases) if isinstance(cases, int) else cases)
        done = await self("run", "compare", "pairs.jsonl", "--run", folder, *options)
        assert exits in (done.code, None), done.err
        return done

    async def resume(self, *options, exits=0):
        done = await self("run", "--resume", "out", *options)
        assert exits in (done.code, None), done.err
        return done

    async def start_run(self, cases, *options):
        """The same in a process of its own."""
        write_lines(self.folder / "pairs.jsonl", pairs(cases) if isinstance(cases, int) else cases)
        return await self.start("run", "compare", "pairs.jsonl", "--run", "out", *options)

    async def start(self, *args):
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "adjudge.cli.main", *map(str, args)),
            cwd=self.folder,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )

    async def __call__(self, *args, stdin=b""):
        # On a thread: the provider answers on this one.
        return await asyncio.to_thread(self._call, [str(arg) for arg in args], stdin)

    def _call(self, args, stdin):
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.folder)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            for name in os.environ.keys() - self.environment.keys():
                patch.delenv(name)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            try:
                code = main(args)
            except SystemExit as exit:
                code = exit.code
        return Finished(code, *(each.buffer.getvalue().decode() for each in (out, err)))


@pytest.fixture
def command(tmp_path):
    return Command(tmp_path)


@pytest.fixture
def asked(provider):
    """Options of a run in one order that asks the scripted provider."""
    return ("--judge", judge_of(provider), "--one-order")


@pytest.fixture
def priced(provider, command):
    """Options of a run in one order with a model that has a published price."""
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    return ("--judge", "openai:gpt-4o", "--one-order", "--max-tokens", "1000")


@pytest.fixture(scope="session")
def _finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    write_lines(folder / "pairs.jsonl", pairs(5, label="A"))
    done = Command(folder)._call(["run", "compare", "pairs.jsonl", "--run", "out"], b"")
    return folder, done


@pytest.fixture
def finished(_finished, tmp_path):
    """A copy of a run of five labelled pairs by the embedded judge, and what the command that made it said."""
    shutil.copytree(_finished[0], tmp_path, dirs_exist_ok=True)
    return _finished[1]


class RunFiles:
    """A run's directory as a reader sees it."""

    def __init__(self, path):
        self.path = Path(path)

    @property
    def verdicts(self):
        return read_lines(self.path / "verdicts.jsonl")

    @property
    def failures(self):
        return read_lines(self.path / "failures.jsonl")

    @property
    def summary(self):
        return json.loads((self.path / "summary.json").read_text("utf-8"))

    def check_complete(self, cases):
        """Every case once: a verdict, or else a failure."""
        judged = [line["position"] for line in self.verdicts]
        failed = {line["position"] for line in self.failures} - set(judged)
        assert sorted([*judged, *failed]) == list(range(cases))
        assert self.summary["verdicts"] == len(judged)
        assert self.summary["failures"] == len(failed)
        assert self.summary["open"] == 0


@pytest.fixture
def files(tmp_path):
    return RunFiles(tmp_path / "out")
