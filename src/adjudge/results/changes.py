"""The cases whose verdict came out otherwise, the greatest change first. They wait on disk, however many they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

_AT_ONCE = 1_000
_ALL = -1
_SHAPE = "create table changes (flipped integer, size real, name text, told blob)"
_GREATEST = "select told from changes order by flipped desc, size desc, name limit ?"


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case whose verdict came out otherwise, with the scores that moved: what they were and what they are."""

    case: str
    before: Any
    after: Any
    change: float | None
    scores: Mapping[str, tuple[float, float]]

    @property
    def flipped(self) -> bool:
        return bool(self.before != self.after)


class Changes:
    """Cases that changed: added in any order, read from the greatest change on."""

    def __init__(self) -> None:
        self._count = 0
        # No name: a file of its own that nobody else sees, and that is gone when it is closed.
        self._file = sqlite3.connect("")
        self._file.execute("pragma synchronous = off")
        self._file.execute(_SHAPE)
        self._waiting: list[tuple[bool, float, str, bytes]] = []

    def __len__(self) -> int:
        return self._count

    def add(self, change: CaseChange) -> None:
        """Keep one."""
        told = orjson.dumps([change.case, change.before, change.after, change.change, change.scores])
        self._waiting.append((change.flipped, abs(change.change or 0), change.case, told))
        self._count += 1
        if len(self._waiting) >= _AT_ONCE:
            self._write()

    def greatest(self, most: int | None = None) -> Iterator[CaseChange]:
        """Those that changed most, or all; of equal ones in the order of their names."""
        self._write()
        for (told,) in self._file.execute(_GREATEST, (_ALL if most is None else most,)):
            case, before, after, change, scores = orjson.loads(told)
            yield CaseChange(case, before, after, change, {name: (old, new) for name, (old, new) in scores.items()})

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()

    def _write(self) -> None:
        self._file.executemany("insert into changes values (?, ?, ?, ?)", self._waiting)
        self._waiting.clear()
