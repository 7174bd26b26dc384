"""The flat table of a run: the columns that all protocols share, and how a protocol adds its own.

The cells are computed once, when a case is judged, and stored with the verdict. A score that the judge could not
assess is left empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from ..arithmetic import plain
from ..models.calibration import CalibratedScore, SavedCalibration
from ..models.common import Winner, repaired_replies
from ..models.verdict import Verdict
from .figures import (
    CaseSql,
    CriterionGrid,
    CriterionMeans,
    GateFigure,
    ListColumn,
    Number,
    Outcomes,
    TraitCount,
    TraitKey,
)

Kind = Literal["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "DECIMAL(24, 12)"]
Cells = dict[str, Any]

CALIBRATED_PLACES = 4  # more would suggest a precision that no number of labels can give


def _nowhere(_: Any) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, SQL type, meaning, and the function that computes its cell from a verdict.

    `score` marks the numbers of the judgment itself; two runs are compared by them. `title` is its name for people, if
    the column's own would be read as a technical one.
    """

    name: str
    kind: Kind
    meaning: str
    of: Callable[[Any], Any] = _nowhere
    score: bool = False
    title: str = ""


# How the judge behaved. Verdicts of older versions do not have the last two.
CONDUCT = (
    Column(
        "replies",
        "BIGINT",
        "replies of models, each counted once however often it was repaired",
        lambda v: _replied(v)[0],
    ),
    Column(
        "repaired", "BIGINT", "how many of these had to be asked for again, wholly or partly", lambda v: _replied(v)[1]
    ),
    Column("quotes", "BIGINT", "quotes in these replies, as they first came", lambda v: v.quoted and v.quoted.given),
    Column("invented", "BIGINT", "how many of these are not in their text", lambda v: v.quoted and v.quoted.invented),
)
_EXPECTED = "what people would be expected to say, by the rubric's calibration for this judge"
_CALIBRATED = Column("calibrated", "DOUBLE", _EXPECTED, lambda v: v.calibrated and v.calibrated.value, score=True)


def _replied(verdict: Verdict) -> tuple[int, int]:
    return repaired_replies(call.purpose for call in verdict.calls)


