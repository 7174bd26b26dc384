"""Which figures say how far a judge agrees with people, protocol by protocol, each with its interval by case.

A comparison is a class, a dialogue's overall score a number, a review's preference both: a side, and a number from 1 to
7. Rank correlations take the number behind a verdict: how far A is ahead, or a dialogue's average before it is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from ...results.statistics import share_change
from ..statistics.intervals import Difference, drift, labels_needed, paired_difference, share, with_interval
from ..statistics.metrics import (
    PREFERENCE,
    Figure,
    Level,
    Metric,
    Ratings,
    Value,
    accuracy,
    cohen_kappa,
    kendall,
    krippendorff_alpha,
    quadratic_kappa,
    spearman,
)
from .joining import LabelledCase, side_of

DRAWS = 999  # of a bootstrap: a report has some twenty, and a person waits for it


class Rated(NamedTuple):
    """What both sides say of a case: the verdict, the number behind it, people's word; and whose copy the case is."""

    judge: Value | None
    score: float | None
    human: Value | None
    content: int


Measured = Callable[[Sequence[Rated]], Figure]


def mean_absolute_error(judge: Ratings, human: Ratings) -> Figure:
    """How far apart two numbers are on average; smaller is better."""
    apart = [
        abs(float(one) - float(other))
        for one, other in zip(judge, human, strict=True)
        if one is not None and other is not None
    ]
    return Figure(fmean(apart), len(apart)) if apart else Figure(None, 0, "no case was rated by both sides")


def by_side(metric: Metric) -> Metric:
    """The metric over sides: A, B or tie."""
    return lambda judge, human: metric(list(map(side_of, judge)), list(map(side_of, human)))


def _on_a_line(metric: Metric) -> Metric:
    return lambda judge, human: metric([_place(value) for value in judge], [_place(value) for value in human])


def _of_verdicts(metric: Metric) -> Measured:
    return lambda cases: metric([case.judge for case in cases], [case.human for case in cases])


def _of_scores(metric: Metric) -> Measured:
    return lambda cases: metric([case.score for case in cases], [_place(case.human) for case in cases])


def _alpha(level: Level) -> Measured:
    return lambda cases: krippendorff_alpha(
        [(_placed(case.judge, level), _placed(case.human, level)) for case in cases], level
    )


MEASURES: dict[str, dict[str, Measured]] = {
    "compare": {
        "accuracy": _of_verdicts(accuracy),
        "kappa": _of_verdicts(cohen_kappa),
        "quadratic_kappa": _of_verdicts(_on_a_line(quadratic_kappa)),
        "alpha_nominal": _alpha("nominal"),
        "alpha_ordinal": _alpha("ordinal"),
        "spearman": _of_scores(spearman),
        "kendall": _of_scores(kendall),
    },
    "dialogue": {
        "mae": _of_verdicts(mean_absolute_error),
        "mae_average": _of_scores(mean_absolute_error),
        "alpha_interval": _alpha("interval"),
        "alpha_ordinal": _alpha("ordinal"),
        "quadratic_kappa": _of_verdicts(quadratic_kappa),
        "spearman": _of_scores(spearman),
        "kendall": _of_scores(kendall),
    },
    "review": {
        "accuracy": _of_verdicts(by_side(accuracy)),
        "kappa": _of_verdicts(by_side(cohen_kappa)),
        "mae": _of_verdicts(mean_absolute_error),
        "quadratic_kappa": _of_verdicts(quadratic_kappa),
        "alpha_ordinal": _alpha("ordinal"),
        "alpha_interval": _alpha("interval"),
        "spearman": _of_verdicts(spearman),
        "kendall": _of_verdicts(kendall),
    },
}
# Those by which judges, people and simple rules are compared with each other, and runs over time.
HEADLINES = {"compare": ("accuracy", "kappa"), "dialogue": ("mae", "spearman"), "review": ("accuracy", "kappa")}
_PLAIN: dict[str, Metric] = {
    "accuracy": accuracy,
    "kappa": cohen_kappa,
    "mae": mean_absolute_error,
    "spearman": spearman,
}
SMALLER_IS_BETTER = ("mae", "mae_average")
NEAR = 0.05  # the half width of an interval that labels are counted for


def headline_metric(protocol: str, name: str) -> Metric:
    """A headline's metric over plain ratings, for people and simple rules."""
    return by_side(_PLAIN[name]) if protocol == "review" else _PLAIN[name]


def rated(case: LabelledCase) -> Rated:
    """A labelled case as the measures take it; an undecided verdict is a gap."""
    row = case.row
    # People's words stand on a line from A (−1) to B (1): so must the lead of A.
    score = -row.score if row.winner is not None and row.score is not None else row.score
    return Rated(row.decided, score, case.human, row.content)


