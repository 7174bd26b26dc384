"""Builds the plain data that the reports of a review show: every sentence, rating, fact and marked passage.

It makes no decisions about the verdict or the layout. Text is not escaped here; templates escape it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...models.common import LABELS, Fact, Label
from ...rendering import wording
from ...rendering.escaping import one_line, shorten
from ...rendering.highlighting import Highlight, Piece, marked
from ...rendering.wording import MINUS, number
from ...rubric import HOW_BAD, LIKERT, OVERALL, TOO_LITTLE_TOO_MUCH, Rubric
from ..origin import VerdictView, judge_note, origin_of
from .case import Review
from .reading import INVALID
from .verdict import FinalRating, RatingAction, ReviewVerdict

RESPONSES: dict[str, str] = {"A": "Response 1", "B": "Response 2"}

_ACTIONS: tuple[RatingAction, ...] = ("kept", "replaced", "filled", "refused")
# People may enter any text as a rating; only this many characters of it are shown.
_ENTERED = 24
_STEPS = {1: "slightly better", 2: "better", 3: "much better"}  # from the middle of the preference scale
_HOW_BAD = {1: "major issue", 2: "minor issue", 3: "no issue"}
_HOW_MUCH = {-2: "far too little", -1: "too little", 0: "just right", 1: "too much", 2: "far too much"}
_RULES = {
    "identical": "both responses are the same text",
    "likert": "the preference follows from the tables",
    "preference": "the preference follows from the tables",
    "overall": "Overall Quality follows from the other dimensions",
    "reviewer": "a reviewer set it",
}
_PLACES: dict[str, str] = {"task": "the prompt", "context": "the context", **RESPONSES}


@dataclass(frozen=True, kw_only=True)
class FactView:
    """A fact with its number and, if it refers to a part of a response, the mark there."""

    ref: str
    fact: Fact
    name: str
    certainty: str
    place: str
    span: str
    mark: Highlight | None


@dataclass(frozen=True, kw_only=True)
class RatingRow:
    """A rating, from the entered value to the final one; `own` is the judge's, if it gave another.

    If the person entered nothing at all, `entered`, `reason` and `fate` are empty. `glance` is the rating in short,
    `3 → 2 replaced, truncation`, and its style on a terminal. The preference has no key, name or guidance.
    """

    key: str
    name: str
    guidance: str
    rating: FinalRating
    entered: str
    final: str
    grade: str
    reason: str
    rule: str
    own: str
    fate: str
    replaced_words: str
    quotes: Sequence[Highlight]
    facts: Sequence[FactView]
    refs: Sequence[str]
    glance: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class ResponseView:
    """One response: its text with all marks, and its table."""

    label: Label
    name: str
    pieces: Sequence[Piece]
    long: bool
    rows: Sequence[RatingRow]
    overall: str
    facts: Sequence[FactView]
    quotes: Sequence[Highlight]
    glance: Sequence[tuple[str, tuple[str, str]]]


@dataclass(frozen=True, kw_only=True)
class ReviewView(VerdictView):
    """What the reports of a review show. If `likert` is None, the task is invalid."""

    likert: RatingRow | None
    likert_sentence: str
    steps: Sequence[tuple[int, str, str]]
    summary: str
    tally: str
    counts: Mapping[RatingAction, int]
    from_scratch: bool
    blank: bool
    responses: Sequence[ResponseView]
    glance: Sequence[tuple[str, tuple[str, str], tuple[str, str]]]
    task: Sequence[tuple[str, str, str]]
    facts: Sequence[FactView]
    own: Sequence[tuple[str, ...]]


def build(verdict: ReviewVerdict, rubric: Rubric) -> ReviewView:
    """Return what the reports show of a verdict."""
    names = wording.criterion_names([key for label in LABELS for key in verdict.table(label)], rubric)
    ratings = [rating for label in LABELS for rating in verdict.table(label).values()]
    ratings += [verdict.likert] if verdict.likert else []
    scratch = not any(rating.original_rating or rating.original_justification for rating in ratings)
    facts = [_found(at, fact, verdict.case) for at, fact in enumerate(verdict.facts, 1)]
    quotes, guidance = _quotes(verdict, names), wording.guidance_of(rubric)
    valid = verdict.likert if verdict.invalid is None else None
    preferred = verdict.opinion.preference if verdict.opinion else None
    counts = {action: sum(rating.action == action for rating in ratings) for action in _ACTIONS}
    blank = sum(not rating.assessed for rating in ratings)
    summary = f"{len(ratings)} ratings{f', {blank} of them not assessed by this judge' if blank else ''}"
    tallied = [f"{count} {action}" for action, count in counts.items() if count]

    def response(label: Label) -> ResponseView:
        text, here = verdict.case.answer(label), [found for found in facts if found.fact.where == label]
        rows = []
        for key, rating in verdict.table(label).items():
            own = _own_rating(verdict, label, key) if rating.assessed else None
            cited = [quote for quote in quotes[label] if quote.criterion == key]
            bound = [found for found in here if found.fact.name == rating.rule]
            about = (key, names[key], guidance.get(key, ""))
            rows.append(_row(rating, scratch, own, grade_of(rating.value, key, rubric), about, cited, bound))
        return ResponseView(
            label=label,
            name=RESPONSES[label],
            pieces=marked(text, [*quotes[label], *(found.mark for found in here if found.mark)]),
            long=len(text) > wording.LONG,
            rows=rows,
            overall=next((f"{row.final} {row.grade}" for row in rows if row.key == OVERALL), ""),
            facts=here,
            quotes=quotes[label],
            glance=[(row.name, row.glance) for row in rows],
        )

    responses, marks = [response(label) for label in LABELS], [fact.ref for fact in facts if fact.mark]
    return ReviewView(
        verdict=verdict,
        headline=_preferred(valid.value) if valid else INVALID,
        likert=_row(valid, scratch, preferred, f"of {number(LIKERT.high)}") if valid else None,
        likert_sentence=_likert_sentence(valid, scratch) if valid else "",
        steps=_steps(valid) if valid else [],
        summary=f"{summary}.",
        tally=f"{summary}: {' and '.join(filter(None, (', '.join(tallied[:-1]), tallied[-1])))}." if tallied else "",
        counts=counts,
        from_scratch=scratch,
        blank=bool(blank),
        judge_note=judge_note(verdict.provenance.judge),
        responses=responses,
        glance=[(a.name, a.glance, b.glance) for a, b in zip(*(each.rows for each in responses), strict=True)],
        task=_task(verdict.case),
        facts=facts,
        own=_own(verdict, names),
        refs=[*(quote.ref for own in quotes.values() for quote in own), *marks],
        linked=[
            *(((f"#rating-{it.label}-{row.key}",), row.refs) for it in responses for row in it.rows),
            *(((f"#why-{ref}",), [ref]) for ref in marks),
        ],
        origin=origin_of(verdict),
    )


# -- ratings ----------------------------------------------------------------------------------------------------------


def _row(
    rating: FinalRating,
    scratch: bool,
    own: int | None,
    grade: str,
    about: tuple[str, str, str] = ("", "", ""),
    quotes: Sequence[Highlight] = (),
    facts: Sequence[FactView] = (),
) -> RatingRow:
    """Build a row for a rating. `own` is the judge's rating, if it gave one, and `about` are key, name and guidance.
    `scratch`: the person entered nothing at all."""
    action = f"Justification {rating.justification_action}{' in' if rating.justification_action == 'filled' else ''}"
    why = rating.justification_reason.strip().rstrip(".")
    bound = "" if rating.rule in _RULES else rating.rule.replace("_", " ")
    rule = f"Bound by a fact: {bound}" if bound else f"Rule: {_RULES[rating.rule]}" if rating.rule else ""
    entered, reason = ("", "") if scratch else (entered_words(rating.original_rating), rating.reason.strip())
    final = number(rating.value)
    moved = f"{entered} → {final}" if entered and rating.changed else final
    notes = (f"{moved} {rating.action}", bound, "" if rating.assessed else "not assessed")
    judged = number(own) if own is not None and own != rating.value else ""
    key, name, guidance = about
    return RatingRow(
        key=key,
        name=name,
        guidance=guidance,
        rating=rating,
        entered=entered,
        final=final,
        grade=grade,
        reason=reason,
        rule=rule,
        own=judged,
        fate="" if scratch else f"{action}: {why}." if why else f"{action}.",
        replaced_words="" if rating.justification_action == "kept" else rating.original_justification.strip(),
        quotes=quotes,
        facts=facts,
        refs=[*(quote.ref for quote in quotes), *(fact.ref for fact in facts if fact.mark)],
        glance=(", ".join(filter(None, notes)), "warning" if rating.changed else ""),
    )


def _preferred(value: int) -> str:
    if value == 4:
        return "Neither response is better"
    return f"Response {1 if value < 4 else 2} is {_STEPS[abs(value - 4)]}"


def _likert_sentence(rating: FinalRating, scratch: bool) -> str:
    """Say whether the entered preference was kept, replaced, filled in or refused."""
    if scratch:
        return f"On the scale from 1 to 7 the preference is {rating.value}."
    entered = entered_words(rating.original_rating)
    return {
        "kept": f"The preference that was entered, {entered}, is kept.",
        "replaced": f"The preference that was entered, {entered}, does not fit the tables, which give {rating.value}.",
        "filled": f"No preference was entered; the tables give {rating.value}.",
        "refused": f"The preference that was entered, {entered}, is not on the scale from 1 to 7; "
        f"the tables give {rating.value}.",
    }[rating.action]


def entered_words(entered: str) -> str:
    """Return what the person entered for a rating, shortened, or `none`."""
    return re.sub(r"^-(?=\d)", MINUS, shorten(entered, _ENTERED)) or "none"


def grade_of(rating: int, key: str, rubric: Rubric) -> str:
    """Say what a rating means: a word such as "minor issue", or "of" and the best rating of its scale."""
    scale = next((criterion.scale for criterion in rubric.criteria if criterion.key == key), None)
    if scale is None:
        return ""
    if key != OVERALL and scale in (HOW_BAD, TOO_LITTLE_TOO_MUCH):
        return (_HOW_BAD if scale == HOW_BAD else _HOW_MUCH).get(rating, "")
    return f"of {number(scale.high)}"


def _steps(likert: FinalRating) -> list[tuple[int, str, str]]:
    """Return the steps of the preference scale: value, side, and whether it is the final or the entered one."""
    entered = one_line(likert.original_rating)
    return [
        (
            value,
            "A" if value < 4 else "B" if value > 4 else "neither",
            "final" if value == likert.value else "entered" if entered == str(value) else "",
        )
        for value in map(int, LIKERT.values)
    ]


# -- quotes and facts -------------------------------------------------------------------------------------------------


def _quotes(verdict: ReviewVerdict, names: Mapping[str, str]) -> dict[Label, list[Highlight]]:
    """Return the quotes from each response, numbered in the order of Response 1 and then of Response 2."""
    found: dict[Label, list[Highlight]] = {}
    for label in LABELS:
        own = [(key, quote) for key, rating in verdict.table(label).items() for quote in rating.quotes]
        own.sort(key=lambda pair: (pair[1].start, pair[1].end))
        found[label] = [
            Highlight(str(at), "quote", key, quote.quote, quote.start, quote.end, str(at), title=names[key])
            for at, (key, quote) in enumerate(own, sum(map(len, found.values())) + 1)
        ]
    return found


def _found(at: int, fact: Fact, case: Review) -> FactView:
    text = case.answer(fact.where) if fact.where in LABELS else ""
    whole = bool(text.strip()) and not text[: fact.start].strip() and not text[fact.end :].strip()
    ref, name = f"F{at}", wording.words_of(fact.name)
    # A fact about a whole response is not marked, because a mark on everything shows nothing.
    marks = fact.where in LABELS and fact.start < fact.end and not whole
    return FactView(
        ref=ref,
        fact=fact,
        name=name,
        certainty=wording.certainty(fact),
        place=_PLACES[fact.where],
        span="all of it" if whole else f"characters {fact.start}–{fact.end}",
        mark=Highlight(ref, "fact", "", fact.found, fact.start, fact.end, ref, name) if marks else None,
    )


# -- the task and the judge's own ratings -----------------------------------------------------------------------------


def _task(case: Review) -> list[tuple[str, str, str]]:
    """Return the parts of the task that were given, each with a key, a name and a text."""
    parts = (
        ("prompt", "Prompt", case.prompt),
        ("system", "System prompt", case.system_prompt),
        ("conversation", "Conversation", case.history),
        ("configuration", "Task configuration", case.task_config),
    )
    return [part for part in parts if part[2].strip()]


def _own(verdict: ReviewVerdict, names: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the judge's own ratings: the criterion's name, and a rating of each response."""
    if verdict.opinion is None:
        return []
    both = {key: [_own_rating(verdict, label, key) for label in LABELS] for key in names}
    return [(names[key], *("cannot tell" if own is None else number(own) for own in it)) for key, it in both.items()]


def _own_rating(verdict: ReviewVerdict, label: Label, key: str) -> int | None:
    """Return the judge's own rating, before any rule was applied, or None if the judge could not tell."""
    rated = verdict.opinion.responses.get(label) if verdict.opinion else None
    own = rated.ratings.get(key) if rated else None
    return own.value if own is not None and own.assessed else None
