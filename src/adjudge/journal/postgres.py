"""The journal on a Postgres server, which several machines can share. Calls happen on the journal's own threads.

Only look-ups without a claim, which are rare, happen on the caller's thread.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import JournalError
from .base import FIRST_PAUSE, LONGEST_PAUSE, Row, Stored, UnavailableError, as_stored
from .database import DatabaseJournal
from .group_commit import BatchThread
from .postgres_session import Connection, ConnectionLostError, Server, Session, prepare
from .sql import GET, POSTGRES, PUT, Kind, statements


def _for_server(of: Mapping[Kind, str]) -> dict[Kind, bytes]:
    return {kind: text.replace("?", "%b").encode() for kind, text in statements(of, POSTGRES).items()}


_DRAFT = "insert into {t}drafts (id, changes, mark) values (?, ?, ?) on conflict do nothing"
_PUT, _GET = _for_server({**PUT, "draft": _DRAFT}), _for_server(GET)
_MAX_BATCH = 500
_MAX_EXCHANGE = 256


class PostgresJournal(DatabaseJournal):
    """A journal on a server; `place` is its address without the password."""

    def __init__(self, url: str, secret: bytes | None = None) -> None:
        super().__init__(_MAX_BATCH)
        self._server = server = Server(url)
        self.place = server.place
        self._reader, self._writer = Session(server), Session(server)
        try:
            made = secret or secrets.token_bytes(32)
            self.secret = self._reader.attempt(lambda connection: prepare(connection, server.place, made))
        finally:
            # Servers allow few connections, so each one is opened only when it is needed.
            self._reader.drop()
        self._reading = threading.Lock()
        self._claims = _PostgresClaims(server)

    def __repr__(self) -> str:
        return f"PostgresJournal({self.place!r})"

    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        return self._claims.hold(key)

    async def put(self, key: str, stored: Stored, is_call: bool = True) -> None:
        self._claims.mark_paid(key, stored.body)
        await super().put(key, stored, is_call)

    def draft_row(self, draft_id: str, changes: bytes) -> Row:
        # The unique mark makes the insert idempotent if it is sent again after a lost connection.
        return draft_id, changes, uuid.uuid4().hex

    def close(self) -> None:
        self.writer.close()
        self._writer.drop()
        self._claims.close()
        with self._reading:
            self._reader.drop()
        self._server.closed = True

    def read(self, kind: Kind, values: Row) -> list[Row]:
        with self._reading:
            return self._reader.run(lambda connection: connection.execute(_GET[kind], values, binary=True).fetchall())

    def write_rows(self, kinds: list[tuple[Kind, list[Row]]]) -> None:
        def put(connection: Connection) -> None:
            # All statements of a pipeline form one transaction and take one round trip.
            with connection.pipeline(), connection.cursor() as cursor:
                for kind, rows in kinds:
                    cursor.executemany(_PUT[kind], rows)

        try:
            self._writer.run(put)
        except ConnectionLostError as error:
            raise UnavailableError(f"{error}; it is not known whether the last entries were stored") from None


# -- claims -----------------------------------------------------------------------------------------------------------
# A claim is an advisory lock of the session. The server releases it when the session ends, however it ends. One thread
# handles all queued requests in one round trip: locks to release, locks to take, replies to look up.

_GIVE = "select pg_advisory_unlock(place) from unnest(%b::bigint[]) as place"
_TAKE = "select place, pg_try_advisory_lock(place) from unnest(%b::bigint[]) as place"
# This must be a separate statement after the locks, so that it sees what was committed before they were released.
_LOOK_UP = "select key, body, at, attempts, sent from adjudge_replies where key = any(%b::text[])"


@dataclass(eq=False, slots=True)
class _Claim:
    """A key that one of our callers wants to claim; `paid` is the reply which that caller is about to store."""

    key: str
    place: int
    paid: bytes | None = None


class _Job(NamedTuple):
    """Take or release a claim; `waits` says whether a caller waits until it is released."""

    claim: _Claim
    takes: bool
    waits: bool = True


class _PostgresClaims:
    """The claims of one open journal."""

    def __init__(self, server: Server) -> None:
        # Postgres lets a session take its own lock twice, so this dict excludes callers in this process.
        self._inside: dict[int, _Claim] = {}
        self._thread: BatchThread[_Job] = BatchThread("adjudge-claims", self._work, _MAX_EXCHANGE, self._release)
        # Used by the thread only: the locks that the session holds. A lock taken for a key that already has a reply is
        # not needed; it is released with the next round trip.
        self._session = Session(server)
        self._held: set[_Claim] = set()
        self._needless: list[int] = []

    def mark_paid(self, key: str, body: bytes) -> None:
        """Remember the reply that a claim's holder is about to store, to recognize it if the claim gets lost."""
        claim = self._inside.get(_place_of(key))
        if claim is not None and claim.key == key:
            claim.paid = body

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[Stored | None]:
        """Yield the stored reply, or None while this caller holds the claim. Wait while another caller holds it."""
        claim, pause = _Claim(key, _place_of(key)), FIRST_PAUSE
        while True:
            if self._inside.setdefault(claim.place, claim) is claim:
                stored, taken = await self._take(claim)
                if taken or stored is not None:
                    break
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        if stored is not None:
            yield stored
            return
        try:
            yield None
        except BaseException:
            self._abandon(claim)
            raise
        # This fails if the lock was lost meanwhile and another process stored a different reply.
        released = self._thread.submit(_Job(claim, takes=False))
        del self._inside[claim.place]
        await released

    async def _take(self, claim: _Claim) -> tuple[Stored | None, bool]:
        """Return the stored reply if there is one, and whether we now hold the claim."""
        stored: Stored | None
        taken: bool
        try:
            stored, taken = await self._thread.submit(_Job(claim, takes=True))
        except BaseException:
            self._abandon(claim)
            raise
        if not taken:
            del self._inside[claim.place]
        return stored, taken

    def _abandon(self, claim: _Claim) -> None:
        """Release the lock, if it was or will be taken, without waiting for it."""
        with suppress(JournalError):  # closing the journal has released its locks
            self._thread.post(_Job(claim, takes=False, waits=False))
        del self._inside[claim.place]

    def close(self) -> None:
        """Release all locks by ending the session."""
        self._thread.close()
        self._session.drop()

    # -- on the thread ------------------------------------------------------------------------------------------------

    def _release(self, jobs: list[_Job]) -> None:
        """Release the locks that were taken for callers whose event loop has ended."""
        if gone := [_Job(job.claim, takes=False, waits=False) for job in jobs if job.takes]:
            self._work(gone)

    def _work(self, jobs: list[_Job]) -> list[object]:
        try:
            # A lost connection loses its locks, so forget them before the same jobs are sent on a new session.
            return self._session.persist(lambda: self._round_trip(jobs), self._forget)
        except BaseException:
            # We do not know which locks the server gave us. Ending the session releases them all.
            self._session.drop()
            self._forget()
            raise

    def _forget(self) -> None:
        self._held.clear()
        self._needless.clear()

    def _round_trip(self, jobs: list[_Job]) -> list[object]:
        """Return for each job what its caller gets: the stored reply and whether the claim is taken, or an error."""
        giving = [job for job in jobs if not job.takes]
        # A claim that is both taken and released here belongs to a caller that was cancelled while it waited.
        given = {job.claim for job in giving}
        taking = [job for job in jobs if job.takes and job.claim not in given]
        lost = [job for job in giving if job.waits and job.claim not in self._held]
        free = [*self._needless, *(claim.place for claim in given & self._held)]
        keys = [job.claim.key for job in (*taking, *lost)]
        places = [job.claim.place for job in taking]
        got, replies = self._session.attempt(lambda connection: self._ask(connection, free, places, keys))
        self._held -= given
        self._needless = []
        answers: dict[_Job, object] = {
            job: self._without_its_lock(job.claim, replies.get(job.claim.key)) for job in lost
        }
        for job in taking:
            stored, taken = replies.get(job.claim.key), got[job.claim.place]
            if taken and stored is None:
                self._held.add(job.claim)
            elif taken:
                self._needless.append(job.claim.place)
            answers[job] = stored, taken and stored is None
        return [answers.get(job) for job in jobs]

    def _ask(
        self, connection: Connection, free: list[int], places: list[int], keys: list[str]
    ) -> tuple[dict[int, bool], dict[str, Stored]]:
        with connection.pipeline():
            freed = connection.execute(_GIVE, [free])
            got = connection.execute(_TAKE, [places], binary=True)
            found = connection.execute(_LOOK_UP, [keys], binary=True)
            if not all(was_held for (was_held,) in freed.fetchall()):
                raise JournalError(
                    f"{self._session.server.place}: the session changed between queries; "
                    "a connection pooler must pool sessions, not transactions"
                )
            return dict(got.fetchall()), {row[0]: as_stored(row[1:]) for row in found.fetchall()}

    def _without_its_lock(self, claim: _Claim, stored: Stored | None) -> JournalError | None:
        """Return None if losing the lock did no harm: the caller paid for no reply, or the stored reply is its own."""
        if claim.paid is None or (stored is not None and stored.body == claim.paid):
            return None
        return JournalError(
            f"{self._session.server.place}: the connection was lost during a call, and another process made the same "
            "call and stored its reply; try again to use that reply"
        )


def _place_of(key: str) -> int:
    return int(key[:16], 16) - 2**63
