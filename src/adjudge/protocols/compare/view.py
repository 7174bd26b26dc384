"""Builds the plain data that the reports of a comparison show: every sentence, number, row and marked passage.

It makes no decisions about the verdict or the layout. Text is not escaped here; templates escape it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ...arithmetic import cut, rounded, weighted_total
from ...models.common import LABELS, Fact, Label, Winner
from ...rendering import wording
from ...rendering.highlighting import Highlight, Piece, marked
from ...rendering.wording import number, short
from ...rubric import Rubric
from ...text.findings import ATTEMPTS
from ..origin import VerdictView, judge_note, origin_of
from .table import undecided_by
from .verdict import ComparisonOpinion, ComparisonVerdict, Totals

_FIRST = {"ab": "A first", "ba": "B first"}
_SIGNS = {"favorable": "+", "unfavorable": "−"}
_NOT_ASSESSED = "Not assessed: "
_LEAST = Decimal("0.01")


@dataclass(frozen=True, kw_only=True)
class Side:
    """A criterion's score of one answer; `telling` is the quote to show if there is room for only one."""

    label: Label
    score: str
    assessed: bool
    share: str
    product: str
    justification: str
    quotes: Sequence[Highlight]
    telling: Highlight | None


@dataclass(frozen=True, kw_only=True)
class CriterionRow:
    """A criterion with one side per answer. It is `decisive` if no other moved the totals further apart."""

    key: str
    name: str
    guidance: str
    weight: str
    sides: Sequence[Side]
    assessed: bool
    decisive: bool


@dataclass(frozen=True, kw_only=True)
class AnswerView:
    """One answer with its marks, its total, and the arithmetic of the total."""

    label: Label
    badge: str
    score: str
    total: str
    share: str
    summary: str
    pieces: Sequence[Piece]
    long: bool
    sum: str
    division: str


@dataclass(frozen=True, kw_only=True)
class ComparisonView(VerdictView):
    """What the reports of a comparison show: sentences, rows of criteria, answers with their marks."""

    confidence: str
    best: str
    answers: Sequence[AnswerView]
    decision: str
    margin: str
    order: str
    order_badge: str
    orders_differ: bool
    rows: Sequence[CriterionRow]
    table: Sequence[tuple[str, ...]]
    not_assessed: Sequence[str]
    filled_in: str
    orders: Sequence[tuple[str, ComparisonOpinion, str]]
    facts: Sequence[tuple[str, str, str]]


def build(verdict: ComparisonVerdict, rubric: Rubric) -> ComparisonView:
    """Return what the reports show of a verdict."""
    quotes = {label: _quotes(verdict, label) for label in LABELS}
    rows = _rows(verdict, rubric, quotes)
    refs = {row.key: [quote.ref for side in row.sides for quote in side.quotes] for row in rows}
    return ComparisonView(
        verdict=verdict,
        headline=_headline(verdict),
        confidence=_confidence(verdict),
        best=number(rubric.scale.high),
        answers=[_answer(verdict, label, quotes[label], rubric) for label in LABELS],
        decision=_decision(verdict, rubric.tie_band),
        margin=_apart(verdict, rubric.tie_band),
        order=_order(verdict),
        order_badge=_order_badge(verdict),
        orders_differ=_differ(verdict),
        judge_note=judge_note(verdict.provenance.judge),
        rows=rows,
        table=[(row.name, row.weight, *(side.score for side in row.sides)) for row in rows],
        not_assessed=_not_assessed(rows),
        filled_in=wording.filled_in(
            sum(not row.assessed and row.weight != "0" for row in rows), len(rows), "both totals"
        ),
        orders=[(_FIRST[opinion.order], opinion, _named(opinion.preference)) for opinion in verdict.opinions],
        facts=[(wording.words_of(fact.name), _place(fact), fact.found) for fact in verdict.facts],
        refs=[ref for own in refs.values() for ref in own],
        linked=[((f"#criterion-{key}",), own) for key, own in refs.items()],
        origin=origin_of(verdict),
    )


# -- sentences on the verdict and on both orders -----------------------------------------------------------------------


