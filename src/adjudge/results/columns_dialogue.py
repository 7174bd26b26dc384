"""The columns of a dialogue: the final average, and what Evaluator and Critic said before, criterion by criterion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..rubric import Rubric
from .column import Cells, Column, codes

DIALOGUE = (
    Column("overall_experience", "DOUBLE", "the final average rounded down to a step of the scale", score=True),
    Column("average", "DOUBLE", "the weighted average of the final scores", score=True),
    Column("evaluator_average", "DOUBLE", "the same before the Critic spoke", score=True),
    Column("objections", "BIGINT", "how many scores the Critic objected to"),
    Column("changed", "BIGINT", "how many scores the Referee changed"),
)


def dialogue_criteria(names: Mapping[str, str], rubric: Rubric) -> tuple[Column, ...]:
    """Three columns for each criterion: the final score, the Evaluator's, and what the Critic suggested."""
    made: list[Column] = []
    for criterion in rubric.criteria:
        name = names[criterion.key]
        made += (
            Column(name, "DOUBLE", f"{criterion.name}: the final score", score=True),
            Column(f"{name}_evaluator", "DOUBLE", f"{criterion.name}: the Evaluator's score"),
            Column(f"{name}_critic", "DOUBLE", f"{criterion.name}: what the Critic suggested, if it objected"),
        )
    return tuple(made)


def dialogue_cells(verdict: Mapping[str, Any], names: Mapping[str, str]) -> Cells:
    """A verdict's own cells; from the contract's object alone, or from the record that keeps the rest beside it."""
    output = verdict.get("output", verdict)
    final, before = output["referee_final"], output["evaluator"]
    critic = {entry["criterion"]: entry for entry in output["critic"]}
    cells: Cells = {
        "overall_experience": final["OverallExperience"],
        "average": final["numeric_weighted_average"],
        "evaluator_average": before["numeric_weighted_average"],
        "objections": sum(not entry["agree"] for entry in critic.values()),
        "changed": sum(final[key]["score"] != before[key]["score"] for key in names if key in final),
        "judge": (verdict.get("provenance") or {}).get("judge"),
        "warnings": codes(verdict.get("warnings")),
    }
    for key, name in names.items():
        if key in final:
            cells[name] = final[key]["score"]
            cells[f"{name}_evaluator"] = before[key]["score"]
            cells[f"{name}_critic"] = critic.get(key, {}).get("suggested_score")
    return cells
