"""The measures of a judge's agreement with people's joint label (the one most of them gave). Agreement with one person,
of the judge, of simple rules and of other people, is in people.py.

A label is a class, a number, or both: a side, and how much it is preferred. Rank correlations use the number behind a
verdict, such as A's lead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...models.base import Frozen
from ...models.figures import Change, Figure
from ...protocols.measured import MeasureRules
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
from ...statistics.ratings import Confusion, confusion
from ...statistics.resampling import Statistic, changed, mean_by_unit, measured_together, point
from ..labels.files import overall_scale, rated_criteria
from .joining import LabelledCase, number_of

SMALLER_IS_BETTER = ("mae", "mae_average")
_MOST_CLASSES = 11


class FigureRow(Frozen):
    """A row of figures: of the judge, of a simple rule, of a person against the others, or of a criterion."""

    name: str
    figures: dict[str, Figure]


# -- the measures -----------------------------------------------------------------------------------------------------


Both = tuple[Any, Any]  # what the judge says, and what people say


def _classes(kind: MeasureRules, case: LabelledCase) -> Both:
    return kind.class_of(case.row.decided), kind.class_of(case.human)


def _numbers(kind: MeasureRules, case: LabelledCase) -> Both:
    return kind.place_of(case.row.decided), kind.place_of(case.human)


def _scores(kind: MeasureRules, case: LabelledCase) -> Both:
    number = number_of(case.row)
    # Classes are numbered from the first, but the number behind a class is the higher, the nearer to the first.
    turned = -number if number is not None and isinstance(case.row.value, str) else number
    return turned, kind.place_of(case.human)


def _alpha(level: Level) -> Measure:
    return lambda judge, human: krippendorff_alpha(list(zip(judge, human, strict=True)), level)


# Each measure, and how it reads a case. An undecided verdict is read as None.
MEASURES: dict[str, tuple[Measure, Callable[[MeasureRules, LabelledCase], Both]]] = {
    "accuracy": (accuracy, _classes),
    "kappa": (cohen_kappa, _classes),
    "ac1": (gwet_ac1, _classes),
    "mae": (mean_absolute_error, _numbers),
    "mae_average": (mean_absolute_error, _scores),
    "quadratic_kappa": (quadratic_kappa, _numbers),
    "alpha_nominal": (_alpha("nominal"), _classes),
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


def statistic(kind: MeasureRules, name: str, cases: Sequence[LabelledCase]) -> Statistic:
    """Return a measure of these cases, still open how often each of them counts."""
    metric, read = MEASURES[name]
    both = [read(kind, case) for case in cases]
    return metric([judge for judge, _ in both], [human for _, human in both])


def measured(kind: MeasureRules, names: Sequence[str], cases: Sequence[LabelledCase], draws: int) -> dict[str, Figure]:
    """Compute figures with their intervals. Cases of one task are drawn together."""
    found = {}
    for name in _MEANS.keys() & set(names):
        read, of_two = MEASURES[name][1], _MEANS[name]
        both = [(*read(kind, case), case.row.unit) for case in cases]
        known = [(of_two(one, other), unit) for one, other, unit in both if one is not None and other is not None]
        alone = point(statistic(kind, name, cases), len(cases))
        found[name] = mean_by_unit(known, is_share=name == "accuracy") if known else alone
    drawn = {name: statistic(kind, name, cases) for name in names if name not in found}
    found |= measured_together(drawn, [case.row.unit for case in cases], draws)
    return {name: found[name] for name in names}


def named(value: Value) -> str:
    """Return a class or a number as people write it."""
    return value if isinstance(value, str) else f"{value:g}"


# -- classes and criteria ---------------------------------------------------------------------------------------------


def class_of(run: Run, value: Value | None) -> Any:
    """Return the class for base rates: the class, the preferred side, or the nearest step of the scale."""
    return run.protocol.measured.class_of(value, overall_scale(run))


def confusion_of(run: Run, cases: Sequence[LabelledCase]) -> Confusion | None:
    """Build the confusion matrix of classes or scale steps; None without cases or with too many steps."""
    scale = overall_scale(run)
    classes: tuple[Value, ...] = run.protocol.measured.classes or tuple(map(float, scale.values if scale else ()))
    if not cases or len(classes) > _MOST_CLASSES:
        return None
    return confusion([(class_of(run, case.row.decided), class_of(run, case.human)) for case in cases], classes)


def criteria_of(run: Run, sample: Sequence[LabelledCase], draws: int) -> tuple[FigureRow, ...]:
    """Return the figures of each criterion that people rated, for each answer if there are two."""
    found = []
    for rated in rated_criteria(run):
        both = []
        for case in (case for case in sample if rated.column in case.criteria):
            if (score := case.row.scores[rated.criterion.key][rated.place]) is not None:
                # The judge's score counts as its verdict, and people's rating as their label.
                row = replace(case.row, ending="verdict", value=score, score=None)
                both.append(replace(case, row=row, human=case.criteria[rated.column]))
        if both:
            figures = measured(run.protocol.measured, ("mae", "alpha_interval", "spearman"), both, draws)
            found.append(FigureRow(name=rated.name, figures=figures))
    return tuple(found)


# -- two judges, two runs ---------------------------------------------------------------------------------------------


def compared(kind: MeasureRules, name: str, pairs: Sequence[tuple[LabelledCase, LabelledCase]], draws: int) -> Change:
    """Compare a figure of two judges over the same labelled cases. For accuracy of independent cases, p is from the
    exact McNemar test."""
    units = [case.row.unit for case, _ in pairs]
    sides = [[pair[at] for pair in pairs] for at in (0, 1)]
    if name == "accuracy" and pairs and len(set(units)) == len(pairs):
        right = ([judge == human for judge, human in (_classes(kind, case) for case in side)] for side in sides)
        return share_change(*right)
    return _changed(kind, name, sides, [units], "paired bootstrap by task", draws)


def drifted(
    kind: MeasureRules, name: str, earlier: Sequence[LabelledCase], later: Sequence[LabelledCase], draws: int
) -> Change:
    """Compare a figure over earlier cases with the same figure over different, later cases."""
    sides = [earlier, later]
    return _changed(kind, name, sides, [[case.row.unit for case in side] for side in sides], "bootstrap by task", draws)


def _changed(
    kind: MeasureRules,
    name: str,
    sides: Sequence[Sequence[LabelledCase]],
    units: Sequence[Sequence[int]],
    test: str,
    draws: int,
) -> Change:
    before, after = (measured(kind, [name], side, draws)[name] for side in sides)
    change, p = changed(statistic(kind, name, sides[0]), statistic(kind, name, sides[1]), units, draws)
    return Change(before, after, change, p, test)
