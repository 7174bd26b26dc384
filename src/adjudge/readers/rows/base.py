"""A row of a file of cases: what is to be judged, and what stands beside it. Who reads which format: the neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ...cases import Comparison, Dialogue, Review

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Row:
    """One case and where it was found; `label` is what people said of it, `systems` who wrote A and who wrote B."""

    place: str
    case_id: str
    case: Comparison | Dialogue | Review
    label: str | None = None
    systems: tuple[str, str] | None = None
    extra: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be judged, and why: the error's text names the field, what was found and what is allowed."""

    place: str
    case_id: str
    message: str


class Rows(Protocol):
    """Rows one after another; only one of them is held in memory at a time."""

    @property
    def mapping(self) -> Mapping[str, str]:
        """Which column each field is read from, given or guessed: `{"task": "question", "a": "output_1", …}`."""
        ...

    def __iter__(self) -> Iterator[Row | BadRow]: ...
