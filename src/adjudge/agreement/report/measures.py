"""The measures of a judge's agreement with people's joint label (the one most of them gave), by protocol. Agreement
with one person, of the judge, of simple rules and of other people, is in people.py.

A comparison's label is a class, a dialogue's a number, a review's both: a side, and a number from 1 to 7. Rank
correlations use the number behind a verdict: A's lead, or a dialogue's average before rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...models.base import Frozen
from ...models.common import LABELS
from ...models.figures import Change, Figure
from ...results.run import Run
from ...statistics.agreement import (
    Level,
    Measure,
    Value,
    accuracy,
    cohen_kappa,
    gwet_ac1,
    kendall,
    krippendorff_alpha,
    mean_absolute_error,
    quadratic_kappa,
    spearman,
)
from ...statistics.changes import share_change
from ...statistics.ratings import PREFERENCE, Confusion, confusion
from ...statistics.resampling import Statistic, changed, mean_by_unit, measured_together, point
from .joining import LabelledCase, number_of, side_of

SMALLER_IS_BETTER = ("mae", "mae_average")
_MOST_CLASSES = 11
_SIDES: tuple[Value, ...] = ("A", "tie", "B")
LEVELS: dict[str, Level] = {"compare": "nominal", "dialogue": "interval", "review": "ordinal"}


class FigureRow(Frozen):
    """A row of figures: of the judge, of a simple rule, of a person against the others, or of a criterion."""

    name: str
    figures: dict[str, Figure]


# -- the measures of a protocol ---------------------------------------------------------------------------------------


Sides = tuple[Any, Any]


def _sides(case: LabelledCase) -> Sides:
    return side_of(case.row.decided), side_of(case.human)


def _numbers(case: LabelledCase) -> Sides:
    return _place(case.row.decided), _place(case.human)


def _scores(case: LabelledCase) -> Sides:
    number = number_of(case.row)
    # People's winners are numbered from A (−1) to B (1), so A's lead changes its sign.
    turned = -number if number is not None and isinstance(case.row.value, str) else number
    return turned, _place(case.human)


def _place(value: Value | None) -> float | None:
    return PREFERENCE[value] if isinstance(value, str) else value


def _alpha(level: Level) -> Measure:
    return lambda judge, human: krippendorff_alpha(list(zip(judge, human, strict=True)), level)


# Each measure, and how it reads a case. An undecided verdict is read as None.
MEASURES: dict[str, tuple[Measure, Callable[[LabelledCase], Sides]]] = {
    "accuracy": (accuracy, _sides),
    "kappa": (cohen_kappa, _sides),
    "ac1": (gwet_ac1, _sides),
    "mae": (mean_absolute_error, _numbers),
    "mae_average": (mean_absolute_error, _scores),
    "quadratic_kappa": (quadratic_kappa, _numbers),
    "alpha_nominal": (_alpha("nominal"), _sides),
    "alpha_ordinal": (_alpha("ordinal"), _numbers),
    "alpha_interval": (_alpha("interval"), _numbers),
    "spearman": (spearman, _scores),
    "kendall": (kendall, _scores),
}
# Means, whose interval needs no draws, and what they average.
_MEANS: dict[str, Callable[[Any, Any], float]] = {
    "accuracy": lambda one, other: float(one == other),
    "mae": lambda one, other: abs(one - other),
    "mae_average": lambda one, other: abs(one - other),
}
_RANKS = ("spearman", "kendall")
MEASURED: dict[str, tuple[str, ...]] = {
    "compare": ("accuracy", "kappa", "ac1", "quadratic_kappa", "alpha_nominal", "alpha_ordinal", *_RANKS),
    "dialogue": ("mae", "mae_average", "alpha_interval", "alpha_ordinal", "quadratic_kappa", *_RANKS),
    "review": ("accuracy", "kappa", "ac1", "mae", "quadratic_kappa", "alpha_ordinal", "alpha_interval", *_RANKS),
}
# The measures for comparing judges, people, simple rules, and runs over time.
HEADLINES: dict[str, tuple[str, str]] = {
    "compare": ("accuracy", "kappa"),
    "dialogue": ("mae", "spearman"),
    "review": ("accuracy", "kappa"),
}


def statistic(name: str, cases: Sequence[LabelledCase]) -> Statistic:
    """Return a measure of these cases, still open how often each of them counts."""
    metric, seen = MEASURES[name]
    sides = list(map(seen, cases))
    return metric([judge for judge, _ in sides], [human for _, human in sides])


def figure(name: str, cases: Sequence[LabelledCase]) -> Figure:
    """Compute a figure without an interval."""
    return point(statistic(name, cases), len(cases))


def measured(names: Sequence[str], cases: Sequence[LabelledCase], draws: int) -> dict[str, Figure]:
    """Compute figures with their intervals. Cases of one task are drawn together."""
    found = {}
    for name in _MEANS.keys() & set(names):
        seen, of_two = MEASURES[name][1], _MEANS[name]
        both = [(*seen(case), case.row.unit) for case in cases]
        known = [(of_two(one, other), unit) for one, other, unit in both if one is not None and other is not None]
        found[name] = mean_by_unit(known, is_share=name == "accuracy") if known else figure(name, cases)
    drawn = {name: statistic(name, cases) for name in names if name not in found}
    found |= measured_together(drawn, [case.row.unit for case in cases], draws)
    return {name: found[name] for name in names}


def named(value: Value) -> str:
    """Return a class or a number as people write it."""
    return value if isinstance(value, str) else f"{value:g}"


# -- classes and criteria ---------------------------------------------------------------------------------------------


def class_of(run: Run, value: Value | None) -> Value | None:
    """Return the class for base rates: the winner, the preferred side, or the nearest scale step (the lower of two)."""
    if value is None or isinstance(value, str):
        return value
    if run.protocol.name == "review":
        return side_of(value)
    return min(map(float, run.rubric.scale.values), key=lambda step: (abs(step - value), step))


def confusion_of(run: Run, cases: Sequence[LabelledCase]) -> Confusion | None:
    """Build the confusion matrix of winners, sides or scale steps; None without cases or with too many steps."""
    classes = _SIDES if run.protocol.name != "dialogue" else tuple(map(float, run.rubric.scale.values))
    if not cases or len(classes) > _MOST_CLASSES:
        return None
    return confusion([(class_of(run, case.row.decided), class_of(run, case.human)) for case in cases], classes)


def criteria_of(run: Run, sample: Sequence[LabelledCase], draws: int) -> tuple[FigureRow, ...]:
    """Return the figures of each criterion that people rated, in a review for each response."""
    found = []
    for criterion in run.rubric.criteria:
        columns = {criterion.key: criterion.name}
        if run.protocol.name == "review":
            columns = {
                f"{criterion.key}_{label.lower()}": f"{criterion.name}, Response {number}"
                for number, label in enumerate(LABELS, start=1)
            }
        for place, (column, name) in enumerate(columns.items()):
            both = [
                _rated(case, score, case.criteria[column])
                for case in sample
                if column in case.criteria
                if (score := case.row.scores[criterion.key][place]) is not None
            ]
            if both:
                figures = measured(("mae", "alpha_interval", "spearman"), both, draws)
                found.append(FigureRow(name=name, figures=figures))
    return tuple(found)


def _rated(case: LabelledCase, score: float, human: float) -> LabelledCase:
    """Return the case with the judge's score of a criterion as its verdict, and people's rating as their label."""
    return replace(case, row=replace(case.row, ending="verdict", value=score, score=None), human=human)


# -- two judges, two runs ---------------------------------------------------------------------------------------------


def compared(name: str, pairs: Sequence[tuple[LabelledCase, LabelledCase]], draws: int) -> Change:
    """Compare a figure of two judges over the same labelled cases. For accuracy of independent cases, p is from the
    exact McNemar test."""
    units = [case.row.unit for case, _ in pairs]
    sides = [[pair[at] for pair in pairs] for at in (0, 1)]
    if name == "accuracy" and pairs and len(set(units)) == len(pairs):
        return share_change(*([one == other for one, other in map(_sides, side)] for side in sides))
    return _changed(name, sides, [units], "paired bootstrap by task", draws)


def drifted(name: str, earlier: Sequence[LabelledCase], later: Sequence[LabelledCase], draws: int) -> Change:
    """Compare a figure over earlier cases with the same figure over different, later cases."""
    sides = [earlier, later]
    return _changed(name, sides, [[case.row.unit for case in side] for side in sides], "bootstrap by task", draws)


def _changed(
    name: str, sides: Sequence[Sequence[LabelledCase]], units: Sequence[Sequence[int]], test: str, draws: int
) -> Change:
    before, after = (measured([name], side, draws)[name] for side in sides)
    change, p = changed(statistic(name, sides[0]), statistic(name, sides[1]), units, draws)
    return Change(before, after, change, p, test)
