"""From features to scores: one readable table of weights, a sum, and the nearest value the rubric allows.

The weights were set by hand. They say how far a feature at its extreme moves a criterion on a scale from 0 to 1
whose middle is 0.5; nothing here is fitted to data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from .features import Feature

TIE = 0.012  # impressions closer than this are no preference

_FLAWS = {"truncation": 0.12, "repetition": 0.10, "refusal": 0.30, "injection": 0.20, "echo": 0.15}

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "task_understanding": {"coverage": 0.20, "instructions": 0.25, "length": 0.10, **_FLAWS, "refusal": 0.35},
    "correctness_reasoning": {"reasoning": 0.06, "length": 0.06, "variety": 0.03, "instructions": 0.15, **_FLAWS},
    "depth_coverage_usefulness": {"length": 0.30, "coverage": 0.12, "specificity": 0.10, **_FLAWS},
    "actionability_specificity": {"specificity": 0.22, "length": 0.15, "structure": 0.05, **_FLAWS},
    "clarity_structure": {"structure": 0.18, "variety": 0.12, **_FLAWS, "repetition": 0.22, "truncation": 0.20},
    "constraints_tradeoffs_uncertainty": {"caution": 0.25, "instructions": 0.10, **_FLAWS},
    "insight_originality": {"variety": 0.15, "freshness": 0.08, "length": 0.08, **_FLAWS, "echo": 0.25},
}
# For a criterion of a user's own rubric: a bit of everything.
GENERAL: Mapping[str, float] = {
    "coverage": 0.10, "instructions": 0.15, "length": 0.15, "structure": 0.06, "specificity": 0.08, "reasoning": 0.04,
    "variety": 0.05, **_FLAWS,
}  # fmt: skip

# Without knowledge of the world correctness stays between these, unless something found in the text speaks against it.
_UNCHECKED = "correctness_reasoning"
_MIDDLE = (0.34, 0.60)
_SPEAKS = ("truncation", "refusal", "instructions", "injection")


@dataclass(frozen=True, slots=True)
class Weighing:
    """One criterion's place between 0 and 1 for one answer, and what each feature moved it by."""

    place: float
    moves: Mapping[str, float]


def weigh(criterion: str, features: Mapping[str, Feature]) -> Weighing:
    """How one answer does on one criterion."""
    moves = {name: weight * features[name].value for name, weight in WEIGHTS.get(criterion, GENERAL).items()}
    place = 0.5 + sum(moves.values())
    if criterion == _UNCHECKED:
        spoken = any(features[name].value < 0 for name in _SPEAKS)
        place = min(_MIDDLE[1], place if spoken else max(_MIDDLE[0], place))
    return Weighing(max(0.0, min(1.0, place)), moves)


def impression(weighings: Mapping[str, Weighing], weights: Mapping[str, Decimal]) -> float:
    """The overall impression of one answer, from 0 to 1."""
    total = float(sum(weights.values())) or 1.0
    return sum(weighings[key].place * float(weight) for key, weight in weights.items()) / total


def on_scale(place: float, values: Sequence[Decimal]) -> Decimal:
    """The allowed value nearest to a place between 0 and 1; halfway is the higher one."""
    return values[int(place * (len(values) - 1) + 0.5)]
