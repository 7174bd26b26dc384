"""A section of an agreement report as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from ..run.document import Grid
from ..run.pictures import Picture
from .charts import (
    Chart,
    Matrix,
)


@dataclass(frozen=True, slots=True)
class DisputedCard:
    """A disagreement as a reader sees it."""

    case: str
    opening: str
    judge: str
    people: str
    about: str
    criterion: str
    reason: str
    quotes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AgreementSection:
    """A heading, sentences, tables and pictures; `key` is its place on the page, `short` what leads there. `after`
    stands below the tables. With a reason in `why_bare` it is left out if it has neither a table nor a picture."""

    key: str
    short: str
    title: str
    sentences: tuple[str, ...]
    grids: tuple[Grid, ...] = ()
    pictures: tuple[Picture | Chart | Matrix, ...] = ()
    cards: tuple[DisputedCard, ...] = ()
    after: tuple[str, ...] = ()
    why_bare: str = ""