def _named(winner: Winner) -> str:
    return "a tie" if winner == "tie" else winner


def _headline(verdict: ComparisonVerdict) -> str:
    """Say in a few words who won, or that it is undecided and what the best guess is."""
    if verdict.decided:
        return "It is a tie" if verdict.winner == "tie" else f"Response {verdict.winner} wins"
    return f"Undecided; the best guess is {'a tie' if verdict.winner == 'tie' else f'response {verdict.winner}'}"


def _confidence(verdict: ComparisonVerdict) -> str:
    """Say in a sentence how sure the judge is, or, if it gives no confidence, what kept it from deciding; else ""."""
    if verdict.confidence is None:
        return "" if verdict.decided else f"Undecided because {undecided_by(verdict)}."
    sure = f"{wording.percent_sure(verdict.confidence)}\u00a0% sure"
    if verdict.decided:
        return f"The judge is {sure}."
    if any(fact.name in ATTEMPTS for fact in verdict.facts):
        return f"The judge is {sure}, but it does not decide if a text tries to steer it."
    return f"The judge is {sure} of this guess. A judge that reads the answers could decide."


def _differ(verdict: ComparisonVerdict) -> bool:
    return len(set(verdict.order.winners.values())) > 1


def _order_badge(verdict: ComparisonVerdict) -> str:
    if verdict.decided_by == "identical":
        return "identical responses"
    if len(verdict.order.judged) == 1:
        return "one order only"
    return "orders differ" if _differ(verdict) else "orders agree"


def _apart(verdict: ComparisonVerdict, band: Decimal) -> str:
    """Write the difference of the normalised totals. Below the tie band it is cut, so as not to look like the band."""
    margin = abs(verdict.totals.lead)
    if margin >= band:
        return short(margin)
    if 0 < margin < _LEAST:
        return f"less than {_LEAST}"
    return number(cut(margin, _LEAST))


def _decision(verdict: ComparisonVerdict, band: Decimal) -> str:
    """Say how far the totals are apart, and what follows from it."""
    if verdict.decided_by == "identical":
        return "The responses are identical, so it is a tie with any weights."
    lead = verdict.totals.lead
    tie, close, equal = verdict.winner == "tie", abs(lead) < band, lead == 0
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
    """Say whether the order of the answers made a difference."""
    order = verdict.order
    if len(order.judged) == 1:
        seed = "" if order.drawn_from_seed is None else f", drawn from seed {order.drawn_from_seed}"
        judged = f"Judged in one order only ({_FIRST[order.judged[0]]}{seed})"
        if verdict.decided_by == "identical":
            return f"{judged}: between identical responses the order cannot matter."
        return f"{judged}, so whether the order matters is not known."
    if _differ(verdict):
        winners = [f"{_named(winner)} with {_FIRST[name]}" for name, winner in order.winners.items()]
        named = f"which differ: {', '.join(winners)}"
    else:
        winner = order.winners[order.judged[0]]
        named = "and both call it a tie" if winner == "tie" else f"and both name {winner}"
    by_order = {opinion.order: Totals.of(opinion.scores, verdict.weights) for opinion in verdict.opinions}
    moves = by_order["ab"].moved_to(by_order["ba"])
    if any(moves.values()):
        steps = []
        for label, step in moves.items():
            shown = short(step, 2)
            steps.append(f"{'+' if step > 0 and shown != '0' else ''}{shown} for {label}")
        moved = f"From one to the other the normalised totals moved by {' and '.join(steps)}."
    else:
        moved = "No total moved."
    return f"Judged in both orders, {named}. {moved}"


# -- criteria and answers ---------------------------------------------------------------------------------------------


def _quotes(verdict: ComparisonVerdict, label: Label) -> list[Highlight]:
    """Return an answer's quotes, numbered in the order of the text."""
    found = [(key, item) for key, criterion in verdict.criteria.items() for item in criterion.evidence[label]]
    found.sort(key=lambda pair: (pair[1].start, pair[1].end))
    marks = []
    for at, (key, item) in enumerate(found, 1):
        ref, why = f"{label}{at}", item.rationale
        shown = f"{_SIGNS[item.impact]}{ref}"
        marks.append(Highlight(ref, item.impact, key, item.quote, item.start, item.end, shown, title=why, note=why))
    return marks


