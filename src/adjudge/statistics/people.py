"""A judge and people, measured in the same way: each against one person, chosen at random among those who labelled.

Every labelled case counts once, however many people labelled it and whether or not they agree. What a judge reaches is
its agreement with a random person. What a person reaches is the same for a person who is held out: their agreement with
a random one of the others. Each person in turn is held out, so over all of them the judge meets exactly the same people
on the same cases. Neither figure depends on how many people there are. A person against others is only defined where
two or more people labelled a case.

Kappa and the rank correlation are those of Cohen and Spearman over these pairs (judge and person, or person and other
person), in which every case weighs the same. Among people, this kappa is Fleiss'.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..models.figures import Figure
from .agreement import Ranks, Value
from .resampling import Statistic, mean_by_unit

_SEVERAL = 2
_EQUAL = 1e-9


class Panel:
    """People's labels of some cases, as one list of labels: the case, the person, and the value of each.

    Classes are numbered; numbers are kept. `units` has an entry for each case: cases of one unit are not independent.
    """

    def __init__(self, votes: Sequence[Mapping[str, Value]], units: Sequence[Hashable], *, numeric: bool) -> None:
        self.numeric, self.units = numeric, list(units)
        self.people = sorted({person for own in votes for person in own})
        self.classes: dict[str, int] = {}
        place = {person: at for at, person in enumerate(self.people)}
        labels = [(at, place[person], value) for at, own in enumerate(votes) for person, value in own.items()]
        self.case = np.array([at for at, _, _ in labels], np.int64)
        self.person = np.array([who for _, who, _ in labels], np.int64)
        self.size = len(votes)
        if not numeric:
            self.classes = {value: at for at, value in enumerate(sorted({str(value) for _, _, value in labels}))}
        self.value = self.coded(value for _, _, value in labels)
        self.votes = np.bincount(self.case, minlength=self.size)

    def __len__(self) -> int:
        return self.size

    @property
    def labels(self) -> int:
        return len(self.case)

    def coded(self, values: Iterable[Value | None]) -> Any:
        """Return verdicts as numbers to be compared with these labels: NaN where there is none, −1 for a class that
        nobody gave."""
        if self.numeric:
            return np.array([np.nan if value is None else float(value) for value in values], float)
        codes = (np.nan if value is None else self.classes.get(str(value), -1) for value in values)
        return np.array(list(codes), float)

    @cached_property
    def shared(self) -> Any:
        """Which cases have labels of two or more people."""
        return self.votes >= _SEVERAL

    @cached_property
    def counts(self) -> Any:
        """How many people gave each class to each case."""
        found = np.zeros((self.size, len(self.classes)))
        np.add.at(found, (self.case, self.value.astype(np.int64)), 1.0)
        return found

    def sums(self, numbers: Any) -> Any:
        """Sum numbers of the labels over each case."""
        return np.bincount(self.case, numbers, minlength=self.size)

    def means(self, numbers: Any) -> Any:
        """Return the mean of numbers of the labels over each case; NaN without labels."""
        with np.errstate(all="ignore"):
            return self.sums(numbers) / self.votes


# -- the judge, or a rule, and a random person -------------------------------------------------------------------------


def agreement_with_person(panel: Panel, verdicts: Any) -> Figure:
    """Return how often a judge and a random person say the same; of numbers, their mean distance."""
    return _mean(panel, _with_person(panel, verdicts), _judged(panel, verdicts))


def kappa_with_person(panel: Panel, verdicts: Any) -> Statistic:
    """Return Cohen's kappa of a judge and a random person."""
    known = _judged(panel, verdicts)
    given = known & (verdicts >= 0)
    own = np.where(given[:, None], np.eye(len(panel.classes))[np.where(given, verdicts, 0).astype(np.int64)], 0.0)
    return _kappa(panel, _with_person(panel, verdicts), own, known)


def ranks_with_person(panel: Panel, verdicts: Any) -> Statistic:
    """Return Spearman's rank correlation of a judge and a random person."""
    known = _judged(panel, verdicts)
    judge, theirs = Ranks(verdicts[known], np.flatnonzero(known)), _label_ranks(panel, known)

    def of(weights: Any) -> Any:
        own = weights[:, judge.case]
        rank, mine = judge.of(own), np.zeros_like(weights)
        mine[:, judge.case] = rank
        share = weights[:, theirs.case] / panel.votes[theirs.case]
        other = theirs.of(share)
        both = (share * mine[:, theirs.case] * other).sum(1)
        return both / np.sqrt((own * rank**2).sum(1) * (share * other**2).sum(1))

    return Statistic(of, int(known.sum()), _why_no_ranks(panel, known, verdicts[known]), counted=known)


