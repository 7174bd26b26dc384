"""How far a judge leans to one kind of answer, such as the longer one, when the people it is measured by err, too.

Verdicts and votes are numbers: 1 for the answer with more of something, −1 for the other one, 0 for a tie. A case has a
true preference t between −1 and 1. In the mean over cases like it, a person's vote x is m·t, with an m of their own (1
for a person who never errs), and the verdict y is lean + a·t: the judge's random errors make a smaller, and errors that
go one way are the lean. Hence lean = E(y) − a·E(t). If errors are independent, people i and j give

    a·E(t) = E(xᵢ) · cov(y, xⱼ) ÷ cov(xᵢ, xⱼ)

in which every m cancels: people may be of unequal skill and cases of unequal difficulty. (It is the intercept of a
regression with errors in its variable, where one person's votes are the instrument for another's.) A lean that people
share is part of what they prefer. The judge's lean is measured beyond it.

With two votes on too few cases that covariance is unknown. Instead, we compute what it would be if a given share of the
votes were wrong, for every share from 0 to 20 %.

The interval is Fieller's, with the variance of the units' sums: where cov(xᵢ, xⱼ) could be 0, there is none. To have a
width for a judge without an error, it counts one case more of each kind in which the judge contradicts people.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.figures import Figure
from .intervals import CONFIDENCE
from .resampling import FEW_UNITS, numbered, too_few

WIDE = 1.0  # an interval of this width around 0 says nothing: it allows a strong lean either way
WORST_ERROR = 0.2  # the largest share of wrong votes considered where it cannot be estimated
ENOUGH_PAIRS = 30  # cases with two votes: with fewer, the people's error is not estimated
_OWN_MEAN = 30  # votes: the mean of a person with fewer is too uncertain, and theirs are counted with those of others
_ERRORS = np.linspace(0, WORST_ERROR, 5)


class Lean(NamedTuple):
    """How far a judge leans, and the share of wrong votes, estimated from how often people disagree.

    `label_error` is None if too few cases have two votes. Then the lean has no value, and its interval is the range
    that label errors of 0 to 20 % allow.
    """

    figure: Figure
    label_error: float | None


def lean_of(verdicts: Sequence[float], votes: Sequence[Mapping[str, float]], units: Sequence[Hashable]) -> Lean:
    """Measure the lean. Each case has a verdict, at least one vote by person, and the unit it belongs to."""
    ballots, cases, unit_of = _Ballots.of(verdicts, votes), len(verdicts), numbered(units)
    if not (ballots.votes > 0).any() or not (ballots.votes < 0).any():
        return Lean(Figure(None, cases, "people always prefer the same kind of answer"), None)
    if (ballots.count > 1).sum() < ENOUGH_PAIRS:
        return Lean(_range(verdicts, votes, units), None)
    error = _label_error(ballots)
    value, interval = _fieller(ballots, _of_pairs(ballots), unit_of)
    few = _too_few(cases, len(set(units)))
    if few or (value is not None and interval is not None):
        return Lean(Figure(value, cases, few, None if few else interval), error)
    if error > WORST_ERROR:
        return Lean(Figure(None, cases, "people agree too little with each other"), error)
    return Lean(Figure(None, cases, "too few independent labels for one kind of answer"), error)


def _range(verdicts: Sequence[float], votes: Sequence[Mapping[str, float]], units: Sequence[Hashable]) -> Figure:
    """Return the range that wrong votes allow, as a figure without a value. Ties are left out, because nobody knows
    whether they are wrong."""
    named = [{person: vote for person, vote in own.items() if vote} for own in votes]
    kept = [at for at, own in enumerate(named) if own]
    unit_of = [units[at] for at in kept]
    ballots = _Ballots.of([verdicts[at] for at in kept], [named[at] for at in kept])
    if few := _too_few(len(kept), len(set(unit_of))):
        return Figure(None, len(kept), few)
    found = [_fieller(ballots, _with_error(ballots, error), numbered(unit_of))[1] for error in _ERRORS]
    known = [interval for interval in found if interval is not None]
    if len(known) < len(found):
        return Figure(None, len(kept), "errors in so one-sided labels could explain any habit")
    allowed = f"the range is what label errors of 0 to {100 * WORST_ERROR:g} % allow"
    reason = f"fewer than {ENOUGH_PAIRS} cases with two labels: {allowed}"
    return Figure(None, len(kept), reason, (min(low for low, _ in known), max(high for _, high in known)))


def _too_few(cases: int, units: int) -> str:
    return too_few(units, cases, "an interval") if units < FEW_UNITS else ""


class _Ballots(NamedTuple):
    """A verdict for each case, and all votes in one array, each with its case and its person."""

    verdicts: Any
    votes: Any
    case: Any
    person: Any
    count: Any

    @classmethod
    def of(cls, verdicts: Sequence[float], votes: Sequence[Mapping[str, float]]) -> _Ballots:
        cast = [(at, person, vote) for at, own in enumerate(votes) for person, vote in own.items()]
        case, person = np.array([at for at, _, _ in cast]), numbered(name for _, name, _ in cast)
        rare = np.bincount(person) < _OWN_MEAN
        person = numbered(np.where(rare[person], -1, person).tolist())
        count = np.bincount(case, minlength=len(verdicts)).astype(float)
        return cls(np.array(verdicts, float), np.array([vote for _, _, vote in cast], float), case, person, count)

    @property
    def per_pair(self) -> Any:
        """The weight of an ordered pair of votes, so that every case with two votes or more counts the same."""
        count = self.count
        return np.divide(1, count * (count - 1), out=np.zeros(len(count)), where=count > 1)

    def sums(self, numbers: Any) -> Any:
        """Add up for each case what is given for each vote."""
        return np.bincount(self.case, numbers, minlength=len(self.verdicts))


class _Moments(NamedTuple):
    """cov(xᵢ, xⱼ) and E(xᵢ)·cov(y, xⱼ), and how far each case moves them. The second takes the verdicts, so that it can
    also be asked for others than the judge's."""

    spread: float
    product: float
    moves_spread: Any
    moves_product: Callable[[Any], Any]


