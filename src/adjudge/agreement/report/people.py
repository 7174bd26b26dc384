"""The judge, simple rules and people, all compared in the same way with one person (statistics/people.py), and whether
the judge may stand in for a person.

Every labelled case that the judge decided counts, also one on which people disagree. Numbers that prefer one of two
sides count as that side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from ...models.base import Frozen
from ...models.figures import Figure
from ...protocols.base import Protocol
from ...results.run import Run
from ...statistics import people as of_people
from ...statistics.agreement import Value, krippendorff_alpha
from ...statistics.intervals import labels_needed
from ...statistics.people import Panel
from ...statistics.ratings import base_rates, baselines
from ...statistics.resampling import measured_together, with_interval
from ...statistics.stand_in import StandIn, can_stand_in, stand_in
from .joining import LabelledCase, number_of
from .measures import SMALLER_IS_BETTER, FigureRow, class_of, measured, named

JUDGE, ONE_PERSON, SAME_PEOPLE, MAJORITY = "judge", "one person", "judge against the same people", "majority"
FEW_CASES = 20  # with fewer cases there is no headline
HEADLINE_WITHIN, NEAR = 0.1, 0.05  # half the widths of the intervals for which we say how many labels are needed


class BestGuesses(Frozen):
    """The figures over all cases with a verdict; undecided ones count with the judge's best guess."""

    cases: int
    tied: int
    base_rates: dict[str, float]
    metrics: dict[str, Figure]
    more_labels: dict[str, int | None]
    beside: tuple[FigureRow, ...]
    ahead: Figure | None
    stand_in: StandIn


def agreement_of(
    run: Run, cases: Sequence[LabelledCase], margin: float, draws: int, share: float = 1.0
) -> dict[str, Any]:
    """Compute the figures of a report over these cases: base rates, the judge beside people and rules, all measures
    against people's joint label, and how many more labels an interval of ±5 points would need. Only this `share` of
    labelled cases counts, so more have to be labelled."""
    joint = [case for case in cases if case.human is not None]
    metrics = measured(run.protocol.measured, run.protocol.measured.measures, joint, draws)
    judge = list(map(named, base_rates([case.row.decided for case in joint])))
    human = list(map(named, base_rates([case.human for case in joint])))
    # State the reason in terms of the labels, not of the numbers that classes were converted to.
    reason = ""
    if len(judge) == len(human) == 1:
        always = f"the judge always says {judge[0]}, people {human[0]}"
        always = f"both sides always say {human[0]}" if judge == human else always
        reason = f"{always}: agreement beyond chance is not defined"
    elif len(human) == 1:
        reason = f"people always say {human[0]}: nothing to correlate"
    if reason:
        metrics |= {name: replace(it, reason=reason) for name, it in metrics.items() if it.value is None}
    rates = vote_rates(cases, lambda vote: class_of(run, vote))
    return {
        "tied": len(cases) - len(joint),
        "base_rates": {named(value): rate for value, rate in rates.items()},
        "metrics": metrics,
        "more_labels": {
            # With few cases the interval's own width is too uncertain to say how many would narrow it.
            name: None if it.cases < FEW_CASES or (more := labels_needed(it, NEAR)) is None else ceil(more / share)
            for name, it in metrics.items()
            if name not in SMALLER_IS_BETTER
        },
        **with_people(run.protocol, cases, metrics, margin, draws, share),
    }


def best_guesses(run: Run, sample: Sequence[LabelledCase], margin: float, draws: int) -> BestGuesses | None:
    """Compute all figures with the judge's best guess where it did not decide; None if there are no such guesses."""
    known = [case for case in sample if case.votes and case.row.judged]
    if all(case.row.ending == "verdict" for case in known):
        return None
    guessed = [replace(case, row=replace(case.row, ending="verdict")) for case in known]
    return BestGuesses(cases=len(guessed), **agreement_of(run, guessed, margin, draws))


