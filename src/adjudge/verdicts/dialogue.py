"""What came of a conversation: the Evaluator's marks, the Critic's objections, the Referee's rulings, and their sum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple

from .common import Call, Failure, Provenance, Warning


class Utterance(NamedTuple):
    """A quote that stands in an utterance: which speaker, which turn (from 0), on which line, and where in it."""

    speaker: Literal["SYSTEM", "USER"]
    quote: str
    turn: int
    line: int
    start: int
    end: int

    @property
    def shown(self) -> str:
        return f'{self.speaker}: "{self.quote}"'


class Mark(NamedTuple):
    """The Evaluator's score for one criterion, its reason, and the verified quotes it rests on.

    `assessed` is False where the judge says that it cannot tell; then the score is only the middle of the scale.
    """

    value: Decimal
    reason: str
    quotes: tuple[Utterance, ...]
    assessed: bool = True

    @property
    def justification(self) -> str:
        """One sentence that quotes what it rests on, as the contract wants it."""
        return cited(self.reason, self.quotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The Evaluator's opinion: a mark for every criterion."""

    judge: str
    marks: dict[str, Mark]
    calls: tuple[Call, ...] = ()
    warnings: tuple[Warning, ...] = ()
    failures: tuple[Failure, ...] = ()


class Objection(NamedTuple):
    """The Critic's view of one mark. `contradicts`: the quote speaks against the reason, or shows what it claims to be
    missing; `wanted_quote`: a quote was given, whether or not it could be verified."""

    agree: bool
    comment: str
    suggested: Decimal | None
    contradicts: bool
    quotes: tuple[Utterance, ...]
    wanted_quote: bool = False

    @property
    def justification(self) -> str:
        return cited(self.comment, self.quotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """The Critic's opinion: an entry for every criterion."""

    judge: str
    entries: dict[str, Objection]
    calls: tuple[Call, ...] = ()
    warnings: tuple[Warning, ...] = ()
    failures: tuple[Failure, ...] = ()


RefereeRule = Literal[
    "adopt_all",
    "accept",
    "keep_agreement",
    "keep_ambiguous",
    "keep_unverified_quote",
    "keep_not_contradicted",
]


class Ruling(NamedTuple):
    """What the Referee decided for one criterion, by which rule; the justification is the winning side's."""

    value: Decimal
    justification: str
    quotes: tuple[Utterance, ...]
    rule: RefereeRule


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueVerdict:
    """The result of a dialogue: both opinions, the rulings, and the exact sums."""

    verdict_id: str
    dialogue_id: int | str
    weights: dict[str, Decimal]
    evaluation: Evaluation
    critique: Critique
    rulings: dict[str, Ruling]
    evaluator_average: Decimal
    final_average: Decimal
    overall_experience: Decimal
    warnings: tuple[Warning, ...]
    calls: tuple[Call, ...]
    provenance: Provenance


def cited(reason: str, quotes: Iterable[Utterance]) -> str:
    """A reason with the utterances it rests on: `Polite throughout (SYSTEM: "thank you").`"""
    shown = "; ".join(quote.shown for quote in quotes)
    stem = reason.rstrip()
    if not shown or not stem:
        return stem or shown
    end = stem[-1] if stem[-1:] in ".!?" else "."
    return f"{stem.rstrip('.!?')} ({shown}){end}"
