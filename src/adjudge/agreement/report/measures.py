"""The figures of a judge's agreement with people, by protocol, and what they are compared with: simple rules on the
same cases, and people's agreement with each other.

A comparison's label is a class, a dialogue's a number, a review's both: a side, and a number from 1 to 7. Rank
correlations use the number behind a verdict: A's lead, or a dialogue's average before rounding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from statistics import fmean, median
from typing import Any

from ...models.base import Frozen
from ...models.common import LABELS
from ...models.figures import Change, Figure
from ...models.rows import Protocol
from ...results.run import Run
from ...statistics.changes import share_change
from ...statistics.figures import (
    PREFERENCE,
    Confusion,
    Level,
    Measure,
    Value,
    accuracy,
    against_others,
    base_rates,
    baselines,
    cohen_kappa,
    confusion,
    difference,
    grouped,
    kendall,
    krippendorff_alpha,
    labels_needed,
    mean_absolute_error,
    quadratic_kappa,
    spearman,
    units_of,
)
from .joining import LabelledCase, number_of, side_of

ONE_PERSON, SAME_PEOPLE = "one person", "judge against the same people"
SMALLER_IS_BETTER = ("mae", "mae_average")
NEAR = 0.05  # half the width of the interval for which we estimate the number of labels needed
_MOST_VOTES = 5_000  # people × cases; a bootstrap over this many takes seconds
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


def _sides(case: LabelledCase) -> tuple[Any, ...]:
    return side_of(case.row.decided), side_of(case.human), case.row.content


def _numbers(case: LabelledCase) -> tuple[Any, ...]:
    return _place(case.row.decided), _place(case.human), case.row.content


def _scores(case: LabelledCase) -> tuple[Any, ...]:
    number = number_of(case.row)
    # People's winners are numbered from A (−1) to B (1), so A's lead changes its sign.
    turned = -number if number is not None and isinstance(case.row.value, str) else number
    return turned, _place(case.human), case.row.content


def _place(value: Value | None) -> float | None:
    return PREFERENCE[value] if isinstance(value, str) else value


def _alpha(level: Level) -> Measure[Any]:
    return lambda pairs: krippendorff_alpha((pair[:2] for pair in pairs), level)


# Each measure, and how it reads a case. An undecided verdict is read as None.
MEASURES: dict[str, tuple[Measure[Any], Callable[[LabelledCase], tuple[Any, ...]]]] = {
    "accuracy": (accuracy, _sides),
    "kappa": (cohen_kappa, _sides),
    "mae": (mean_absolute_error, _numbers),
    "mae_average": (mean_absolute_error, _scores),
    "quadratic_kappa": (quadratic_kappa, _numbers),
    "alpha_nominal": (_alpha("nominal"), _sides),
    "alpha_ordinal": (_alpha("ordinal"), _numbers),
    "alpha_interval": (_alpha("interval"), _numbers),
    "spearman": (spearman, _scores),
    "kendall": (kendall, _scores),
}
_RANKS = ("spearman", "kendall")
_MEASURED: dict[Protocol, tuple[str, ...]] = {
    "compare": ("accuracy", "kappa", "quadratic_kappa", "alpha_nominal", "alpha_ordinal", *_RANKS),
    "dialogue": ("mae", "mae_average", "alpha_interval", "alpha_ordinal", "quadratic_kappa", *_RANKS),
    "review": ("accuracy", "kappa", "mae", "quadratic_kappa", "alpha_ordinal", "alpha_interval", *_RANKS),
}
# The measures for comparing judges, people, simple rules, and runs over time.
HEADLINES: dict[Protocol, tuple[str, str]] = {
    "compare": ("accuracy", "kappa"),
    "dialogue": ("mae", "spearman"),
    "review": ("accuracy", "kappa"),
}


def figure(name: str, cases: Sequence[LabelledCase]) -> Figure:
    """Compute a figure without an interval."""
    metric, seen = MEASURES[name]
    return metric([seen(case) for case in cases])


def measured(name: str, cases: Sequence[LabelledCase], draws: int) -> Figure:
    """Compute a figure with its interval. Copies of a case (the same texts) are drawn together."""
    metric, seen = MEASURES[name]
    return grouped(metric, [seen(case) for case in cases], itemgetter(2), draws, is_share=name == "accuracy")


def named(value: Value) -> str:
    """Return a class or a number as people write it."""
    return value if isinstance(value, str) else f"{value:g}"


def agreement_of(run: Run, cases: Sequence[LabelledCase], draws: int) -> dict[str, Any]:
    """Compute all measures over these cases, with base rates, the figures of rules and people on the same cases, and
    how many more labels an interval of ±5 points would need."""
    metrics = {name: measured(name, cases, draws) for name in _MEASURED[run.protocol]}
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
        rows.append(FigureRow(name=rule, figures={name: measured(name, judged, draws) for name in names}))
    met = [meeting for case in cases for meeting in _meetings(case)]
    few = len({person for person, _, _ in met}) * len({own.row.content for _, own, _ in met}) <= _MOST_VOTES
    people = {ONE_PERSON: [(who, own) for who, own, _ in met], SAME_PEOPLE: [(who, judge) for who, _, judge in met]}
    for side, told in people.items() if met else ():
        figures = {}
        for name in names:
            metric, seen = MEASURES[name]
            held, mean = [(*seen(case), who) for who, case in told], partial(_mean_of_people, metric)
            if few:
                figures[name] = grouped(mean, held, itemgetter(2), draws)
            else:
                figures[name] = replace(mean(held), reason="too many people for an interval")
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

    def alpha(cases: Sequence[LabelledCase]) -> Figure:
        return krippendorff_alpha((tuple(case.votes.values()) for case in cases), _LEVELS[protocol])

    return grouped(alpha, several, lambda case: case.row.content, draws) if several else None


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


def _mean_of_people(metric: Measure[Any], said: Sequence[tuple[Any, ...]]) -> Figure:
    """Return the mean over people, weighted by their cases, of their figure (or the judge's) against the others."""
    found = list(map(metric, units_of(said, itemgetter(3))))
    known = [(figure.value, figure.cases) for figure in found if figure.value is not None]
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
                figures = {it: measured(it, both, draws) for it in ("mae", "alpha_interval", "spearman")}
                found.append(FigureRow(name=name, figures=figures))
    return tuple(found)


# -- two judges, two runs ---------------------------------------------------------------------------------------------


def compared(name: str, pairs: Sequence[tuple[LabelledCase, LabelledCase]], draws: int) -> Change:
    """Compare a figure of two judges over the same labelled cases. For accuracy, p is from the exact McNemar test."""
    units = units_of(pairs, lambda pair: pair[0].row.content)
    if name == "accuracy" and pairs and len(units) == len(pairs):
        right = [[one == other for one, other, _ in map(_sides, side)] for side in zip(*pairs, strict=True)]
        return share_change(*right)
    first_of, second_of = (
        lambda drawn, at=at: figure(name, [pair[at] for unit in drawn for pair in unit]) for at in (0, 1)
    )
    return difference(first_of, second_of, [units], draws)


def drifted(name: str, earlier: Sequence[LabelledCase], later: Sequence[LabelledCase], draws: int) -> Change:
    """Compare a figure over earlier cases with the same figure over different, later cases."""
    sides = [units_of(side, lambda case: case.row.content) for side in (earlier, later)]

    def measure(drawn: Sequence[Sequence[LabelledCase]]) -> Figure:
        return figure(name, list(chain.from_iterable(drawn)))

    return difference(measure, measure, sides, draws)
