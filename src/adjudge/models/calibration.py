"""A calibration as a rubric keeps it: a map from a judge's scores to those of people, and where it came from.

It is learned in `agreement/`; here it is only read and applied. A calibrated number stands beside the exact ones.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .base import Exact, Frozen, absent

MapKind = Literal["isotonic", "ordinal"]
CalibratedKind = Literal["preference_for_a", "overall_experience", "likert"]


class CalibrationMap(Frozen):
    """A rising map from a judge's score to the human scale, as plain numbers.

    Isotonic: straight lines between `points`, level beyond them. Ordinal: the mean of the human `levels` under
    P(level ≤ k) = 1 ÷ (1 + e^(slope × score − cuts[k])).
    """

    kind: MapKind
    points: tuple[tuple[float, float], ...] = Field(default=(), exclude_if=absent)
    levels: tuple[float, ...] = Field(default=(), exclude_if=absent)
    slope: float | None = Field(default=None, ge=0, exclude_if=absent)
    cuts: tuple[float, ...] = Field(default=(), exclude_if=absent)

    def apply(self, score: float) -> float:
        """The human score to expect where the judge gives this one."""
        if self.kind == "isotonic":
            at = bisect_right(self.points, score, key=lambda point: point[0])
            if at in (0, len(self.points)):
                return self.points[min(at, len(self.points) - 1)][1]
            (left, low), (right, high) = self.points[at - 1 : at + 1]
            return low + (high - low) * (score - left) / (right - left)
        below = [0.0, *(_logistic(cut - (self.slope or 0.0) * score) for cut in self.cuts), 1.0]
        return math.fsum(level * (high - low) for level, (low, high) in zip(self.levels, pairwise(below), strict=True))

    @model_validator(mode="after")
    def _rises(self) -> Self:
        """It has what its kind needs, and rises."""
        xs, ys = [x for x, _ in self.points], [y for _, y in self.points]
        ordinal = self.slope is not None and len(self.levels) == len(self.cuts) + 1
        whole = bool(self.points) if self.kind == "isotonic" else ordinal
        rising = all(low < high for each in (xs, self.levels, self.cuts) for low, high in pairwise(each))
        finite = all(map(math.isfinite, (*xs, *ys, *self.levels, *self.cuts, self.slope or 0.0)))
        if whole and rising and finite and all(low <= high for low, high in pairwise(ys)):
            return self
        raise ValueError("not a calibration map: kind isotonic with points, or ordinal with levels, slope and cuts")


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else 1 - 1 / (1 + math.exp(value))


class SavedWeights(Frozen):
    """Weights of criteria learned from the same labels; they are shown beside the rubric's own and not used.

    `loss` and `default_loss` are the errors of both on held-out cases.
    """

    weights: dict[str, float]
    loss: float
    default_loss: float


class SavedCalibration(Frozen):
    """The `calibration` section of a rubric: for which judge and which version of the rubric it holds, and from what it
    was learned. `errors` are root mean squares on held-out cases: of the judge's own number (`unchanged`), of one
    number for all cases (`mean`) and of both kinds of maps."""

    what: CalibratedKind
    judge: str = Field(min_length=1)
    rubric: str
    date: str
    cases: int
    labels: int
    people: int
    errors: dict[str, float]
    map: CalibrationMap
    learned_weights: SavedWeights | None = Field(default=None, exclude_if=absent)


class CalibratedScore(Frozen):
    """A verdict's number on the scale of the people who labelled cases: what they would be expected to say.

    `preference_for_a`: from 0 (all prefer B) over 0.5 (no preference) to 1 (all prefer A). `overall_experience` and
    `likert` are on the scales of these numbers.
    """

    what: CalibratedKind
    value: Exact
    method: MapKind
    cases: int = Field(description="How many labelled cases the map was learned from.")


# A field of every verdict, left out of the JSON where there is none.
Calibrated = Annotated[
    CalibratedScore | None,
    Field(exclude_if=absent, description="On the scale of people, if the rubric has a calibration."),
]
