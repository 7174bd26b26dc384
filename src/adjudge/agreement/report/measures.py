"""Which figures say how far a judge agrees with people, protocol by protocol, and what they stand beside: simple rules
on the same cases, and people against each other.

A comparison is a class, a dialogue's overall score a number, a review's preference both: a side, and a number from 1 to
7. Rank correlations take the number behind a verdict: how far A is ahead, or a dialogue's average before it is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, median
from typing import NamedTuple

from ...models.base import Frozen
from ...models.common import LABELS
from ...models.rows import Protocol
from ...results.run import Run
from ...results.statistics import share_change
from ..figures import (
    PREFERENCE,
    Confusion,
    Difference,
    Figure,
    Level,
    Metric,
    Ratings,
    Value,
    accuracy,
    against_others,
    base_rates,
    baselines,
    cohen_kappa,
    confusion,
    drift,
    grouped,
    kendall,
    krippendorff_alpha,
    labels_needed,
    mean_absolute_error,
    paired_difference,
    quadratic_kappa,
    share,
    spearman,
    units_of,
)
from ..labels.files import criterion_scales
from .joining import LabelledCase, side_of

ONE_PERSON, SAME_PEOPLE = "one person", "judge against the same people"
SMALLER_IS_BETTER = ("mae", "mae_average")
NEAR = 0.05  # the half width of an interval that labels are counted for
_MOST_VOTES = 5_000  # people × cases, whose bootstrap takes seconds
_MOST_CLASSES = 11
_SIDES: tuple[Value, ...] = ("A", "tie", "B")
_LEVELS: dict[Protocol, Level] = {"compare": "nominal", "dialogue": "interval", "review": "ordinal"}


class Rated(NamedTuple):
    """What both sides say of a case: the verdict, the number behind it, people's word; and whose copy the case is."""

    judge: Value | None
    score: float | None
    human: Value | None
    content: int


class RatedMeasure(NamedTuple):
    """A figure of rated cases: what is taken of both sides, and what is made of it."""

    metric: Metric
    judge: Callable[[Rated], Value | None]
    human: Callable[[Rated], Value | None]

    def __call__(self, cases: Sequence[Rated]) -> Figure:
        return self.metric(list(map(self.judge, cases)), list(map(self.human, cases)))


class Beside(Frozen):
    """Somebody's headline figures on the same cases: the judge, a simple rule, or a person against the others."""

    name: str
    figures: dict[str, Figure]


class BestGuesses(Frozen):
    """The figures over all cases with a verdict, an undecided one with the judge's best guess."""

    cases: int
    base_rates: dict[str, float]
    metrics: dict[str, Figure]
    more_labels: dict[str, int | None]
    beside: tuple[Beside, ...]


class CriterionAgreement(Frozen):
    """Judge and people on one criterion that people rated, too."""

    name: str
    figures: dict[str, Figure]


# -- the measures of a protocol ---------------------------------------------------------------------------------------


def _place(value: Value | None) -> float | None:
    return PREFERENCE[value] if isinstance(value, str) else value


def _of_verdicts(metric: Metric, seen: Callable[[Value | None], Value | None] = lambda value: value) -> RatedMeasure:
    return RatedMeasure(metric, lambda case: seen(case.judge), lambda case: seen(case.human))


def _of_scores(metric: Metric) -> RatedMeasure:
    return RatedMeasure(metric, lambda case: case.score, lambda case: _place(case.human))


def _alpha(level: Level) -> RatedMeasure:
    def alpha(judge: Ratings, human: Ratings) -> Figure:
        return krippendorff_alpha(zip(judge, human, strict=True), level)

    return _of_verdicts(alpha) if level == "nominal" else _of_verdicts(alpha, _place)


