"""What a judge's agreement stands beside: simple rules on the same cases, and people against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, median
from typing import NamedTuple

from ...models.base import Frozen
from ...models.common import LABELS
from ...models.rows import Protocol
from ...results.run import Run
from ..labels.files import criterion_scales
from ..statistics.intervals import with_interval
from ..statistics.metrics import (
    Confusion,
    Figure,
    Level,
    Metric,
    Ratings,
    Value,
    base_rates,
    baselines,
    confusion,
    consensus,
    krippendorff_alpha,
    longer_of,
    one_against_others,
)
from .joining import LabelledCase, side_of
from .scoring import (
    DRAWS,
    HEADLINES,
    Rated,
    all_figures,
    by_criterion,
    headline_metric,
    measured,
    more_labels,
    named,
    nearest,
    rated,
)

ONE_PERSON, SAME_PEOPLE = "one person", "judge against the same people"
_MOST_VOTES = 5_000  # people × cases, whose bootstrap takes seconds
_MOST_CLASSES = 11
_SIDES: tuple[Value, ...] = ("A", "tie", "B")
_LEVELS: dict[Protocol, Level] = {"compare": "nominal", "dialogue": "interval", "review": "ordinal"}


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


def beside(protocol: Protocol, cases: Sequence[LabelledCase], metrics: Mapping[str, Figure]) -> tuple[Beside, ...]:
    """The judge, simple rules, one person against the others, and the judge against those same others."""
    names = HEADLINES[protocol]
    rows = [Beside(name="judge", figures={name: metrics[name] for name in names})]
    for rule, said in _rules(protocol, cases).items():
        judged = [Rated(value, None, case.human, case.row.content) for value, case in zip(said, cases, strict=True)]
        rows.append(Beside(name=rule, figures={name: _ruled(protocol, name, judged) for name in names}))
    met = _meetings([case for case in cases if len(case.votes) > 1])
    people = {meeting.person for case in met for meeting in case}
    sides: dict[str, Callable[[_Meeting], Value | None]] = {
        ONE_PERSON: lambda meeting: meeting.own,
        SAME_PEOPLE: lambda meeting: meeting.judge,
    }
    for who, of in sides.items() if met else ():
        figures = {}
        for name in names:
            measure = partial(_mean_of_people, headline_metric(protocol, name), of)
            if len(met) * len(people) <= _MOST_VOTES:
                figures[name] = with_interval(measure, met, DRAWS)
            else:
                figures[name] = replace(measure(met), reason="too many people for an interval")
        rows.append(Beside(name=who, figures=figures))
    return tuple(rows)


def each_person(protocol: Protocol, cases: Sequence[LabelledCase]) -> dict[str, dict[str, Figure]]:
    """Each person against the others, by name and headline."""
    people: dict[str, dict[str, Figure]] = {}
    for name in HEADLINES[protocol]:
        found = one_against_others([case.votes for case in cases], headline_metric(protocol, name))
        for person, figure in found.people.items() if found else ():
            people.setdefault(person, {})[name] = figure
    return people


def people_alpha(protocol: Protocol, sample: Sequence[LabelledCase]) -> Figure | None:
    """How far people agree among themselves: no judge can be expected to agree more."""
    several: list[Ratings] = [tuple(case.votes.values()) for case in sample if len(case.votes) > 1]
    level = _LEVELS[protocol]
    return with_interval(lambda rows: krippendorff_alpha(rows, level), several, DRAWS) if several else None


def best_guesses(protocol: Protocol, sample: Sequence[LabelledCase]) -> BestGuesses | None:
    """All figures again, with the judge's best guess where it did not decide; None if it decided every case."""
    known = [case for case in sample if case.human is not None and case.row.ending in ("verdict", "undecided")]
    if all(case.row.ending == "verdict" for case in known):
        return None
    guessed = [replace(case, row=replace(case.row, ending="verdict")) for case in known]
    metrics = all_figures(protocol, list(map(rated, guessed)))
    rates = base_rates([case.human for case in guessed])
    return BestGuesses(
        cases=len(guessed),
        base_rates={named(value): rate for value, rate in rates.items()},
        metrics=metrics,
        more_labels=more_labels(metrics),
        beside=beside(protocol, guessed, metrics),
    )


