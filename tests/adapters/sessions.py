"""Starts other tools' sessions against a scripted provider, which grades by what the answer says."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from scripted.provider import Behaviour, ScriptedProvider, fails, says
from scripted.replies import Request

ROOT = Path(__file__).parents[2]
RUBRIC = """\
name: mine
version: "1"
protocol: grade
items:
  - {key: city, points: 3, name: Names the city, ask: "Does it name the city?"}
  - {key: short, points: 1, check: {max_words: 12}}
"""
# With a required fault: a quote that is not in the answer leaves it open, and the grade undecided.
HOST_RUBRIC = f'{RUBRIC}  - {{key: rude, points: -1, required: true, name: Rude, ask: "Is it rude?"}}\n'
TASK = "What is the capital of Norway?"
GOOD, BAD, BROKEN = "The capital of Norway is Oslo.", "The capital is a nice place to live.", "Oslo, and error 400."
UNSURE = "Oslo, as any child could tell."
ANSWERS = (GOOD, BAD, BROKEN, UNSURE)


def by_answer(request: Request) -> Behaviour:
    """Say yes of an answer with Oslo, no of others; an answer with `error` breaks the provider.

    If asked for it, an answer with `child` is called rude, with a quote that is not there.
    """
    answer = request.fenced("ANSWER")
    if "error" in answer:
        return fails(400, "the model is not available")
    said = {"city": {"quote": "", "reason": "No city is named.", "answer": "no"}}
    if "Oslo" in answer:
        said = {"city": {"quote": answer.strip(), "reason": "It names Oslo.", "answer": "yes"}}
    if "rude" in request.schema["properties"]:
        rude = {"quote": "you silly person you", "reason": "It mocks the person.", "answer": "yes"}
        polite = {"quote": "", "reason": "It is polite.", "answer": "no"}
        said["rude"] = rude if "child" in answer else polite
    return says({key: one for key, one in said.items() if key in request.schema["properties"]})


class Ended(NamedTuple):
    status: int
    out: str


async def run(*command: str, folder: Path, **env: str) -> Ended:
    """Run a command in a folder, and return its status and all that it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "ADJUDGE", "COV"))}
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env={**kept, **env}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    return Ended(process.returncode or 0, re.sub(r"\x1b\[[0-9;]*m", "", out.decode()))


async def run_pytest(folder: Path, *args: str, **env: str) -> Ended:
    """Run pytest with our plugin and no others than it is tested with: to load all that are installed takes seconds."""
    plugins = ("-p", "no:cacheprovider", "-p", "adjudge", "-p", "asyncio")
    more = ("-p", "xdist") if "-n" in args else ()
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **env}
    return await run(sys.executable, "-m", "pytest", *plugins, *more, *args, folder=folder, **alone)


def judge_at(provider: ScriptedProvider) -> str:
    return f"{provider.url}/v1#scripted"


async def fresh_environment(folder: Path, extra: str, *more: str) -> str:
    """Install adjudge with one extra and nothing else into a new environment, and return its Python.

    `$ADJUDGE_INSPECT_PYTHON`, for example, names one that is ready, to save the minutes. Without a package index the
    test is skipped.
    """
    if ready := os.environ.get(f"ADJUDGE_{extra.upper()}_PYTHON"):
        return ready
    place = folder / f"environment-{extra}"
    uv = str(Path(sys.executable).with_name("uv"))
    if not place.exists():
        await run(uv, "venv", "--python", sys.executable, str(place), folder=folder)
    python = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
    ended = await run(uv, "pip", "install", "--python", python, f"{ROOT}[{extra}]", *more, folder=folder)
    if ended.status:
        pytest.skip(f"the extra {extra} cannot be installed here: {ended.out.strip().splitlines()[-1]}")
    return python