MEASURES: dict[Protocol, dict[str, RatedMeasure]] = {
    "compare": {
        "accuracy": _of_verdicts(accuracy),
        "kappa": _of_verdicts(cohen_kappa),
        "quadratic_kappa": _of_verdicts(quadratic_kappa, _place),
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
        "accuracy": _of_verdicts(accuracy, side_of),
        "kappa": _of_verdicts(cohen_kappa, side_of),
        "mae": _of_verdicts(mean_absolute_error),
        "quadratic_kappa": _of_verdicts(quadratic_kappa),
        "alpha_ordinal": _alpha("ordinal"),
        "alpha_interval": _alpha("interval"),
        "spearman": _of_verdicts(spearman),
        "kendall": _of_verdicts(kendall),
    },
}
# Those by which judges, people and simple rules are compared with each other, and runs over time.
HEADLINES: dict[Protocol, tuple[str, str]] = {
    "compare": ("accuracy", "kappa"),
    "dialogue": ("mae", "spearman"),
    "review": ("accuracy", "kappa"),
}


def rated(case: LabelledCase) -> Rated:
    """A labelled case as the measures take it; an undecided verdict is a gap."""
    row = case.row
    # People's words stand on a line from A (−1) to B (1): so must the lead of A.
    score = -row.score if row.winner is not None and row.score is not None else row.score
    return Rated(row.decided, score, case.human, row.content)


def measured(protocol: Protocol, name: str, cases: Sequence[Rated], draws: int) -> Figure:
    """A figure with its interval. Copies of a case (the same texts) are drawn together."""
    metric, judge, human = MEASURES[protocol][name]
    seen = [(judge(case), human(case), case.content) for case in cases]  # once, not in every draw

    def measure(drawn: Sequence[tuple[Value | None, Value | None, int]]) -> Figure:
        return metric([case[0] for case in drawn], [case[1] for case in drawn])

    return grouped(measure, seen, lambda case: case[2], draws, is_share=name == "accuracy")


def all_figures(protocol: Protocol, cases: Sequence[Rated], draws: int) -> dict[str, Figure]:
    """Every measure of a protocol."""
    sides = [
        {named(value) for value in side if value is not None} for side in zip(*(it[::2] for it in cases), strict=True)
    ]
    judge, human = map(list, sides or (set[str](), set[str]()))
    found = {name: measured(protocol, name, cases, draws) for name in MEASURES[protocol]}
    # Said in people's terms, not in those of the numbers that classes were turned into.
    reason = ""
    if len(judge) == len(human) == 1:
        said = f"both sides always say {human[0]}"
        said = said if judge == human else f"the judge always says {judge[0]}, people {human[0]}"
        reason = f"{said}: nothing to agree beyond chance on"
    elif len(human) == 1:
        reason = f"people always say {human[0]}: nothing to correlate"
    return {
        name: replace(figure, reason=reason) if reason and figure.value is None else figure
        for name, figure in found.items()
    }


def more_labels(metrics: Mapping[str, Figure]) -> dict[str, int | None]:
    """How many more labels an interval of ±5 points would need, by measure."""
    return {name: labels_needed(figure, NEAR) for name, figure in metrics.items() if name not in SMALLER_IS_BETTER}


def named(value: Value) -> str:
    """A class or a number as people write it."""
    return value if isinstance(value, str) else f"{value:g}"


def best_guesses(protocol: Protocol, sample: Sequence[LabelledCase], draws: int) -> BestGuesses | None:
    """All figures again, with the judge's best guess where it did not decide; None if it decided every case."""
    known = [case for case in sample if case.human is not None and case.row.ending in ("verdict", "undecided")]
    if all(case.row.ending == "verdict" for case in known):
        return None
    guessed = [replace(case, row=replace(case.row, ending="verdict")) for case in known]
    metrics = all_figures(protocol, list(map(rated, guessed)), draws)
    rates = base_rates([case.human for case in guessed])
    return BestGuesses(
        cases=len(guessed),
        base_rates={named(value): rate for value, rate in rates.items()},
        metrics=metrics,
        more_labels=more_labels(metrics),
        beside=beside(protocol, guessed, metrics, draws),
    )


