"""A run as one flat table: which columns there are, what they mean, and an outcome as a row of them.

All commands over results use these columns. A score that the judge could not assess is empty, not a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .column import Cells, Column
from .columns_compare import COMPARE, compare_cells, criterion_columns
from .columns_dialogue import DIALOGUE, dialogue_cells, dialogue_criteria
from .columns_extra import extra_cells, extra_columns
from .columns_review import REVIEW, review_cells, review_criteria
from .directory import Outcome, Protocol, Run

_FIRST = (
    Column("position", "BIGINT", "the case's place in the input, from 0"),
    Column("case", "VARCHAR", "the case's id"),
    Column("status", "VARCHAR", "verdict, failure, or skipped (a row that could not be judged)"),
)
_LAST = (
    Column("judge", "VARCHAR", "who judged"),
    Column("verdict_id", "VARCHAR", "the verdict's id, for `adjudge replay`"),
    Column("cost", "DECIMAL(18, 7)", "dollars; empty where the price is not known"),
    Column("input_tokens", "BIGINT", "tokens read by models"),
    Column("output_tokens", "BIGINT", "tokens written by models"),
    Column("tokens", "BIGINT", "both together"),
    Column("calls", "BIGINT", "replies behind the outcome"),
    Column("warnings", "VARCHAR", "codes of the verdict's warnings, separated by spaces"),
    Column("reason", "VARCHAR", "why there is no verdict, in a word"),
    Column("message", "VARCHAR", "the same as a sentence"),
    Column("label", "VARCHAR", "what people said of the case"),
    Column("agrees", "BOOLEAN", "whether the verdict says the same as the label"),
    Column("system_a", "VARCHAR", "who wrote A"),
    Column("system_b", "VARCHAR", "who wrote B"),
)
_WORDS = (
    Column("words_a", "BIGINT", "how many words A has"),
    Column("words_b", "BIGINT", "how many words B has"),
)


@dataclass(frozen=True)
class Table:
    """The columns of a run, and how an outcome becomes a row.

    `criteria` and `extras` say what a criterion, or a column of the input's own, is called among the columns.
    """

    protocol: Protocol
    columns: tuple[Column, ...]
    scores: tuple[str, ...]
    criteria: Mapping[str, str]
    extras: Mapping[str, str]
    _cells: Callable[[Mapping[str, Any]], Cells]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def distinct(self) -> bool:
        """Whether SQL, which takes upper and lower case for the same, can tell all columns apart."""
        return len({name.lower() for name in self.names}) == len(self.columns)

    @property
    def brought(self) -> frozenset[str]:
        """The columns that the input brought along."""
        return frozenset(self.extras.values())

    def row(self, outcome: Outcome) -> Cells:
        """A cell for every column, in their order; what is not known is None."""
        case, line = outcome.case, outcome.line
        verdict = outcome.verdict
        own = self._cells(verdict) if verdict else {}
        systems = case.get("systems") or (None, None)
        words = line.get("words") or (None, None)
        tokens = (line.get("input_tokens"), line.get("output_tokens"))
        label = case.get("label")
        known = {
            "position": case["position"],
            "case": case["case"],
            "status": outcome.status,
            **own,
            "verdict_id": line.get("verdict_id"),
            "judge": own.get("judge") or line.get("judge"),
            "cost": line.get("cost"),
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "tokens": None if None in tokens else sum(tokens),  # type: ignore[arg-type]
            "calls": line.get("calls"),
            "reason": line.get("reason"),
            "message": line.get("message"),
            "label": None if label is None else str(label),
            "agrees": agreement(label, own),
            "system_a": systems[0],
            "system_b": systems[1],
            "words_a": words[0],
            "words_b": words[1],
            **extra_cells(case.get("extra") or {}, self.extras),
        }
        return {column.name: known.get(column.name) for column in self.columns}


def table_of(run: Run) -> Table:
    """The columns of a run: what all runs have, its protocol's, its criteria's, and those the input brought along."""
    keys = [criterion.key for criterion in run.rubric.criteria]
    fixed = {"compare": COMPARE, "dialogue": DIALOGUE, "review": REVIEW}[run.protocol]
    words = () if run.protocol == "dialogue" else _WORDS
    taken = {column.name.lower() for column in (*_FIRST, *fixed, *_LAST, *_WORDS)}
    names = {key: _free(key, taken) for key in keys}
    cells: Callable[[Mapping[str, Any]], Cells]
    if run.protocol == "compare":
        criteria = criterion_columns(names, run.rubric)
        cells = lambda verdict: compare_cells(verdict, names)  # noqa: E731
    elif run.protocol == "dialogue":
        criteria = dialogue_criteria(names, run.rubric)
        cells = lambda verdict: dialogue_cells(verdict, names)  # noqa: E731
    else:
        criteria = review_criteria(names, run.rubric)
        cells = lambda verdict: review_cells(verdict, names)  # noqa: E731
    before = (*_FIRST, *fixed, *criteria, *_LAST, *words)
    extras, mapping = extra_columns(run, {column.name for column in before})
    scores = tuple(column.name for column in (*fixed, *criteria) if column.score)
    return Table(run.protocol, (*before, *extras), scores, names, mapping, cells)


def _free(key: str, taken: Iterable[str]) -> str:
    """A criterion's name in columns; one that would meet a column of ours is called `criterion_…`."""
    meets = any(name in taken for name in (key.lower(), f"{key}_a".lower(), f"{key}_b".lower()))
    return f"criterion_{key}" if meets else key


Truth = Literal["A", "B", "tie"]


LOWEST_EXPERIENCE = 20
# A number as people and programs write it; the same expression serves Python and SQL.
LABEL_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?"
_NUMBER = re.compile(LABEL_NUMBER, re.IGNORECASE)


def agreement(label: object, cells: Mapping[str, Any]) -> bool | None:
    """Whether a verdict says what the label says: the same winner, or the same number on the protocol's scale."""
    if label is None or not cells:
        return None
    if (named := winner_of(label)) is not None:
        return None if cells.get("winner") is None else bool(cells["winner"] == named)
    if not _NUMBER.fullmatch(said := str(label).strip()):
        return None
    number = float(said)
    given = cells.get("likert", cells.get("overall_experience"))
    if "overall_experience" in cells and number < LOWEST_EXPERIENCE:
        return None  # a rating from 1 to 5 is on a scale of its own
    return None if given is None else float(given) == number


def winner_of(label: object) -> Truth | None:
    """The winner a label names, if it names one."""
    names: dict[str, Truth] = {"a": "A", "b": "B", "tie": "tie"}
    return names.get(str(label).strip().lower())
