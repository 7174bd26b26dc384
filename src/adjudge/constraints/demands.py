"""What a review's task demands in plain English, read offline: from its system prompt and its prompt, by precedence."""

from __future__ import annotations

from ..models.cases import Review
from ..models.constraints import Constraint
from .english import read_constraints


def demands_in_english(case: Review) -> list[Constraint]:
    """What a plain English prompt or system prompt demands; where both speak of the same, the system prompt's."""
    ruling = read_constraints(case.system_prompt, "system_prompt")
    kinds = {constraint.kind for constraint in ruling}
    return [*ruling, *(one for one in read_constraints(case.prompt, "prompt") if one.kind not in kinds)]
