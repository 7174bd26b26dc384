"""What the reports of a review show, as plain data: every sentence, rating, fact and marked stretch, built once.

It decides nothing, not even about looks. All text is still as others wrote it: templates make it safe.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...inputs.review.tags import INVALID
from ...models import (
    LABELS,
    Fact,
    FinalRating,
    JustificationAction,
    Label,
    RatingAction,
    Review,
    ReviewOpinion,
    ReviewVerdict,
)
from ...rubric import HOW_BAD, LIKERT, OVERALL, TOO_LITTLE_TOO_MUCH, Rubric
from .. import wording
from ..escaping import one_line, shorten
from ..highlighting import Highlight, Piece, marked
from ..origin import Origin, judge_note, origin_of
from ..wording import number

RESPONSES: dict[str, str] = {"A": "Response 1", "B": "Response 2"}

_ACTIONS: tuple[RatingAction, ...] = ("kept", "replaced", "filled", "refused")
# What was entered may be anything; beside a rating there is room for a rating.
_ENTERED = 24
_PREFERENCES = {
    1: "Response 1 is much better",
    2: "Response 1 is better",
    3: "Response 1 is slightly better",
    4: "Neither response is better",
    5: "Response 2 is slightly better",
    6: "Response 2 is better",
    7: "Response 2 is much better",
}
_HOW_BAD = {1: "major issue", 2: "minor issue", 3: "no issue"}
_HOW_MUCH = {-2: "far too little", -1: "too little", 0: "just right", 1: "too much", 2: "far too much"}
_RULES = {
    "identical": "both responses are the same text",
    "likert": "the preference follows from the tables",
    "preference": "the preference follows from the tables",
    "overall": "Overall Quality follows from the other dimensions",
    "reviewer": "a reviewer set it",
}
_JUSTIFICATIONS: dict[JustificationAction, str] = {
    "kept": "Justification kept",
    "rewritten": "Justification rewritten",
    "filled": "Justification filled in",
}
_PLACES: dict[str, str] = {"task": "the prompt", "context": "the context", **RESPONSES}


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact with its number and, where it has a place of its own in a response, the mark there."""

    ref: str
    fact: Fact
    name: str
    certainty: str
    place: str
    span: str
    mark: Highlight | None


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One rating on its way from what was entered to what stands; `own` is the judge's, where a rule moved it.

    Where the person entered nothing at all, a row does not say so again: `entered`, `reason` and `fate` are empty.
    """

    key: str
    name: str
    guidance: str
    action: RatingAction
    changed: bool
    assessed: bool
    entered: str
    final: str
    grade: str
    reason: str
    rule: str
    bound: str
    own: str
    justification: str
    fate: str
    replaced_words: str
    quotes: tuple[Highlight, ...]
    facts: tuple[FoundFact, ...]

    @property
    def glance(self) -> tuple[str, str]:
        """The rating in short, `3 → 2 replaced, truncation`, and its style on a terminal."""
        moved = f"{self.entered} → {self.final}" if self.entered and self.changed else self.final
        notes = [self.bound, "" if self.assessed else "not assessed"]
        return ", ".join([f"{moved} {self.action}", *filter(None, notes)]), "warning" if self.changed else ""

    @property
    def happened(self) -> tuple[str, ...]:
        """What became of the rating, and why, in sentences."""
        refs = "".join(f" {fact.ref}" for fact in self.facts)
        told = (
            f"{self.action.capitalize()}: {self.reason}" if self.reason else self.action.capitalize(),
            f"{self.rule}{refs}" if self.rule else "",
            f"The judge’s own rating was {self.own}" if self.own else "",
            "" if self.assessed else "Not assessed by this judge",
        )
        return tuple(f"{sentence.rstrip('.')}." for sentence in told if sentence)


@dataclass(frozen=True, slots=True)
class ResponseView:
    """One response: its text with all marks, and its table."""

    label: Label
    name: str
    pieces: tuple[Piece, ...]
    long: bool
    rows: tuple[RatingRow, ...]
    overall: str
    facts: tuple[FoundFact, ...]

    @property
    def glance(self) -> list[tuple[str, tuple[str, str]]]:
        return [(row.name, row.glance) for row in self.rows]

    @property
    def quotes(self) -> list[Highlight]:
        return sorted((quote for row in self.rows for quote in row.quotes), key=lambda quote: int(quote.ref))


@dataclass(frozen=True, slots=True)
class ReviewView:
    """All that any format shows of a review; without a preference, the task is invalid.

    A step of the preference scale is its value, whose side it is on, and whether it is the final one or was entered. A
    part of the task has a key, a name and a text. A row of the judge's own ratings has a name and a rating of each.
    """

    headline: str
    favoured: Label | None
    invalid: str
    likert: RatingRow | None
    likert_sentence: str
    steps: tuple[tuple[int, str, str], ...]
    summary: str
    tally: str
    counts: dict[RatingAction, int]
    from_scratch: bool
    blank: bool
    judge_note: str
    responses: tuple[ResponseView, ResponseView]
    changelog: tuple[str, ...]
    feedback: tuple[str, ...]
    task: tuple[tuple[str, str, str], ...]
    facts: tuple[FoundFact, ...]
    own: tuple[tuple[str, str, str], ...]
    opinion: ReviewOpinion | None
    refs: tuple[str, ...]
    origin: Origin

    @property
    def facts_of_task(self) -> list[FoundFact]:
        return [fact for fact in self.facts if fact.fact.where not in LABELS]

    @property
    def linked(self) -> list[tuple[tuple[str, ...], list[str]]]:
        """The place of each rating and each fact on a page, and what is marked for it."""
        rated: list[tuple[tuple[str, ...], list[str]]] = [
            (
                (f"#rating-{response.label}-{row.key}",),
                [quote.ref for quote in row.quotes] + [fact.ref for fact in row.facts if fact.mark],
            )
            for response in self.responses
            for row in response.rows
        ]
        return rated + [((f"#why-{fact.ref}",), [fact.ref]) for fact in self.facts if fact.mark]

    @property
    def glance(self) -> list[tuple[str | tuple[str, str], ...]]:
        """Both tables side by side."""
        first, second = self.responses
        return [(a.name, a.glance, b.glance) for a, b in zip(first.rows, second.rows, strict=True)]


def build(verdict: ReviewVerdict, rubric: Rubric) -> ReviewView:
    """A verdict as its reports show it."""
    names = wording.criterion_names([key for label in LABELS for key in verdict.table(label)], rubric)
    ratings = [rating for label in LABELS for rating in verdict.table(label).values()]
    ratings += [verdict.likert] if verdict.likert else []
    scratch = not any(rating.original_rating or rating.original_justification for rating in ratings)
    facts = tuple(_found(at, fact, verdict.case) for at, fact in enumerate(verdict.facts, 1))
    quotes, guidance = _quotes(verdict, names), wording.guidance_of(rubric)
    valid = verdict.likert if verdict.invalid is None else None
    preferred = verdict.opinion.preference if verdict.opinion else None
    counts = {action: sum(rating.action == action for rating in ratings) for action in _ACTIONS}
    blank = sum(not rating.assessed for rating in ratings)
    summary = f"{len(ratings)} ratings{f', {blank} of them not assessed by this judge' if blank else ''}"
    told = [f"{count} {action}" for action, count in counts.items() if count]

    def response(label: Label) -> ResponseView:
        text, own = verdict.case.answer(label), quotes[label]
        here = [found for found in facts if found.fact.where == label]
        marks = [*own, *(found.mark for found in here if found.mark)]
        rows = tuple(
            _row(
                rating,
                key,
                names[key],
                scratch,
                own=_own_rating(verdict, label, key) if rating.assessed else None,
                grade=grade_of(rating.value, key, rubric),
                guidance=guidance.get(key, ""),
                quotes=tuple(quote for quote in own if quote.criterion == key),
                facts=tuple(found for found in here if found.fact.name == rating.rule),
            )
            for key, rating in verdict.table(label).items()
        )
        overall = next((f"{row.final} {row.grade}" for row in rows if row.key == OVERALL), "")
        pieces, long = marked(text, marks), len(text) > wording.LONG
        return ResponseView(label, RESPONSES[label], pieces, long, rows, overall, tuple(here))

    return ReviewView(
        headline=_PREFERENCES[valid.value] if valid else INVALID,
        favoured=None if valid is None or valid.value == 4 else "A" if valid.value < 4 else "B",
        invalid=verdict.invalid or "",
        likert=_row(valid, "likert", "Preference", scratch, own=preferred, grade=f"of {number(LIKERT.high)}")
        if valid
        else None,
        likert_sentence=_likert_sentence(valid, scratch) if valid else "",
        steps=_steps(valid) if valid else (),
        summary=f"{summary}.",
        tally=f"{summary}: {' and '.join(filter(None, (', '.join(told[:-1]), told[-1])))}." if told else "",
        counts=counts,
        from_scratch=scratch,
        blank=bool(blank),
        judge_note=judge_note(verdict.provenance.judge),
        responses=(response("A"), response("B")),
        changelog=verdict.changelog,
        feedback=verdict.feedback,
        task=_task(verdict.case),
        facts=facts,
        own=_own(verdict, names),
        opinion=verdict.opinion,
        refs=(*(quote.ref for own in quotes.values() for quote in own), *(fact.ref for fact in facts if fact.mark)),
        origin=origin_of(verdict),
    )


# -- ratings ----------------------------------------------------------------------------------------------------------


def _row(
    rating: FinalRating,
    key: str,
    name: str,
    scratch: bool,
    *,
    own: int | None,
    grade: str,
    guidance: str = "",
    quotes: tuple[Highlight, ...] = (),
    facts: tuple[FoundFact, ...] = (),
) -> RatingRow:
    """A row of a table, or the preference; `own` is what the judge itself gave, if it could tell."""
    said, why = _JUSTIFICATIONS[rating.justification_action], rating.justification_reason.strip().rstrip(".")
    bound = "" if rating.rule in _RULES else rating.rule.replace("_", " ")
    return RatingRow(
        key=key,
        name=name,
        guidance=guidance,
        action=rating.action,
        changed=rating.changed,
        assessed=rating.assessed,
        entered="" if scratch else _entered(rating),
        final=number(rating.value),
        grade=grade,
        reason="" if scratch else rating.reason.strip(),
        rule=f"Bound by a fact: {bound}" if bound else f"Rule: {_RULES[rating.rule]}" if rating.rule else "",
        bound=bound,
        own=number(own) if own is not None and own != rating.value else "",
        justification=rating.justification,
        fate="" if scratch else f"{said}: {why}." if why else f"{said}.",
        replaced_words="" if rating.justification_action == "kept" else rating.original_justification.strip(),
        quotes=quotes,
        facts=facts,
    )


def _likert_sentence(rating: FinalRating, scratch: bool) -> str:
    """What became of the preference that was entered."""
    if scratch:
        return f"On the scale from 1 to 7 the preference is {rating.value}."
    entered = _entered(rating)
    return {
        "kept": f"The preference that was entered, {entered}, stands.",
        "replaced": f"The preference that was entered, {entered}, does not fit the tables, which give {rating.value}.",
        "filled": f"No preference was entered; the tables give {rating.value}.",
        "refused": f"The preference that was entered, {entered}, is not on the scale from 1 to 7; "
        f"the tables give {rating.value}.",
    }[rating.action]


def _entered(rating: FinalRating) -> str:
    """What the person entered, as far as there is room, or `none`."""
    return re.sub(r"^-(?=\d)", "−", shorten(rating.original_rating, _ENTERED)) or "none"


def grade_of(rating: int, key: str, rubric: Rubric) -> str:
    """What a rating means in words: how bad it is, or how much of the best."""
    scale = next((criterion.scale for criterion in rubric.criteria if criterion.key == key), None)
    if scale is None:
        return ""
    if key != OVERALL and scale in (HOW_BAD, TOO_LITTLE_TOO_MUCH):
        return (_HOW_BAD if scale == HOW_BAD else _HOW_MUCH).get(rating, "")
    return f"of {number(scale.high)}"


def _steps(likert: FinalRating) -> tuple[tuple[int, str, str], ...]:
    entered = one_line(likert.original_rating)
    return tuple(
        (
            value,
            "A" if value < 4 else "B" if value > 4 else "neither",
            "final" if value == likert.value else "entered" if entered == str(value) else "",
        )
        for value in map(int, LIKERT.values)
    )


# -- quotes and facts -------------------------------------------------------------------------------------------------


def _quotes(verdict: ReviewVerdict, names: Mapping[str, str]) -> dict[Label, list[Highlight]]:
    """The quotes from each response, numbered as a reader meets them in Response 1 and then in Response 2."""
    found: dict[Label, list[Highlight]] = {}
    for label in LABELS:
        own = [(key, quote) for key, rating in verdict.table(label).items() for quote in rating.quotes]
        own.sort(key=lambda pair: (pair[1].start, pair[1].end))
        found[label] = [
            Highlight(str(at), "quote", key, quote.quote, quote.start, quote.end, str(at), title=names[key])
            for at, (key, quote) in enumerate(own, sum(map(len, found.values())) + 1)
        ]
    return found


def _found(at: int, fact: Fact, case: Review) -> FoundFact:
    text = case.answer(fact.where) if fact.where in LABELS else ""
    whole = bool(text.strip()) and not text[: fact.start].strip() and not text[fact.end :].strip()
    ref, name = f"F{at}", wording.words_of(fact.name)
    # A fact about a whole response would mark all of it, and so nothing.
    marks = fact.where in LABELS and fact.start < fact.end and not whole
    return FoundFact(
        ref=ref,
        fact=fact,
        name=name,
        certainty=wording.certainty(fact),
        place=_PLACES[fact.where],
        span="all of it" if whole else f"characters {fact.start}–{fact.end}",
        mark=Highlight(ref, "fact", "", fact.found, fact.start, fact.end, ref, name) if marks else None,
    )


# -- the task and the judge's own ratings -----------------------------------------------------------------------------


def _task(case: Review) -> tuple[tuple[str, str, str], ...]:
    parts = (
        ("prompt", "Prompt", case.prompt),
        ("system", "System prompt", case.system_prompt),
        ("conversation", "Conversation", case.history),
        ("configuration", "Task configuration", case.task_config),
    )
    return tuple(part for part in parts if part[2].strip())


def _own(verdict: ReviewVerdict, names: Mapping[str, str]) -> tuple[tuple[str, str, str], ...]:
    def shown(label: Label, key: str) -> str:
        own = _own_rating(verdict, label, key)
        return "cannot tell" if own is None else number(own)

    return tuple((name, shown("A", key), shown("B", key)) for key, name in names.items()) if verdict.opinion else ()


def _own_rating(verdict: ReviewVerdict, label: Label, key: str) -> int | None:
    """What the judge itself gave before any rule, if it could tell."""
    rated = verdict.opinion.responses.get(label) if verdict.opinion else None
    own = rated.ratings.get(key) if rated else None
    return own.value if own is not None and own.assessed else None
