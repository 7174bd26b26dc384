"""The journal independent of its database: replies by key, verdicts, drafts, and the outcomes of runs.

A reply's key is a hash of the request, so the same request is never paid for twice. Subclasses implement how rows are
read and written, and how a request is claimed.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

import orjson

from ..errors import JournalError
from ..models.common import Usage
from ..redaction import redact_reply
from .sql import Kind

Row = tuple[Any, ...]
RowsOfKinds = tuple[tuple[Kind, Row], ...]  # to be written in one transaction
# Seconds a caller waits before it tries again to get a claim.
FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.1
_BEFORE_ALL, _ROWS_A_PAGE, _VERDICTS_A_PAGE = -(2**63), 1000, 100
_PICO = 10**12  # prices are per million tokens and have at most six decimals, so this unit is exact
_RUBRIC = b'{"rubric_sha256":"'  # how inputs begin whose rubric is stored by itself
_MOST_RUBRICS = 16  # that are remembered
_VERDICT_ID = re.compile(r"[a-z][0-9a-f]{0,20}")


@dataclass(frozen=True, slots=True)
class Stored:
    """A raw reply, when it came (seconds since 1970), the number of attempts, and the parameters that were sent."""

    body: bytes
    at: float
    attempts: int = 1
    sent: Mapping[str, str | int | float | None] = field(default_factory=dict)

    @classmethod
    def now(cls, body: bytes, attempts: int, sent: Mapping[str, str | int | float | None] | None = None) -> Stored:
        """Build the record of a reply received just now, with this process's API keys removed from its body."""
        return cls(redact_reply(body), round(time.time(), 3), attempts, sent or {})


class DraftSize(NamedTuple):
    """The size of a draft that has an owner, and when it was last added to (seconds since 1970)."""

    owner: str
    draft_id: str
    at: float
    pieces: int
    size: int


class ListedVerdict(NamedTuple):
    """A stored verdict, the runs in which it is an outcome, and its number in the order of storing."""

    number: int
    verdict_id: str
    inputs: bytes
    verdict: bytes
    runs: tuple[str, ...]


class RunCalls(NamedTuple):
    """The replies that a run has used, each counted once, with their tokens and dollars (of those that have a price).

    `sent` and `paid` are of the replies that the run itself asked for; the others were in the journal before it.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal
    paid: Decimal
    sent: int


class StoredAnswer(NamedTuple):
    """A stored answer, to be repeated for the same request: when it was given, the request's digest, the answer."""

    at: float
    request: str
    head: str
    body: bytes


class UnavailableError(JournalError):
    """The database can store nothing at the moment, for example because the disk is full or the server is down."""


def call_key(question: Mapping[str, Any]) -> str:
    """Return the key of a call: a hash of everything that determines its answer."""
    return hashlib.sha256(orjson.dumps(question, option=orjson.OPT_SORT_KEYS)).hexdigest()


def as_stored(row: Row) -> Stored:
    """Build a reply from its columns: body, at, attempts, sent."""
    return Stored(row[0], row[1], row[2], orjson.loads(row[3]))


