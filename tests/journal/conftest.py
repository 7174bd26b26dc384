"""Every behaviour of a journal holds in a file and on a server."""

import os
import sys

import pytest

from adjudge.journal import open_journal


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Where a new journal is."""
    if request.param == "sqlite":
        return str(tmp_path / "journal.db")
    return str(request.getfixturevalue("postgres").new_place())


@pytest.fixture
def journal(place):
    opened = open_journal(place)
    yield opened
    opened.close()


@pytest.fixture
def other(place):
    """The same journal, open a second time, as in another process."""
    opened = open_journal(place)
    yield opened
    opened.close()


@pytest.fixture
def environment():
    """What a process needs to import what this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
