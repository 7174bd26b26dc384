"""A journal that only answers: a verdict is made again from the replies that are stored, and nothing is paid for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from ..errors import NotJournalledError
from .base import Journal, Row, Stored
from .sql import Kind


class ReplayJournal(Journal):
    """Reads from another journal. A missing reply is an error, so nothing can be paid for during a replay."""

    def __init__(self, inner: Journal) -> None:
        super().__init__()
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

    def _write_later(self, row: tuple[Kind, Row], then: Callable[[], None]) -> None:
        raise NotJournalledError("a replay stores nothing")
