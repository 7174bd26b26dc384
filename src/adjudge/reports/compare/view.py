"""What the reports of a comparison show, as plain data: every sentence, number, row and marked stretch, built once.

It decides nothing, not even about looks. All text is still as others wrote it: templates make it safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ...arithmetic import cut, weighted_total
from ...models import LABELS, ComparisonVerdict, Fact, Label, Lookup, Winner
from ...rubric import Rubric
from ...text.findings import ATTEMPTS
from .. import wording
from ..highlighting import Highlight, Piece, marked
from ..origin import Origin, judge_note, origin_of
from ..wording import number, short

_FIRST = {"ab": "A first", "ba": "B first"}
_SIGNS = {"favorable": "+", "unfavorable": "−"}
_NOT_ASSESSED = "Not assessed: "
_LEAST = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer with its marks and its total, and how that came about."""

    label: Label
    name: str
    badge: str
    score: str
    total: str
    share: str
    summary: str
    pieces: tuple[Piece, ...]
    long: bool
    sum: str
    division: str


@dataclass(frozen=True, slots=True)
class CriterionSide:
    """One answer's part in a criterion; `telling` is the one quote to show where there is room for one."""

    label: Label
    score: str
    assessed: bool
    share: str
    product: str
    justification: str
    quotes: tuple[Highlight, ...]
    telling: Highlight | None


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """One criterion; `decisive` if none moved the totals further apart."""

    key: str
    name: str
    guidance: str
    weight: str
    sides: tuple[CriterionSide, CriterionSide]
    decisive: bool

    @property
    def assessed(self) -> bool:
        return any(side.assessed for side in self.sides)


@dataclass(frozen=True, slots=True)
class OrderScores:
    """What one order's judge said itself: a pair of scores for each criterion, and its preference."""

    name: str
    scores: tuple[tuple[str, str], ...]
    preference: str


@dataclass(frozen=True, slots=True)
class CompareView:
    """All that any format shows of a comparison."""

    headline: str
    tone: str
    decided: bool
    confidence: str
    rationale: str
    best: str
    answers: tuple[AnswerView, AnswerView]
    decision: str
    margin: str
    order: str
    order_badge: str
    orders_differ: bool
    judge_note: str
    task: str
    context: str
    rows: tuple[CriterionRow, ...]
    table: tuple[tuple[str, str, str, str], ...]
    not_assessed: tuple[str, ...]
    orders: tuple[OrderScores, ...]
    facts: tuple[tuple[str, str, str], ...]
    lookups: tuple[Lookup, ...]
    origin: Origin

    @property
    def refs(self) -> list[str]:
        return [quote.ref for row in self.rows for side in row.sides for quote in side.quotes]

    @property
    def linked(self) -> list[tuple[tuple[str, ...], list[str]]]:
        """The places of each criterion on a page, and its quotes."""
        return [
            (
                (f"#picture-{row.key}", f"#criterion-{row.key}"),
                [quote.ref for side in row.sides for quote in side.quotes],
            )
            for row in self.rows
        ]


def build(verdict: ComparisonVerdict, rubric: Rubric) -> CompareView:
    """A verdict as its reports show it."""
    quotes = {label: _quotes(verdict, label) for label in LABELS}
    rows = _rows(verdict, rubric, quotes)
    return CompareView(
        headline=_headline(verdict),
        tone=verdict.winner if verdict.decided else "tie",
        decided=verdict.decided,
        confidence=_confidence(verdict),
        rationale=verdict.rationale,
        best=number(rubric.scale.high),
        answers=(_answer(verdict, "A", quotes["A"], rubric), _answer(verdict, "B", quotes["B"], rubric)),
        decision=_decision(verdict, rubric.tie_band),
        margin=_apart(verdict, rubric.tie_band),
        order=_order(verdict),
        order_badge=_order_badge(verdict),
        orders_differ=_differ(verdict),
        judge_note=judge_note(verdict.provenance.judge),
        task=verdict.case.task,
        context=verdict.case.context.strip(),
        rows=rows,
        table=tuple((row.name, row.weight, row.sides[0].score, row.sides[1].score) for row in rows),
        not_assessed=_not_assessed(rows),
        orders=tuple(
            OrderScores(
                name=_FIRST[opinion.order],
                scores=tuple((number(by["A"].value), number(by["B"].value)) for by in opinion.scores.values()),
                preference=_named(opinion.preference),
            )
            for opinion in verdict.opinions
        ),
        facts=tuple((wording.words_of(fact.name), _place(fact), fact.found) for fact in verdict.facts),
        lookups=verdict.lookups,
        origin=origin_of(verdict),
    )


