"""Waiting for a judge is visible: on a terminal, and nowhere else."""

import asyncio
import io
import json
import re

import pytest
from scripted.provider import judges

from adjudge.cli.main import main

CASE = {"userTask": "Name a prime above 10.", "responseA": "11 is a prime.", "responseB": "12 is a prime."}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
async def said(tmp_path, provider, monkeypatch):
    """What a comparison by a scripted judge writes to a standard error of this kind."""
    provider.script = lambda request: judges()
    (tmp_path / "case.json").write_text(json.dumps(CASE))

    async def compare(stderr):
        monkeypatch.setattr("sys.stderr", stderr)
        monkeypatch.setenv("TERM", "xterm")
        judge, journal = f"{provider.url}/v1#m", str(tmp_path / "journal.db")
        args = ["compare", str(tmp_path / "case.json"), "--judge", judge, "--journal", journal, "-o", "-"]
        assert await asyncio.to_thread(main, args) == 0
        return stderr.getvalue()

    return compare


async def test_a_terminal_shows_that_it_is_judging_and_the_time_and_then_nothing_more(said):
    shown = await said(Terminal())
    assert "judging" in shown
    assert re.search(r"0:00:0\d", shown)
    assert shown.endswith("\x1b[2K")  # the line is erased


async def test_a_pipe_gets_nothing(said):
    assert await said(io.StringIO()) == ""
