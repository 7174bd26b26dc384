"""A journal that only answers from what is stored: nothing can be paid through it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from ..errors import NotJournalledError
from .base import Journal, Stored


class ReplayJournal:
    """Wraps another journal; a reply that is not there is an error, not a call."""

    def __init__(self, inner: Journal) -> None:
        self._inner = inner

    def get(self, key: str) -> Stored:
        stored = self._inner.get(key)
        if stored is None:
            raise NotJournalledError(
                f"the journal has no reply {key[:12]}…: this verdict was made with another journal"
            )
        return stored

    async def put(self, key: str, stored: Stored) -> None:
        raise NotJournalledError("a replay stores nothing")

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncIterator[Stored]:
        yield self.get(key)

    async def put_verdict(
        self, verdict_id: str, inputs: bytes, verdict: bytes, outcome_of: tuple[str, int] | None = None
    ) -> None:
        raise NotJournalledError("a replay stores nothing")

    def get_verdict(self, verdict_id: str) -> tuple[bytes, bytes] | None:
        return self._inner.get_verdict(verdict_id)

    async def put_draft(self, draft_id: str, changes: bytes) -> None:
        raise NotJournalledError("a replay stores nothing")

    def get_draft(self, draft_id: str) -> list[bytes]:
        return self._inner.get_draft(draft_id)

    async def put_run(self, run_id: str, config: bytes) -> None:
        raise NotJournalledError("a replay stores nothing")

    def get_run(self, run_id: str) -> bytes | None:
        return self._inner.get_run(run_id)

    async def put_outcome(self, run_id: str, position: int, verdict_id: str | None, failure: bytes | None) -> None:
        raise NotJournalledError("a replay stores nothing")

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        return self._inner.outcomes(run_id)

    def close(self) -> None:
        self._inner.close()
