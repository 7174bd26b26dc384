"""How people label gradings: pass or fail and, if asked to, each item: yes or no, a level, or a share."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ...models.common import Order
from ...rubric import Rubric, Scale
from ..labelling import LabelRules, RatedCriterion, ShownCase, read_number, titled
from .case import Grading
from .reading import label_from
from .rubric import YES_OR_NO, Item, items_of
from .verdict import FAIL, PASS
from .wording import source_title, step_title

_TENTHS = Scale(Decimal(0), Decimal(1), Decimal("0.1"))
_PERCENT = {str(value): f"{100 * value:.0f} %" for value in _TENTHS.values}
_YES_NO = {"0": "no", "1": "yes"}
_NUMBERS = {**{word: number for number, word in _YES_NO.items()}, "false": "0", "true": "1"}


def _show(case: Grading) -> ShownCase:
    if case.steps:
        answer = tuple((step_title(case, number), step.text) for number, step in enumerate(case.steps, start=1))
    else:
        answer = (("Answer", case.answer or "(empty)"),)
    sources = ((source_title(case, one.id), one.text) for one in case.context)
    return ShownCase(titled(("Task", case.task), *sources, ("Reference", case.reference), *answer))


def _criteria(rubric: Rubric, _: Order) -> Iterable[RatedCriterion]:
    for item in items_of(rubric):
        asked, offered, names, meanings = _asked(item)
        yield RatedCriterion(item, item.key, f"{item.name}: {asked}", item.name, meanings, offered=offered, names=names)


def _asked(item: Item) -> tuple[str, Scale | None, dict[str, str], dict[str, str]]:
    """Return the question, the values that are offered, their names on pages, and their meanings."""
    if item.is_share:
        return f"{item.guidance} How much of it is true?", _TENTHS, _PERCENT, {"0": "nothing", "1": "all of it"}
    if item.kind == "scale":
        return item.guidance, None, {}, dict(item.bands)
    question = item.guidance if item.kind == "ask" else f"{item.guidance} Is that true?"
    return question, None, _YES_NO, _YES_NO


def _read_number(words: Any, scale: Scale) -> Decimal | None:
    """Read a level or a share; yes and no are read for what has only these."""
    if scale == YES_OR_NO and isinstance(words, str):
        words = _NUMBERS.get(words.strip().lower(), words)
    return read_number(words)


LABELLING = LabelRules(
    question="Is this answer good enough?",
    show=_show,
    value="pass or fail",
    choices=(("1", PASS, "pass"), ("2", FAIL, "fail")),
    criteria=_criteria,
    read_class=label_from,
    read_number=_read_number,
    doubts={"close to the pass mark": "abs(r.score - r.pass_at) < 5"},
    margin=lambda _: "abs(r.score - r.pass_at)",
)
