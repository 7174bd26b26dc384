"""The journal in one SQLite file (WAL). Writers queue up and share a commit; each returns when the disk has it.

Several processes may use the same file. Reads are point look-ups and happen on the caller's thread.
"""

from __future__ import annotations

import asyncio
import os
import queue
import re
import sqlite3
import threading
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple

import orjson

from ..errors import JournalError
from .base import Stored
from .claims import claims_on

VERSION = 2
_SCHEMA = """
create table if not exists replies (
    number integer primary key, key text not null unique, at real not null, attempts integer not null,
    sent text not null, body blob not null
);
create table if not exists verdicts (
    number integer primary key, id text not null unique, inputs blob not null, verdict blob not null
);
create table if not exists drafts (number integer primary key, id text not null, changes blob not null);
create index if not exists drafts_by_id on drafts (id);
"""
_PUT_REPLY = ("insert or ignore into replies (key, at, attempts, sent, body) values ", "(?, ?, ?, ?, ?)")
_PUT_VERDICT = ("insert or ignore into verdicts (id, inputs, verdict) values ", "(?, ?, ?)")
_PUT_DRAFT = ("insert into drafts (id, changes) values ", "(?, ?)")
_GET_DRAFT = "select changes from drafts where id = ? order by number"
_GET_REPLY = "select body, at, attempts, sent from replies where key = ?"
_GET_VERDICT = "select id, inputs, verdict from verdicts where id >= ? and id < ? order by id limit 2"
_MAX_BATCH = 1000
_VERDICT_ID = re.compile(r"[a-z][0-9a-f]{0,20}")
_ROWS_AT_ONCE = 64
_BUSY_SECONDS = 60


class _Write(NamedTuple):
    statement: tuple[str, str]
    values: tuple[object, ...]
    done: asyncio.Future[None]
    loop: asyncio.AbstractEventLoop


class SqliteJournal:
    """A journal in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # It holds the texts that are judged: a new one is for its owner's eyes.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
        self._reader = self._connect()
        try:
            self._prepare()
        except BaseException:
            self._reader.close()
            raise
        self._reading = threading.Lock()
        self._claims = claims_on(path.with_name(path.name + ".claims"))
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._starting = threading.Lock()

    def get(self, key: str) -> Stored | None:
        with self._reading:
            try:
                row = self._reader.execute(_GET_REPLY, (key,)).fetchone()
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None
        return Stored(row[0], row[1], row[2], orjson.loads(row[3])) if row else None

    async def put(self, key: str, stored: Stored) -> None:
        sent = orjson.dumps(dict(stored.sent)).decode()
        await self._write(_PUT_REPLY, (key, stored.at, stored.attempts, sent, stored.body))

    def claim(self, key: str) -> AbstractAsyncContextManager[None]:
        return self._claims.hold(key)

    async def put_verdict(self, verdict_id: str, inputs: bytes, verdict: bytes) -> None:
        await self._write(_PUT_VERDICT, (verdict_id, inputs, verdict))

    def get_verdict(self, verdict_id: str) -> tuple[bytes, bytes] | None:
        if not _VERDICT_ID.fullmatch(verdict_id):
            return None
        beyond = verdict_id[:-1] + chr(ord(verdict_id[-1]) + 1) if verdict_id else "~"
        with self._reading:
            try:
                rows = self._reader.execute(_GET_VERDICT, (verdict_id, beyond)).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None
        if not rows:
            return None
        if len(rows) > 1 and rows[0][0] != verdict_id:
            raise JournalError(f"{verdict_id}: several verdicts begin like this; give more of the id")
        return rows[0][1], rows[0][2]

    async def put_draft(self, draft_id: str, changes: bytes) -> None:
        await self._write(_PUT_DRAFT, (draft_id, changes))

    def get_draft(self, draft_id: str) -> list[bytes]:
        with self._reading:
            try:
                return [row[0] for row in self._reader.execute(_GET_DRAFT, (draft_id,))]
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None

    def close(self) -> None:
        if self._writer is not None:
            self._queue.put(None)
            self._writer.join()
            self._writer = None
        self._reader.close()

    async def _write(self, statement: tuple[str, str], values: tuple[object, ...]) -> None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        with self._starting:
            if self._writer is None:
                connection = self._connect()
                self._writer = threading.Thread(
                    target=self._write_on, args=(connection,), name="adjudge-journal", daemon=True
                )
                self._writer.start()
        self._queue.put(_Write(statement, values, done, loop))
        # A caller that is cancelled here only stops waiting: what is in the queue is kept all the same.
        await done

    def _write_on(self, connection: sqlite3.Connection) -> None:
        """The writer's thread: takes all that has queued up, commits once, and tells each caller."""
        last = False
        while not last:
            batch: list[_Write] = []
            item = self._queue.get()
            while True:
                if item is None:
                    last = True
                    break
                batch.append(item)
                if len(batch) >= _MAX_BATCH:
                    break
                try:
                    item = self._queue.get_nowait()
                except queue.Empty:
                    break
            if batch:
                self._commit(connection, batch)
        connection.close()

    def _commit(self, connection: sqlite3.Connection, batch: list[_Write]) -> None:
        for statement in (_PUT_REPLY, _PUT_VERDICT, _PUT_DRAFT):
            writes = [write for write in batch if write.statement is statement]
            for at in range(0, len(writes), _ROWS_AT_ONCE):
                self._insert(connection, statement, writes[at : at + _ROWS_AT_ONCE])

    def _insert(self, connection: sqlite3.Connection, statement: tuple[str, str], writes: list[_Write]) -> None:
        """Many rows in one statement, which is its own transaction: the interpreter is let go and wanted back once."""
        head, one_row = statement
        error: JournalError | None = None
        try:
            values = [value for write in writes for value in write.values]
            connection.execute(head + ", ".join([one_row] * len(writes)), values)
        except sqlite3.Error as problem:
            error = JournalError(f"{self.path}: a reply could not be kept: {problem}")
        waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
        for write in writes:
            waiting.setdefault(write.loop, []).append(write.done)
        for loop, futures in waiting.items():
            try:
                loop.call_soon_threadsafe(_tell, futures, error)
            except RuntimeError:
                continue  # that loop has ended; the reply is kept all the same

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: the journal cannot be opened: {error}") from None
        try:
            # Rows are several kilobytes: larger pages take fewer of them. Only a new file listens to this.
            connection.execute("pragma page_size = 8192")
            self._use_wal(connection)
            connection.execute("pragma synchronous = full")
        except sqlite3.Error as error:
            connection.close()
            raise JournalError(f"{self.path}: the journal cannot be opened: {error}") from None
        return connection

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        # SQLite does not wait for its turn here: processes that open a new file at once must do it themselves.
        patience = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                connection.execute("pragma journal_mode = wal")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > patience:
                    raise
                time.sleep(0.005)

    def _prepare(self) -> None:
        try:
            version = self._reader.execute("pragma user_version").fetchone()[0]
            if version < VERSION:
                self._reader.executescript(f"begin immediate; {_SCHEMA} pragma user_version = {VERSION}; commit;")
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: the journal cannot be opened: {error}") from None
        if version > VERSION:
            raise JournalError(f"{self.path}: written by a newer adjudge (format {version}, this one reads {VERSION})")


def _tell(futures: list[asyncio.Future[None]], error: JournalError | None) -> None:
    for future in futures:
        if future.done():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
