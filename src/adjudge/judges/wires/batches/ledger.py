"""What was handed in as batches, in one SQLite file: written before it is handed in, and its number right after.

It holds no text: only which question (by its key in the journal) is in which batch.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ....errors import JournalError
from ..adapting import Sent

_SCHEMA = """
create table if not exists batches (
    tag text primary key, judge text not null, prepared_at real not null, batch text, over integer not null default 0
);
create table if not exists questions (
    tag text not null, key text not null, sent text not null, failed integer not null default 0, primary key (tag, key)
) without rowid;
"""
_OPEN = """
select tag, judge, prepared_at, batch, (select count(*) from questions where questions.tag = batches.tag)
from batches where over = 0 order by prepared_at
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One batch: how many questions, which of them have not failed, and its number at the provider, once known."""

    tag: str
    judge: str
    prepared_at: float
    batch: str | None
    questions: int
    sent: Mapping[str, Sent]


class Ledger:
    """The file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._guard = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._file.execute("pragma synchronous = full")
            self._file.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(f"{path}: the record of batches cannot be opened: {error}") from None

    def prepare(self, tag: str, judge: str, at: float, sent: Mapping[str, Sent]) -> None:
        """This is going to be handed in."""
        rows = [(tag, key, orjson.dumps(dict(how)).decode()) for key, how in sent.items()]
        self._write(
            ("insert into batches (tag, judge, prepared_at) values (?, ?, ?)", [(tag, judge, at)]),
            ("insert into questions (tag, key, sent) values (?, ?, ?)", rows),
        )

    def submitted(self, tag: str, batch: str) -> None:
        """It has been handed in, under this number."""
        self._write(("update batches set batch = ? where tag = ?", [(batch, tag)]))

    def failed(self, tag: str, keys: Iterable[str]) -> None:
        """These have no reply and will have none: they may be asked again."""
        self._write(("update questions set failed = 1 where tag = ? and key = ?", [(tag, key) for key in keys]))

    def over(self, tag: str) -> None:
        """Nothing of it is needed any more, or it never came about."""
        self._write(("update batches set over = 1 where tag = ?", [(tag,)]))

    def open_entries(self, judge: str | None = None) -> list[Entry]:
        """Batches that may hold replies nobody has stored yet, oldest first."""
        return [
            Entry(tag, of, at, batch, questions, self._questions(tag))
            for tag, of, at, batch, questions in self._read(_OPEN)
            if judge in (None, of)
        ]

    def numbers(self) -> frozenset[str]:
        """All batches whose number is known."""
        return frozenset(row[0] for row in self._read("select batch from batches where batch is not null"))

    def close(self) -> None:
        self._file.close()

    def _questions(self, tag: str) -> dict[str, Sent]:
        rows = self._read("select key, sent from questions where tag = ? and failed = 0", tag)
        return {key: orjson.loads(sent) for key, sent in rows}

    def _read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._guard:
            try:
                return self._file.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None

    def _write(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """All of it or nothing; when this returns, the disk has it."""
        with self._guard:
            try:
                self._file.execute("begin immediate")
                for statement, rows in statements:
                    self._file.executemany(statement, rows)
                self._file.execute("commit")
            except sqlite3.Error as error:
                if self._file.in_transaction:
                    self._file.execute("rollback")
                raise JournalError(f"{self.path}: the record of batches cannot be written: {error}") from None