def with_people(
    protocol: Protocol,
    cases: Sequence[LabelledCase],
    metrics: Mapping[str, Figure],
    margin: float,
    draws: int,
    share: float = 1.0,
) -> dict[str, Any]:
    """Return the fields of a report about the judge, rules and people: `beside`, `ahead` and `stand_in`. `metrics` are
    the judge's figures against people's joint label."""
    labels = protocol.measured
    votes = [{who: labels.class_of(vote) for who, vote in case.votes.items()} for case in cases]
    panel = Panel(votes, [case.row.unit for case in cases], numeric=labels.numeric)
    first, second = labels.headline
    verdicts = {name: panel.coded(values) for name, values in _verdicts(protocol, panel, cases).items()}
    judge, several = verdicts[JUDGE], bool(panel.shared.any())
    if several and not panel.shared.all():
        verdicts[SAME_PEOPLE] = np.where(panel.shared, judge, np.nan)
    means = {name: of_people.agreement_with_person(panel, values) for name, values in verdicts.items()}
    test = stand_in(panel, judge, margin, draws, share)
    if test.answer == "can":
        near = [
            name for name in verdicts if name != SAME_PEOPLE and not_clearly_worse(first, means[name], means[JUDGE])
        ]
        also = (name for name in near if name != JUDGE and can_stand_in(panel, verdicts[name], margin))
        test = replace(test, also=tuple(also))
    if labels.numeric:
        # Ranks are those of the number before it is rounded.
        averages = panel.coded(number_of(case.row) for case in cases)
        judges = [name for name in (JUDGE, SAME_PEOPLE) if name in verdicts]
        verdicts |= {name: np.where(np.isnan(verdicts[name]), np.nan, averages) for name in judges}
    with_person = of_people.ranks_with_person if labels.numeric else of_people.kappa_with_person
    seconds = {name: with_person(panel, values) for name, values in verdicts.items()}
    if several:
        with_others = of_people.ranks_with_others if labels.numeric else of_people.kappa_with_others
        means[ONE_PERSON], seconds[ONE_PERSON] = of_people.agreement_with_others(panel), with_others(panel)
    found = measured_together(seconds, panel.units, draws)
    if not panel.numeric:
        found = {name: of_people.widened(it, means[name]) for name, it in found.items()}
    rows = [FigureRow(name=name, figures={first: means[name], second: found[name]}) for name in means]
    if several:
        rows.append(FigureRow(name=MAJORITY, figures={name: metrics[name] for name in (first, second)}))
    order = (JUDGE, ONE_PERSON, SAME_PEOPLE, MAJORITY)
    rows.sort(key=lambda row: order.index(row.name) if row.name in order else len(order))
    return {
        "beside": tuple(rows),
        "ahead": of_people.ahead_of_person(panel, judge) if several else None,
        "stand_in": test,
    }


def not_clearly_worse(name: str, rule: Figure, judge: Figure) -> bool:
    """Return whether a simple rule's figure is within the judge's interval, or better."""
    if rule.value is None or judge.interval is None:
        return False
    low, high = judge.interval
    return rule.value <= high if name in SMALLER_IS_BETTER else rule.value >= low


def vote_rates(cases: Sequence[LabelledCase], class_of: Callable[[Value], Value | None]) -> dict[Value, float]:
    """Return the share of each class among people's labels, the most frequent first; every case counts once."""
    rates: dict[Value, float] = {}
    for case in cases:
        for vote in case.votes.values():
            if (value := class_of(vote)) is not None:
                rates[value] = rates.get(value, 0.0) + 1 / len(case.votes) / len(cases)
    return dict(sorted(rates.items(), key=lambda item: (-round(item[1], 12), item[0])))


def more_for_headline(counted: Sequence[LabelledCase], share: float) -> int | None:
    """Return how many more labelled cases a headline needs: enough for ±10 points in the worst case, a share of one
    half. None if there are enough. Cases of one task count once, and only this `share` of labelled cases counts."""
    if len(counted) >= FEW_CASES:
        return None
    units = len({case.row.unit for case in counted})
    missing = (1.96 / HEADLINE_WITHIN) ** 2 / 4 - units
    return round(missing / share)


def people_alpha(protocol: Protocol, sample: Sequence[LabelledCase], draws: int) -> Figure | None:
    """Return Krippendorff's alpha of people among themselves. None without two labels of a case."""
    several = [case for case in sample if len(case.votes) > 1]
    alpha = krippendorff_alpha([list(case.votes.values()) for case in several], protocol.measured.level)
    return with_interval(alpha, [case.row.unit for case in several], draws) if several else None


def _verdicts(protocol: Protocol, panel: Panel, cases: Sequence[LabelledCase]) -> dict[str, list[Value | None]]:
    """Return what the judge says, and what the simple rules say: a constant and, with two answers, the longer one and
    the one shown first."""
    measured = protocol.measured
    most = _middle(panel) if measured.numeric else next(iter(vote_rates(cases, measured.class_of)), None)
    constant: list[Value | None] = [most] * len(cases)
    rules = baselines(constant, [case.row.words or (0, 0) for case in cases]) if protocol.table.two_sides else {}
    return {JUDGE: [measured.class_of(case.row.decided) for case in cases], "constant": constant, **rules}


def _middle(panel: Panel) -> float | None:
    """Return the number with the least mean distance to a random person: the median of labels by their weight."""
    if not len(panel.value):
        return None
    order = np.argsort(panel.value)
    weight = np.cumsum(1 / panel.votes[panel.case[order]])
    return float(panel.value[order][np.searchsorted(weight, weight[-1] / 2)])
