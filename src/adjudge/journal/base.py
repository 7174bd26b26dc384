"""What a journal keeps, whatever database it is in: replies by key, verdicts, drafts, and the outcomes of runs.

A reply is found by what was asked, so the same question is never paid twice. A database adds how rows are read and
kept, and its own way of claiming a question.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from ..errors import JournalError, NotJournalledError
from ..redaction import redact_reply
from .group_commit import BatchThread, tell
from .sql import PUT, Kind

Row = tuple[Any, ...]
# How long a caller waits before it looks again whether a claim is free.
FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.1
_BEFORE_ALL, _ROWS_A_PAGE = -(2**63), 1000
_VERDICT_ID = re.compile(r"[a-z][0-9a-f]{0,20}")


@dataclass(frozen=True, slots=True)
class Stored:
    """A reply as it came, when (seconds since 1970), after how many requests, and how the request was adapted."""

    body: bytes
    at: float
    attempts: int = 1
    sent: Mapping[str, str | int | float | None] = field(default_factory=dict)

    @classmethod
    def now(cls, body: bytes, attempts: int, sent: Mapping[str, str | int | float | None] | None = None) -> Stored:
        """A reply that has just come: what is kept and read of it has no key of this process in it."""
        return cls(redact_reply(body), round(time.time(), 3), attempts, sent or {})


class DraftSize(NamedTuple):
    """How much there is of a draft that has an owner, and when it was last added to (seconds since 1970)."""

    owner: str
    draft_id: str
    at: float
    pieces: int
    size: int


class ListedVerdict(NamedTuple):
    """A verdict in the order in which they were kept: its number in it, and the runs it is an outcome of."""

    number: int
    verdict_id: str
    inputs: bytes
    verdict: bytes
    runs: tuple[str, ...]


class KeptAnswer(NamedTuple):
    """An answer that is given again to the same request: a digest of that request, what was answered, and when."""

    at: float
    request: str
    head: str
    body: bytes


class Write(NamedTuple):
    """Rows to keep, together or not at all, and who waits until they are kept."""

    rows: tuple[tuple[Kind, Row], ...]
    done: asyncio.Future[None]


class UnavailableError(JournalError):
    """The database keeps nothing at the moment, whatever it is given: a full disk, a server that is away."""


def call_key(question: Mapping[str, Any]) -> str:
    """The key of a call: a hash of all that decides its answer."""
    return hashlib.sha256(orjson.dumps(question, option=orjson.OPT_SORT_KEYS)).hexdigest()


def as_stored(row: Row) -> Stored:
    """A reply of its columns: body, at, attempts, sent."""
    return Stored(row[0], row[1], row[2], orjson.loads(row[3]))


class Journal(ABC):
    """Whoever puts something waits until it survives a kill and a power cut.

    `secret` is 32 random bytes, made with the journal, from which the codes of fences follow. It is never shown.
    """

    secret: bytes

    @abstractmethod
    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        """The reply if it is there; if not, be the only one on this journal, in any process, who asks for it now."""

    @abstractmethod
    def close(self) -> None:
        """Finish what is queued, and close the database."""

    @abstractmethod
    def read(self, kind: Kind, values: Row) -> list[Row]:
        """The rows of this kind that are looked up by these values."""

    def get(self, key: str) -> Stored | None:
        """The reply to this question, if it was ever paid."""
        rows = self.read("reply", (key,))
        return as_stored(rows[0]) if rows else None

    async def put(self, key: str, stored: Stored) -> None:
        """Keep a reply; the first one under a key stays."""
        sent = orjson.dumps(dict(stored.sent)).decode()
        await self._write(("reply", (key, stored.at, stored.attempts, sent, stored.body)))

    async def put_verdict(
        self, verdict_id: str, inputs: bytes, verdict: bytes, outcome_of: tuple[str, int] | None = None
    ) -> None:
        """Keep a verdict and all that is needed to make it again; the first one under an id stays.

        `outcome_of`, a run and a position: it is what came of that case, and both are kept or neither is.
        """
        rows: list[tuple[Kind, Row]] = [("verdict", (verdict_id, inputs, verdict))]
        if outcome_of is not None:
            rows.append(("outcome", (*outcome_of, verdict_id, None)))
        await self._write(*rows)

    def get_verdict(self, verdict_id: str) -> tuple[bytes, bytes] | None:
        """A verdict's inputs and its bytes; a beginning of the id is enough where it is unique."""
        if not _VERDICT_ID.fullmatch(verdict_id):
            return None
        beyond = verdict_id[:-1] + chr(ord(verdict_id[-1]) + 1)
        rows = self.read("verdict", (verdict_id, beyond))
        if not rows:
            return None
        if len(rows) > 1 and rows[0][0] != verdict_id:
            raise JournalError(f"{verdict_id}: several verdicts begin like this; give more of the id")
        return rows[0][1], rows[0][2]

    def verdicts_before(self, last: int | None, count: int) -> list[ListedVerdict]:
        """So many verdicts, the newest first; those that were kept before the one with this number."""
        rows = self.read("verdict_page", (2**63 - 1 if last is None else last, count))
        return [
            ListedVerdict(number, verdict_id, inputs, verdict, tuple((runs or "").split()))
            for number, verdict_id, inputs, verdict, runs in rows
        ]

    def runs_with(self, verdict_id: str) -> list[str]:
        """The runs in which this verdict is the outcome of a case."""
        return [row[0] for row in self.read("verdict_runs", (verdict_id,))]

    async def put_answer(self, answer_id: str, answer: KeptAnswer, expired: float) -> None:
        """Keep what was answered, in the place of an older one; answers from before `expired` are deleted."""
        await self._write(("answer_expiry", (expired,)), ("answer", (answer_id, *answer)))

    def get_answer(self, answer_id: str) -> KeptAnswer | None:
        """What was answered under this id, if it is still there."""
        rows = self.read("answer", (answer_id,))
        return KeptAnswer(*rows[0]) if rows else None

    async def put_draft(self, draft_id: str, changes: bytes, owner: str | None = None) -> None:
        """Add to a draft; nothing that was added before is lost. The first owner that is named stays its owner."""
        rows: list[tuple[Kind, Row]] = [("draft", self.draft_row(draft_id, changes))]
        if owner is not None:
            rows.append(("draft_owner", (draft_id, owner, time.time())))
        await self._write(*rows)

    def draft_row(self, draft_id: str, changes: bytes) -> Row:
        """A piece of a draft as it is written."""
        return draft_id, changes

    def get_draft(self, draft_id: str) -> list[bytes]:
        """Everything that was added to a draft, in order; nothing if there is none of this id."""
        return [row[0] for row in self.read("draft", (draft_id,))]

    def draft_owner(self, draft_id: str) -> tuple[str, float] | None:
        """Who owns a draft, and when it was last added to; None if it has no owner."""
        rows = self.read("draft_owner", (draft_id,))
        return (rows[0][0], rows[0][1]) if rows else None

    def draft_sizes(self) -> list[DraftSize]:
        """All drafts that have an owner."""
        return [DraftSize(*row) for row in self.read("draft_sizes", ())]

    async def remove_drafts(self, *draft_ids: str) -> None:
        """Delete drafts, with their owners."""
        kinds: tuple[Kind, Kind] = "draft_removal", "owner_removal"
        await self._write(*((kind, (draft_id,)) for draft_id in draft_ids for kind in kinds))

    async def put_run(self, run_id: str, config: bytes) -> None:
        """Keep what a run was started with; the first one under an id stays."""
        await self._write(("run", (run_id, config)))

    def get_run(self, run_id: str) -> bytes | None:
        """What a run was started with."""
        rows = self.read("run", (run_id,))
        return rows[0][0] if rows else None

    async def put_outcome(self, run_id: str, position: int, verdict_id: str | None, failure: bytes | None) -> None:
        """Keep what came of a case, a verdict or a failure. A verdict stays; a failure gives way to what follows."""
        if (verdict_id is None) is (failure is None):
            raise ValueError("an outcome is either a verdict or a failure")
        await self._write(("outcome", (run_id, position, verdict_id, failure)))

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        """Position, verdict id and failure of each case that came to an end, by position; never all in memory.

        Page by page: other reads go on, and no transaction stays open, while somebody walks through a million rows.
        """
        last = _BEFORE_ALL
        while rows := self.read("outcome", (run_id, last, _ROWS_A_PAGE)):
            yield from rows
            last = rows[-1][0]

    @abstractmethod
    async def _write(self, *rows: tuple[Kind, Row]) -> None:
        """Keep these rows, together or not at all."""


