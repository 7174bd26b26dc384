"""What labels are good for beyond measuring: corrected rates, learned weights, and how scores map to people's.

Each stands beside what the judge says, never instead of it, and says why it is missing where labels are too few.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import TypeVar

from ...models.base import Frozen
from ...models.common import LABELS
from ...results.run import Run
from ..statistics.calibration import (
    Calibration,
    ConfidenceBin,
    LearnedWeights,
    calibrate,
    confidence_bins,
    learn_weights,
)
from ..statistics.correction import Corrected, corrected_mean, corrected_rate
from ..statistics.intervals import share
from ..statistics.metrics import Figure, Value, confusion
from .joining import JoinedRun, JudgedRow, LabelledCase, side_of

T = TypeVar("T", bound=tuple[float, ...] | tuple[float, object, object])

MOST_SYSTEMS = 12
MEAN = "mean"
_FEW_IN_BIN = 5
_TIE_IS_HALF: dict[Value, float] = {"won": 1.0, "tie": 0.5}


class ScoreBin(Frozen):
    """Cases with similar judge scores: their mean, what people say of them on average, and what the chosen map makes of
    the judge's mean, if there is a map."""

    cases: int
    judge: float
    people: float
    mapped: float | None = None


class MarginBin(Frozen):
    """Comparisons whose totals are so far apart, and how often the judge is right there."""

    low: float
    high: float
    right: Figure


def corrected_of(joined: JoinedRun, counted: Sequence[LabelledCase]) -> dict[str, Corrected]:
    """Win rates, or the mean, of the cases outside the labelled sample, as the judge gives them and corrected.

    By system where the rows name systems, else by side.
    """
    labelled = {case.row.position for case in joined.of_sample}
    rest = [row for row in joined.rows.values() if row.position not in labelled and row.decided is not None]
    if not rest:
        return {}
    known = [(number(case.row), float(case.human)) for case in counted if isinstance(case.human, float)]
    mean = corrected_mean([number(row) for row in rest], known)
    if joined.run.protocol == "dialogue":
        return {MEAN: mean}
    systems = [system for system, _ in Counter(name for row in rest for name in row.systems or ()).most_common()]
    if len(systems) > 1:
        found = {name: _win_rate(counted, rest, partial(_side_of, name)) for name in systems[:MOST_SYSTEMS]}
    else:
        found = {label: _win_rate(counted, rest, lambda _, own=label: str(own)) for label in LABELS}  # type: ignore[misc]
    return {**found, MEAN: mean} if joined.run.protocol == "review" else found


def number(row: JudgedRow) -> float:
    """The judge's number of a decided dialogue (before it is rounded) or review."""
    found = row.value if row.score is None else row.score
    return float(found) if isinstance(found, int | float) else 0.0


def weights_of(run: Run, counted: Sequence[LabelledCase]) -> LearnedWeights | None:
    """Weights of criteria learned from labelled comparisons."""
    if run.protocol != "compare":
        return None
    apart = [
        {key: a - b for key, (a, b) in (case.row.scores or {}).items() if a is not None and b is not None}
        for case in counted
    ]
    defaults = {criterion.key: float(criterion.weight) for criterion in run.rubric.criteria}
    winners = [case.human or "tie" for case in counted]
    return learn_weights(apart, winners, defaults, [case.row.content for case in counted])


def confidence_curve(counted: Sequence[LabelledCase]) -> tuple[ConfidenceBin, ...]:
    """How sure the judge says it is, and how often it is right."""
    sure = [(case.row.confidence, case.row.value == case.human) for case in counted if case.row.confidence is not None]
    return confidence_bins([confidence for confidence, _ in sure], [right for _, right in sure])


def margin_curve(counted: Sequence[LabelledCase]) -> tuple[MarginBin, ...]:
    """How often the judge is right by how far apart its totals are, a quarter of the cases each."""
    known = sorted(
        (abs(case.row.score), case.row.value == case.human) for case in counted if case.row.score is not None
    )
    if len(known) < 2 * _FEW_IN_BIN:
        return ()
    return tuple(
        MarginBin(low=part[0][0], high=part[-1][0], right=share(sum(hit for _, hit in part), len(part)))
        for part in _parts(known, 4)
    )


def calibration_of(run: Run, counted: Sequence[LabelledCase]) -> tuple[Calibration | None, tuple[ScoreBin, ...]]:
    """The cross-validated map from the judge's numbers to people's, and both by the judge's number."""
    known = sorted(
        (number(case.row), case.human, case.row.content) for case in counted if isinstance(case.human, float)
    )
    if run.protocol == "compare" or not known:
        return None, ()
    scores, human, groups = (list(column) for column in zip(*known, strict=True))
    found = calibrate(scores, human, groups)
    bins = []
    for part in _parts(known, 8):
        judge = fmean(score for score, _, _ in part)
        mapped = None if found.chosen is None else found.chosen.apply(judge)
        people = fmean(said for _, said, _ in part)
        bins.append(ScoreBin(cases=len(part), judge=judge, people=people, mapped=mapped))
    return found, tuple(bins)


def _parts(sorted_cases: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """So many parts of about the same size, fewer where cases are few; the same number is never in two of them."""
    parts = max(min(most, len(sorted_cases) // _FEW_IN_BIN), 1)
    numbers = [case[0] for case in sorted_cases]
    cuts = {bisect_left(numbers, numbers[round(len(numbers) * at / parts)]) for at in range(parts)}
    return (sorted_cases[begin:end] for begin, end in pairwise([*sorted(cuts), len(numbers)]))


def _side_of(system: str, row: JudgedRow) -> str | None:
    """The side on which a system wrote the answer; None where it wrote none or both."""
    if row.systems is None or row.systems.count(system) != 1:
        return None
    return LABELS[row.systems.index(system)]


def _win_rate(
    counted: Sequence[LabelledCase], rest: Sequence[JudgedRow], side: Callable[[JudgedRow], str | None]
) -> Corrected:
    """How often a side wins; a tie counts half."""

    def seen(winner: Value | None, row: JudgedRow) -> Value:
        return "tie" if winner == "tie" else "won" if winner == side(row) else "lost"

    mine = [case for case in counted if side(case.row) is not None]
    said = Counter(seen(row.winner, row) for row in rest if side(row) is not None)
    judge = [seen(case.row.winner, case.row) for case in mine]
    human = [seen(side_of(case.human), case.row) for case in mine]
    return corrected_rate(confusion(judge, human, ("won", "tie", "lost")), said, _TIE_IS_HALF)