# -- people and other people -------------------------------------------------------------------------------------------


def agreement_with_others(panel: Panel) -> Figure:
    """Return how often a person and a random other person say the same; of numbers, their mean distance."""
    return _mean(panel, _among_people(panel), panel.shared)


def kappa_with_others(panel: Panel) -> Statistic:
    """Return the kappa of a person and a random other person (Fleiss' kappa)."""
    with np.errstate(all="ignore"):
        shares = panel.counts / panel.votes[:, None]
    return _kappa(panel, _among_people(panel), np.where(panel.shared[:, None], shares, 0.0), panel.shared)


def ranks_with_others(panel: Panel) -> Statistic:
    """Return the rank correlation of a person and a random other person."""
    theirs = _label_ranks(panel, panel.shared)
    votes = panel.votes[theirs.case]
    by_case = np.argsort(theirs.case, kind="stable")
    cases, starts = np.unique(theirs.case[by_case], return_index=True)

    def of(weights: Any) -> Any:
        share = weights[:, theirs.case] / votes
        rank = theirs.of(share)
        total, squares = (np.add.reduceat(numbers[:, by_case], starts, axis=1) for numbers in (rank, rank**2))
        pairs = (total**2 - squares) / (panel.votes[cases] * (panel.votes[cases] - 1))
        return (weights[:, cases] * pairs).sum(1) / (share * rank**2).sum(1)

    return Statistic(of, int(panel.shared.sum()), _why_no_ranks(panel, panel.shared), counted=panel.shared)


def ahead_of_person(panel: Panel, verdicts: Any) -> Figure:
    """Return how much more often a judge says what a random other person says than a person does, on the same cases.
    For numbers, how much nearer it is."""
    judge, people = _with_person(panel, verdicts), _among_people(panel)
    ahead = people - judge if panel.numeric else judge - people
    return _mean(panel, ahead, panel.shared & _judged(panel, verdicts), signed=True)


def _with_person(panel: Panel, verdicts: Any) -> Any:
    """Return, for each case, the share of people who say the same as the judge or, of numbers, their mean distance."""
    own = verdicts[panel.case]
    return panel.means(abs(own - panel.value) if panel.numeric else own == panel.value)


def _among_people(panel: Panel) -> Any:
    """Return, for each case, the share of pairs of people who say the same or, of numbers, their mean distance."""
    if not panel.numeric:
        with np.errstate(all="ignore"):
            return (panel.counts * (panel.counts - 1)).sum(1) / (panel.votes * (panel.votes - 1))
    order = np.lexsort((panel.value, panel.case))
    case, value = panel.case[order], panel.value[order]
    starts = np.cumsum(panel.votes) - panel.votes
    rank = np.arange(len(case)) - starts[case]
    # In sorted order, a value is the greater one as often as there are values before it.
    total = np.bincount(case, (2 * rank - panel.votes[case] + 1) * value, minlength=panel.size)
    with np.errstate(all="ignore"):
        return 2 * total / (panel.votes * (panel.votes - 1))


# -- each person held out ----------------------------------------------------------------------------------------------


class HeldOut:
    """Every label of a case that others labelled, too: the person is held out, and person and judge are compared with
    the same others. `own` and `judge` say how far each agrees with a random other person: the share of them who say the
    same or, for numbers, the distance. `worse` is 1 where the person is nearer to the others than the judge, −1 where
    the judge is nearer, and 0 where neither is (nearness of numbers is by their mean square distance)."""

    def __init__(self, panel: Panel, verdicts: Any) -> None:
        at = np.flatnonzero((panel.shared & _judged(panel, verdicts))[panel.case])
        self.case, self.person = panel.case[at], panel.person[at]
        value, judge, others = panel.value[at], verdicts[self.case], panel.votes[self.case] - 1
        if panel.numeric:
            self.own, self.judge = (self._distances(panel, x, value, others) for x in (value, judge))
            first, second = panel.sums(panel.value)[self.case] - value, panel.sums(panel.value**2)[self.case] - value**2
            near, far = ((second - 2 * x * first + others * x**2) / others for x in (judge, value))
        else:
            same = np.where(judge >= 0, panel.counts[self.case, judge.astype(np.int64)], 0.0) - (judge == value)
            self.own = (panel.counts[self.case, value.astype(np.int64)] - 1) / others
            self.judge = same / others
            near, far = -self.judge, -self.own
        self.worse = np.where(abs(near - far) < _EQUAL, 0.0, np.sign(near - far))

    def _distances(self, panel: Panel, x: Any, value: Any, others: Any) -> Any:
        """Return each label's mean distance of x to the others; one vote at a time, for every label at once."""
        total, most = np.zeros(len(x)), int(panel.votes.max(initial=0))
        order = np.argsort(panel.case, kind="stable")
        starts = (np.cumsum(panel.votes) - panel.votes)[self.case]
        for place in range(most):
            there = place < panel.votes[self.case]
            vote = panel.value[order[np.where(there, starts + place, 0)]]
            total += np.where(there, abs(x - vote), 0.0)
        return (total - abs(x - value)) / others


