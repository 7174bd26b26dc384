"""The Reader of demands lists what a task explicitly demands. It is shown the task alone; the answer is measured here.

A demand whose quote is not in the task is dropped, and one that its quote does not confirm counts nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...constraints.together import measure_together
from ...constraints.verifying import NUMBERED, verify_constraints
from ...judges.role import Reading, Role, Shape, object_of
from ...models.common import Warning
from ...models.constraints import Constraint
from ...prompts.fence import Message, fenced
from ..demands import LISTED_CONSTRAINT, MOST_CONSTRAINTS
from .asker import PROMPTS
from .questions import DemandsQuestion, Findings, ItemFinding
from .verdict import MeasuredConstraint

_SHAPE = Shape(object_of("demands", {"constraints": list[LISTED_CONSTRAINT]}))


class DemandReader(Role[DemandsQuestion, Findings]):
    """Asks for and reads lists of demands."""

    folder, file, schema_name = PROMPTS, "demands", "demands"

    def shape(self, question: DemandsQuestion) -> Shape:
        return _SHAPE

    def messages(self, question: DemandsQuestion) -> tuple[str, Message]:
        return self.prompts.render("system"), self.prompts.message("user", task=fenced("TASK", question.case.task))

    def build(
        self, question: DemandsQuestion, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str
    ) -> Reading[Findings]:
        case = question.case
        listed = reply["constraints"][:MOST_CONSTRAINTS]
        found = verify_constraints(listed, {"prompt": case.task}, (case.answer,))
        finding = measured(found.constraints, case.answer, listed=bool(listed))
        return Reading(
            Findings(
                judge=judge,
                items={item.key: finding for item in question.items},
                warnings=tuple(Warning(code="dropped_constraint", message=message) for message in found.dropped),
                quoted=found.quoted,
            )
        )


def measured(constraints: Iterable[Constraint], answer: str, *, listed: bool) -> ItemFinding:
    """Measure an answer. `listed`: whether the judge listed any demand, also one that was dropped since."""
    given = tuple(constraints)
    by_demand = {one.demand: measurement for one, measurement in measure_together(given, answer)}
    results = []
    for one in given:
        measurement = by_demand.get(one.demand)
        if measurement is None or not one.certain:
            why = "cannot be measured" if measurement is None else "is not certain to be demanded by these words"
            results.append(MeasuredConstraint(constraint=one, met=None, found=why, asked=one.quote))
            continue
        met = measurement.met or measurement.in_part
        says = measurement.says if not met or one.kind in NUMBERED else "is met"
        results.append(MeasuredConstraint(constraint=one, met=met, found=says, asked=one.quote))
    finding = ItemFinding(state="share", constraints=tuple(results))
    if finding.counts[1]:
        return finding.counted()
    if not listed:
        return finding.updated(state="nothing", reason="The judge found no explicit, countable demand in the task.")
    return finding.updated(state="unassessed", reason="None of the demands that were listed can be measured.")


DEMAND_READER = DemandReader()