# -- sentences: the verdict and what both orders say of it ------------------------------------------------------------


def _named(winner: Winner) -> str:
    return "a tie" if winner == "tie" else winner


def _headline(verdict: ComparisonVerdict) -> str:
    """Who won, in a few words; or that nobody knows, and the best guess."""
    if verdict.decided:
        return "It is a tie" if verdict.winner == "tie" else f"Response {verdict.winner} wins"
    return f"Undecided; the best guess is {'a tie' if verdict.winner == 'tie' else f'response {verdict.winner}'}"


def _confidence(verdict: ComparisonVerdict) -> str:
    """How sure the judge is, as a sentence; empty if it does not say."""
    if verdict.confidence is None:
        return ""
    sure = f"{wording.percent_sure(verdict.confidence)}\u00a0% sure"
    if verdict.decided:
        return f"The judge is {sure}."
    if any(fact.name in ATTEMPTS for fact in verdict.facts):
        return f"The judge is {sure}, but decides nothing where a text tries to steer it."
    return f"The judge is only {sure}, which is not enough to decide: one that reads the answers would settle it."


def _differ(verdict: ComparisonVerdict) -> bool:
    return len(set(verdict.order.winners.values())) > 1


def _apart(verdict: ComparisonVerdict, band: Decimal) -> str:
    """How far the normalised totals are apart. Below the band that is cut, not rounded: it must not look like it."""
    if verdict.margin >= band:
        return short(verdict.margin)
    if 0 < verdict.margin < _LEAST:
        return f"less than {_LEAST}"
    return number(cut(Fraction(verdict.margin), _LEAST))


def _signed(step: Decimal) -> str:
    shown = short(step, 2)
    return f"+{shown}" if step > 0 and shown != "0" else shown


def _order_badge(verdict: ComparisonVerdict) -> str:
    if len(verdict.order.judged) == 1:
        return "one order only"
    return "orders differ" if _differ(verdict) else "orders agree"


def _decision(verdict: ComparisonVerdict, band: Decimal) -> str:
    """How far the totals are apart, and what followed from it."""
    tie, close = verdict.winner == "tie", verdict.margin < band
    equal = verdict.overall["A"].weighted_total == verdict.overall["B"].weighted_total
    far = _apart(verdict, band)
    apart = "The weighted totals are equal" if equal else f"The normalised totals are {far} apart"
    if verdict.decided:
        so = "so it is a tie" if tie else "the higher one wins"
    else:
        so = "so the best guess is a tie" if tie else "the higher one is the best guess"
    if _differ(verdict):
        limit = f"closer than {number(band)}" if close else f"at least {number(band)}"
        found = apart if equal else f"{apart}, {limit}"
        found = found[0].lower() + found[1:]
        return f"The orders differ, so the averaged scores decide: {found}{', ' if tie else '; '}{so}."
    if not tie:
        return f"{apart}; {so}."
    if equal:
        return f"{apart}, {so}."
    who = "both orders call it a tie" if len(verdict.order.judged) > 1 else "the judge itself prefers neither answer"
    return f"{apart}, and {who}{'' if verdict.decided else f', {so}'}."


def _order(verdict: ComparisonVerdict) -> str:
    """Whether it mattered which answer stood first."""
    order = verdict.order
    if len(order.judged) == 1:
        seed = "" if order.drawn_from_seed is None else f", drawn from seed {order.drawn_from_seed}"
        return f"Judged in one order only ({_FIRST[order.judged[0]]}{seed}), so whether the order matters is not known."
    if _differ(verdict):
        told = [f"{_named(winner)} with {_FIRST[name]}" for name, winner in order.winners.items()]
        named = f"which differ: {', '.join(told)}"
    else:
        winner = order.winners[order.judged[0]]
        named = "and both call it a tie" if winner == "tie" else f"and both name {winner}"
    if any(order.moved.values()):
        steps = [f"{_signed(step)} for {label}" for label, step in order.moved.items()]
        moved = f"From one to the other the normalised totals moved by {' and '.join(steps)}."
    else:
        moved = "No total moved."
    return f"Judged in both orders, {named}. {moved}"


# -- criteria and answers ---------------------------------------------------------------------------------------------