class Journal(ABC):
    """A durable store: each `put` method returns only when its data would survive a kill or a power cut.

    `secret` is 32 random bytes, created with the journal. Fence codes are derived from it. It is never shown.
    `run_id` is the run that pays for the replies stored through this object; empty for single cases.
    """

    secret: bytes
    run_id: str = ""

    def __init__(self) -> None:
        self._settling: set[str] = set()  # keys of replies whose cost is being recorded
        self._rubrics: dict[str, str] = {}  # some that are surely stored, by their digests

    @abstractmethod
    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        """Yield the stored reply. If there is none, yield None and lock the key against all callers and processes."""

    @abstractmethod
    def close(self) -> None:
        """Write what is queued, and close the database."""

    @abstractmethod
    def read(self, kind: Kind, values: Row) -> list[Row]:
        """Run this kind's query with these values and return its rows."""

    def get(self, key: str) -> Stored | None:
        """Return the reply stored under this key, or None."""
        rows = self.read("reply", (key,))
        return as_stored(rows[0]) if rows else None

    async def put(self, key: str, stored: Stored, is_call: bool = True) -> None:
        """Store a reply; if it is a judge's, also that the run paid for it. A key that already has one keeps it."""
        sent = orjson.dumps(dict(stored.sent)).decode()
        rows: list[tuple[Kind, Row]] = [("reply", (key, stored.at, stored.attempts, sent, stored.body))]
        if self.run_id and is_call:
            rows.append(("call", (self.run_id, key, 1, None, 0, 0)))
        await self._write(*rows)

    def record_call(self, key: str, cost: Decimal | None, usage: Usage) -> None:
        """Record what a reply cost that the run uses. The row is queued: nobody waits until it is on disk.

        If a kill loses it, the run finds the reply again and records it then.
        """
        if self.run_id:
            amount = None if cost is None else int((cost * _PICO).to_integral_value())
            row = (self.run_id, key, 0, amount, usage.input_tokens, usage.output_tokens)
            self._write_later(("call", row), lambda: self._settling.discard(key))

    def pay(self, key: str) -> None:
        """Remember that this process pays for a reply, until `record_call` has recorded what it cost."""
        if self.run_id:
            self._settling.add(key)

    async def settle(self, key: str) -> bool:
        """Return whether the run has paid for this reply without recording what it cost: its process was killed, or the
        reply comes from a batch. Of several callers, only the first gets True; it calls `record_call` next."""
        if not self.run_id or key in self._settling:
            return False
        self._settling.add(key)
        return bool(await asyncio.to_thread(self.read, "unsettled_call", (self.run_id, key)))

    def calls_of(self, run_id: str) -> RunCalls:
        """Return the totals of the replies that a run has used so far."""
        calls, tokens_in, tokens_out, cost, paid, sent = (int(value or 0) for value in self.read("call", (run_id,))[0])
        return RunCalls(calls, tokens_in, tokens_out, Decimal(cost) / _PICO, Decimal(paid) / _PICO, sent)

    async def put_verdict(
        self,
        verdict_id: str,
        inputs: bytes,
        verdict: bytes,
        outcome_of: tuple[str, int, bytes] | None = None,
        rubric: str | None = None,
    ) -> None:
        """Store a verdict and the inputs needed to make it again. An id that already has a verdict keeps it.

        `rubric` is an input that many verdicts share, so it is stored once. `outcome_of` is a run, a position, and what
        the run's file says beside the verdict: the verdict is stored as that case's outcome in the same transaction.
        """
        rows: list[tuple[Kind, Row]] = []
        digest = "" if rubric is None else hashlib.sha256(rubric.encode()).hexdigest()
        if rubric is not None:
            inputs = b'%b%b",%b' % (_RUBRIC, digest.encode(), inputs[1:])
            rows += [] if digest in self._rubrics else [("rubric", (digest, rubric))]
        rows.append(("verdict", (verdict_id, inputs, verdict)))
        if outcome_of is not None:
            rows += [("outcome", (*outcome_of[:2], verdict_id, None)), ("line", outcome_of)]
        await self._write(*rows)
        if rubric is not None:
            self._remember(digest, rubric)

    def get_verdict(self, verdict_id: str) -> tuple[bytes, bytes] | None:
        """Return a verdict's inputs and bytes, or None. A unique beginning of the id is enough."""
        if not _VERDICT_ID.fullmatch(verdict_id):
            return None
        beyond = verdict_id[:-1] + chr(ord(verdict_id[-1]) + 1)
        rows = self.read("verdict", (verdict_id, beyond))
        if not rows:
            return None
        if len(rows) > 1 and rows[0][0] != verdict_id:
            raise JournalError(f"{verdict_id}: several verdict ids begin with this; give more of the id")
        return self._inputs(rows[0][1]), _unpacked(rows[0][2])

    def _inputs(self, stored: bytes) -> bytes:
        """Return the inputs of a verdict with their rubric, which most hold only a reference to."""
        inputs = _unpacked(stored)
        if not inputs.startswith(_RUBRIC):
            return inputs
        digest, rest = inputs.removeprefix(_RUBRIC).split(b'",', 1)
        name = digest.decode()
        if (rubric := self._rubrics.get(name)) is None:
            if not (rows := self.read("rubric", (name,))):
                raise JournalError(f"the rubric {name} of a verdict is not in the journal")
            rubric = rows[0][0]
            self._remember(name, rubric)
        return b'{"rubric":%b,%b' % (orjson.dumps(rubric), rest)

    def _remember(self, digest: str, rubric: str) -> None:
        if len(self._rubrics) >= _MOST_RUBRICS:
            self._rubrics.clear()
        self._rubrics[digest] = rubric

    def verdicts_before(self, last: int | None, count: int) -> list[ListedVerdict]:
        """Return up to `count` verdicts stored before number `last` (None: the latest ones), newest first."""
        rows = self.read("verdict_page", (2**63 - 1 if last is None else last, count))
        return [
            ListedVerdict(number, verdict_id, self._inputs(inputs), _unpacked(verdict), tuple((runs or "").split()))
            for number, verdict_id, inputs, verdict, runs in rows
        ]

    def runs_with(self, verdict_id: str) -> list[str]:
        """Return the ids of the runs in which this verdict is the outcome of a case."""
        return [row[0] for row in self.read("verdict_runs", (verdict_id,))]

    async def put_answer(self, answer_id: str, answer: StoredAnswer, expired: float) -> None:
        """Store an answer, replacing an older one with this id, and delete all answers from before `expired`."""
        await self._write(("answer_expiry", (expired,)), ("answer", (answer_id, *answer)))

    def get_answer(self, answer_id: str) -> StoredAnswer | None:
        """Return the answer stored under this id, or None."""
        rows = self.read("answer", (answer_id,))
        return StoredAnswer(*rows[0]) if rows else None

    async def put_draft(self, draft_id: str, changes: bytes, owner: str | None = None) -> None:
        """Append changes to a draft; earlier ones are kept. The first owner named stays its owner."""
        rows: list[tuple[Kind, Row]] = [("draft", self.draft_row(draft_id, changes))]
        if owner is not None:
            rows.append(("draft_owner", (draft_id, owner, time.time())))
        await self._write(*rows)

    def draft_row(self, draft_id: str, changes: bytes) -> Row:
        """Build the row of one piece of a draft."""
        return draft_id, changes

    def get_draft(self, draft_id: str) -> list[bytes]:
        """Return all changes to a draft in order; an empty list if there is no such draft."""
        return [row[0] for row in self.read("draft", (draft_id,))]

    def draft_owner(self, draft_id: str) -> tuple[str, float] | None:
        """Return a draft's owner and when it was last added to, or None if it has no owner."""
        rows = self.read("draft_owner", (draft_id,))
        return (rows[0][0], rows[0][1]) if rows else None

    def draft_sizes(self) -> list[DraftSize]:
        """Return the sizes of all drafts that have an owner."""
        return [DraftSize(*row) for row in self.read("draft_sizes", ())]

    async def remove_drafts(self, *draft_ids: str) -> None:
        """Delete drafts and the records of their owners."""
        kinds: tuple[Kind, Kind] = "draft_removal", "owner_removal"
        await self._write(*((kind, (draft_id,)) for draft_id in draft_ids for kind in kinds))

    async def put_run(self, run_id: str, config: bytes) -> None:
        """Store a run's configuration. An id that already has one keeps it."""
        await self._write(("run", (run_id, config)))

    def get_run(self, run_id: str) -> bytes | None:
        """Return a run's configuration, or None."""
        rows = self.read("run", (run_id,))
        return rows[0][0] if rows else None

    async def put_failure(self, run_id: str, position: int, failure: bytes) -> None:
        """Store the failure of a case. A later outcome replaces a failure, never a verdict."""
        await self._write(("outcome", (run_id, position, None, failure)))

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        """Yield position, verdict id and failure of each finished case, in the order of positions.

        Rows are read in pages: a million of them need little memory, block no other read and keep no transaction open.
        """
        yield from self._paged("outcome", run_id, _ROWS_A_PAGE)

    def run_lines(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None, bytes | None]]:
        """Yield what the run's files say of each finished case, in the order of positions: position, verdict id, the
        line, and the verdict, which is not in the line. A failure has only a line; an older verdict may have none."""
        for position, verdict_id, failure, line, verdict in self._paged("line", run_id, _VERDICTS_A_PAGE):
            yield position, verdict_id, failure or (line and _unpacked(line)), verdict and _unpacked(verdict)

    def _paged(self, kind: Kind, run_id: str, size: int) -> Iterator[Row]:
        last = _BEFORE_ALL
        while rows := self.read(kind, (run_id, last, size)):
            yield from rows
            last = rows[-1][0]

    @abstractmethod
    async def _write(self, *rows: tuple[Kind, Row]) -> None:
        """Write these rows in one transaction."""

    @abstractmethod
    def _write_later(self, row: tuple[Kind, Row], then: Callable[[], None]) -> None:
        """Queue a row to be written, and call `then` after that. If writing fails, the next `_write` will fail too."""


def packed(kind: Kind, row: Row) -> Row:
    """Compress verdicts, their inputs and lines, which makes them a quarter as large."""
    if kind not in ("verdict", "line"):
        return row
    return tuple(zlib.compress(value, 1) if isinstance(value, bytes) else value for value in row)


def _unpacked(stored: bytes) -> bytes:
    # Verdicts of earlier versions are plain JSON.
    return zlib.decompress(stored) if stored[:2] == b"x\x01" else stored
