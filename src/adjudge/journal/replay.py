"""A journal that only answers from what is stored: nothing can be paid through it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from ..errors import NotJournalledError
from .base import Journal, Kind, Row, Stored, Write


class ReplayJournal(Journal):
    """Wraps another journal; a reply that is not there is an error, not a call."""

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

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        return self._inner.outcomes(run_id)

    def close(self) -> None:
        self._inner.close()

    def read(self, kind: Kind, values: Row) -> list[Row]:
        return self._inner.read(kind, values)

    def submit(self, write: Write) -> None:
        raise NotJournalledError("a replay stores nothing")
