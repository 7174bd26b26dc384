"""How people label gradings: pass or fail and, if asked to, each item: yes or no, a level, or a share. And how verdicts
are measured against labels: as pass or fail, with the score behind them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...models.common import Order
from ...rubric import Rubric, Scale
from ..labelling import LabelRules, RatedCriterion, ShownCase, read_number, titled
from ..measured import CalibrationWords, LabelledSets, MeasureRules
from .case import Grading
from .reading import label_from
from .rubric import YES_OR_NO, Item, items_of
from .verdict import FAIL, PASS, GradeVerdict, ItemVerdict
from .wording import place_of, source_title, step_title

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


# -- how verdicts are measured -----------------------------------------------------------------------------------------


def _explanation(verdict: GradeVerdict, criterion: str | None) -> tuple[str, Iterable[tuple[str, str]]]:
    items = [item for item in verdict.items if criterion in (None, item.key)]
    reason = next((item.reason for item in items if item.key == criterion), "") or verdict.why
    lost = sorted(items, key=lost_points, reverse=True)  # what cost most comes first
    return reason, [(place_of(quote), quote.quote) for item in lost for quote in item.quotes]


def lost_points(item: ItemVerdict) -> Fraction:
    """Return how many points an item did not earn, or cost."""
    return Fraction(0) if item.earned_exact is None else max(Fraction(item.points), Fraction(0)) - item.earned_exact


MEASURED = MeasureRules(
    value="case r.outcome when 'pass' then 'pass' when 'fail' then 'fail' end",
    number="r.score - r.pass_at",
    ending="case when r.outcome = 'undecided' then 'undecided' end",
    classes=(PASS, FAIL),
    names={PASS: "pass", FAIL: "fail"},
    measures=("accuracy", "kappa", "ac1", "alpha_nominal", "spearman", "kendall"),
    jury_votes=lambda verdict: [{one.result for one in item.members} for item in verdict.items if item.members],
    explanation=_explanation,
    length=lambda case: len(case["answer"].split()),
    reading="Rank correlations use the score. An undecided verdict has no best guess: it counts in no figure.",
    calibration=CalibrationWords(judge="the score above the pass mark", people="people’s label, 0 (fail) to 1 (pass)"),
    sets=LabelledSets(text=lambda case: case.task),
)
