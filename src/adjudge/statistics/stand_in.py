"""May a judge stand in for a person? The alternative annotator test (Calderon, Reichart and Dror, 2025).

Each person in turn is held out. Is the judge at least as near to the other people as this person is, allowing for a
margin? A t test says so for each person, Benjamini and Yekutieli's procedure allows for testing several, and the judge
stands in if it wins against at least half of the people. It cannot if the opposite test shows for more than half of
them that they are nearer to the others by more than the margin. Anything else is open, and needs more labels.

The test differs from the paper's in two points. Its standard error is that of units (tasks), whose cases are not
independent. And the variance is never taken to be less than a difference of the margin must have: with 30 cases in
which judge and person hardly ever differ, the sample's own variance would let a worse judge pass too often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.figures import Figure
from .people import HeldOut, Panel
from .resampling import DRAWS, FEW_UNITS, Statistic, mean_by_unit, numbered, with_interval

MARGIN = 0.15  # what the judge may be worse by, for being cheaper: the paper's advice for skilled people
LEAST_PEOPLE, LEAST_CASES = 3, 30  # the paper's own minimum
PASSES = 0.5  # the winning rate at which a judge stands in
_ERROR = 0.05  # the false discovery rate
_POWER = 0.8  # with which the labels that are still needed would decide
_MOST = 20  # times the labels there are; beyond that we do not say how many more are needed

Answer = Literal["can", "cannot", "open", "refused"]


@dataclass(frozen=True, slots=True)
class AgainstPerson:
    """One person, held out, and the judge in their place, both against the same other people on the same cases.

    `own` and `judge` are their agreement with a random other person, or their distance. `advantage` is the share of
    cases in which the judge is at least as near to the others, `own_advantage` the same for the person. `p` is the
    p-value of "the judge is worse by the margin or more", `p_worse` that of the opposite; None if not tested.
    `wins` says whether the judge wins against this person, allowing for the number of people tested.
    """

    person: str
    cases: int
    own: Figure
    judge: Figure
    advantage: float
    own_advantage: float
    p: float | None = None
    p_worse: float | None = None
    wins: bool | None = None
    loses: bool | None = None


@dataclass(frozen=True, slots=True)
class StandIn:
    """Whether a judge may stand in for a person. `winning_rate` is the share of the `tested` people against whom it
    wins; `advantage` is the mean over them of how often it is at least as near to the others.

    `also` names simple rules that are about as near to people as the judge and pass, too: then the test says nothing
    for the judge.

    If the answer is open or refused, `reason` says why, and `more_labels` how many more are needed, if that is known:
    `more_cases` for each of the people tested or, if refused, labels that complete the minimum.
    """

    answer: Answer
    margin: float
    tested: int
    winning_rate: float | None
    advantage: Figure
    people: tuple[AgainstPerson, ...]
    reason: str = ""
    more_labels: int | None = None
    more_cases: int | None = None
    also: tuple[str, ...] = ()


def stand_in(panel: Panel, verdicts: Any, margin: float = MARGIN, draws: int = DRAWS, share: float = 1.0) -> StandIn:
    """Test whether a judge with these verdicts may stand in for a person. Of further labels, only this `share` would
    count (the judge does not decide every case)."""
    held = HeldOut(panel, verdicts)
    people, tested = _all_tests(panel, held, margin)
    if len(tested) < LEAST_PEOPLE:
        return _refused(panel, verdicts, people, margin, share)
    wins, loses = (_discovered([getattr(test, side) for _, test in tested]) for side in ("p", "p_worse"))
    shown = {
        person.person: replace(person, p=test.p, p_worse=test.p_worse, wins=win, loses=lose)
        for (person, test), win, lose in zip(tested, wins, loses, strict=True)
    }
    rate, lost = sum(wins) / len(tested), sum(loses) / len(tested)
    answer: Answer = "can" if rate >= PASSES else "cannot" if lost > 1 - PASSES else "open"
    missing = _more_cases([test for _, test in tested], margin) if answer == "open" else None
    more = None if missing is None else ceil(missing / share)
    reason = "the labels allow both answers" if answer == "open" else ""
    return StandIn(
        answer=answer,
        margin=margin,
        tested=len(tested),
        winning_rate=rate,
        advantage=_mean_advantage(panel, held, [panel.people.index(person.person) for person, _ in tested], draws),
        people=tuple(shown.get(person.person, person) for person in people),
        reason=reason,
        more_labels=None if more is None else more * len(tested),
        more_cases=more,
    )


def can_stand_in(panel: Panel, verdicts: Any, margin: float = MARGIN) -> bool:
    """Return whether a judge, or a rule, with these verdicts passes the test."""
    _, tested = _all_tests(panel, HeldOut(panel, verdicts), margin)
    return len(tested) >= LEAST_PEOPLE and sum(_discovered([test.p for _, test in tested])) >= PASSES * len(tested)


@dataclass(frozen=True, slots=True)
class _Test:
    """A test against one person: how much more often the person is nearer, its variance for one case, its cases."""

    worse: float
    variance: float
    cases: int
    p: float
    p_worse: float


def _all_tests(
    panel: Panel, held: HeldOut, margin: float
) -> tuple[list[AgainstPerson], list[tuple[AgainstPerson, _Test]]]:
    """Return the people whose cases others labelled, too, and the tests of those who have enough of them."""
    units = numbered(panel.units)
    found = [_against(panel, held, units, at, margin) for at in range(len(panel.people))]
    people = [(person, test) for person, test in found if person.cases]
    return [person for person, _ in people], [(person, test) for person, test in people if test is not None]


def _against(panel: Panel, held: HeldOut, units: Any, at: int, margin: float) -> tuple[AgainstPerson, _Test | None]:
    """Compare a person and the judge with the same others, and test the difference if there are enough cases."""
    chosen = np.flatnonzero(held.person == at)
    worse, unit, cases = held.worse[chosen], units[held.case[chosen]], len(chosen)

    def figure(numbers: Any) -> Figure:
        if cases < LEAST_CASES:
            few = f"fewer than {LEAST_CASES} cases that others labelled, too"
            return Figure(float(numbers.mean()) if cases else None, cases, few)
        pairs = zip(numbers.tolist(), unit.tolist(), strict=True)
        return mean_by_unit(pairs, is_share=not panel.numeric, labels=int((panel.votes[held.case[chosen]] - 1).sum()))

    person = AgainstPerson(
        person=panel.people[at],
        cases=cases,
        own=figure(held.own[chosen]),
        judge=figure(held.judge[chosen]),
        advantage=float((worse <= 0).mean()) if cases else 0.0,
        own_advantage=float((worse >= 0).mean()) if cases else 0.0,
    )
    return person, _tested(worse, unit, margin) if cases >= LEAST_CASES else None


def _tested(worse: Any, units: Any, margin: float) -> _Test | None:
    """Test both ways whether the person is nearer by the margin. None if the cases are of too few units."""
    mean, cases = float(worse.mean()), len(worse)
    _, place = np.unique(units, return_inverse=True)
    count = int(place.max()) + 1
    if count < FEW_UNITS:
        return None
    off = np.bincount(place, worse - mean)
    variance = float(off @ off) / cases * count / (count - 1)
    alone = float(((worse - mean) ** 2).mean())
    # How many times the variance of independent cases; if nothing varies, as if units were single cases.
    sizes = np.bincount(place)
    times = max(variance / alone, 1.0) if alone else float(sizes @ sizes) / cases
    variance = max(variance, margin * (1 - margin) * times)
    score = (mean - margin) / (variance / cases) ** 0.5 if variance else np.inf * np.sign(mean - margin or -1.0)
    below = float(scipy.special.stdtr(count - 1, score))
    return _Test(mean, variance, cases, below, 1 - below)


def _discovered(p: Sequence[float]) -> list[bool]:
    """Return which p-values are discoveries by Benjamini and Yekutieli's procedure, which allows for dependence."""
    return [bool(it <= _ERROR) for it in scipy.stats.false_discovery_control(p, method="by")]


