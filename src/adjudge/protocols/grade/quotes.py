"""Finds quotes in the texts of a grading: in the answer or one of its steps, in the reference, in the context.

A quote of the answer has at least three words, or is a whole sentence or line; one of a source has at least one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ...prompts.fence import Message, fenced
from ...text.evidence import Haystack, Span
from ...text.sentences import sentence_around, sentence_spans
from ...text.words import count_words
from .case import AnswerStep, Grading
from .rubric import Source
from .verdict import Quote, TextName

MIN_WORDS = 3
_AROUND = " \t\r\n.,;:!?…\"'“”‘’«»„()[]{}*_`#>-–—•。！？、，"
TOO_SHORT = f"has fewer than {MIN_WORDS} words and is no whole sentence or line"


class Texts:
    """The texts of one case, in which quotes are looked up."""

    def __init__(self, case: Grading) -> None:
        self._case = case

    @cached_property
    def _steps(self) -> list[tuple[TextName, int | None, Haystack]]:
        """What is quoted as the answer; the final answer first."""
        case = self._case
        if not case.steps:
            return [("answer", None, Haystack(case.answer))]
        numbers = sorted(range(1, len(case.steps) + 1), key=lambda number: number != case.final_step)
        return [("step", number, Haystack(case.steps[number - 1].text)) for number in numbers]

    @cached_property
    def _reference(self) -> Haystack:
        return Haystack(self._case.reference)

    @cached_property
    def _context(self) -> list[tuple[str, Haystack]]:
        return [(one.id, Haystack(one.text)) for one in self._case.context]

    @property
    def all(self) -> Iterator[str | Haystack]:
        """All texts that a judge is shown, for the check of quotations in its reasons."""
        yield self._case.task
        yield self._reference
        yield from (hay for _, hay in self._context)
        yield from (hay for _, _, hay in self._steps)

    def in_answer(self, words: str, step: int | None = None, *, final: bool = False) -> Quote | str:
        """Return the quote of the answer, or why it cannot be used. It is looked for in this step first, then in the
        others, or with `final` in the final answer only."""
        found = self._steps if not final else [one for one in self._steps if one[1] == self._case.final_step]
        why = "is not in the answer word for word"
        for name, number, hay in sorted(found, key=lambda one: one[1] != step):
            span = hay.find(words) if words.strip() else None
            if span is not None:
                if _is_long_enough(hay.text, span):
                    return _quote(hay, span, name, step=number)
                why = TOO_SHORT
        return why

    def in_source(self, words: str, source: Source) -> Quote | str:
        """Return the quote of a source, or why it cannot be used."""
        if not any(map(str.isalnum, words)):
            return "has no word"
        for context_id, hay in self._context if source in ("context", "both") else ():
            if (span := hay.find(words)) is not None:
                return _quote(hay, span, "context", context=context_id)
        if source in ("reference", "both") and (span := self._reference.find(words)) is not None:
            return _quote(self._reference, span, "reference")
        return "is in no source word for word"

    def unclaimed(self, claims: Iterable[Quote]) -> tuple[Quote, ...]:
        """Return the sentences of the final answer that no claim touches."""
        case = self._case
        name: TextName = "step" if case.steps else "answer"
        hay = Haystack(case.answer)
        taken = [(claim.start, claim.end) for claim in claims]
        return tuple(
            _quote(hay, Span(start, end), name, step=case.final_step)
            for start, end in sentence_spans(case.answer)
            if count_words(case.answer[start:end]) and not any(low < end and start < high for low, high in taken)
        )


def _quote(hay: Haystack, span: Span, text: TextName, step: int | None = None, context: str | None = None) -> Quote:
    words = hay.text[span.start : span.end]
    return Quote(text=text, step=step, context=context, quote=words, start=span.start, end=span.end)


def _is_long_enough(text: str, span: Span) -> bool:
    words = text[span.start : span.end]
    if count_words(words) >= MIN_WORDS:
        return True
    bare = words.strip(_AROUND)
    if not bare:
        return False
    end = text.find("\n", span.end)
    line = text.rfind("\n", 0, span.start) + 1, len(text) if end < 0 else end
    around = (line, sentence_around(text, span.start, span.end))
    return any(text[low:high].strip(_AROUND) == bare for low, high in around)


# -- how the texts are shown to a judge --------------------------------------------------------------------------------


def answer_shown(case: Grading) -> Message:
    """Fence the answer, or each of its steps with its number, kind and tool."""
    if not case.steps:
        return fenced("ANSWER", case.answer)
    steps = [fenced(step_name(number, step), step.text) for number, step in enumerate(case.steps, start=1)]
    return _below_each_other(steps)


def step_name(number: int, step: AnswerStep) -> str:
    """Name a step as a judge and people see it."""
    tool = "".join(char for char in step.name if char.isalnum() or char in "_-.")[:60]
    failed = " (error)" if step.failed else ""
    return f"STEP {number} {step.kind.upper()}{f' {tool}' if tool else ''}{failed}"


def sources_shown(case: Grading, *, context: bool = True, reference: bool = True) -> Message:
    """Fence the sources of a case. Those of the context are numbered: an id may say where a text comes from."""
    parts = [fenced("REFERENCE", case.reference)] if reference and case.reference.strip() else []
    if context:
        parts += [fenced(f"CONTEXT {number}", one.text) for number, one in enumerate(case.context, start=1)]
    return _below_each_other(parts)


def _below_each_other(parts: list[Message]) -> Message:
    return Message.of(*(Message.of("\n" if at else "", part) for at, part in enumerate(parts)))
