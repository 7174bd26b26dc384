"""A calibration as stored in a rubric: a map from a judge's scores to those of people, and how it was learned.

It is learned in `agreement/`; here it is only read and applied. A calibrated number never replaces the exact ones.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .base import Exact, Frozen, absent

MapKind = Literal["isotonic", "ordinal"]


class CalibrationMap(Frozen):
    """A monotonic map from a judge's score to the human scale, as plain numbers.

    Isotonic: linear interpolation between `points`, constant beyond them. Ordinal: the mean of the human `levels` under
    P(level ≤ k) = 1 ÷ (1 + e^(slope × score − cuts[k])).
    """

    kind: MapKind
    points: tuple[tuple[float, float], ...] = Field(default=(), exclude_if=absent)
    levels: tuple[float, ...] = Field(default=(), exclude_if=absent)
    slope: float | None = Field(default=None, ge=0, exclude_if=absent)
    cuts: tuple[float, ...] = Field(default=(), exclude_if=absent)

    def apply(self, score: float) -> float:
        """Return the expected human score for this score of the judge."""
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
        """Check that the map has the fields of its kind and is monotonic."""
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
    """Weights of criteria learned from the same labels. They are shown next to the rubric's weights but not used.

    `loss` and `default_loss` are the errors of the learned and the rubric's weights on held-out cases.
    """

    weights: dict[str, float]
    loss: float
    default_loss: float


class SavedCalibration(Frozen):
    """The `calibration` section of a rubric: which judge and rubric version it is for, and what it was learned from.
    `errors` are root mean square errors on held-out cases: of the judge's own number (`unchanged`), of one
    number for all cases (`mean`) and of both kinds of maps."""

    what: str
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
    """A verdict's number on the scale of the people who labelled cases: the label they are expected to give.

    `preference_for_a` runs from 0 (all prefer B) through 0.5 (no preference) to 1 (all prefer A). `overall_experience`
    and `likert` are on their own scales.
    """

    what: str
    value: Exact
    method: MapKind
    cases: int = Field(description="How many labelled cases the map was learned from.")


# A field of every verdict; left out of the JSON if None.
Calibrated = Annotated[
    CalibratedScore | None,
    Field(exclude_if=absent, description="On the scale of people, if the rubric has a calibration."),
]
