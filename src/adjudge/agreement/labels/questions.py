"""The questions that a person is asked about a case, the keys that answer them, and the label an answer leads to.

Terminal and web page share them. Questions refer to the order in which answers are shown, labels to the case's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...protocols.compare.verdict import Order
from ...results.run import Run
from ...rubric import LIKERT, Scale
from .files import HumanLabel, ShownCase, now, turned
from .sampling import Pick

SHOWN_AS = ("Answer 1", "Answer 2")
_KEYS_AT_MOST = 9


class Asked(NamedTuple):
    """A question about a case: its criterion (None for the whole case), its words, the meaning of each answer, and the
    values of what may be typed. `keys` says whether every answer is a single key.
    """

    criterion: str | None
    words: str
    meanings: Sequence[tuple[str, str]]
    answers: Mapping[str, Any]
    keys: bool = True


def questions(run: Run, order: Order, *, criteria: bool) -> list[Asked]:
    """Return the questions about a case, in terms of the order in which the answers are shown."""
    if run.protocol.name == "compare":
        meanings = [("1", f"{SHOWN_AS[0]} is better"), ("2", f"{SHOWN_AS[1]} is better"), ("t", "tie")]
        return [Asked(None, "Which answer is better?", meanings, {"1": "A", "2": "B", "t": "tie"})]
    if run.protocol.name == "dialogue":
        bands = dict(run.rubric.bands)
        asked = [_on_scale(None, "How good was the system in this conversation, all in all?", run.rubric.scale, bands)]
        rated = [(each.key, f"{each.name}: {each.guidance}", each.scale, bands) for each in run.rubric.criteria]
    else:
        one, two = SHOWN_AS
        better = ("is much better", "is better", "is slightly better")
        said = [*(f"{one} {how}" for how in better), "no preference", *(f"{two} {how}" for how in reversed(better))]
        ends = {str(value): words for value, words in zip(LIKERT.values, said, strict=True)}
        asked = [_on_scale(None, "Which answer do you prefer?", LIKERT, ends)]
        rated = [
            (f"{each.key}_{label}", f"{shown}, {each.name}: {each.guidance}", each.scale, dict(each.bands))
            for shown, label in zip(SHOWN_AS, order, strict=True)
            for each in run.rubric.criteria
        ]
    return asked + [_on_scale(*each) for each in rated if criteria]


def _on_scale(criterion: str | None, words: str, scale: Scale, bands: Mapping[str, str]) -> Asked:
    """Build a question for a value on a scale. If all values are single digits, they are the keys; else the keys number
    the steps from 1. If neither works (-2 to 2, 1 to 10), the person types the number.
    """
    values = {str(value): value for value in scale.values}
    steps = {str(number): value for number, value in enumerate(scale.values, 1)}
    if all(len(name) == 1 for name in values):
        answers, named = values, dict.fromkeys(values, "")
    elif len(values) <= _KEYS_AT_MOST and not values.keys() & steps.keys():
        answers, named = {**steps, **values}, {key: str(value) for key, value in steps.items()}
    else:
        return Asked(criterion, words, [(name, bands.get(name, "")) for name in values], values, keys=False)
    meanings = [
        (key, ": ".join(filter(None, (number, bands.get(str(answers[key]), ""))))) for key, number in named.items()
    ]
    return Asked(criterion, words, meanings, answers)


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
    """Return the label with an answer added; the answer refers to the shown order."""
    if criterion is not None:
        return label.updated(criteria={**label.criteria, criterion: answer})
    return label.updated(value=turned(answer, label.shown) if label.shown else answer, skipped=False)


def skipped(label: HumanLabel) -> HumanLabel:
    """Return the label marked as skipped, without answers: the person cannot tell, or would rather not say."""
    return label.updated(value=None, criteria={}, skipped=True)


def as_shown(label: HumanLabel, order: Order | None) -> str:
    """Describe a label to a person who sees the answers in this order."""
    if label.skipped:
        return "skipped"
    value = turned(label.value, order) if order else label.value
    return f"{SHOWN_AS['AB'.index(str(value))]} is better" if value in ("A", "B") else str(value)
