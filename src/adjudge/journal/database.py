"""What the journals of both databases share: rows are queued, and all that wait are written in one transaction."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable

from ..errors import JournalError
from .base import Journal, Row, RowsOfKinds, UnavailableError, packed
from .group_commit import BatchThread
from .sql import PUT, Kind


class DatabaseJournal(Journal):
    """A journal that writes all queued rows in one transaction and then notifies each caller."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.writer: BatchThread[RowsOfKinds] = BatchThread("adjudge-journal", self._store, most)

    @abstractmethod
    def write_rows(self, kinds: list[tuple[Kind, list[Row]]]) -> None:
        """Write these rows in one transaction, on the writer's thread."""

    async def _write(self, *rows: tuple[Kind, Row]) -> None:
        # A caller that is cancelled here only stops waiting. Its rows stay in the queue and are written.
        await self.writer.submit(rows)

    def _write_later(self, row: tuple[Kind, Row], then: Callable[[], None]) -> None:
        def ended(done: asyncio.Future[None]) -> None:
            then()
            # Look at the error, or asyncio would log that nobody did.
            if not done.cancelled():
                done.exception()

        self.writer.submit((row,)).add_done_callback(ended)

    def _store(self, writes: list[RowsOfKinds]) -> list[JournalError | None]:
        """Write all of them in one transaction; return None for each that is stored, else the error."""
        try:
            self.write_rows(_by_kind(writes))
        except UnavailableError as error:
            return [error] * len(writes)
        except (JournalError, ValueError, OverflowError) as error:
            # One bad row fails the whole transaction, so give each caller's rows a transaction of their own.
            if len(writes) > 1:
                return [result for write in writes for result in self._store([write])]
            return [JournalError(f"{error}; a {writes[0][-1][0]} could not be stored")]
        return [None] * len(writes)


def _by_kind(writes: list[RowsOfKinds]) -> list[tuple[Kind, list[Row]]]:
    """Group rows by kind and sort them by key, so that two processes writing the same rows cannot deadlock."""
    kinds: dict[Kind, list[Row]] = {}
    for write in writes:
        for kind, row in write:
            kinds.setdefault(kind, []).append(packed(kind, row))
    columns = {"outcome": 2, "line": 2, "call": 2}  # the primary key: run and position, run and key
    return [(kind, sorted(kinds[kind], key=lambda row: row[: columns.get(kind, 1)])) for kind in PUT if kind in kinds]