# -- beside simple rules, and people beside each other ----------------------------------------------------------------


def beside(
    protocol: Protocol, cases: Sequence[LabelledCase], metrics: Mapping[str, Figure], draws: int
) -> tuple[Beside, ...]:
    """The judge, simple rules, one person against the others, and the judge against those same others."""
    names = HEADLINES[protocol]
    rows = [Beside(name="judge", figures={name: metrics[name] for name in names})]
    for rule, said in _rules(protocol, cases).items():
        judged = [_said(value, case.human, case) for value, case in zip(said, cases, strict=True)]
        rows.append(Beside(name=rule, figures={name: measured(protocol, name, judged, draws) for name in names}))
    met = [meeting for case in cases for meeting in _meetings(case)]
    few = len({person for person, _, _ in met}) * len({own.content for _, own, _ in met}) <= _MOST_VOTES
    sides = {
        ONE_PERSON: [(person, own) for person, own, _ in met],
        SAME_PEOPLE: [(who, judge) for who, _, judge in met],
    }
    for who, held in sides.items() if met else ():
        figures = {}
        for name in names:
            metric, one, others = MEASURES[protocol][name]
            seen = [(person, one(case), others(case), case.content) for person, case in held]
            mean = partial(_mean_of_people, metric)
            if few:
                figures[name] = grouped(mean, seen, lambda each: each[3], draws)
            else:
                figures[name] = replace(mean(seen), reason="too many people for an interval")
        rows.append(Beside(name=who, figures=figures))
    return tuple(rows)


def each_person(protocol: Protocol, cases: Sequence[LabelledCase]) -> dict[str, dict[str, Figure]]:
    """Each person against the others, by name and headline."""
    met: dict[str, list[Rated]] = {}
    for person, own, _ in (meeting for case in cases for meeting in _meetings(case)):
        met.setdefault(person, []).append(own)
    return {
        person: {name: MEASURES[protocol][name](met[person]) for name in HEADLINES[protocol]} for person in sorted(met)
    }


def people_alpha(protocol: Protocol, sample: Sequence[LabelledCase], draws: int) -> Figure | None:
    """How far people agree among themselves: no judge can be expected to agree more."""
    several = [case for case in sample if len(case.votes) > 1]

    def alpha(cases: Sequence[LabelledCase]) -> Figure:
        return krippendorff_alpha((tuple(case.votes.values()) for case in cases), _LEVELS[protocol])

    return grouped(alpha, several, lambda case: case.row.content, draws) if several else None


def _said(value: Value | None, human: Value | None, case: LabelledCase) -> Rated:
    """What a rule or a person says of a case, held to people's word."""
    return Rated(value, value if isinstance(value, float) else None, human, case.row.content)


def _rules(protocol: Protocol, cases: Sequence[LabelledCase]) -> dict[str, list[Value | None]]:
    """What a constant, the longer answer and the first position would say."""
    human = [case.human for case in cases]
    if protocol == "dialogue":
        # The median has the least absolute error of all constants.
        middle = median(float(value) for value in human if value is not None) if human else None
        return {"constant": [middle] * len(cases)}
    return baselines(list(map(side_of, human)), [case.row.words or (0, 0) for case in cases])


def _meetings(case: LabelledCase) -> Iterator[tuple[str, Rated, Rated]]:
    """Each person, their label of a case, and the judge's verdict; both are held to what the others say together."""
    judge = rated(case)
    for person, own, others in against_others(case.votes):
        yield person, _said(own, others, case), judge._replace(human=others)


