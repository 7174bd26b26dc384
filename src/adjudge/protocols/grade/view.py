"""Builds the plain data that the reports of a grading show: every sentence, number, row, table and marked passage.

It makes no decisions about the verdict or the layout. Text is not escaped here; templates escape it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ...arithmetic import plain, rounded
from ...rendering import wording
from ...rendering.wording import number
from ...rubric import Rubric
from ..origin import VerdictView, judge_note, origin_of
from .marks import Marks, TextView, answer_texts, source_texts
from .rows import ItemRow, row_of
from .rubric import items_of
from .rules import PLACES
from .score import percent
from .verdict import FAIL, PASS, UNDECIDED, GradeVerdict
from .wording import exact

_MOST_LOST = 2
_OUTCOMES = {PASS: "Passed", FAIL: "Failed", UNDECIDED: "Undecided"}


@dataclass(frozen=True, kw_only=True)
class GradeView(VerdictView):
    """What the reports of a grading show: sentences, rows of items, texts with their marks.

    `score` is that of what was assessed; `shown` the same, or the range if it is undecided. `gauge` is the bar of the
    score: where it begins, and its width.
    """

    outcome: str
    tone: str
    score: str
    shown: str
    pass_mark: str
    gauge: tuple[str, str]
    mark_at: str
    range: str
    lost: str
    rows: Sequence[ItemRow]
    table: Sequence[tuple[str, ...]]
    total: tuple[str, str]
    sum: str
    not_assessed: str
    not_applicable: str
    answers: Sequence[TextView]
    sources: Sequence[TextView]
    facts: Sequence[tuple[str, str, str]]

    @property
    def pairs(self) -> Sequence[list[str]]:
        """The refs of each claim or main point that has a passage in two texts."""
        return [each.refs for row in self.rows for each in row.findings if len(each.refs) > 1]


def build(verdict: GradeVerdict, rubric: Rubric) -> GradeView:
    """Return what the reports show of a verdict."""
    known = {item.key: item for item in items_of(rubric)}
    marks = Marks(verdict)
    rows = [row_of(item, at, known.get(item.key), marks) for at, item in enumerate(verdict.items, start=1)]
    mark = verdict.pass_at
    score = _score(verdict.score_exact, mark)
    ends = [_score(end.score_exact, mark) for end in (verdict.worst, verdict.best)]
    outcome, shown = _OUTCOMES[verdict.answer], score if verdict.decided else " to ".join(ends)
    earned, most, terms = _sum(verdict)
    return GradeView(
        verdict=verdict,
        headline=f"{outcome}{': ' if verdict.answer == UNDECIDED else ' with '}{shown} of 100",
        outcome=outcome,
        tone=verdict.answer,
        score=score,
        shown=shown,
        pass_mark=number(plain(100 * mark)),
        gauge=_gauge(verdict),
        mark_at=wording.width(Fraction(mark)),
        range=_range(verdict),
        lost=_lost(rows),
        judge_note=judge_note(verdict.provenance.judge),
        rows=rows,
        table=[(row.name, row.kind, row.result, row.earned, row.points) for row in rows],
        total=(earned, most),
        sum=terms,
        not_assessed=_not_assessed(verdict, rows),
        not_applicable=_not_applicable(rows),
        answers=answer_texts(verdict, marks),
        sources=source_texts(verdict, marks),
        facts=[(wording.words_of(fact.name), PLACES.get(fact.where, fact.where), fact.found) for fact in verdict.facts],
        refs=[mark.ref for mark in marks.all],
        linked=list(_linked(rows)),
        origin=origin_of(verdict),
    )


# -- numbers and sentences ---------------------------------------------------------------------------------------------


def _score(score: Fraction, pass_at: Decimal) -> str:
    return number(percent(score, pass_at))


def _gauge(verdict: GradeVerdict) -> tuple[str, str]:
    """Return where the bar of the score begins and how wide it is: of an undecided one, from worst to best."""
    low, high = Fraction(0), verdict.score_exact
    if not verdict.decided:
        low, high = verdict.worst.score_exact, verdict.best.score_exact
    return wording.width(low), wording.width(high - low)


def _range(verdict: GradeVerdict) -> str:
    """Say between which scores the answer is, if items were not assessed."""
    low, high = (_score(end.score_exact, verdict.pass_at) for end in (verdict.worst, verdict.best))
    if low == high:
        return ""
    return f"With what nobody assessed at its worst it is {low}, at its best {high}."


def _sum(verdict: GradeVerdict) -> tuple[str, str, str]:
    """Return what was earned, what could be, and the arithmetic of the score."""
    assessed = [item for item in verdict.items if item.earned_exact is not None]
    earned = sum((item.earned_exact or Fraction(0) for item in assessed), Fraction(0))
    most = sum((Fraction(item.points) for item in assessed if not item.is_fault), Fraction(0))
    if not most:
        return "0", "0", ""
    terms = ""
    for item in assessed:
        value = item.earned_exact or Fraction(0)
        if item.is_fault and not value:
            continue
        sign = f" {wording.MINUS if value < 0 else '+'} " if terms else wording.MINUS if value < 0 else ""
        terms += f"{sign}{exact(abs(value))}"
    total = f"{terms} = {exact(earned)}" if len(assessed) > 1 else exact(earned)
    below = ", which counts as 0," if earned < 0 else ""
    score = 100 * verdict.score_exact
    equals = "=" if Fraction(rounded(score)) == score else "≈"
    whole = f"{total}{below} of {exact(most)} points {equals} {number(plain(rounded(score)))} of 100"
    return exact(max(earned, Fraction(0))), exact(most), whole


def _lost(rows: Iterable[ItemRow]) -> str:
    """Say which items lost most, in a sentence; "" if none lost anything."""
    lost = sorted((row for row in rows if row.lost), key=lambda row: (-row.lost, row.number))
    named = [f"“{row.name}” ({exact(row.lost)})" for row in lost[:_MOST_LOST]]
    return f"Most points were lost on {' and '.join(named)}." if named else ""


def _points(item: ItemRow) -> str:
    return f"{item.points} {'point' if item.points in ('1', f'{wording.MINUS}1') else 'points'}"


def _not_assessed(verdict: GradeVerdict, rows: Iterable[ItemRow]) -> str:
    """Say which items nobody assessed; "" if there are none."""
    named = [f"{row.name} ({_points(row)})" for row in rows if row.state == "unassessed"]
    if not named:
        return ""
    what = "It is" if len(named) == 1 else "They are"
    decides = "whether it passes depends on that" if not verdict.decided else "the outcome is the same either way"
    return f"Nobody assessed {'; '.join(named)}. {what} not in the score, and {decides}."


def _not_applicable(rows: Iterable[ItemRow]) -> str:
    named = [
        f"{row.name} ({row.reason.rstrip('.') or 'nothing to judge'})" for row in rows if row.state == "not_applicable"
    ]
    return f"Not applicable, so not counted: {'; '.join(named)}." if named else ""


def _linked(rows: Iterable[ItemRow]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield what is highlighted together: a claim with its passages in both texts, an item with its quotes."""
    for row in rows:
        for each in row.findings:
            if each.refs:
                yield (f"#{each.at}",), each.refs
        if refs := [mark.ref for mark in row.quotes]:
            yield (f"#item-{row.key}",), refs