def _rows(
    verdict: ComparisonVerdict, rubric: Rubric, quotes: Mapping[Label, Sequence[Highlight]]
) -> list[CriterionRow]:
    names, guidance = wording.criterion_names(verdict.criteria, rubric), wording.guidance_of(rubric)
    pulls = {
        key: abs(criterion.A.exactly - criterion.B.exactly) * Fraction(criterion.weight)
        for key, criterion in verdict.criteria.items()
    }

    def side(key: str, label: Label) -> Side:
        criterion = verdict.criteria[key]
        given, own = criterion.scores[label], [quote for quote in quotes[label] if quote.criterion == key]
        ahead = given.exactly >= criterion.scores["B" if label == "A" else "A"].exactly
        fitting = [quote for quote in own if quote.tone == ("favorable" if ahead else "unfavorable")]
        terms = f"{number(given.value)} × {number(criterion.weight)}"
        return Side(
            label=label,
            score=short(given.exactly) if given.assessed else f"({short(given.exactly)})",
            assessed=given.assessed,
            share=wording.share(given.exactly, rubric.scale),
            product=_equation(terms, given.exactly * Fraction(criterion.weight), given.exact is None),
            justification=given.justification,
            quotes=own,
            telling=next(iter(fitting or own), None),
        )

    return [
        CriterionRow(
            key=key,
            name=names[key],
            guidance=guidance.get(key, ""),
            weight=number(criterion.weight),
            sides=[side(key, label) for label in LABELS],
            assessed=any(given.assessed for given in criterion.scores.values()),
            decisive=0 < pulls[key] == max(pulls.values()),
        )
        for key, criterion in verdict.criteria.items()
    ]


def _not_assessed(rows: Sequence[CriterionRow]) -> list[str]:
    """Say which criteria the judge did not assess, in one sentence per reason."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if not row.assessed:
            by_reason.setdefault(row.sides[0].justification.removeprefix(_NOT_ASSESSED), []).append(row.name)
    return [
        f"Not assessed, each at the middle of the scale: {'; '.join(names)} ({why.rstrip('.')})."
        for why, names in by_reason.items()
    ]


def _answer(verdict: ComparisonVerdict, label: Label, quotes: Sequence[Highlight], rubric: Rubric) -> AnswerView:
    text, totals = verdict.case.answer(label), verdict.totals
    scores = {key: criterion.scores[label] for key, criterion in verdict.criteria.items()}
    terms = " + ".join(f"{number(scores[key].value)} × {number(weight)}" for key, weight in verdict.weights.items())
    total, shown = totals.by_label[label], number(rounded(totals.by_label[label]))
    normalized = total / totals.whole
    whole = number(weighted_total(dict.fromkeys(verdict.weights, Decimal(1)), verdict.weights))
    return AnswerView(
        label=label,
        badge="" if verdict.winner != label else "Winner" if verdict.decided else "Best guess",
        score=short(normalized),
        total=shown,
        share=wording.share(normalized, rubric.scale),
        summary=verdict.overall[label].summary.strip(),
        pieces=marked(text, quotes),
        long=len(text) > wording.LONG,
        sum=_equation(terms, total, all(score.exact is None for score in scores.values())),
        division=_equation(f"{shown} ÷ {whole}", normalized, rounded(total) == total),
    )


def _equation(terms: str, result: Fraction, exact: bool) -> str:
    """Write terms and their result. The sign is "≈" if the result, or a term (then not `exact`), is shown rounded."""
    return f"{terms} {'=' if exact and rounded(result) == result else '≈'} {number(rounded(result))}"


def _place(fact: Fact) -> str:
    where = f"answer {fact.where}" if fact.where in LABELS else f"the {fact.where}"
    return f"{where}, characters {fact.start}–{fact.end}, {wording.certainty(fact)}"