def _mean_of_people(metric: Metric, said: Sequence[tuple[str, Value | None, Value | None, int]]) -> Figure:
    """The mean over people, weighted by their cases, of their figure (or the judge's) against the others."""
    by_person: dict[str, tuple[list[Value | None], list[Value | None]]] = {}
    for person, one, others, _ in said:
        both = by_person.setdefault(person, ([], []))
        both[0].append(one)
        both[1].append(others)
    found = [metric(*both) for both in by_person.values()]
    known = [(figure.value, figure.cases) for figure in found if figure.value is not None]
    if not known:
        return Figure(None, 0, "no person has a defined figure against the others")
    values, weights = zip(*known, strict=True)
    return Figure(fmean(values, weights), sum(weights))


# -- classes and criteria ---------------------------------------------------------------------------------------------


def class_of(run: Run, value: Value | None) -> Value | None:
    """What base rates count: the winner, the preferred side, or the nearest step of the scale, of two the lower one."""
    if value is None or isinstance(value, str):
        return value
    if run.protocol == "review":
        return side_of(value)
    return min(map(float, run.rubric.scale.values), key=lambda step: (abs(step - value), step))


def confusion_of(run: Run, cases: Sequence[LabelledCase]) -> Confusion | None:
    """Winners, preferred sides, or steps of the scale; None where there is nothing to show, or too many steps."""
    classes = _SIDES if run.protocol != "dialogue" else tuple(map(float, run.rubric.scale.values))
    if not cases or len(classes) > _MOST_CLASSES:
        return None
    both = [(class_of(run, case.row.decided), class_of(run, case.human)) for case in cases]
    return confusion([judge for judge, _ in both], [human for _, human in both], classes)


def criteria_of(run: Run, sample: Sequence[LabelledCase], draws: int) -> tuple[CriterionAgreement, ...]:
    """Criteria that people rated beside the whole; in a review of each response."""
    found, scales = [], criterion_scales(run)
    for criterion in run.rubric.criteria:
        single = run.protocol == "dialogue"
        for place, label in enumerate(
            [criterion.key] if single else [f"{criterion.key}_{it.lower()}" for it in LABELS]
        ):
            both = [
                Rated(scores[place], scores[place], case.criteria[label], case.row.content)
                for case in sample
                if label in scales and label in case.criteria
                if (scores := (case.row.scores or {}).get(criterion.key)) and scores[place] is not None
            ]
            if both:
                wanted = ("mae", "alpha_interval", "spearman")
                figures = {it: measured("dialogue", it, both, draws) for it in wanted}
                name = criterion.name if single else f"{criterion.name}, Response {place + 1}"
                found.append(CriterionAgreement(name=name, figures=figures))
    return tuple(found)


# -- two judges, two runs ---------------------------------------------------------------------------------------------


def compared(protocol: Protocol, name: str, pairs: Sequence[tuple[Rated, Rated]], draws: int) -> Difference:
    """A figure of two judges over the same labelled cases; for accuracy the exact test (McNemar) gives p."""
    measure = MEASURES[protocol][name]
    units = units_of(pairs, lambda pair: pair[0].content)
    if name == "accuracy" and pairs and len(units) == len(pairs):
        before, after = ([measure([pair[at]]).value or 0.0 for pair in pairs] for at in (0, 1))
        found = share_change(before, after)
        first, second = (share(int(sum(side)), len(pairs)) for side in (before, after))
        change = Figure(found.change, found.pairs, "", found.interval)
        return Difference(first, second, change, found.p, "exact sign test (McNemar)")
    first_of, second_of = (lambda drawn, at=at: measure([pair[at] for unit in drawn for pair in unit]) for at in (0, 1))
    return paired_difference(first_of, second_of, units, draws)


def drifted(protocol: Protocol, name: str, earlier: Sequence[Rated], later: Sequence[Rated], draws: int) -> Difference:
    """The change of a figure between different cases."""
    before, after = (units_of(side, lambda case: case.content) for side in (earlier, later))
    return drift(
        lambda drawn: MEASURES[protocol][name]([case for unit in drawn for case in unit]), before, after, draws
    )