def measured(measure: Measured, cases: Sequence[Rated], *, is_share: bool = False) -> Figure:
    """A figure with its interval. Copies of a case (the same texts) are drawn together."""
    units = _units(cases)
    if is_share and len(units) == len(cases):
        found = measure(cases)
        return share(round((found.value or 0.0) * found.cases), found.cases)
    return with_interval(lambda drawn: measure(_flat(drawn)), units, DRAWS)


def all_figures(protocol: str, cases: Sequence[Rated]) -> dict[str, Figure]:
    """Every measure of a protocol."""
    sides = [{named(value) for value in side if value is not None} for side in _columns(cases)]
    found = {}
    for name, measure in MEASURES[protocol].items():
        figure = measured(measure, cases, is_share=name == "accuracy")
        if figure.value is None and all(len(side) == 1 for side in sides):
            # Said in people's terms, not in those of the numbers that classes were turned into.
            judge, human = (next(iter(side)) for side in sides)
            both = (
                f"both sides always say {judge}" if judge == human else f"the judge always says {judge}, people {human}"
            )
            figure = replace(figure, reason=f"{both}: nothing to agree beyond chance on")
        elif figure.value is None and len(sides[1]) == 1:
            figure = replace(figure, reason=f"people always say {next(iter(sides[1]))}: nothing to correlate")
        found[name] = figure
    return found


def more_labels(metrics: Mapping[str, Figure]) -> dict[str, int | None]:
    """How many more labels an interval of ±5 points would need, by measure."""
    return {name: labels_needed(figure, NEAR) for name, figure in metrics.items() if name not in SMALLER_IS_BETTER}


def named(value: Value) -> str:
    """A class or a number as people write it."""
    return value if isinstance(value, str) else f"{value:g}"


def compared(name: str, measure: Measured, pairs: Sequence[tuple[Rated, Rated]]) -> Difference:
    """A figure of two judges over the same labelled cases; for accuracy the exact test (McNemar) gives p."""
    by_content: dict[int, list[tuple[Rated, Rated]]] = {}
    for pair in pairs:
        by_content.setdefault(pair[0].content, []).append(pair)
    units = list(by_content.values())
    if name == "accuracy" and pairs and len(units) == len(pairs):
        right = [(float(measure([one]).value or 0), float(measure([other]).value or 0)) for one, other in pairs]
        before, after = zip(*right, strict=True)
        found = share_change(before, after)
        first, second = (share(int(sum(side)), len(pairs)) for side in (before, after))
        change = Figure(found.change, found.pairs, "", found.interval)
        return Difference(first, second, change, found.p, "exact sign test (McNemar)")
    return paired_difference(
        lambda drawn: measure([one for unit in drawn for one, _ in unit]),
        lambda drawn: measure([other for unit in drawn for _, other in unit]),
        units,
        DRAWS,
    )


def drifted(measure: Measured, earlier: Sequence[Rated], later: Sequence[Rated]) -> Difference:
    """The change of a figure between different cases."""
    return drift(lambda drawn: measure(_flat(drawn)), _units(earlier), _units(later), DRAWS)


def nearest(value: float, steps: Iterable[float]) -> float:
    """The step of a scale that is nearest to a number; the lower one of two."""
    return min(steps, key=lambda step: (abs(step - value), step))


def by_criterion(cases: Sequence[LabelledCase], key: str, place: int, label: str) -> Mapping[str, Figure]:
    """How far the judge's scores of one criterion are from people's, where people rated it too."""
    both = [
        Rated(scores[place], scores[place], case.criteria[label], case.row.content)
        for case in cases
        if label in case.criteria and (scores := (case.row.scores or {}).get(key)) and scores[place] is not None
    ]
    wanted = ("mae", "alpha_interval", "spearman")
    return {name: measured(MEASURES["dialogue"][name], both) for name in wanted} if both else {}


def _units(cases: Sequence[Rated]) -> list[list[Rated]]:
    by_content: dict[int, list[Rated]] = {}
    for case in cases:
        by_content.setdefault(case.content, []).append(case)
    return list(by_content.values())


def _columns(cases: Sequence[Rated]) -> tuple[list[Value | None], list[Value | None]]:
    return [case.judge for case in cases], [case.human for case in cases]


def _flat(units: Iterable[Sequence[Rated]]) -> list[Rated]:
    return [case for unit in units for case in unit]


def _place(value: Value | None) -> float | None:
    return PREFERENCE[value] if isinstance(value, str) else value


def _placed(value: Value | None, level: Level) -> Value | None:
    return value if level == "nominal" else _place(value)
