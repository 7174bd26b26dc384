"""What only some protocols bring: probes of a judge, report cards of the people who entered ratings, and a ranking of
the systems that wrote the answers.

They load SciPy, which takes seconds, so a `Protocol` has functions that import them when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Probes:
    """Changed copies of cases, which a judge that looks only at quality judges the same.

    - `original` is the name of the run over the unchanged cases.
    - `rows_of` returns the cases of a run as input rows; `draw` draws some of the rows, with a seed.
    - `copies` returns the rows of each run by name, the original first, for these probes, a seed, and the column that
      says which cases belong together. A probe that changes no case has no run.
    - `measure` returns the result of each probe from the runs and the number of cases drawn; a result has its `probe`.
    - `document` is the report of a judge, the number of cases, the results, and how the judge behaved.
    """

    original: str
    rows_of: Callable[[Any], Iterable[Any]]
    draw: Callable[[Iterable[Any], int, int], list[Any]]
    copies: Callable[[Sequence[Any], Sequence[str], int, str | None], Mapping[str, Sequence[Any]]]
    measure: Callable[[Mapping[str, Any], int], Sequence[Any]]
    document: Callable[[str, int, Sequence[Any], Any], Any]


@dataclass(frozen=True, kw_only=True)
class Cards:
    """Report cards of people. `report` builds them from runs, the columns with person and time, and the draws of each
    bootstrap; `document` and `html` show them."""

    report: Callable[..., Any]
    document: Callable[[Any], Any]
    html: Callable[[Any], str]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """A leaderboard of systems. `rank` builds it from an open run; `document` and `data` show it under a name."""

    rank: Callable[[Any], Any]
    document: Callable[[Any, str], Any]
    data: Callable[[Any, str], dict[str, Any]]
