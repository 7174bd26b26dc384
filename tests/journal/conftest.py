"""Every behaviour of a journal holds in a file and on a server."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.journal import Journal, open_journal


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new journal is."""
    if request.param == "sqlite":
        return str(tmp_path / "journal.db")
    return str(request.getfixturevalue("postgres").new_place())


@pytest.fixture
def journal(place: str) -> Iterator[Journal]:
    opened = open_journal(place)
    yield opened
    opened.close()


@pytest.fixture
def environment() -> dict[str, str]:
    """What a process needs to import what this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
