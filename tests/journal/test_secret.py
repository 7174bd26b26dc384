"""A journal's secret: random, made with its tables, one for all who open it."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from pathlib import Path

from postgres import PostgresForTests

from adjudge.journal import Journal, ReplayJournal, open_journal


def test_it_is_32_bytes_and_the_same_whenever_the_journal_is_opened(journal: Journal, place: str) -> None:
    assert len(journal.secret) == 32
    again = open_journal(place)
    assert again.secret == ReplayJournal(again).secret == journal.secret
    again.close()


def test_two_journals_have_two_secrets(journal: Journal, tmp_path: Path) -> None:
    other = open_journal(tmp_path / "other.db")
    assert other.secret != journal.secret
    other.close()


def test_one_that_is_given_is_that_of_a_new_journal_and_never_of_an_old_one(place: str) -> None:
    for given in (b"first" * 7, b"second" * 7):
        opened = open_journal(place, secret=given)
        assert opened.secret == b"first" * 7
        opened.close()


OPENER = """
import sys
from adjudge.journal import open_journal
print("ready", flush=True)
sys.stdin.readline()
journal = open_journal(sys.argv[1])
print(journal.secret.hex())
journal.close()
"""


async def test_processes_that_make_a_journal_at_once_end_with_one_secret(
    place: str, environment: dict[str, str]
) -> None:
    pipe = asyncio.subprocess.PIPE
    openers = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", OPENER, place, stdin=pipe, stdout=pipe, env=environment
        )
        for _ in range(4)
    ]
    for opener in openers:
        assert opener.stdout is not None
        assert await opener.stdout.readline() == b"ready\n"
    said = [out.strip() for out, _ in await asyncio.gather(*(opener.communicate(b"go\n") for opener in openers))]
    assert [opener.returncode for opener in openers] == [0] * 4
    opened = open_journal(place)
    assert set(said) == {opened.secret.hex().encode()}
    opened.close()


def _opened_twice(place: str | Path) -> list[bytes]:
    secrets = []
    for _ in range(2):
        opened = open_journal(place)
        secrets.append(opened.secret)
        opened.close()
    return secrets


def test_a_file_of_the_format_before_gets_one(tmp_path: Path) -> None:
    place = tmp_path / "journal.db"
    open_journal(place).close()
    connection = sqlite3.connect(place)
    connection.executescript("drop table fence; pragma user_version = 4;")
    connection.close()
    first, again = _opened_twice(place)
    assert len(first) == 32
    assert first == again


def test_a_servers_tables_of_the_format_before_get_one(postgres: PostgresForTests) -> None:
    place = postgres.new_place()
    open_journal(place).close()
    postgres.do("drop table adjudge_fence; update adjudge_format set version = 3", place)
    first, again = _opened_twice(place)
    assert len(first) == 32
    assert first == again
