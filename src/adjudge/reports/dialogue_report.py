"""What the HTML report of a dialogue shows, as typed data: quotes with their numbers, lines cut for highlighting, rows.

It prepares and decides nothing about looks; the template lays it out. All text is still as others wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ..arithmetic import weighted_total
from ..models import CriticView, DialogueVerdict, Mark, Utterance
from ..models.cases import Dialogue, Speaker
from ..protocols.audit import TAKEN, evidence_used
from ..rubric import Rubric
from . import dialogue_wording as wording
from .highlighting import Piece, marked
from .report import share
from .wording import criterion_names, hundredths, number

Side = Literal["evaluator", "critic"]
# Beyond this a transcript is taller than most windows, and gets one of its own.
_LONG_TURNS, _LONG_TEXT = 12, 1500

SIDES: tuple[Side, Side] = ("evaluator", "critic")


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted utterance with the number that links its two places, such as `E3` for the Evaluator's third."""

    ref: str
    side: Side
    criterion: str
    name: str
    utterance: Utterance

    @property
    def start(self) -> int:
        return self.utterance.start

    @property
    def end(self) -> int:
        return self.utterance.end

    @property
    def tone(self) -> str:
        return self.side


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance of the transcript, with its marks."""

    speaker: Speaker
    number: int
    pieces: tuple[Piece[Quote], ...]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one side says of a criterion: a score or a word, the reason, the quotes."""

    side: Side
    view: str
    reason: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One criterion on its way from Evaluator to Referee; `taken` if the Critic's score stands."""

    key: str
    name: str
    guidance: str
    weight: str
    evaluator: Opinion
    critic: Opinion
    final: str
    rule: str
    taken: bool
    products: tuple[str, str]

    @property
    def opinions(self) -> tuple[Opinion, Opinion]:
        return (self.evaluator, self.critic)


@dataclass(frozen=True, slots=True)
class Report:
    """All the template needs beside the verdict itself."""

    lines: tuple[Line, ...]
    rows: tuple[Row, ...]
    refs: tuple[str, ...]
    evidence: tuple[Quote, ...]
    best: Decimal
    long: bool
    shares: tuple[str, str]


def build(verdict: DialogueVerdict, case: Dialogue, rubric: Rubric) -> Report:
    """The report's data; a verdict that does not belong to this dialogue raises."""
    names = criterion_names(verdict.rulings, rubric)
    quotes = {side: _quotes(verdict, side, names) for side in SIDES}
    every = tuple(quote for side in SIDES for quote in quotes[side])
    by_turn: dict[int, list[Quote]] = {}
    for quote in every:
        by_turn.setdefault(quote.utterance.turn, []).append(quote)
    by_place = {quote.utterance: quote for quote in reversed(every)}
    return Report(
        lines=tuple(
            Line(turn.speaker, turn.line, marked(turn.text, by_turn.get(at, []))) for at, turn in enumerate(case.turns)
        ),
        rows=tuple(_row(verdict, rubric, key, names[key], quotes) for key in verdict.rulings),
        refs=tuple(quote.ref for quote in every),
        evidence=tuple(by_place[used] for used in evidence_used(verdict.rulings.values())),
        best=rubric.scale.high,
        long=len(case.turns) > _LONG_TURNS or sum(len(turn.text) for turn in case.turns) > _LONG_TEXT,
        shares=(share(verdict.evaluator_average, rubric.scale), share(verdict.final_average, rubric.scale)),
    )


def _quotes(verdict: DialogueVerdict, side: Side, names: Mapping[str, str]) -> tuple[Quote, ...]:
    """A side's quotes, numbered as a reader meets them in the transcript."""
    opinions: Mapping[str, Mark | CriticView] = verdict.marks if side == "evaluator" else verdict.objections
    found = [(key, quote) for key in verdict.rulings for quote in opinions[key].quotes]
    found.sort(key=lambda pair: (pair[1].turn, pair[1].start, pair[1].end))
    letter = side[0].upper()
    return tuple(Quote(f"{letter}{at}", side, key, names[key], quote) for at, (key, quote) in enumerate(found, 1))


def _row(
    verdict: DialogueVerdict, rubric: Rubric, key: str, name: str, quotes: Mapping[Side, tuple[Quote, ...]]
) -> Row:
    mark, objection, ruling = verdict.marks[key], verdict.objections[key], verdict.rulings[key]
    own = {side: tuple(quote for quote in quotes[side] if quote.criterion == key) for side in SIDES}
    weight = rubric.weights[key]
    guidance = next((criterion.guidance for criterion in rubric.criteria if criterion.key == key), "")
    return Row(
        key=key,
        name=name,
        guidance=" ".join(guidance.split()),
        weight=hundredths(weight),
        evaluator=Opinion("evaluator", number(mark.value), mark.reason, own["evaluator"]),
        critic=Opinion("critic", wording.view(objection), objection.comment, own["critic"]),
        final=number(ruling.value),
        rule=wording.rule(ruling.rule),
        taken=ruling.rule in TAKEN,
        products=(_product(mark.value, weight), _product(ruling.value, weight)),
    )


def _product(score: Decimal, weight: Decimal) -> str:
    product = weighted_total({"": score}, {"": weight})
    return f"{number(score)} × {hundredths(weight)} = {hundredths(product)}"