def _of_pairs(ballots: _Ballots) -> _Moments:
    """Take the mean over all pairs of votes on a case; a case with one vote counts in the means of y and x only."""
    _, votes, case, person, _ = ballots
    sums, cast = ballots.sums, np.bincount(person)
    mean, offset = ballots.verdicts.mean(), ballots.verdicts - ballots.verdicts.mean()
    usual = (np.bincount(person, votes) / cast)[person]
    off = votes - usual
    all_off, all_usual = sums(off), sums(usual)
    pairs = ballots.per_pair
    each_spread = pairs * (all_off**2 - sums(off**2))
    weight = pairs * (all_usual * all_off - sums(usual * off))
    spread, product = float(each_spread.mean()), float((offset * weight).mean())
    # What follows from each person's mean being estimated, too.
    others_off, others_usual = all_off[case] - off, all_usual[case] - usual
    of_spread = np.bincount(person, -2 * pairs[case] * others_off) / cast
    of_product = np.bincount(person, (offset * pairs)[case] * (others_off - others_usual)) / cast
    by_means = sums(of_product[person] * off)
    return _Moments(
        spread,
        product,
        each_spread - spread + sums(of_spread[person] * off),
        lambda verdicts: (verdicts - mean) * (weight - weight.mean()) - product + by_means,
    )


def _with_error(ballots: _Ballots, error: float) -> _Moments:
    """Take each case's mean vote, and assume that this share of the votes is wrong. There are no ties."""
    mean, voted = ballots.verdicts.mean(), ballots.sums(ballots.votes) / ballots.count
    usual = voted.mean()
    off = voted - usual
    together = float(((ballots.verdicts - mean) * off).mean())
    return _Moments(
        float((1 - 2 * error) ** 2 - usual**2),
        float(usual * together),
        -2 * usual * off,
        lambda verdicts: off * together + usual * ((verdicts - mean) * off - together),
    )


def _fieller(ballots: _Ballots, moments: _Moments, units: Any) -> tuple[float | None, tuple[float, float] | None]:
    """Return the lean and its interval, within −1 and 1; None where the spread could be 0."""
    verdicts, cases, spread = ballots.verdicts, len(ballots.verdicts), moments.spread
    mean, count = verdicts.mean(), int(units.max()) + 1
    if spread <= 0 or count < 2:
        return None, None

    def moves(verdicts: Any) -> Any:
        """How far each case moves lean × spread."""
        return (verdicts - mean) * spread + mean * moments.moves_spread - moments.moves_product(verdicts)

    lean = mean * spread - moments.product  # times spread
    tops, bottoms = np.bincount(units, moves(verdicts)), np.bincount(units, moments.moves_spread)
    scale = count / (count - 1) / cases**2
    reach = float(scipy.special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)) ** 2
    top, both, bottom = scale * tops @ tops, scale * tops @ bottoms, scale * bottoms @ bottoms
    preferred, contradicted = ballots.sums(ballots.votes), moves(-verdicts) ** 2 / cases**2
    top += sum(contradicted[kind].mean() for kind in (preferred > 0, preferred < 0) if kind.any())
    # The leans L with (lean − L·spread)² ≤ reach·variance lie between the roots of a·L² − 2b·L + c.
    a, b, c = spread**2 - reach * bottom, lean * spread - reach * both, lean**2 - reach * top
    value = float(np.clip(lean / spread, -1, 1))
    if a <= 0:
        return value, None
    root = np.sqrt(max(b**2 - a * c, 0.0))
    low, high = np.clip([(b - root) / a, (b + root) / a], -1, 1).tolist()
    return value, (low, high)


def _label_error(ballots: _Ballots) -> float:
    """Return the share of wrong votes that would make two people name different answers as often as they do. If they
    agreed no more than by chance, it would be a half."""
    named = ballots.sums(ballots.votes**2)
    alike, both = ballots.per_pair @ (ballots.sums(ballots.votes) ** 2 - named), ballots.per_pair @ (named**2 - named)
    return float(1 - np.sqrt(max(alike / both, 0.0))) / 2 if both else 0.5
