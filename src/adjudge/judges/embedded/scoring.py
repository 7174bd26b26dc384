"""From votes to scores on the rubric's scale: each criterion from its own votes, all together in the model's favour.

Scores are whole steps of the scale, so rounding could turn a narrow prediction round; then the score that the votes
leave most room for moves by a step. Exchanging the answers exchanges the scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from ...rubric import Rubric
from ...verdicts import LABELS, Label
from .measures import MEASURES, Measured
from .model import Prediction

CORRECTNESS = "correctness_reasoning"
_BASE = 0.55  # where an answer stands with nothing for or against it, from 0 to 1
_REACH = 0.3  # how far one unit of votes moves each answer
_SHARED_FLAW = 0.1  # what a flaw that both have takes from both
_HARD = ("check", "flaw")
_KNOWN = frozenset(info.criterion for info in MEASURES.values())
_FLAWS = {name: info.criterion for name, info in MEASURES.items() if info.sign < 0 and info.theme in _HARD}


class Placed(NamedTuple):
    """One criterion: both scores, and whether there was anything to assess it by."""

    scores: dict[Label, Decimal]
    assessed: bool


def place_all(
    rubric: Rubric, measured: Measured, prediction: Prediction, *, passages: bool = False
) -> dict[str, Placed]:
    """Every criterion's scores; together they name the winner that the model names.

    `passages`: there is a context that the answers should rest on, so that something can be said of correctness.
    """
    values = rubric.scale.values
    top = len(values) - 1
    moved = prediction.by_criterion()
    shared_flaws = _count_shared_flaws(measured)
    steps: dict[str, dict[Label, int]] = {}
    assessed: dict[str, bool] = {}
    for criterion in rubric.criteria:
        key = criterion.key
        assessed[key] = key != CORRECTNESS or passages or _has_flaw(prediction)
        if not assessed[key]:
            steps[key] = {"A": top // 2, "B": top // 2}
            continue
        # A criterion of a user's own has no measures of its own: all of them speak to it a little.
        way = moved.get(key, 0.0) if key in _KNOWN else prediction.score / 2
        ground = _BASE - _SHARED_FLAW * shared_flaws[key]
        steps[key] = {"A": _step(ground + _REACH * way, top), "B": _step(ground - _REACH * way, top)}
    _agree(rubric, steps, [key for key in steps if assessed[key]], prediction, moved)
    return {
        key: Placed({label: values[by_label[label]] for label in LABELS}, assessed[key])
        for key, by_label in steps.items()
    }


def _has_flaw(prediction: Prediction) -> bool:
    """Whether a flaw in one of the answers speaks to correctness."""
    return any(vote.info.criterion == CORRECTNESS and vote.info.theme in _HARD for vote in prediction.votes)


def _count_shared_flaws(measured: Measured) -> Counter[str]:
    """How many flaws both answers have, by the criterion they speak to."""
    return Counter(
        criterion for name, criterion in _FLAWS.items() if measured.a[name].value > 0 and measured.b[name].value > 0
    )


def _step(place: float, top: int) -> int:
    return max(0, min(top, int(place * top + 0.5)))


def _agree(
    rubric: Rubric,
    steps: dict[str, dict[Label, int]],
    assessed: list[str],
    prediction: Prediction,
    moved: Mapping[str, float],
) -> None:
    """Move single scores until the totals, with the rubric's own weights, say what the model says."""
    weights, scale = rubric.weights, rubric.scale
    total = sum(weights.values())
    top = len(scale.values) - 1

    weighty = [key for key in assessed if weights[key]]
    if not weighty:
        return
    for _ in range(2 * top * len(weighty)):
        # How far A leads, on the rubric's scale.
        ahead = sum([weights[key] * (step["A"] - step["B"]) for key, step in steps.items()]) * scale.step / total
        if prediction.winner == "tie":
            if abs(ahead) < rubric.tie_band or not ahead:
                return
            high: Label = "A" if ahead > 0 else "B"
            key = max(weighty, key=lambda key: (steps[key][high] - steps[key][_OTHER[high]], weights[key]))
            steps[key][high] -= 1
            continue
        winner: Label = "A" if prediction.winner == "A" else "B"
        if (ahead > 0) if winner == "A" else (ahead < 0):
            return
        sign = 1 if winner == "A" else -1
        rising = [key for key in weighty if steps[key][winner] < top]
        if rising:
            key = max(rising, key=lambda key: (moved.get(key, 0.0) * sign, weights[key]))
            steps[key][winner] += 1
        else:
            key = max(weighty, key=lambda key: (moved.get(key, 0.0) * sign, weights[key]))
            steps[key][_OTHER[winner]] -= 1


_OTHER: Mapping[Label, Label] = {"A": "B", "B": "A"}
