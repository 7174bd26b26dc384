"""The journal on a Postgres server, for those who share one. Calls to the server happen on threads of its own.

Only look-ups without a claim, which are rare, happen on the caller's thread.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, LiteralString, NamedTuple

from ..errors import JournalError
from .base import FIRST_PAUSE, LONGEST_PAUSE, SECRET_BYTES, Journal, Kind, Row, Stored, Write, as_stored, by_kind
from .group_commit import BatchThread, tell
from .postgres_session import Connection, ConnectionLostError, Server, Session, prepare

# Rows go as one array a column. In this order, and sorted: two who write the same rows never wait for each other.
_PUT: dict[Kind, LiteralString] = {
    "reply": """insert into adjudge_replies (key, at, attempts, sent, body)
        select * from unnest(%b::text[], %b::float8[], %b::int[], %b::text[], %b::bytea[]) on conflict do nothing""",
    "verdict": """insert into adjudge_verdicts (id, inputs, verdict)
        select * from unnest(%b::text[], %b::bytea[], %b::bytea[]) on conflict do nothing""",
    "draft": """insert into adjudge_drafts (id, changes, mark)
        select * from unnest(%b::text[], %b::bytea[], %b::text[]) on conflict do nothing""",
    "draft_owner": """insert into adjudge_draft_owners (id, owner, at)
        select id, min(owner), max(at) from unnest(%b::text[], %b::text[], %b::float8[]) as given (id, owner, at)
        group by id order by id on conflict (id) do update set at = excluded.at""",
    "draft_removal": """with given as (select unnest(%b::text[]) as id),
        owners as (delete from adjudge_draft_owners where id in (select id from given))
        delete from adjudge_drafts where id in (select id from given)""",
    "run": """insert into adjudge_runs (id, config)
        select * from unnest(%b::text[], %b::bytea[]) on conflict do nothing""",
    "outcome": """insert into adjudge_outcomes as kept (run, position, verdict, failure)
        select * from unnest(%b::text[], %b::bigint[], %b::text[], %b::bytea[])
        on conflict (run, position) do update set verdict = excluded.verdict, failure = excluded.failure
        where kept.verdict is null""",
    "answer_expiry": "delete from adjudge_answers where at < (select max(at) from unnest(%b::float8[]) as given (at))",
    "answer": """insert into adjudge_answers (id, at, request, head, body)
        select * from unnest(%b::text[], %b::float8[], %b::text[], %b::text[], %b::bytea[]) on conflict (id)
        do update set at = excluded.at, request = excluded.request, head = excluded.head, body = excluded.body""",
}
_GET: dict[Kind, LiteralString] = {
    "reply": "select body, at, attempts, sent from adjudge_replies where key = %s",
    "verdict": "select id, inputs, verdict from adjudge_verdicts where id >= %s and id < %s order by id limit 2",
    "verdict_page": """select number, id, inputs, verdict,
        (select string_agg(run, ' ') from adjudge_outcomes where verdict = adjudge_verdicts.id)
        from adjudge_verdicts where number < %s order by number desc limit %s""",
    "verdict_runs": "select run from adjudge_outcomes where verdict = %s",
    "answer": "select at, request, head, body from adjudge_answers where id = %s",
    "draft": "select changes from adjudge_drafts where id = %s order by number",
    "draft_owner": "select owner, at from adjudge_draft_owners where id = %s",
    "draft_sizes": """select owner, id, at, count(*), sum(length(changes))::bigint
        from adjudge_draft_owners join adjudge_drafts using (id) group by id, owner, at""",
    "run": "select config from adjudge_runs where id = %s",
    "outcome": """select position, verdict, failure from adjudge_outcomes
        where run = %s and position > %s order by position limit %s""",
}
_MAX_BATCH = 500
_MAX_EXCHANGE = 256
_ROWS_A_PAGE = 1000
_BEFORE_ALL = -(2**63)


class PostgresJournal(Journal):
    """A journal on a server; `place` is its address without the password."""

    def __init__(self, url: str, secret: bytes | None = None) -> None:
        self._server = server = Server(url)
        self.place = server.place
        self._reader = Session(server)
        try:
            made = secret or secrets.token_bytes(SECRET_BYTES)
            self.secret = self._reader.attempt(lambda connection: prepare(connection, server.place, made))
        finally:
            # Servers have few connections: each is opened when it is needed.
            self._reader.drop()
        self._reading = threading.Lock()
        self._claims = _PostgresClaims(server)
        self._writer: BatchThread[Write] = BatchThread("adjudge-journal", lambda: _PostgresWriter(server), _MAX_BATCH)

    def __repr__(self) -> str:
        return f"PostgresJournal({self.place!r})"

    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        return self._claims.hold(key)

    async def put(self, key: str, stored: Stored) -> None:
        self._claims.note_paid(key, stored.body)
        await super().put(key, stored)

    def draft_row(self, draft_id: str, changes: bytes) -> Row:
        # A mark of its own lets the server know a piece again that is sent twice.
        return draft_id, changes, uuid.uuid4().hex

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        # Page by page: a cursor would hold a transaction open, and with it the server's housekeeping.
        last = _BEFORE_ALL
        while rows := self.read("outcome", (run_id, last, _ROWS_A_PAGE)):
            yield from rows
            last = rows[-1][0]

    def close(self) -> None:
        self._writer.close()
        self._claims.close()
        with self._reading:
            self._reader.drop()
        self._server.closed = True

    def read(self, kind: Kind, values: Row) -> list[Row]:
        def look(connection: Connection) -> list[Row]:
            return connection.execute(_GET[kind], values, binary=True).fetchall()

        with self._reading:
            return self._reader.run(look)

    def submit(self, write: Write) -> None:
        self._writer.submit(write)


class _PostgresWriter:
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


# -- claims -----------------------------------------------------------------------------------------------------------
# Session locks, which the server takes back when the session ends, however it ends. One thread exchanges what has
# queued up in one round trip: locks to give back, locks to take, replies to look up.

_GIVE = "select pg_advisory_unlock(place) from unnest(%b::bigint[]) as place"
_TAKE = "select place, pg_try_advisory_lock(place) from unnest(%b::bigint[]) as place"
# A statement of its own, after the locks: it sees what was committed before they were free.
_LOOK_UP = "select key, body, at, attempts, sent from adjudge_replies where key = any(%b::text[])"


class _Answer(NamedTuple):
    """The reply if it is there; if not, whether the question is now ours to ask."""

    stored: Stored | None
    taken: bool


@dataclass(eq=False, slots=True)
class _Claim:
    """One question that one of our callers asks; `paid` is the reply it is about to store."""

    key: str
    place: int
    paid: bytes | None = None


class _Job(NamedTuple):
    claim: _Claim
    takes: bool
    done: asyncio.Future[Any] | None


class _PostgresClaims:
    """The claims of one open journal."""

    def __init__(self, server: Server) -> None:
        # A session may take a lock it holds a second time: between our own callers this decides.
        self._inside: dict[int, _Claim] = {}
        self._thread: BatchThread[_Job] = BatchThread("adjudge-claims", lambda: _Exchange(server), _MAX_EXCHANGE)

    def note_paid(self, key: str, body: bytes) -> None:
        """Remember what the holder of a claim is about to store, to know it again should the claim be lost."""
        claim = self._inside.get(_place_of(key))
        if claim is not None and claim.key == key:
            claim.paid = body

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[Stored | None]:
        """The reply, or the right to ask."""
        claim, pause = _Claim(key, _place_of(key)), FIRST_PAUSE
        while True:
            if self._inside.setdefault(claim.place, claim) is claim:
                answer = await self._take(claim)
                if answer.taken or answer.stored is not None:
                    break
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        if answer.stored is not None:
            yield answer.stored
            return
        try:
            yield None
        except BaseException:
            self._abandon(claim)
            raise
        # The answer says that the lock was held to the end, or that nobody else made use of it.
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._thread.submit(_Job(claim, False, done))
        del self._inside[claim.place]
        await done

    async def _take(self, claim: _Claim) -> _Answer:
        done: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        try:
            self._thread.submit(_Job(claim, True, done))
            answer = await done
        except BaseException:
            self._abandon(claim)
            raise
        if not answer.taken:
            del self._inside[claim.place]
        return answer

    def _abandon(self, claim: _Claim) -> None:
        """Give the lock back, if it was or will be taken, and do not wait."""
        with suppress(JournalError):  # closed, and its locks with it
            self._thread.submit(_Job(claim, False, None))
        del self._inside[claim.place]

    def close(self) -> None:
        """Give back all, with the session."""
        self._thread.close()


class _Exchange:
    """The thread's side: which locks this session has, and the round trips that change it."""

    def __init__(self, server: Server) -> None:
        self._session = Session(server)
        self._held: set[_Claim] = set()
        # Locks that came along with a reply, which makes them needless; they go back with the next round trip.
        self._needless: list[int] = []

    def work(self, jobs: list[_Job]) -> None:
        unreached = tell(self._answered(jobs))
        # Whoever went away while it waited for its claim gets it now, and nobody is there to give it back.
        left = {job.claim for job in jobs if not job.takes} | {job.claim for job in unreached}
        left &= self._held
        if left:
            self._held -= left
            self._needless += [claim.place for claim in left]
            self._answered([])

    def close(self) -> None:
        self._session.drop()

    def _answered(self, jobs: list[_Job]) -> list[tuple[_Job, object]]:
        try:
            # The locks go with a lost connection. A new session has none, and is asked the same.
            return self._session.persist(lambda: self._round_trip(jobs), self._forget)
        except BaseException:
            # What the server did is not known: without the session it holds nothing for us.
            self._session.drop()
            self._forget()
            raise

    def _forget(self) -> None:
        self._held.clear()
        self._needless.clear()

    def _round_trip(self, jobs: list[_Job]) -> list[tuple[_Job, object]]:
        taking = [job for job in jobs if job.takes]
        giving = [job for job in jobs if not job.takes]
        given = {job.claim for job in giving} & self._held
        lost = [job for job in giving if job.done is not None and job.claim not in given]
        free = [*self._needless, *(claim.place for claim in given)]
        keys = [job.claim.key for job in (*taking, *lost)]
        places = [job.claim.place for job in taking]
        got, replies = self._session.attempt(lambda connection: self._ask(connection, free, places, keys))
        self._held -= given
        self._needless = []
        answers: list[tuple[_Job, object]] = [(job, None) for job in giving if job.claim in given]
        for job in taking:
            stored = replies.get(job.claim.key)
            if got[job.claim.place]:
                if stored is None:
                    self._held.add(job.claim)
                else:
                    self._needless.append(job.claim.place)
            answers.append((job, _Answer(stored, job.claim in self._held)))
        answers += [(job, self._without_its_lock(job.claim, replies.get(job.claim.key))) for job in lost]
        return answers

    def _ask(
        self, connection: Connection, free: list[int], places: list[int], keys: list[str]
    ) -> tuple[dict[int, bool], dict[str, Stored]]:
        with connection.pipeline():
            freed = connection.execute(_GIVE, [free]) if free else None
            got = connection.execute(_TAKE, [places], binary=True) if places else None
            found = connection.execute(_LOOK_UP, [keys], binary=True) if keys else None
            if freed is not None and not all(was_held for (was_held,) in freed.fetchall()):
                raise JournalError(
                    f"{self._session.server.place}: the server mixes up sessions; "
                    "a pooler in between must pool sessions, not transactions"
                )
            locks: dict[int, bool] = dict(got.fetchall()) if got is not None else {}
            rows = found.fetchall() if found is not None else []
        return locks, {row[0]: as_stored(row[1:]) for row in rows}

    def _without_its_lock(self, claim: _Claim, stored: Stored | None) -> JournalError | None:
        """A claim that was lost on the way did no harm if the reply that stays is its own, or if it paid for none."""
        if claim.paid is None or (stored is not None and stored.body == claim.paid):
            return None
        return JournalError(
            f"{self._session.server.place}: the connection was lost during a call, and another process made the same "
            "call and keeps its reply; ask again to go on with that one"
        )


def _place_of(key: str) -> int:
    return int(key[:16], 16) - 2**63