def _more_cases(tests: Sequence[_Test], margin: float) -> int | None:
    """Return how many more cases each person would have to label for a test as powerful as usual to decide, if the
    figures stay as they are. None if there would be too many to say so."""
    people, cases = len(tests), min(test.cases for test in tests)
    leaning = [test for test in tests if test.worse < margin]
    passes = len(leaning) >= PASSES * people
    needed = ceil(PASSES * people) if passes else people // 2 + 1
    level = needed * _ERROR / people / sum(1 / at for at in range(1, people + 1))
    reach = float(scipy.special.ndtri(1 - level) + scipy.special.ndtri(_POWER))
    sizes = sorted(
        test.variance * (reach / (test.worse - margin)) ** 2
        for test in (leaning if passes else tests)
        if (test.worse < margin) == passes and test.worse != margin
    )
    if len(sizes) < needed or sizes[needed - 1] > _MOST * cases:
        return None
    # The test just failed to decide, so at least a tenth more is wanted even where it should have been decided.
    return max(ceil(sizes[needed - 1]) - cases, ceil(cases / 10))


def _refused(panel: Panel, verdicts: Any, people: list[AgainstPerson], margin: float, share: float) -> StandIn:
    """Say what the test lacks: labels that complete three people's labels of the same 30 cases."""
    judged = np.isfinite(verdicts)[panel.case]
    case, person = panel.case[judged], panel.person[judged]
    often = np.bincount(person, minlength=len(panel.people))
    three = np.argsort(-often, kind="stable")[:LEAST_PEOPLE]
    votes = np.sort(np.bincount(case[np.isin(person, three)], minlength=panel.size))[::-1][:LEAST_CASES]
    tasks = len({panel.units[at] for at in np.unique(case)})
    more = max(LEAST_PEOPLE * LEAST_CASES - int(votes.sum()), LEAST_PEOPLE * (FEW_UNITS - tasks))
    enough = sum(each.cases >= LEAST_CASES for each in people)
    reason = (
        f"it needs {LEAST_PEOPLE} people who each label {LEAST_CASES} or more cases that another person labels, too"
    )
    if enough < LEAST_PEOPLE:
        so_far = {0: "nobody has", 1: "1 person has"}.get(enough, f"{enough} people have")
        reason += f"; so far {so_far} {LEAST_CASES} such cases"
    else:
        reason += f", with {FEW_UNITS} or more independent cases (tasks or groups) each; all together have {tasks}"
    nothing = Figure(None, 0, reason)
    return StandIn("refused", margin, 0, None, nothing, tuple(people), reason, ceil(max(more, 1) / share))


def _mean_advantage(panel: Panel, held: HeldOut, people: Sequence[int], draws: int) -> Figure:
    """Return the mean over people of how often the judge is at least as near to the others as the person."""
    sides = []
    for at in people:
        own = held.person == at
        sides.append([np.bincount(held.case[own], minlength=panel.size).astype(float)])
        sides[-1].append(np.bincount(held.case[own], (held.worse[own] <= 0).astype(float), minlength=panel.size))

    def of(weights: Any) -> Any:
        return np.mean([weights @ won / (weights @ there) for there, won in sides], axis=0)

    tested = np.sum([there for there, _ in sides], axis=0) > 0
    statistic = Statistic(of, int(tested.sum()), flawless=lambda least: least, counted=tested)
    return with_interval(statistic, panel.units, draws)
