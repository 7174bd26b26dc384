"""The score of a grading, and whether it passes: pure, exact arithmetic over shares of points.

Everything is computed twice, with what nobody assessed at its worst and at its best. Only if both say the same, the
answer passed or failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ...arithmetic import rounded

_TENTH = Decimal("0.1")
_MOST_PLACES = 40


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """An applicable item: its points, the share of them (None if nobody assessed it; of a fault 1 if it was found),
    and the share that a required item needs."""

    points: Decimal
    share: Fraction | None
    needed: Fraction | None = None

    @property
    def is_met(self) -> bool | None:
        """Whether a required item is met; True if it is not required, None if nobody knows."""
        if self.needed is None:
            return True
        if self.share is None:
            return None
        return self.share == 0 if self.points < 0 else self.share >= self.needed

    def at(self, *, best: bool) -> ScoredItem:
        """Return the part as it counts at its worst or at its best, if nobody assessed it."""
        if self.share is not None:
            return self
        return ScoredItem(self.points, Fraction((self.points > 0) == best), self.needed)


class ScoreOutcome(NamedTuple):
    """A score and whether it passes."""

    score: Fraction
    passed: bool


def score_of(parts: Iterable[ScoredItem]) -> Fraction | None:
    """Return the share of points earned by the assessed parts, not below 0. None if no part could earn any."""
    assessed = [(Fraction(part.points), part.share) for part in parts if part.share is not None]
    most = sum((points for points, _ in assessed if points > 0), Fraction(0))
    if not most:
        return None
    # The points of a fault are negative, so that adding them is its cost.
    return max(Fraction(0), sum((points * share for points, share in assessed), Fraction(0)) / most)


def outcome_of(parts: Sequence[ScoredItem], pass_at: Decimal, *, best: bool) -> ScoreOutcome:
    """Return the score and whether it passes, with what nobody assessed at its worst or at its best."""
    filled = [part.at(best=best) for part in parts]
    score = score_of(filled) or Fraction(0)
    return ScoreOutcome(score, score >= Fraction(pass_at) and all(part.is_met for part in filled))


def percent(score: Fraction, pass_at: Decimal | Fraction) -> Decimal:
    """Return a score from 0 to 100 with one decimal, and with more where rounding would put it on the wrong side of
    `pass_at`."""
    step, shown, limit = _TENTH, Decimal(0), 100 * Fraction(pass_at)
    for _ in range(_MOST_PLACES):
        shown = rounded(100 * score, step)
        if (shown >= limit) == (100 * score >= limit):
            break
        step /= 10
    return shown.quantize(min(step, _TENTH))