def _quotes(verdict: ComparisonVerdict, label: Label) -> dict[str, tuple[Highlight, ...]]:
    """An answer's quotes by criterion, numbered as a reader meets them in the text."""
    found = [(key, item) for key, criterion in verdict.criteria.items() for item in criterion.evidence[label]]
    found.sort(key=lambda pair: (pair[1].start, pair[1].end))
    by_criterion: dict[str, tuple[Highlight, ...]] = {}
    for at, (key, item) in enumerate(found, 1):
        ref, why = f"{label}{at}", item.rationale
        shown = f"{_SIGNS[item.impact]}{ref}"
        mark = Highlight(ref, item.impact, key, item.quote, item.start, item.end, shown, title=why, note=why)
        by_criterion[key] = (*by_criterion.get(key, ()), mark)
    return by_criterion


def _rows(
    verdict: ComparisonVerdict, rubric: Rubric, quotes: Mapping[Label, Mapping[str, tuple[Highlight, ...]]]
) -> tuple[CriterionRow, ...]:
    names, guidance = wording.criterion_names(verdict.criteria, rubric), wording.guidance_of(rubric)
    widest = max(_pull(verdict, key) for key in verdict.criteria)

    def side(key: str, label: Label) -> CriterionSide:
        criterion = verdict.criteria[key]
        given, own = criterion.scores[label], quotes[label].get(key, ())
        ahead = given.value >= criterion.scores["B" if label == "A" else "A"].value
        fitting = [quote for quote in own if quote.tone == ("favorable" if ahead else "unfavorable")]
        product = weighted_total({key: given.value}, {key: criterion.weight})
        return CriterionSide(
            label=label,
            score=short(given.value) if given.assessed else f"({short(given.value)})",
            assessed=given.assessed,
            share=wording.share(given.value, rubric.scale),
            product=f"{number(given.value)} × {number(criterion.weight)} = {number(product)}",
            justification=given.justification,
            quotes=own,
            telling=next(iter(fitting or own), None),
        )

    return tuple(
        CriterionRow(
            key=key,
            name=names[key],
            guidance=guidance.get(key, ""),
            weight=number(criterion.weight),
            sides=(side(key, "A"), side(key, "B")),
            decisive=bool(widest) and _pull(verdict, key) == widest,
        )
        for key, criterion in verdict.criteria.items()
    )


def _pull(verdict: ComparisonVerdict, key: str) -> Fraction:
    """How far a criterion moves the totals apart."""
    criterion = verdict.criteria[key]
    return abs(Fraction(criterion.A.value) - Fraction(criterion.B.value)) * Fraction(criterion.weight)


def _not_assessed(rows: tuple[CriterionRow, ...]) -> tuple[str, ...]:
    """The criteria the judge cannot tell anything about, and why, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if not row.assessed:
            by_reason.setdefault(row.sides[0].justification.removeprefix(_NOT_ASSESSED), []).append(row.name)
    return tuple(
        f"Not assessed, each at the middle of the scale: {'; '.join(names)} ({why.rstrip('.')})."
        for why, names in by_reason.items()
    )


def _answer(
    verdict: ComparisonVerdict, label: Label, quotes: Mapping[str, tuple[Highlight, ...]], rubric: Rubric
) -> AnswerView:
    text, overall = verdict.case.answer(label), verdict.overall[label]
    weights = {key: criterion.weight for key, criterion in verdict.criteria.items()}
    terms = (
        f"{number(verdict.criteria[key].scores[label].value)} × {number(weight)}" for key, weight in weights.items()
    )
    total, whole = overall.weighted_total, weighted_total(dict.fromkeys(weights, Decimal(1)), weights)
    equals = "=" if Fraction(total) / Fraction(whole) == Fraction(overall.normalized) else "≈"
    badge = "Winner" if verdict.decided else "Best guess"
    return AnswerView(
        label=label,
        name=f"Response {label}",
        badge=badge if verdict.winner == label else "",
        score=short(overall.normalized),
        total=number(total),
        share=wording.share(overall.normalized, rubric.scale),
        summary=overall.summary.strip(),
        pieces=marked(
            text, sorted((each for own in quotes.values() for each in own), key=lambda each: int(each.ref[1:]))
        ),
        long=len(text) > wording.LONG,
        sum=f"{' + '.join(terms)} = {number(total)}",
        division=f"{number(total)} ÷ {number(whole)} {equals} {number(overall.normalized)}",
    )


def _place(fact: Fact) -> str:
    where = f"answer {fact.where}" if fact.where in LABELS else f"the {fact.where}"
    return f"{where}, characters {fact.start}–{fact.end}, {wording.certainty(fact)}"
