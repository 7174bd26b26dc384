"""What the reports of a review show, as typed data: rows with their numbered quotes, facts, texts cut for highlighting.

It prepares and decides nothing about looks; the formats lay it out. All text is still as others wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..models import LABELS, Fact, FinalRating, Label, Rating, RatingAction, ReviewVerdict
from ..models.cases import Review
from ..rubric import LIKERT, Rubric
from . import review_wording as wording
from .escaping import one_line
from .highlighting import Piece, marked
from .report import LONG
from .wording import criterion_names

LIKERT_KEY, LIKERT_NAME = "likert", "Preference"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a response with the number that links it to its reason: `3` for a quote, `F1` for a fact."""

    ref: str
    label: Label
    tone: Literal["quote", "fact"]
    criterion: str
    name: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact with its number; `marked` if it has a place of its own in a response."""

    ref: str
    fact: Fact
    name: str
    place: str
    certainty: str
    marked: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One rating on its way from what was entered to what stands; `own` is the judge's, where a rule moved it.

    Where the person entered nothing at all, a row does not say so again: `entered`, `reason` and `fate` are empty.
    """

    key: str
    name: str
    guidance: str
    rating: FinalRating
    entered: str
    final: str
    grade: str
    reason: str
    fate: str
    quotes: tuple[Mark, ...]
    rule: str
    facts: tuple[FoundFact, ...]
    own: str

    @property
    def replaced_words(self) -> str:
        """The justification that was entered and does not stand."""
        return "" if self.rating.justification_action == "kept" else self.rating.original_justification.strip()


@dataclass(frozen=True, slots=True)
class Response:
    """One response: its text with all marks, and its table."""

    label: Label
    name: str
    pieces: tuple[Piece[Mark], ...]
    long: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One value of the preference scale; `entered` if the person chose it."""

    value: int
    final: bool
    entered: bool


@dataclass(frozen=True, slots=True)
class Text:
    """A part of the task."""

    key: str
    name: str
    text: str
    long: bool


@dataclass(frozen=True, slots=True)
class OwnRow:
    """What the judge itself rated, before any rule."""

    name: str
    values: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Report:
    """All a format needs beside the verdict itself."""

    responses: tuple[Response, Response]
    likert: Row | None
    steps: tuple[Step, ...]
    counts: dict[RatingAction, int]
    facts: tuple[FoundFact, ...]
    task: tuple[Text, ...]
    own: tuple[OwnRow, ...]
    refs: tuple[str, ...]
    from_scratch: bool


def build(verdict: ReviewVerdict, case: Review, rubric: Rubric) -> Report:
    """The report's data; a verdict that does not belong to this case raises."""
    names = criterion_names([key for label in LABELS for key in verdict.table(label)], rubric)
    facts = tuple(_found(at, fact, case) for at, fact in enumerate(verdict.facts, 1))
    quotes = _quotes(verdict, names)

    def response(label: Label) -> Response:
        text, table = case.answer(label), verdict.table(label)
        marks = [*(quote for quote in quotes if quote.label == label), *_fact_marks(facts, label)]
        rows = tuple(_row(verdict, rubric, label, key, names[key], quotes, facts) for key in table)
        return Response(label, wording.RESPONSES[label], marked(text, marks), len(text) > LONG, rows)

    responses = (response("A"), response("B"))
    return Report(
        responses=responses,
        likert=_likert(verdict),
        steps=_steps(verdict),
        counts=wording.counts(verdict),
        facts=facts,
        task=_task(case),
        own=_own(verdict, names),
        refs=(*(quote.ref for quote in quotes), *(fact.ref for fact in facts if fact.marked)),
        from_scratch=wording.from_scratch(verdict),
    )


def _quotes(verdict: ReviewVerdict, names: Mapping[str, str]) -> tuple[Mark, ...]:
    """All quotes, numbered as a reader meets them in Response 1 and then in Response 2."""
    found: list[Mark] = []
    for label in LABELS:
        own = [(key, quote) for key, rating in verdict.table(label).items() for quote in rating.quotes]
        own.sort(key=lambda pair: (pair[1].start, pair[1].end))
        found += (
            Mark(str(at), label, "quote", key, names[key], quote.quote, quote.start, quote.end)
            for at, (key, quote) in enumerate(own, len(found) + 1)
        )
    return tuple(found)


