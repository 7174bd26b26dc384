"""The questions that a person is asked about a case, and the label an answer leads to.

Terminal and web page share them. Questions refer to the order in which answers are shown, labels and the values of
answers to the case's own.
"""

from __future__ import annotations

from typing import Any

from ...models.common import Order
from ...protocols.labelling import SHOWN_AS as SHOWN_AS
from ...protocols.labelling import LabelQuestion, ShownCase
from ...results.run import Run
from .files import HumanLabel, now
from .sampling import Pick


def questions(run: Run, order: Order, *, criteria: bool) -> list[LabelQuestion]:
    """Return the questions about a case, in terms of the order in which the answers are shown."""
    two_sides = run.protocol.table.two_sides
    return run.protocol.labelling.questions(run.rubric, order, two_sides=two_sides, criteria=criteria)


def begun_label(known: HumanLabel | None, pick: Pick, annotator: str, shown: ShownCase, order: Order) -> HumanLabel:
    """Return a person's existing label of a case, or a new one without an answer."""
    begun = known or HumanLabel(
        case=pick.case,
        position=pick.position,
        annotator=annotator,
        shown=order if shown.answers else None,
        texts=shown.digest,
    )
    return begun.updated(stratum=pick.stratum, time=now())


def answered(label: HumanLabel, criterion: str | None, answer: Any) -> HumanLabel:
    """Return the label with the value of an answer added."""
    if criterion is not None:
        return label.updated(criteria={**label.criteria, criterion: answer})
    return label.updated(value=answer, skipped=False)


def skipped(label: HumanLabel) -> HumanLabel:
    """Return the label marked as skipped, without answers: the person cannot tell, or would rather not say."""
    return label.updated(value=None, criteria={}, skipped=True)


def as_shown(run: Run, label: HumanLabel, order: Order) -> str:
    """Describe a label to a person who sees the answers in this order."""
    if label.skipped:
        return "skipped"
    asked, *_ = questions(run, order, criteria=False)
    typed = [key for key, value in asked.answers.items() if value == label.value]
    if not typed:  # a label file may hold a value that is not on the scale
        return str(label.value)
    return dict(asked.meanings)[typed[0]] if isinstance(label.value, str) else typed[-1]
