"""Records submitted batches, one file each: before the submission, and with the batch's id right after it.

The files hold no text, only which request (by its key in the journal) is in which batch.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from ...errors import JournalError
from ...files import replacing
from ..base import Sent


@dataclass(frozen=True, slots=True)
class Submission:
    """One batch: its id at the provider once known, its number of requests, and those that have not failed (`sent`).

    `over` means that its replies are no longer needed, or that it was never accepted.
    """

    tag: str
    judge: str
    prepared_at: float
    batch: str | None
    requests: int
    sent: Mapping[str, Sent]
    over: bool = False


class BatchLedger:
    """The folder with the records of all batches."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def prepare(self, submission: Submission) -> None:
        """Write the record of a batch, new or updated, and return when it is on disk."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._folder / f"{submission.tag}.json") as file:
                file.write(orjson.dumps(submission))
            for folder in (self._folder, self._folder.parent):
                with suppress(PermissionError):  # Windows cannot open folders
                    handle = os.open(folder, os.O_RDONLY)
                    os.fsync(handle)
                    os.close(handle)
        except OSError as error:
            raise JournalError(f"{self._folder}: the record of batches cannot be written: {error}") from None

    def submitted(self, tag: str, batch: str) -> None:
        """Record the id of a submitted batch."""
        self.prepare(replace(self._read(tag), batch=batch))

    def failed(self, tag: str, keys: Collection[str]) -> None:
        """Record requests that will never be answered, so that they may be asked again."""
        known, gone = self._read(tag), set(keys)
        self.prepare(replace(known, sent={key: sent for key, sent in known.sent.items() if key not in gone}))

    def finish(self, tag: str) -> None:
        """Record that the batch's replies are no longer needed, or that it was never accepted."""
        self.prepare(replace(self._read(tag), sent={}, over=True))

    def unfinished(self, judge: str | None = None) -> list[Submission]:
        """Return the batches whose replies may not be stored yet, oldest first."""
        found = (each for each in self._all() if not each.over and judge in (None, each.judge))
        return sorted(found, key=lambda each: each.prepared_at)

    def batch_ids(self) -> frozenset[str]:
        """Return the known ids of all batches."""
        return frozenset(each.batch for each in self._all() if each.batch is not None)

    def _all(self) -> Iterator[Submission]:
        return (self._read(path.stem) for path in self._folder.glob("*.json"))

    def _read(self, tag: str) -> Submission:
        path = self._folder / f"{tag}.json"
        try:
            return Submission(**orjson.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError) as error:
            raise JournalError(f"{path}: the record of a batch cannot be read: {error}") from None
