"""The journal on a Postgres server, for those who share one. Calls to the server happen on threads of its own.

Only look-ups without a claim, which are rare, happen on the caller's thread.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import LiteralString

from ..errors import JournalError
from .base import Stored
from .batches import BatchThread, tell
from .postgres_claims import AdvisoryClaims
from .postgres_schema import prepare
from .postgres_session import Connection, ConnectionLostError, Server, Session
from .rows import Kind, Row, RowJournal, Write, by_kind

# Rows go as one array a column. In this order, and sorted: two who write the same rows never wait for each other.
_PUT: dict[Kind, LiteralString] = {
    "reply": """insert into adjudge_replies (key, at, attempts, sent, body)
        select * from unnest(%b::text[], %b::float8[], %b::int[], %b::text[], %b::bytea[]) on conflict do nothing""",
    "verdict": """insert into adjudge_verdicts (id, inputs, verdict)
        select * from unnest(%b::text[], %b::bytea[], %b::bytea[]) on conflict do nothing""",
    "draft": """insert into adjudge_drafts (id, changes, mark)
        select * from unnest(%b::text[], %b::bytea[], %b::text[]) on conflict do nothing""",
    "run": """insert into adjudge_runs (id, config)
        select * from unnest(%b::text[], %b::bytea[]) on conflict do nothing""",
    "outcome": """insert into adjudge_outcomes as kept (run, position, verdict, failure)
        select * from unnest(%b::text[], %b::bigint[], %b::text[], %b::bytea[])
        on conflict (run, position) do update set verdict = excluded.verdict, failure = excluded.failure
        where kept.verdict is null""",
}
_GET: dict[Kind, LiteralString] = {
    "reply": "select body, at, attempts, sent from adjudge_replies where key = %s",
    "verdict": "select id, inputs, verdict from adjudge_verdicts where id >= %s and id < %s order by id limit 2",
    "draft": "select changes from adjudge_drafts where id = %s order by number",
    "run": "select config from adjudge_runs where id = %s",
    "outcome": """select position, verdict, failure from adjudge_outcomes
        where run = %s and position > %s order by position limit %s""",
}
_MAX_BATCH = 500
_ROWS_A_PAGE = 1000
_BEFORE_ALL = -(2**63)


class PostgresJournal(RowJournal):
    """A journal on a server; `place` is its address without the password."""

    def __init__(self, url: str) -> None:
        self._server = server = Server(url)
        self.place = server.place
        self._reader = Session(server)
        try:
            self._reader.run(lambda connection: prepare(connection, server.place))
        except BaseException:
            self._reader.drop()
            raise
        self._reader.put_aside()
        self._reading = threading.Lock()
        self._claims = AdvisoryClaims(server)
        self._writer = BatchThread("adjudge-journal", lambda: _Writer(server), _MAX_BATCH)

    def __repr__(self) -> str:
        return f"PostgresJournal({self.place!r})"

    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        return self._claims.hold(key)

    async def put(self, key: str, stored: Stored) -> None:
        self._claims.note_paid(key, stored.body)
        await super().put(key, stored)

    async def put_draft(self, draft_id: str, changes: bytes) -> None:
        # A mark of its own lets the server know a piece again that is sent twice.
        await self._write(("draft", (draft_id, changes, uuid.uuid4().hex)))

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        # Page by page: a cursor would hold a transaction open, and with it the server's housekeeping.
        last = _BEFORE_ALL
        while rows := self._read("outcome", (run_id, last, _ROWS_A_PAGE)):
            yield from rows
            last = rows[-1][0]

    def close(self) -> None:
        self._writer.close()
        self._claims.close()
        with self._reading:
            self._reader.drop()
        self._server.close()

    def _read(self, kind: Kind, values: Row) -> list[Row]:
        def look(connection: Connection) -> list[Row]:
            return connection.execute(_GET[kind], values, binary=True).fetchall()

        with self._reading:
            return self._reader.run(look)


class _Writer:
    """Commits what has queued up in one round trip, and tells each caller."""

    def __init__(self, server: Server) -> None:
        self._session = Session(server)

    def work(self, jobs: list[Write]) -> None:
        try:
            self._session.run(lambda connection: _insert(connection, jobs))
        except ConnectionLostError as error:
            tell((write, JournalError(f"{error}; it is not known whether what came last was kept")) for write in jobs)
        except (JournalError, ValueError) as error:
            # The server takes all or nothing: those that are well are kept without the one that is not.
            if len(jobs) > 1:
                for write in jobs:
                    self.work([write])
            else:
                tell([(jobs[0], JournalError(f"{error}; a {jobs[0].kind} could not be kept"))])
        else:
            tell((write, None) for write in jobs)

    def close(self) -> None:
        self._session.drop()


def _insert(connection: Connection, writes: list[Write]) -> None:
    kinds = by_kind(writes)
    # Everything up to the pipeline's end is one transaction.
    with connection.pipeline():
        for kind, statement in _PUT.items():
            if kind in kinds:
                rows = _settled(kinds[kind]) if kind == "outcome" else sorted(kinds[kind], key=lambda row: row[0])
                connection.execute(statement, [list(column) for column in zip(*rows, strict=True)])


def _settled(rows: list[Row]) -> list[Row]:
    """One row a case, as they would have followed each other: a statement may touch a row only once."""
    last: dict[tuple[str, int], Row] = {}
    for row in rows:
        known = last.get(row[:2])
        if known is None or known[2] is None:
            last[row[:2]] = row
    return [last[case] for case in sorted(last)]
