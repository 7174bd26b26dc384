"""What the rubric of a review may say: every dimension has its own scale, and one of them is the overall quality."""

from __future__ import annotations

from ...rubric import HOW_BAD, ONE_TO_FIVE, OVERALL, TOO_LITTLE_TOO_MUCH, Rubric, RubricRules

_NEEDS = f"a review needs {OVERALL} from 1 to 5, and others from 1 to 3 or from -2 to 2"


def _wrong_scales(rubric: Rubric) -> tuple[str, str] | None:
    """Check the scales: the rules of a review count minor and major issues, so each value needs a known meaning."""
    criteria = rubric.criteria
    overall = [criterion for criterion in criteria if criterion.key == OVERALL]
    if not overall or len(criteria) < 2:
        return f"criteria: no {OVERALL}" if not overall else "criteria: only one", _NEEDS
    for criterion in criteria:
        allowed = (ONE_TO_FIVE,) if criterion.key == OVERALL else (HOW_BAD, TOO_LITTLE_TOO_MUCH)
        if criterion.scale not in allowed:
            return f"{criterion.key}.scale: {criterion.scale.low} to {criterion.scale.high}", _NEEDS
    return None


RULES = RubricRules(
    calibrated="likert",
    own_scales=HOW_BAD,
    weights_are_for="set which dimension decides first between equal Overalls",
    check=_wrong_scales,
)
