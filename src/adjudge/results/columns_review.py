"""The columns of a review: the preference, every rating of both responses, and what became of what was entered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..rubric import Rubric
from .column import Cells, Column, codes

_TABLES = {"a": "response1_fixed_table", "b": "response2_fixed_table"}
_ACTIONS = ("kept", "replaced", "filled", "refused")
NO_PREFERENCE = 4

REVIEW = (
    Column("winner", "VARCHAR", "A (response 1), B (response 2) or tie, as the preference says"),
    Column("likert", "BIGINT", "the preference: 1 response 1 is much better … 7 response 2 is much better", score=True),
    Column("likert_entered", "VARCHAR", "the preference that was entered"),
    Column("likert_action", "VARCHAR", "kept, replaced, filled or refused"),
    Column("invalid", "VARCHAR", "why the task cannot be rated, if it cannot"),
    *(Column(action, "BIGINT", f"how many ratings were {action}") for action in _ACTIONS),
    Column("task_type", "VARCHAR", "what kind of task the judge took it for"),
)


def review_criteria(names: Mapping[str, str], rubric: Rubric) -> tuple[Column, ...]:
    """Three columns for each dimension and response: the final rating, the one entered, what became of it."""
    made: list[Column] = []
    for criterion in rubric.criteria:
        for side, response in (("a", "response 1"), ("b", "response 2")):
            name, about = f"{names[criterion.key]}_{side}", f"{criterion.name} of {response}"
            made += (
                Column(name, "BIGINT", f"{about}: the final rating", score=True),
                Column(f"{name}_entered", "VARCHAR", f"{about}: what was entered"),
                Column(f"{name}_action", "VARCHAR", f"{about}: kept, replaced, filled or refused"),
            )
    return tuple(made)


def review_cells(verdict: Mapping[str, Any], names: Mapping[str, str]) -> Cells:
    """A verdict's own cells; a task that cannot be rated has no numbers."""
    cells: Cells = {
        "judge": verdict.get("judge") or (verdict.get("provenance") or {}).get("judge"),
        "warnings": codes(verdict.get("warnings")),
        "task_type": (verdict.get("opinion") or {}).get("task_type"),
    }
    if "invalid_task" in verdict:
        return {**cells, "invalid": verdict["invalid_task"]}
    preference = verdict["final_likert_and_justification"]
    likert = preference["likert"]
    cells |= {
        "winner": "tie" if likert == NO_PREFERENCE else "A" if likert < NO_PREFERENCE else "B",
        "likert": likert,
        "likert_entered": _entered(preference),
        "likert_action": preference.get("action"),
    }
    counted = dict.fromkeys(_ACTIONS, 0)
    counted[preference["action"]] += 1
    for side, table in _TABLES.items():
        for rating in verdict[table]:
            counted[rating["action"]] += 1
            if (name := names.get(rating["key"])) is not None:
                # What the judge cannot tell and nobody entered is a stand-in; what a person entered stands as theirs.
                blank = not rating.get("assessed", True) and rating["action"] == "filled"
                cells[f"{name}_{side}"] = None if blank else rating["rating"]
                cells[f"{name}_{side}_entered"] = _entered(rating)
                cells[f"{name}_{side}_action"] = rating["action"]
    return {**cells, **counted}


def _entered(rating: Mapping[str, Any]) -> str | None:
    return (rating.get("original") or {}).get("rating") or None
