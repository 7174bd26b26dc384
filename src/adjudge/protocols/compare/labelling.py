"""How people label comparisons: they choose the better answer."""

from __future__ import annotations

from ...inputs.rows.columns import winner_from
from ..labelling import SHOWN_AS, LabelRules, ShownCase, titled

LABELLING = LabelRules(
    question="Which answer is better?",
    show=lambda case: ShownCase(titled(("Task", case.task), ("Context", case.context)), (case.a, case.b)),
    value="a winner",
    choices=(("1", "A", f"{SHOWN_AS[0]} is better"), ("2", "B", f"{SHOWN_AS[1]} is better"), ("t", "tie", "tie")),
    without_criteria="this run compares answers",
    read_class=winner_from,
    doubts={"orders disagree": "r.order_consistent is false", "undecided": "r.decided is false"},
    # That identical answers tie is certain, so they come last.
    margin=lambda _: "case when r.decided_by = 'identical' then 'inf'::DOUBLE else abs(r.lead) end",
)