# -- figures with intervals --------------------------------------------------------------------------------------------


def _judged(panel: Panel, verdicts: Any) -> Any:
    return np.isfinite(verdicts) & (panel.votes > 0)


def _mean(panel: Panel, numbers: Any, known: Any, *, signed: bool = False) -> Figure:
    """Return the mean over the known cases, with an interval by unit."""
    at = np.flatnonzero(known)
    if not len(at):
        return Figure(None, 0, _none(panel, known))
    labels = int(panel.votes[at].sum())
    is_share = not panel.numeric and not signed
    return mean_by_unit(((float(numbers[it]), panel.units[it]) for it in at), is_share=is_share, labels=labels)


def _none(panel: Panel, known: Any) -> str:
    return "no case was labelled by two people" if known is panel.shared else "no case was rated by both sides"


def _kappa(panel: Panel, same: Any, own: Any, known: Any) -> Statistic:
    """Return kappa from the share of agreement in each case and one side's classes; the other side's are people's."""
    with np.errstate(all="ignore"):
        people = np.where(known[:, None], panel.counts / panel.votes[:, None], 0.0)
    # One product gives the number of cases, the agreement, and the classes of both sides.
    sides = np.column_stack([known.astype(float), np.where(known, same, 0.0), own, people])

    def of(weights: Any) -> Any:
        sums = weights @ sides
        shares = sums[:, 1:] / sums[:, :1]
        agree, one, other = shares[:, 0], *np.split(shares[:, 1:], 2, axis=1)
        chance = (one * other).sum(1)
        # Rounding must not make a kappa out of 0/0.
        return np.where(chance < 1 - _EQUAL, (agree - chance) / (1 - chance), np.nan)

    ones = np.ones((1, panel.size)) @ sides if panel.size else np.ones((1, sides.shape[1]))
    first, second = np.split(ones[0, 2:] / max(ones[0, 0], 1.0), 2)
    differ = 1 - float(first @ second)  # how often two random labels differ
    given = [it for it, used in zip(panel.classes, people.sum(0) > 0, strict=True) if used]
    always = f"both sides always say {given[0]}: agreement beyond chance is not defined" if given else ""
    return Statistic(of, int(known.sum()), always or _none(panel, known), lambda least: 1 - (1 - least) / differ, known)


def widened(kappa: Figure, same: Figure) -> Figure:
    """Return kappa with an interval that is at least that of the agreement it is computed from, at the same chance
    agreement: with only a few disagreements a bootstrap would be too sure."""
    if kappa.value is None or kappa.interval is None or same.value in (None, 1.0) or same.interval is None:
        return kappa
    steep = (1 - kappa.value) / (1 - same.value)
    low, high = (1 - steep * (1 - end) for end in same.interval)
    return replace(kappa, interval=(max(min(kappa.interval[0], low), -1.0), min(max(kappa.interval[1], high), 1.0)))


def _label_ranks(panel: Panel, known: Any) -> Ranks:
    of_known = known[panel.case]
    return Ranks(panel.value[of_known], panel.case[of_known])


def _why_no_ranks(panel: Panel, known: Any, verdicts: Any = None) -> str:
    """Say why there may be no rank correlation."""
    for numbers, who in ((verdicts, "the judge always says"), (panel.value[known[panel.case]], "people always say")):
        if numbers is not None and len(numbers) and np.ptp(numbers) == 0:
            return f"{who} {numbers[0]:g}: nothing to correlate"
    return _none(panel, known) if not known.any() else f"too few cases for a correlation: {int(known.sum())}"
