"""What a cascade costs and how far it agrees with people, threshold by threshold.

The cheap judge is asked of every case, the dear one only where the cheap one is less sure than the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from .intervals import share
from .metrics import Figure, Value

_POINTS = 40  # thresholds, which is what a curve can show


@dataclass(frozen=True, slots=True)
class CascadeCase:
    """A labelled case that both judges judged. A cheap judge that names no confidence is never sure."""

    cheap: Value
    confidence: float | None
    cheap_cost: Decimal
    dear: Value
    dear_cost: Decimal
    human: Value


@dataclass(frozen=True, slots=True)
class CascadePoint:
    """With this threshold: the share of cases passed on, the cost a case, agreement with people.

    `threshold` is None for the dear judge alone, without the cheap one. `efficient`: no point costs less and agrees as
    well.
    """

    threshold: float | None
    passed_on: float
    cost: Decimal
    agreement: Figure
    efficient: bool = False


def cost_curve(cases: Sequence[CascadeCase]) -> tuple[CascadePoint, ...]:
    """The cost–agreement curve, from the cheap judge alone (threshold 0) up to the dear one alone.

    A threshold chosen by this curve has been chosen on these labels: its agreement on new cases will be a little lower.
    """
    if not cases:
        return ()
    levels = sorted({case.confidence for case in cases if case.confidence is not None})
    step = max(len(levels) // _POINTS, 1)
    # The lowest confidence passes nothing on; and passing everything on costs more than the dear judge alone.
    points = [_point(cases, at) for at in (0.0, *levels[1::step])]
    alone = sum((case.dear_cost for case in cases), Decimal()) / len(cases)
    points.append(CascadePoint(None, 1.0, alone, share(sum(case.dear == case.human for case in cases), len(cases))))
    return tuple(_marked(point, points) for point in points)


def _point(cases: Sequence[CascadeCase], threshold: float) -> CascadePoint:
    hits, passed, cost = 0, 0, Decimal()
    for case in cases:
        # With the threshold at 0 the cheap judge stands alone, also where it names no confidence.
        asked = threshold > 0 and (case.confidence is None or case.confidence < threshold)
        passed += asked
        cost += case.cheap_cost + (case.dear_cost if asked else 0)
        hits += (case.dear if asked else case.cheap) == case.human
    return CascadePoint(threshold, passed / len(cases), cost / len(cases), share(hits, len(cases)))


def _marked(point: CascadePoint, points: Sequence[CascadePoint]) -> CascadePoint:
    value = point.agreement.value or 0.0
    beaten = any(
        (other.cost < point.cost and (other.agreement.value or 0.0) >= value)
        or (other.cost == point.cost and (other.agreement.value or 0.0) > value)
        for other in points
    )
    return CascadePoint(point.threshold, point.passed_on, point.cost, point.agreement, not beaten)
