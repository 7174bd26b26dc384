"""What the rubric of a dialogue may say."""

from __future__ import annotations

from decimal import Decimal

from ...arithmetic import plain
from ...errors import RubricError
from ...rubric import Rubric, RubricRules


def check_weights_add_up(rubric: Rubric, place: str) -> None:
    """Check that a dialogue's weights add up to 1, as a weighted average needs."""
    if wrong := _wrong_weights(rubric):
        raise RubricError(place, *wrong)


def _wrong_weights(rubric: Rubric) -> tuple[str, str] | None:
    total = plain(sum(rubric.weights.values(), Decimal(0)))
    return None if total == 1 else (f"the weights add up to {total}", "a dialogue's weights must add up to 1")


RULES = RubricRules(calibrated="overall_experience", check=_wrong_weights)