FIRST = (
    Column("position", "BIGINT", "the case's place in the input, from 0"),
    Column("case", "VARCHAR", "the case's id"),
    Column("status", "VARCHAR", "verdict, failure, or skipped (a row that could not be judged)"),
)
LAST = (
    Column("judge", "VARCHAR", "who judged", lambda v: v.provenance.judge),
    Column("stage", "BIGINT", "which judge of a cascade decided, from 1", lambda v: len(v.stages) or None),
    Column("verdict_id", "VARCHAR", "the verdict's id, for `adjudge replay`"),
    Column("cost", "DECIMAL(24, 12)", "dollars; empty where the price is not known"),
    Column("input_tokens", "BIGINT", "tokens read by models"),
    Column("output_tokens", "BIGINT", "tokens written by models"),
    Column("tokens", "BIGINT", "both together"),
    Column("calls", "BIGINT", "replies behind the outcome"),
    Column(
        "warnings",
        "VARCHAR",
        "codes of the verdict's warnings, separated by spaces",
        lambda v: " ".join(dict.fromkeys(warning.code for warning in v.warnings)) or None,
    ),
    Column("reason", "VARCHAR", "why there is no verdict, in a word"),
    Column("message", "VARCHAR", "the same as a sentence"),
    Column("label", "VARCHAR", "what people said of the case"),
    Column(
        "agrees", "BOOLEAN", "whether it says what the label says; undecided does not; empty if they cannot be compared"
    ),
    Column("system_a", "VARCHAR", "who wrote A"),
    Column("system_b", "VARCHAR", "who wrote B"),
)
WORDS = (
    Column("words_a", "BIGINT", "how many words A has"),
    Column("words_b", "BIGINT", "how many words B has"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The row of a verdict in a run's flat table, and how it is read.

    `columns` are the same for every rubric; `of_criterion` makes those of one criterion from its key, its name and the
    name that the columns begin with. `criteria` returns the keys of a verdict's criteria. `agrees` tells whether cells
    say what a label says; None if the two cannot be compared. `two_sides`: two answers are compared, so there are
    columns for the words of both.

    `shown` are the columns that `adjudge show` prints, if not all of `columns`, `listed` those of a report's list. Two
    runs are `tested` by these scores, whose names here are used within sentences; scores that are `derived` from others
    are not listed when they move. `traits` count what the judge does; `score_suffixes` are the ends of a criterion's
    score columns, if equal scores tell something of the judge. `gates` are the figures of its own that a gate may name.
    """

    columns: tuple[Column, ...]
    outcome: Outcomes
    of_criterion: Callable[[str, str, str], Iterable[Column]] = lambda *_: ()
    criteria: Callable[[Any], Iterable[str]] = lambda _: ()
    agrees: Callable[[str, Mapping[str, Any]], bool | None] = lambda *_: None
    two_sides: bool = False
    number: Number | None = None
    case: CaseSql = field(default_factory=CaseSql)
    shown: tuple[str, ...] = ()
    listed: tuple[ListColumn, ...] = (ListColumn("label", "Label"),)
    tested: Mapping[str, str] = field(default_factory=dict)
    derived: tuple[str, ...] = ()
    means: CriterionMeans | None = None
    grid: CriterionGrid | None = None
    traits: Mapping[TraitKey, TraitCount] = field(default_factory=dict)
    score_suffixes: tuple[str, ...] = ()
    gates: tuple[GateFigure, ...] = ()

    @property
    def usual_columns(self) -> tuple[str, ...]:
        """The columns that `adjudge show` prints unless asked for others."""
        own = self.shown or (*(column.name for column in self.columns), "label")
        return ("case", "status", *own, "reason")

    def all_columns(self, criteria: Mapping[str, str], *, calibrated: bool = False) -> tuple[Column, ...]:
        """Return the columns with those of these criteria (keys with names), plus one if the rubric is `calibrated`.

        If a column's name is already used by us or by an earlier criterion, the criterion is prefixed with
        `criterion_`.
        """
        made = [*self.columns, *CONDUCT, *((_CALIBRATED,) if calibrated else ())]
        ours = {column.name.lower() for column in (*FIRST, *made, *LAST, *WORDS)}
        used: set[str] = set()
        for key, name in criteria.items():
            called, own = key, tuple(self.of_criterion(key, name, key))
            while called.lower() in ours or any(one.name.lower() in ours or one.name in used for one in own):
                called = f"criterion_{called}"
                own = tuple(self.of_criterion(key, name, called))
            made += own
            used |= {column.name for column in own}
        return tuple(made)

    def row(self, verdict: Verdict, label: str | None = None) -> Cells:
        """Compute the cells of a verdict; `label` is what people said of the case."""
        columns = _filled(self, tuple(self.criteria(verdict)), verdict.calibrated is not None)
        cells = {column.name: column.of(verdict) for column in columns}
        return {**cells, "agrees": self.agreement(label, cells)}

    def answers(self, given: Mapping[str, Any]) -> tuple[str, str]:
        """Return the two answers of a case as stored, if there are `two_sides`."""
        return given["a"], given["b"]

    def answer_words(self, given: Mapping[str, Any] | None) -> tuple[int, int] | None:
        """Count the words of the two answers, so that an analysis can control for length; None without two."""
        if given is None or not self.two_sides:
            return None
        a, b = (len(answer.split()) for answer in self.answers(given))
        return a, b

    def agreement(self, label: str | None, cells: Mapping[str, Any]) -> bool | None:
        """Check whether a verdict agrees with a label. Return None if the two cannot be compared."""
        return None if label is None or not cells else self.agrees(label, cells)


@lru_cache
def _filled(table: Table, keys: tuple[str, ...], calibrated: bool) -> tuple[Column, ...]:
    """Return the columns that are computed from a verdict. They are the same for all cases of a run."""
    columns = (*table.all_columns(dict.fromkeys(keys, ""), calibrated=calibrated), *LAST)
    return tuple(column for column in columns if column.of is not _nowhere)


def calibrated_score(verdict: Verdict, calibration: SavedCalibration) -> CalibratedScore | None:
    """Map a verdict's number to the human scale. Return None if the calibration is for another judge or rubric."""
    made, score = verdict.provenance, verdict.number
    if score is None or (made.judge, made.rubric) != (calibration.judge, calibration.rubric):
        return None
    value = plain(Decimal(repr(round(calibration.map.apply(float(score)), CALIBRATED_PLACES))))
    return CalibratedScore(what=calibration.what, value=value, method=calibration.map.kind, cases=calibration.cases)


def agrees_on_winner(label: str, cells: Mapping[str, Any]) -> bool | None:
    """Check whether cells name the winner that a label names. An undecided verdict agrees with no label."""
    named, won = winner_of(label), cells.get("winner")
    return None if named is None or won is None else bool(won == named and cells.get("decided") is not False)


def winner_of(label: object) -> Winner | None:
    """Return the winner that a label names, or None."""
    names: dict[str, Winner] = {"a": "A", "b": "B", "tie": "tie"}
    return names.get(str(label).strip().lower())
