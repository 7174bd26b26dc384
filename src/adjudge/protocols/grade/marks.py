"""The texts of a report on a grading, the answer and its sources, each with the marks of what was quoted from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...rendering import wording
from ...rendering.highlighting import Highlight, Piece, marked
from .verdict import GradeVerdict, ItemVerdict, Quote
from .wording import place_of, source_title, step_title


@dataclass(frozen=True, kw_only=True)
class TextView:
    """A text with its marks: the answer, one of its steps, a source or the reference. `at` is its anchor."""

    at: str
    title: str
    pieces: Sequence[Piece]
    marks: int
    long: bool
    kind: str = ""


class Marks:
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


def answer_texts(verdict: GradeVerdict, marks: Marks) -> list[TextView]:
    """Return the answer, or each of its steps."""
    case = verdict.case
    if not case.steps:
        return [_text("answer", "Answer", case.answer, marks.of("answer"))]
    return [
        _text(f"step-{at}", step_title(case, at), step.text, marks.of("step", at), step.kind.replace(" ", "-"))
        for at, step in enumerate(case.steps, start=1)
    ]


def source_texts(verdict: GradeVerdict, marks: Marks) -> list[TextView]:
    """Return the sources, and the reference if there is one."""
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
