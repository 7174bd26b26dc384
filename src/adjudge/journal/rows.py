"""What a journal's rows mean, whatever database keeps them. Writers queue up and share a commit.

A database adds the SQL of these rows, and its own way of claiming a question.
"""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import orjson

from ..errors import JournalError
from .base import Stored
from .batches import BatchThread

Kind = Literal["reply", "verdict", "draft", "run", "outcome"]
Row = tuple[Any, ...]
_VERDICT_ID = re.compile(r"[a-z][0-9a-f]{0,20}")


class Write(NamedTuple):
    """Rows to keep, together or not at all, and who waits until they are kept."""

    rows: tuple[tuple[Kind, Row], ...]
    done: asyncio.Future[None]

    @property
    def kind(self) -> Kind:
        """What it is first of all."""
        return self.rows[0][0]


def by_kind(writes: list[Write]) -> dict[Kind, list[Row]]:
    """The rows of each kind, in the order they came."""
    kinds: dict[Kind, list[Row]] = {}
    for write in writes:
        for kind, row in write.rows:
            kinds.setdefault(kind, []).append(row)
    return kinds


def as_stored(row: Row) -> Stored:
    """A reply of its columns: body, at, attempts, sent."""
    return Stored(row[0], row[1], row[2], orjson.loads(row[3]))


class RowJournal(ABC):
    """A journal over a database, but for its claims."""

    _writer: BatchThread[Write]

    @abstractmethod
    def _read(self, kind: Kind, values: Row) -> list[Row]:
        """The rows of this kind that are looked up by these values."""

    def get(self, key: str) -> Stored | None:
        rows = self._read("reply", (key,))
        return as_stored(rows[0]) if rows else None

    async def put(self, key: str, stored: Stored) -> None:
        sent = orjson.dumps(dict(stored.sent)).decode()
        await self._write(("reply", (key, stored.at, stored.attempts, sent, stored.body)))

    async def put_verdict(
        self, verdict_id: str, inputs: bytes, verdict: bytes, outcome_of: tuple[str, int] | None = None
    ) -> None:
        kept: tuple[Kind, Row] = "verdict", (verdict_id, inputs, verdict)
        if outcome_of is None:
            await self._write(kept)
        else:
            await self._write(kept, ("outcome", (*outcome_of, verdict_id, None)))

    def get_verdict(self, verdict_id: str) -> tuple[bytes, bytes] | None:
        if not _VERDICT_ID.fullmatch(verdict_id):
            return None
        beyond = verdict_id[:-1] + chr(ord(verdict_id[-1]) + 1)
        rows = self._read("verdict", (verdict_id, beyond))
        if not rows:
            return None
        if len(rows) > 1 and rows[0][0] != verdict_id:
            raise JournalError(f"{verdict_id}: several verdicts begin like this; give more of the id")
        return rows[0][1], rows[0][2]

    async def put_draft(self, draft_id: str, changes: bytes) -> None:
        await self._write(("draft", (draft_id, changes)))

    def get_draft(self, draft_id: str) -> list[bytes]:
        return [row[0] for row in self._read("draft", (draft_id,))]

    async def put_run(self, run_id: str, config: bytes) -> None:
        await self._write(("run", (run_id, config)))

    def get_run(self, run_id: str) -> bytes | None:
        rows = self._read("run", (run_id,))
        return rows[0][0] if rows else None

    async def put_outcome(self, run_id: str, position: int, verdict_id: str | None, failure: bytes | None) -> None:
        if (verdict_id is None) is (failure is None):
            raise ValueError("an outcome is either a verdict or a failure")
        await self._write(("outcome", (run_id, position, verdict_id, failure)))

    async def _write(self, *rows: tuple[Kind, Row]) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._writer.submit(Write(rows, done))
        # A caller that is cancelled here only stops waiting: what is in the queue is kept all the same.
        await done