def class_of(run: Run, value: Value | None) -> Value | None:
    """What base rates count: the winner, the preferred side, or the nearest step of the scale."""
    if value is None or isinstance(value, str):
        return value
    return side_of(value) if run.protocol == "review" else nearest(value, map(float, run.rubric.scale.values))


def confusion_of(run: Run, cases: Sequence[LabelledCase]) -> Confusion | None:
    """Winners, preferred sides, or steps of the scale; None where there is nothing to show, or too many steps."""
    classes = _SIDES if run.protocol != "dialogue" else tuple(map(float, run.rubric.scale.values))
    if not cases or len(classes) > _MOST_CLASSES:
        return None
    judge, human = ([class_of(run, value) for value in side] for side in _both(cases))
    return confusion(judge, human, classes)


def criteria_of(run: Run, sample: Sequence[LabelledCase]) -> tuple[CriterionAgreement, ...]:
    """Criteria that people rated beside the whole; in a review of each response."""
    found = []
    labelled = {name for case in sample for name in case.criteria} & criterion_scales(run).keys()
    for criterion in run.rubric.criteria if labelled else ():
        single = run.protocol == "dialogue"
        for place, label in enumerate(
            [criterion.key] if single else [f"{criterion.key}_{it.lower()}" for it in LABELS]
        ):
            if label in labelled and (figures := by_criterion(sample, criterion.key, place, label)):
                name = criterion.name if single else f"{criterion.name}, Response {place + 1}"
                found.append(CriterionAgreement(name=name, figures=dict(figures)))
    return tuple(found)


def _both(cases: Sequence[LabelledCase]) -> tuple[list[Value | None], list[Value | None]]:
    return [case.row.decided for case in cases], [case.human for case in cases]


def _rules(protocol: Protocol, cases: Sequence[LabelledCase]) -> dict[str, list[Value | None]]:
    """What a constant, the longer answer and the first position would say."""
    human = [case.human for case in cases]
    if protocol == "dialogue":
        # The median has the least absolute error of all constants.
        middle = median(float(value) for value in human if value is not None) if human else None
        return {"constant": [middle] * len(cases)}
    said = baselines([side_of(value) for value in human])
    if all(case.row.words is not None for case in cases):
        said["longest"] = [longer_of(*case.row.words) if case.row.words else None for case in cases]
    said["first position"] = ["A"] * len(cases)
    return said


def _ruled(protocol: Protocol, name: str, judged: Sequence[Rated]) -> Figure:
    metric = headline_metric(protocol, name)
    return measured(
        lambda cases: metric([case.judge for case in cases], [case.human for case in cases]),
        judged,
        is_share=name == "accuracy",
    )


class _Meeting(NamedTuple):
    """One person's label of a case, the judge's verdict, and what the others say together, which both are held to."""

    person: str
    own: Value
    judge: Value | None
    others: Value | None


def _meetings(cases: Sequence[LabelledCase]) -> list[list[_Meeting]]:
    return [
        [
            _Meeting(
                name, own, case.row.decided, consensus(vote for other, vote in case.votes.items() if other != name)
            )
            for name, own in case.votes.items()
        ]
        for case in cases
    ]


def _mean_of_people(metric: Metric, of: Callable[[_Meeting], Value | None], drawn: Sequence[list[_Meeting]]) -> Figure:
    """The mean over people, weighted by their cases, of their figure (or the judge's) against the others."""
    by_person: dict[str, list[_Meeting]] = {}
    for meeting in (meeting for case in drawn for meeting in case):
        by_person.setdefault(meeting.person, []).append(meeting)
    found = [metric([of(each) for each in met], [each.others for each in met]) for met in by_person.values()]
    known = [(figure.value, figure.cases) for figure in found if figure.value is not None]
    if not known:
        return Figure(None, 0, "no person has a defined figure against the others")
    values, weights = zip(*known, strict=True)
    return Figure(fmean(values, weights), sum(weights))