def _found(at: int, fact: Fact, case: Review) -> FoundFact:
    # A fact about a whole response would mark all of it, and so nothing.
    whole = fact.where in LABELS and not case.answer(fact.where)[: fact.start].strip()
    whole = whole and not case.answer(fact.where)[fact.end :].strip()
    return FoundFact(
        ref=f"F{at}",
        fact=fact,
        name=fact.name.replace("_", " ").capitalize(),
        place=wording.place(fact),
        certainty=wording.certainty(fact),
        marked=fact.where in LABELS and fact.start < fact.end and not whole,
        whole=whole,
    )


def _fact_marks(facts: Sequence[FoundFact], label: Label) -> list[Mark]:
    return [
        Mark(found.ref, label, "fact", "", found.name, found.fact.found, found.fact.start, found.fact.end)
        for found in facts
        if found.marked and found.fact.where == label
    ]


def _row(
    verdict: ReviewVerdict,
    rubric: Rubric,
    label: Label,
    key: str,
    name: str,
    quotes: Sequence[Mark],
    facts: Sequence[FoundFact],
) -> Row:
    rating = verdict.table(label)[key]
    own = _own_rating(verdict, label, key)
    guidance = next((criterion.guidance for criterion in rubric.criteria if criterion.key == key), "")
    return replace(
        _bare_row(key, name, rating, verdict),
        guidance=" ".join(guidance.split()),
        grade=wording.grade(rating.value, key, rubric),
        quotes=tuple(quote for quote in quotes if quote.label == label and quote.criterion == key),
        facts=tuple(found for found in facts if found.fact.where == label and found.fact.name == rating.rule),
        own=_moved(rating, own.value if own is not None and own.assessed and rating.assessed else None),
    )


def _likert(verdict: ReviewVerdict) -> Row | None:
    if verdict.invalid is not None or verdict.likert is None:
        return None
    return replace(
        _bare_row(LIKERT_KEY, LIKERT_NAME, verdict.likert, verdict),
        grade=f"of {LIKERT.high}",
        own=_moved(verdict.likert, verdict.opinion.preference if verdict.opinion else None),
    )


def _bare_row(key: str, name: str, rating: FinalRating, verdict: ReviewVerdict) -> Row:
    """What a row of a table and the preference have in common."""
    audited = not wording.from_scratch(verdict)
    return Row(
        key=key,
        name=name,
        guidance="",
        rating=rating,
        entered=wording.entered(rating.original_rating) if audited else "",
        final=wording.value(rating.value),
        grade="",
        reason=rating.reason.strip() if audited else "",
        fate=wording.justification_fate(rating) if audited else "",
        quotes=(),
        rule=wording.rule(rating.rule),
        facts=(),
        own="",
    )


def _moved(rating: FinalRating, own: int | None) -> str:
    return wording.value(own) if own is not None and own != rating.value else ""


def _steps(verdict: ReviewVerdict) -> tuple[Step, ...]:
    if verdict.invalid is not None or verdict.likert is None:
        return ()
    entered = one_line(verdict.likert.original_rating)
    return tuple(Step(value, verdict.likert.value == value, entered == str(value)) for value in map(int, LIKERT.values))


def _task(case: Review) -> tuple[Text, ...]:
    parts = (
        ("prompt", "Prompt", case.prompt),
        ("system", "System prompt", case.system_prompt),
        ("conversation", "Conversation", case.history),
        ("configuration", "Task configuration", case.task_config),
    )
    return tuple(Text(key, name, text, len(text) > LONG) for key, name, text in parts if text.strip())


def _own(verdict: ReviewVerdict, names: Mapping[str, str]) -> tuple[OwnRow, ...]:
    if verdict.opinion is None:
        return ()

    def shown(label: Label, key: str) -> str:
        own = _own_rating(verdict, label, key)
        if own is None or not own.assessed:
            return "–" if own is None else "cannot tell"
        return wording.value(own.value)

    return tuple(OwnRow(name, (shown("A", key), shown("B", key))) for key, name in names.items())


def _own_rating(verdict: ReviewVerdict, label: Label, key: str) -> Rating | None:
    rated = verdict.opinion.responses.get(label) if verdict.opinion else None
    return rated.ratings.get(key) if rated else None
