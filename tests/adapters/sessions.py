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
TASK = "What is the capital of Norway?"
GOOD, BAD, BROKEN = "The capital of Norway is Oslo.", "The capital is a nice place to live.", "Oslo, and error 400."


def by_answer(request: Request) -> Behaviour:
    """Say yes of an answer with Oslo, no of others; an answer with `error` breaks the provider."""
    answer = request.fenced("ANSWER")
    if "error" in answer:
        return fails(400, "the model is not available")
    if "Oslo" in answer:
        return says({"city": {"quote": answer.strip(), "reason": "It names Oslo.", "answer": "yes"}})
    return says({"city": {"quote": "", "reason": "No city is named.", "answer": "no"}})


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


async def run_pytest(folder: Path, *args: str, python: str = sys.executable) -> Ended:
    return await run(python, "-m", "pytest", "-p", "no:schemathesis", "-p", "no:cacheprovider", *args, folder=folder)


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
