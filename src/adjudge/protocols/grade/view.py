"""Builds the plain data that the reports of a grading show: every sentence, number, row, table and marked passage.

It makes no decisions about the verdict or the layout. Text is not escaped here; templates escape it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...arithmetic import plain, rounded
from ...rendering import wording
from ...rendering.highlighting import Highlight, Piece, marked
from ...rendering.wording import number
from ...rubric import Rubric
from ..origin import judge_note, origin_of
from .measured import lost_points
from .rubric import Item, items_of
from .score import percent
from .steps import place_of, source_title, step_title
from .verdict import FAIL, PASS, UNDECIDED, GradeVerdict, ItemVerdict, Quote

# A mark in a text is green and solid, red and dashed, amber and dotted, or blue: for, against, open, or cited.
FOR, AGAINST, OPEN, CITED = "favorable", "unfavorable", "open", "cited"
_TONES = {
    **{"supported": FOR, "covered": FOR, "met": FOR, "not there": FOR},
    **{"contradicted": AGAINST, "not met": AGAINST, "found": AGAINST},
    **{"not_found": OPEN, "missing": OPEN},
}
_SAID = {
    **{(False, True): "met", (False, False): "not met", (False, None): "not counted"},
    **{(True, True): "found", (True, False): "not there", (True, None): "not counted"},
}
_KINDS = {
    "ask": "question",
    "scale": "scale",
    "claims": "claims",
    "covers": "main points",
    "constraints": "demands",
    "check": "check by code",
}
_MOST_LOST = 2
_OUTCOMES = {PASS: "Passed", FAIL: "Failed", UNDECIDED: "Undecided"}
_RESULTS = {"not_applicable": "not applicable", "unassessed": "not assessed", "unproven": "unproven: counts as no"}
_FACT_PLACES = {"task": "the task", "answer": "the answer", "reference": "the reference", "context": "the context"}


@dataclass(frozen=True, kw_only=True)
class FindingRow:
    """One line of an item's table: a claim, a main point, a demand or a condition.

    `first` and `second` are the quotes in the order of the columns, each with its mark in a text, or None; `words` are
    shown where there is no quote.
    """

    number: str
    result: str
    tone: str
    first: Highlight | None = None
    second: Highlight | None = None
    words: tuple[str, str] = ("", "")

    @property
    def at(self) -> str:
        """Its anchor on the page."""
        return f"finding-{self.number.replace('.', '-')}"

    @property
    def refs(self) -> list[str]:
        """The refs of its marks."""
        return [mark.ref for mark in (self.first, self.second) if mark is not None]


@dataclass(frozen=True, kw_only=True)
class ItemRow:
    """An item: what it asked, what was found, and the points. `share` is how much of its bar is filled.

    `state` is earned, lost, part, unassessed or not_applicable. `head` are the headings of its table, if it has one.
    """

    key: str
    number: int
    name: str
    kind: str
    question: str
    points: str
    earned: str
    product: str
    share: str
    state: str
    result: str
    badge: str
    reason: str
    quotes: Sequence[Highlight]
    head: tuple[str, ...]
    findings: Sequence[FindingRow]
    unclaimed: Sequence[str]
    members: Sequence[tuple[str, str]]
    is_fault: bool
    lost: Fraction

    @property
    def assessed(self) -> bool:
        return self.state not in ("unassessed", "not_applicable")


@dataclass(frozen=True, kw_only=True)
class TextView:
    """A text with its marks: the answer, one of its steps, a source or the reference. `at` is its anchor."""

    at: str
    title: str
    pieces: Sequence[Piece]
    marks: int
    long: bool
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class GradeView:
    """The verdict and what its reports say about it: sentences, rows of items, texts with their marks.

    `score` is that of what was assessed; `shown` the same, or the range if it is undecided. `gauge` is the bar of the
    score: where it begins, and its width. `linked` are the places on the page that belong together, with the refs of
    their quotes.
    """

    verdict: GradeVerdict
    headline: str
    outcome: str
    tone: str
    score: str
    shown: str
    pass_mark: str
    gauge: tuple[str, str]
    mark_at: str
    range: str
    lost: str
    judge_note: str
    rows: Sequence[ItemRow]
    table: Sequence[tuple[str, ...]]
    total: tuple[str, str]
    sum: str
    not_assessed: str
    not_applicable: str
    answers: Sequence[TextView]
    sources: Sequence[TextView]
    facts: Sequence[tuple[str, str, str]]
    refs: Sequence[str]
    linked: Sequence[tuple[tuple[str, ...], Sequence[str]]]
    origin: Any

    @property
    def pairs(self) -> Sequence[list[str]]:
        """The refs of each claim or main point that has a passage in two texts."""
        return [each.refs for row in self.rows for each in row.findings if len(each.refs) > 1]


def build(verdict: GradeVerdict, rubric: Rubric) -> GradeView:
    """Return what the reports show of a verdict."""
    known = {item.key: item for item in items_of(rubric)}
    marks = _Marks(verdict)
    rows = [_row(item, at, known.get(item.key), marks) for at, item in enumerate(verdict.items, start=1)]
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
        mark_at=_share(Fraction(mark)),
        range=_range(verdict),
        lost=_lost(rows),
        judge_note=judge_note(verdict.provenance.judge),
        rows=rows,
        table=[(row.name, row.kind, row.result, row.earned, row.points) for row in rows],
        total=(earned, most),
        sum=terms,
        not_assessed=_not_assessed(verdict, rows),
        not_applicable=_not_applicable(rows),
        answers=_answers(verdict, marks),
        sources=_sources(verdict, marks),
        facts=[
            (wording.words_of(fact.name), _FACT_PLACES.get(fact.where, fact.where), fact.found)
            for fact in verdict.facts
        ],
        refs=[mark.ref for mark in marks.all],
        linked=list(_linked(rows)),
        origin=origin_of(verdict),
    )


# -- numbers and sentences ---------------------------------------------------------------------------------------------


def _score(score: Fraction, pass_at: Decimal) -> str:
    return number(percent(score, pass_at))


def _share(part: Fraction) -> str:
    return f"{float(min(max(part, Fraction(0)), Fraction(1))):.1%}"


def _gauge(verdict: GradeVerdict) -> tuple[str, str]:
    """Return where the bar of the score begins and how wide it is: of an undecided one, from worst to best."""
    low, high = Fraction(0), verdict.score_exact
    if not verdict.decided:
        low, high = verdict.worst.score_exact, verdict.best.score_exact
    return _share(low), _share(high - low)


def _exact(value: Fraction | Decimal) -> str:
    """Write a number with all its digits, or as a fraction if they are many."""
    exact = Fraction(value)
    near = rounded(exact)
    if Fraction(near) == exact:
        return number(plain(near))
    return f"{exact.numerator}/{exact.denominator}".replace("-", wording.MINUS)


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
        terms += f"{sign}{_exact(abs(value))}"
    total = f"{terms} = {_exact(earned)}" if len(assessed) > 1 else _exact(earned)
    below = ", which counts as 0," if earned < 0 else ""
    score = 100 * verdict.score_exact
    equals = "=" if Fraction(rounded(score)) == score else "≈"
    whole = f"{total}{below} of {_exact(most)} points {equals} {number(plain(rounded(score)))} of 100"
    return _exact(max(earned, Fraction(0))), _exact(most), whole


def _lost(rows: Iterable[ItemRow]) -> str:
    """Say which items lost most, in a sentence; "" if none lost anything."""
    lost = sorted((row for row in rows if row.lost), key=lambda row: (-row.lost, row.number))
    named = [f"“{row.name}” ({_exact(row.lost)})" for row in lost[:_MOST_LOST]]
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


# -- marks -------------------------------------------------------------------------------------------------------------


class _Marks:
    """Collects the marks of all quotes, by the text they are in."""

    def __init__(self, verdict: GradeVerdict) -> None:
        self._case = verdict.case
        self.all: list[Highlight] = []
        self._by_text: dict[tuple[str, int | str | None], list[Highlight]] = {}

    def add(self, item: ItemVerdict, quote: Quote, ref: str, shown: str, tone: str, title: str) -> Highlight:
        mark = Highlight(ref, tone, item.key, quote.quote, quote.start, quote.end, shown, title, place=place_of(quote))
        self.all.append(mark)
        self._by_text.setdefault(self._text(quote), []).append(mark)
        return mark

    def of(self, text: str, which: int | str | None = None) -> list[Highlight]:
        return sorted(self._by_text.get((text, which), []), key=lambda mark: (mark.start, mark.end))

    def _text(self, quote: Quote) -> tuple[str, int | str | None]:
        if quote.text == "answer" and self._case.steps:
            return "step", self._case.final_step
        return quote.where


def _answers(verdict: GradeVerdict, marks: _Marks) -> list[TextView]:
    case = verdict.case
    if not case.steps:
        return [_text("answer", "Answer", case.answer, marks.of("answer"))]
    return [
        _text(f"step-{at}", step_title(case, at), step.text, marks.of("step", at), step.kind.replace(" ", "-"))
        for at, step in enumerate(case.steps, start=1)
    ]


def _sources(verdict: GradeVerdict, marks: _Marks) -> list[TextView]:
    case = verdict.case
    found = [
        _text(f"source-{at}", source_title(case, one.id), one.text, marks.of("context", one.id))
        for at, one in enumerate(case.context, start=1)
    ]
    if case.reference.strip():
        found.append(_text("reference", "Reference", case.reference, marks.of("reference")))
    return found


def _text(at: str, title: str, text: str, marks: Sequence[Highlight], kind: str = "") -> TextView:
    return TextView(
        at=at, title=title, pieces=marked(text, marks), marks=len(marks), long=len(text) > wording.LONG, kind=kind
    )


# -- items -------------------------------------------------------------------------------------------------------------


def _row(item: ItemVerdict, at: int, known: Item | None, marks: _Marks) -> ItemRow:
    name = known.name if known else wording.words_of(item.key)
    share = item.share or Fraction(0)
    return ItemRow(
        key=item.key,
        number=at,
        name=name,
        kind=_KINDS[item.kind],
        question="" if known is None or item.checks else " ".join(known.guidance.split()),
        points=number(item.points),
        earned=_earned(item),
        product=_product(item),
        share=_share(share),
        state=_state(item),
        result=_result(item, known),
        badge=_badge(item, known),
        reason="" if item.checks else item.reason,  # the table of conditions says it
        quotes=list(_evidence(item, at, name, marks)),
        head=_HEADS.get(item.kind, ()),
        findings=list(_findings(item, at, name, marks)),
        unclaimed=[quote.quote for quote in item.unclaimed],
        members=[(member.judge, _RESULTS.get(member.result, member.result)) for member in item.members],
        is_fault=item.is_fault,
        lost=lost_points(item),
    )


_HEADS = {
    "claims": ("Claim in the answer", "Result", "What the source says"),
    "covers": ("Main point of the reference", "Result", "In the answer"),
    "constraints": ("Demand of the task", "Result", "Found in the answer"),
    "check": ("Condition", "Result", "Found in the answer"),
}


def _state(item: ItemVerdict) -> str:
    if not item.applicable:
        return "not_applicable"
    if item.share is None:
        return "unassessed"
    good = 1 - item.share if item.is_fault else item.share
    return "earned" if good == 1 else "lost" if good == 0 else "part"


def _earned(item: ItemVerdict) -> str:
    return "–" if item.earned_exact is None else _exact(item.earned_exact)


def _product(item: ItemVerdict) -> str:
    """Write the arithmetic of what an item earned."""
    if item.share is None or item.earned_exact is None:
        return "not counted"
    return f"{number(item.points)} × {_exact(item.share)} = {_exact(item.earned_exact)}"


def _result(item: ItemVerdict, known: Item | None) -> str:
    """Say the result in a few words."""
    if not item.applicable or item.share is None:
        return _RESULTS["unassessed" if item.applicable else "not_applicable"]
    if item.kind == "scale":
        high = f" of {number(known.scale.high)}" if known else ""
        return f"{item.result}{high}"
    if item.kind in ("claims", "covers", "constraints"):
        done, _, of = item.result.partition("/")
        word = {"claims": "supported", "covers": "covered", "constraints": "met"}[item.kind]
        return f"{done} of {of} {word}"
    if item.is_fault:
        return "fault found" if item.share else "fault not found"
    return _RESULTS.get(item.result, item.result)


def _badge(item: ItemVerdict, known: Item | None) -> str:
    """Say that an item is required, what it must reach, and whether it does."""
    if not item.required:
        return ""
    least = ""
    if known is not None and item.kind == "scale":
        least = f" at least {number(plain(known.at_least))}"
    elif known is not None and known.is_share and known.at_least != 1:
        least = f" at least {number(plain(100 * known.at_least))} %"
    if not item.applicable:
        return f"required{least}"
    said = {True: "met", False: "not met", None: "unknown"}[item.met]
    return f"required{least}: {said}"


def _evidence(item: ItemVerdict, at: int, name: str, marks: _Marks) -> Iterator[Highlight]:
    tone = CITED if item.kind == "scale" else AGAINST if item.is_fault else FOR
    for place, quote in enumerate(item.evidence, start=1):
        yield marks.add(
            item, quote, f"{at}-{place}", f"{at}.{place}", tone, f"{name}: {_RESULTS.get(item.result, item.result)}"
        )


def _findings(item: ItemVerdict, at: int, name: str, marks: _Marks) -> Iterator[FindingRow]:
    pairs: list[tuple[str, Quote, Quote | None]] = [
        *((claim.result, claim.claim, claim.source) for claim in item.claims),
        *((point.result, point.point, point.answer) for point in item.main_points),
    ]
    nothing = "No passage was found." if item.kind == "claims" else "The answer does not say it."
    for place, (result, first, second) in enumerate(pairs, start=1):
        shown, tone, said = f"{at}.{place}", _TONES[result], result.replace("_", " ")
        title = f"{name}: {said}"
        yield FindingRow(
            number=shown,
            result=said,
            tone=tone,
            first=marks.add(item, first, f"{at}-{place}a", shown, tone, title),
            second=None if second is None else marks.add(item, second, f"{at}-{place}b", shown, tone, title),
            words=("", nothing),
        )
    measured = [
        *((one.met, _demand(one.constraint.quote, one.asked), one.found) for one in item.constraints),
        *((one.met, f"The answer {one.asked}", f"It {one.found}") for one in item.checks),
    ]
    for place, (met, asked, found) in enumerate(measured, start=1):
        said = _SAID[item.is_fault, met]
        yield FindingRow(number=f"{at}.{place}", result=said, tone=_TONES.get(said, OPEN), words=(asked, found))


def _demand(quote: str, asked: str) -> str:
    """Quote a demand of the task, with what it was read as if that has other words."""
    return f"“{quote}”" if " ".join(quote.lower().split()) == asked.lower() else f"“{quote}”: {asked}"


def _linked(rows: Iterable[ItemRow]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield what is highlighted together: a claim with its passages in both texts, an item with its quotes."""
    for row in rows:
        for each in row.findings:
            if each.refs:
                yield (f"#{each.at}",), each.refs
        if refs := [mark.ref for mark in row.quotes]:
            yield (f"#item-{row.key}",), refs
