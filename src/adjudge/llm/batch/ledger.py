"""The batches that were submitted, in one SQLite file: recorded before they are submitted, and their ids right after.

It holds no text, only which request (by its key in the journal) is in which batch.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ...errors import JournalError
from ...files import make_private
from ..base import Sent

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
class Submission:
    """One batch: its requests, those of them that have not failed, and its id at the provider, once known."""

    tag: str
    judge: str
    prepared_at: float
    batch: str | None
    requests: int
    sent: Mapping[str, Sent]


class BatchLedger:
    """The file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            make_private(path)
            self._file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._file.execute("pragma synchronous = full")
            self._file.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(f"{path}: the record of batches cannot be opened: {error}") from None

    def prepare(self, submission: Submission) -> None:
        """Record a batch that is about to be submitted."""
        tag = submission.tag
        rows = [(tag, key, orjson.dumps(dict(sent)).decode()) for key, sent in submission.sent.items()]
        batch = tag, submission.judge, submission.prepared_at
        self._write(
            ("insert into batches (tag, judge, prepared_at) values (?, ?, ?)", [batch]),
            ("insert into questions (tag, key, sent) values (?, ?, ?)", rows),
        )

    def submitted(self, tag: str, batch: str) -> None:
        """Record the id of a submitted batch."""
        self._write(("update batches set batch = ? where tag = ?", [(batch, tag)]))

    def failed(self, tag: str, keys: Iterable[str]) -> None:
        """Record requests that will never be answered, so that they may be asked again."""
        self._write(("update questions set failed = 1 where tag = ? and key = ?", [(tag, key) for key in keys]))

    def finish(self, tag: str) -> None:
        """Record that nothing of this batch is needed any more, or that it was never accepted."""
        self._write(("update batches set over = 1 where tag = ?", [(tag,)]))

    def unfinished(self, judge: str | None = None) -> list[Submission]:
        """Batches whose replies may not be stored yet, oldest first."""
        wanted = "select key, sent from questions where tag = ? and failed = 0"
        return [
            Submission(tag, of, at, batch, count, {key: orjson.loads(sent) for key, sent in self._read(wanted, tag)})
            for tag, of, at, batch, count in self._read(_OPEN)
            if judge in (None, of)
        ]

    def batch_ids(self) -> frozenset[str]:
        """The ids of all batches, as far as they are known."""
        return frozenset(row[0] for row in self._read("select batch from batches where batch is not null"))

    def close(self) -> None:
        with self._lock:  # a thread may still be writing for a caller that was cancelled
            self._file.close()

    def _read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._file.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None

    def _write(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Run the statements in one transaction; when this returns, it is on disk."""
        with self._lock:
            try:
                self._file.execute("begin immediate")
                with self._file:
                    for statement, rows in statements:
                        self._file.executemany(statement, rows)
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: the record of batches cannot be written: {error}") from None
