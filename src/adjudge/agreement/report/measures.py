"""The figures of a judge's agreement with people, by protocol, and what they are compared with: simple rules on the
same cases, and people's agreement with each other.

A comparison's label is a class, a dialogue's a number, a review's both: a side, and a number from 1 to 7. Rank
correlations use the number behind a verdict: A's lead, or a dialogue's average before rounding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import Any

from ...models.base import Frozen
from ...models.common import LABELS
from ...models.figures import Change, Figure
from ...models.rows import Protocol
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
from ...statistics.figures import (
    PREFERENCE,
    Confusion,
    against_others,
    base_rates,
    baselines,
    confusion,
    labels_needed,
)
from ...statistics.resampling import Statistic, changed, mean_by_unit, measured_together, point
from .joining import LabelledCase, number_of, side_of

ONE_PERSON, SAME_PEOPLE = "one person", "judge against the same people"
SMALLER_IS_BETTER = ("mae", "mae_average")
NEAR = 0.05  # half the width of the interval for which we estimate the number of labels needed
_MOST_CLASSES = 11
_SIDES: tuple[Value, ...] = ("A", "tie", "B")
_LEVELS: dict[Protocol, Level] = {"compare": "nominal", "dialogue": "interval", "review": "ordinal"}


class FigureRow(Frozen):
    """A row of figures: of the judge, of a simple rule, of a person against the others, or of a criterion."""

    name: str
    figures: dict[str, Figure]


class BestGuesses(Frozen):
    """The figures over all cases with a verdict; undecided ones count with the judge's best guess."""

    cases: int
    base_rates: dict[str, float]
    metrics: dict[str, Figure]
    more_labels: dict[str, int | None]
    beside: tuple[FigureRow, ...]


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
_MEASURED: dict[Protocol, tuple[str, ...]] = {
    "compare": ("accuracy", "kappa", "ac1", "quadratic_kappa", "alpha_nominal", "alpha_ordinal", *_RANKS),
    "dialogue": ("mae", "mae_average", "alpha_interval", "alpha_ordinal", "quadratic_kappa", *_RANKS),
    "review": ("accuracy", "kappa", "ac1", "mae", "quadratic_kappa", "alpha_ordinal", "alpha_interval", *_RANKS),
}
# The measures for comparing judges, people, simple rules, and runs over time.
HEADLINES: dict[Protocol, tuple[str, str]] = {
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
        found[name] = mean_by_unit(known) if known else figure(name, cases)
    drawn = {name: statistic(name, cases) for name in names if name not in found}
    found |= measured_together(drawn, [case.row.unit for case in cases], draws)
    return {name: found[name] for name in names}


def named(value: Value) -> str:
    """Return a class or a number as people write it."""
    return value if isinstance(value, str) else f"{value:g}"


def agreement_of(run: Run, cases: Sequence[LabelledCase], draws: int) -> dict[str, Any]:
    """Compute all measures over these cases, with base rates, the figures of rules and people on the same cases, and
    how many more labels an interval of ±5 points would need."""
    metrics = measured(_MEASURED[run.protocol], cases, draws)
    judge = list(map(named, base_rates([case.row.decided for case in cases])))
    human = list(map(named, base_rates([case.human for case in cases])))
    # State the reason in terms of the labels, not of the numbers that classes were converted to.
    reason = ""
    if len(judge) == len(human) == 1:
        said = f"the judge always says {judge[0]}, people {human[0]}"
        said = f"both sides always say {human[0]}" if judge == human else said
        reason = f"{said}: agreement beyond chance is not defined"
    elif len(human) == 1:
        reason = f"people always say {human[0]}: nothing to correlate"
    if reason:
        metrics |= {name: replace(it, reason=reason) for name, it in metrics.items() if it.value is None}
    rates = base_rates([class_of(run, case.human) for case in cases])
    return {
        "base_rates": {named(value): rate for value, rate in rates.items()},
        "metrics": metrics,
        "more_labels": {name: labels_needed(it, NEAR) for name, it in metrics.items() if name not in SMALLER_IS_BETTER},
        "beside": beside(run.protocol, cases, metrics, draws),
    }


def best_guesses(run: Run, sample: Sequence[LabelledCase], draws: int) -> BestGuesses | None:
    """Compute all figures with the judge's best guess where it did not decide; None if it decided every case."""
    known = [case for case in sample if case.human is not None and case.row.ending in ("verdict", "undecided")]
    if all(case.row.ending == "verdict" for case in known):
        return None
    guessed = [replace(case, row=replace(case.row, ending="verdict")) for case in known]
    return BestGuesses(cases=len(guessed), **agreement_of(run, guessed, draws))


# -- beside simple rules, and people beside each other ----------------------------------------------------------------


def beside(
    protocol: Protocol, cases: Sequence[LabelledCase], metrics: Mapping[str, Figure], draws: int
) -> tuple[FigureRow, ...]:
    """Return figures of the judge, of rules, of one person against others, and of the judge against these others."""
    names = HEADLINES[protocol]
    rows = [FigureRow(name="judge", figures={name: metrics[name] for name in names})]
    for rule, said in _rules(protocol, cases).items():
        judged = [_said(value, case.human, case) for value, case in zip(said, cases, strict=True)]
        rows.append(FigureRow(name=rule, figures=measured(names, judged, draws)))
    met = [meeting for case in cases for meeting in _meetings(case)]
    people = {ONE_PERSON: [(who, own) for who, own, _ in met], SAME_PEOPLE: [(who, judge) for who, _, judge in met]}
    for side, told in people.items() if met else ():
        figures = {}
        for name in names:
            figures[name] = _mean_of_people(name, told)
        rows.append(FigureRow(name=side, figures=figures))
    return tuple(rows)


def each_person(protocol: Protocol, cases: Sequence[LabelledCase]) -> dict[str, dict[str, Figure]]:
    """Return each person's headline figures against the others, by name."""
    met: dict[str, list[LabelledCase]] = defaultdict(list)
    for person, own, _ in (meeting for case in cases for meeting in _meetings(case)):
        met[person].append(own)
    return {person: {name: figure(name, met[person]) for name in HEADLINES[protocol]} for person in sorted(met)}


def people_alpha(protocol: Protocol, sample: Sequence[LabelledCase], draws: int) -> Figure | None:
    """Return how far people agree among themselves. No judge can be expected to agree more. None without two votes."""
    several = [case for case in sample if len(case.votes) > 1]

    if not several:
        return None
    alpha = krippendorff_alpha([tuple(case.votes.values()) for case in several], _LEVELS[protocol])
    return measured_together({"": alpha}, [case.row.unit for case in several], draws)[""]


def _said(value: Value | None, human: Value | None, case: LabelledCase) -> LabelledCase:
    """Return the case as if a rule or a person had judged it `value`, with `human` as people's label."""
    return replace(case, row=replace(case.row, ending="verdict", value=value, score=None), human=human)


def _rules(protocol: Protocol, cases: Sequence[LabelledCase]) -> dict[str, list[Value | None]]:
    """Return the verdicts of the simple rules: a constant and, with two answers, the longer one and the first."""
    human = [case.human for case in cases]
    if protocol == "dialogue":
        # The median has the least absolute error of all constants.
        middle = median(float(value) for value in human if value is not None) if human else None
        return {"constant": [middle] * len(cases)}
    return baselines(list(map(side_of, human)), [case.row.words or (0, 0) for case in cases])


def _meetings(case: LabelledCase) -> Iterator[tuple[str, LabelledCase, LabelledCase]]:
    """Yield each person, their label as a verdict, and the judge's verdict, both with the others' joint label."""
    for person, own, others in against_others(case.votes):
        yield person, _said(own, others, case), replace(case, human=others)


def _mean_of_people(name: str, told: Sequence[tuple[str, LabelledCase]]) -> Figure:
    """Return the mean over people, weighted by their cases, of their figure (or the judge's) against the others."""
    by_person: dict[str, list[LabelledCase]] = defaultdict(list)
    for person, case in told:
        by_person[person].append(case)
    found = [figure(name, cases) for cases in by_person.values()]
    known = [(it.value, it.cases) for it in found if it.value is not None]
    if not known:
        return Figure(None, 0, "the figure is not defined for any person against the others")
    values, weights = zip(*known, strict=True)
    return Figure(fmean(values, weights), sum(weights))


# -- classes and criteria ---------------------------------------------------------------------------------------------


def class_of(run: Run, value: Value | None) -> Value | None:
    """Return the class for base rates: the winner, the preferred side, or the nearest scale step (the lower of two)."""
    if value is None or isinstance(value, str):
        return value
    if run.protocol == "review":
        return side_of(value)
    return min(map(float, run.rubric.scale.values), key=lambda step: (abs(step - value), step))


def confusion_of(run: Run, cases: Sequence[LabelledCase]) -> Confusion | None:
    """Build the confusion matrix of winners, sides or scale steps; None without cases or with too many steps."""
    classes = _SIDES if run.protocol != "dialogue" else tuple(map(float, run.rubric.scale.values))
    if not cases or len(classes) > _MOST_CLASSES:
        return None
    return confusion([(class_of(run, case.row.decided), class_of(run, case.human)) for case in cases], classes)


def criteria_of(run: Run, sample: Sequence[LabelledCase], draws: int) -> tuple[FigureRow, ...]:
    """Return the figures of each criterion that people rated, in a review for each response."""
    found = []
    for criterion in run.rubric.criteria:
        columns = {criterion.key: criterion.name}
        if run.protocol == "review":
            columns = {
                f"{criterion.key}_{label.lower()}": f"{criterion.name}, Response {number}"
                for number, label in enumerate(LABELS, start=1)
            }
        for place, (column, name) in enumerate(columns.items()):
            both = [
                _said(score, case.criteria[column], case)
                for case in sample
                if column in case.criteria
                if (score := case.row.scores[criterion.key][place]) is not None
            ]
            if both:
                figures = measured(("mae", "alpha_interval", "spearman"), both, draws)
                found.append(FigureRow(name=name, figures=figures))
    return tuple(found)


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