class ReplayJournal(Journal):
    """Answers from another journal. A reply that is not there is an error: nothing can be paid through it."""

    def __init__(self, inner: Journal) -> None:
        self._inner = inner
        self.secret = inner.secret

    def get(self, key: str) -> Stored:
        stored = self._inner.get(key)
        if stored is None:
            raise NotJournalledError(
                f"the journal has no reply {key[:12]}…: this verdict was made with another journal"
            )
        return stored

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncIterator[Stored]:
        yield self.get(key)

    def close(self) -> None:
        self._inner.close()

    def read(self, kind: Kind, values: Row) -> list[Row]:
        return self._inner.read(kind, values)

    async def _write(self, *rows: tuple[Kind, Row]) -> None:
        raise NotJournalledError("a replay stores nothing")


class DatabaseJournal(Journal):
    """A journal that keeps what has queued up in one transaction, and tells each caller."""

    def __init__(self, most: int) -> None:
        self.writer = BatchThread("adjudge-journal", self._work, most)

    @abstractmethod
    def keep(self, kinds: list[tuple[Kind, list[Row]]]) -> None:
        """Keep these rows in one transaction."""

    async def _write(self, *rows: tuple[Kind, Row]) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.writer.submit(Write(rows, done))
        # A caller that is cancelled here only stops waiting: what is in the queue is kept all the same.
        await done

    def _work(self, jobs: list[Write]) -> None:
        try:
            self.keep(_by_kind(jobs))
        except UnavailableError as error:
            tell((job, error) for job in jobs)
        except (JournalError, ValueError, OverflowError) as error:
            # A transaction is kept as a whole: those that are well are kept without the one that is not.
            if len(jobs) > 1:
                for job in jobs:
                    self._work([job])
            else:
                tell([(jobs[0], JournalError(f"{error}; a {jobs[0].rows[0][0]} could not be kept"))])
        else:
            tell((job, None) for job in jobs)


def _by_kind(writes: list[Write]) -> list[tuple[Kind, list[Row]]]:
    """The rows of each kind, sorted by what names them: two who write the same rows never wait for each other."""
    kinds: dict[Kind, list[Row]] = {}
    for write in writes:
        for kind, row in write.rows:
            kinds.setdefault(kind, []).append(row)
    columns = {"outcome": 2}  # run and position
    return [(kind, sorted(kinds[kind], key=lambda row: row[: columns.get(kind, 1)])) for kind in PUT if kind in kinds]
