"""The columns of a comparison: who won, by how much, and every criterion's score for both answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..rubric import Rubric
from .column import Cells, Column, codes, minus

COMPARE = (
    Column("winner", "VARCHAR", "A, B or tie; the best guess where the judge did not decide"),
    Column("decided", "BOOLEAN", "whether the judge was sure enough to decide"),
    Column("confidence", "DOUBLE", "how sure it is, 0 to 1, if it says"),
    Column("total_a", "DOUBLE", "A's weighted total", score=True),
    Column("total_b", "DOUBLE", "B's weighted total", score=True),
    Column("difference", "DOUBLE", "total_a − total_b", score=True),
    Column("normalized_a", "DOUBLE", "A's total on the rubric's own scale", score=True),
    Column("normalized_b", "DOUBLE", "B's total on the rubric's own scale", score=True),
    Column("decided_by", "VARCHAR", "the rule that decided"),
    Column("order_consistent", "BOOLEAN", "whether both orders name the same winner; empty for one order"),
)


def criterion_columns(names: Mapping[str, str], rubric: Rubric) -> tuple[Column, ...]:
    """Two columns for each criterion: `clarity_structure_a`, `clarity_structure_b`."""
    return tuple(
        Column(f"{names[criterion.key]}_{side}", "DOUBLE", f"{criterion.name}: {side.upper()}'s score", score=True)
        for criterion in rubric.criteria
        for side in ("a", "b")
    )


def compare_cells(verdict: Mapping[str, Any], names: Mapping[str, str]) -> Cells:
    """A verdict's own cells."""
    evaluation = verdict["evaluation"]
    overall = evaluation["overall"]
    totals = {side: overall[side]["weighted_total_score"] for side in ("A", "B")}
    cells: Cells = {
        "winner": evaluation["winner"],
        "decided": evaluation.get("decided"),
        "confidence": evaluation.get("confidence"),
        "total_a": totals["A"],
        "total_b": totals["B"],
        "difference": minus(totals["A"], totals["B"]),
        "normalized_a": overall["A"].get("normalized"),
        "normalized_b": overall["B"].get("normalized"),
        "decided_by": evaluation.get("decided_by"),
        "order_consistent": evaluation.get("order_consistent"),
        "judge": (verdict.get("provenance") or {}).get("judge"),
        "warnings": codes(verdict.get("warnings")),
    }
    for key, name in names.items():
        given = evaluation["criteria_scores"].get(key)
        for side in ("A", "B") if given else ():
            cells[f"{name}_{side.lower()}"] = given[side]["score"] if given[side].get("assessed", True) else None
    return cells
