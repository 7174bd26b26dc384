"""What the HTML report shows, as typed data: quotes with their numbers, answers cut for highlighting, the sums.

It prepares and decides nothing about looks; the template lays it out. All text is still as others wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ..arithmetic import weighted_total
from ..models import LABELS, ComparisonVerdict, Evidence, Label
from ..models.cases import Comparison
from ..rubric import Rubric, Scale
from . import wording
from .highlighting import Piece, marked

# Longer texts scroll inside their own box, so that what stands below stays within reach.
LONG = 6000


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of evidence with the number that links its two places, such as `A3`."""

    ref: str
    criterion: str
    evidence: Evidence

    @property
    def sign(self) -> str:
        return wording.sign(self.evidence)

    @property
    def start(self) -> int:
        return self.evidence.start

    @property
    def end(self) -> int:
        return self.evidence.end

    @property
    def tone(self) -> str:
        return self.evidence.impact


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer with its marks and its total, and how that came about."""

    label: Label
    pieces: tuple[Piece[Quote], ...]
    summary: str
    total: Decimal
    normalized: Decimal
    share: str
    long: bool
    sum: str
    division: str


@dataclass(frozen=True, slots=True)
class Side:
    """One answer's part in a criterion."""

    label: Label
    score: Decimal
    assessed: bool
    share: str
    product: str
    justification: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One criterion; `decisive` if none moved the totals further apart."""

    key: str
    name: str
    guidance: str
    weight: Decimal
    sides: tuple[Side, Side]
    decisive: bool


@dataclass(frozen=True, slots=True)
class Report:
    """All the template needs beside the verdict itself."""

    answers: tuple[Answer, Answer]
    rows: tuple[Row, ...]
    refs: tuple[str, ...]
    best: Decimal


def build(verdict: ComparisonVerdict, case: Comparison, rubric: Rubric) -> Report:
    """The report's data. A quote that does not stand in the case is refused: the verdict is of another case."""
    names = wording.criterion_names(verdict.criteria, rubric)
    quotes = {label: _quotes(verdict, case, label) for label in LABELS}
    guidance = {criterion.key: criterion.guidance for criterion in rubric.criteria}
    widest = max(_pull(verdict, key) for key in verdict.criteria)

    def side(key: str, label: Label) -> Side:
        criterion = verdict.criteria[key]
        score = criterion.scores[label]
        product = weighted_total({key: score.value}, {key: criterion.weight})
        return Side(
            label=label,
            score=score.value,
            share=share(score.value, rubric.scale),
            product=f"{wording.number(score.value)} × {wording.number(criterion.weight)} = {wording.number(product)}",
            justification=score.justification,
            assessed=score.assessed,
            quotes=tuple(quote for quote in quotes[label] if quote.criterion == key),
        )

    rows = tuple(
        Row(
            key=key,
            name=names[key],
            guidance=" ".join(guidance.get(key, "").split()),
            weight=criterion.weight,
            sides=(side(key, "A"), side(key, "B")),
            decisive=bool(widest) and _pull(verdict, key) == widest,
        )
        for key, criterion in verdict.criteria.items()
    )
    return Report(
        answers=(
            _answer(verdict, case, "A", quotes["A"], rubric.scale),
            _answer(verdict, case, "B", quotes["B"], rubric.scale),
        ),
        rows=rows,
        refs=tuple(quote.ref for label in LABELS for quote in quotes[label]),
        best=rubric.scale.high,
    )


def _quotes(verdict: ComparisonVerdict, case: Comparison, label: Label) -> tuple[Quote, ...]:
    """An answer's quotes, numbered as a reader meets them in the text."""
    found = [(key, item) for key, criterion in verdict.criteria.items() for item in criterion.evidence[label]]
    for _, item in found:
        if item.answer != label or case.answer(label)[item.start : item.end] != item.quote:
            raise ValueError(f"the quote at {item.start}:{item.end} does not stand in answer {label} of this case")
    found.sort(key=lambda pair: (pair[1].start, pair[1].end))
    return tuple(Quote(f"{label}{number}", key, item) for number, (key, item) in enumerate(found, 1))


def _answer(
    verdict: ComparisonVerdict, case: Comparison, label: Label, quotes: tuple[Quote, ...], scale: Scale
) -> Answer:
    text = case.answer(label)
    overall = verdict.overall[label]
    scores = {key: criterion.scores[label].value for key, criterion in verdict.criteria.items()}
    weights = {key: criterion.weight for key, criterion in verdict.criteria.items()}
    return Answer(
        label=label,
        pieces=marked(text, quotes),
        summary=overall.summary,
        total=overall.weighted_total,
        normalized=overall.normalized,
        share=share(overall.normalized, scale),
        long=len(text) > LONG,
        sum=_sum(scores, weights, overall.weighted_total),
        division=_division(overall.weighted_total, weights, overall.normalized),
    )


def _sum(scores: Mapping[str, Decimal], weights: Mapping[str, Decimal], total: Decimal) -> str:
    terms = (f"{wording.number(score)} × {wording.number(weights[key])}" for key, score in scores.items())
    return f"{' + '.join(terms)} = {wording.number(total)}"


def _division(total: Decimal, weights: Mapping[str, Decimal], normalized: Decimal) -> str:
    whole = weighted_total(dict.fromkeys(weights, Decimal(1)), weights)
    equals = "=" if Fraction(total) / Fraction(whole) == Fraction(normalized) else "≈"
    return f"{wording.number(total)} ÷ {wording.number(whole)} {equals} {wording.number(normalized)}"


def _pull(verdict: ComparisonVerdict, key: str) -> Fraction:
    """How far a criterion moves the totals apart."""
    criterion = verdict.criteria[key]
    apart = Fraction(criterion.scores["A"].value) - Fraction(criterion.scores["B"].value)
    return abs(apart) * Fraction(criterion.weight)


def share(value: Decimal, scale: Scale) -> str:
    """How much of its bar a value fills; a bar begins at nought unless the scale goes below."""
    floor = min(scale.low, Decimal(0))
    share = Fraction(value - floor) / Fraction(scale.high - floor) if scale.high > floor else Fraction(0)
    return f"{float(min(max(share, Fraction(0)), Fraction(1))):.1%}"
