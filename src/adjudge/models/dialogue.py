"""What came of a conversation: the Evaluator's marks, the Critic's objections, the Referee's rulings, and their sum.

`DialogueOutput` is the contract's object, key for key; a `DialogueVerdict` is the record around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ..arithmetic import plain
from .base import Exact, Frozen, absent
from .calibration import Calibrated
from .cases import Dialogue, Speaker
from .common import Call, Failure, MemberScores, Opinion, Provenance, Rechecked, Stages, Tokens, Warning

_ENDS = ".!?…。！？"
AVERAGE, OVERALL_EXPERIENCE = "numeric_weighted_average", "OverallExperience"


class Utterance(Frozen):
    """A quote that stands in an utterance: which speaker, which turn (from 0), on which line, and where in it."""

    speaker: Speaker
    quote: str
    turn: int
    line: int
    start: int
    end: int

    @property
    def shown(self) -> str:
        return f'{self.speaker}: "{self.quote}"'


class Mark(Frozen):
    """The Evaluator's score for one criterion, its reason, and the verified quotes it rests on.

    `assessed` is False where the judge says that it cannot tell; then the score is only the middle of the scale.
    """

    value: Exact
    reason: str
    quotes: tuple[Utterance, ...]
    assessed: bool = True

    @property
    def justification(self) -> str:
        """One sentence that quotes what it rests on, as the contract wants it."""
        return cited(self.reason, self.quotes)


class Evaluation(Opinion):
    """The Evaluator's opinion: a mark for every criterion."""

    marks: dict[str, Mark]
    members: tuple[MemberScores, ...] = ()


class CriticView(Frozen):
    """What reports show of the Critic's view of one mark."""

    agree: bool
    comment: str
    suggested: Exact | None
    quotes: tuple[Utterance, ...]


class Objection(CriticView):
    """The Critic's view of one mark. `contradicts`: the quote speaks against the reason, or shows what it claims to be
    missing; `wanted_quote`: a quote was given, whether or not it could be verified."""

    contradicts: bool
    wanted_quote: bool = False

    @property
    def justification(self) -> str:
        return cited(self.comment, self.quotes)


class Critique(Opinion):
    """The Critic's opinion: an entry for every criterion."""

    entries: dict[str, Objection]
    members: tuple[MemberScores, ...] = ()


RefereeRule = Literal[
    "adopt_all",
    "accept",
    "keep_agreement",
    "keep_ambiguous",
    "keep_unverified_quote",
    "keep_not_contradicted",
]


class Ruling(Frozen):
    """What the Referee decided for one criterion, by which rule; the justification is the winning side's."""

    value: Exact = Field(validation_alias="score", serialization_alias="score")
    rule: RefereeRule
    quotes: tuple[Utterance, ...]
    justification: str = Field(exclude=True)


class Scored(Frozen):
    """A score and the sentence that justifies it."""

    score: Exact
    justification: str


class CriticEntry(Frozen):
    """The Critic on one criterion."""

    criterion: str
    agree: bool
    comment: str
    suggested_score: Exact | None


class Audit(Frozen):
    """How the result came about."""

    decision_rules_applied: str
    evidence_used: tuple[str, ...]
    weighted_calc: str
    mapping_rule: str


class DialogueOutput(Frozen):
    """The contract's object. Beside the criteria, `evaluator` and `referee_final` hold the weighted average."""

    dialogue_id: int | str
    evaluator: dict[str, Scored | Exact]
    critic: tuple[CriticEntry, ...]
    referee_final: dict[str, Scored | Exact]
    audit: Audit


class DialogueVerdict(Frozen):
    """The result of a dialogue: the contract's object, where its quotes stand, and the rule behind every score."""

    verdict_id: str
    output: DialogueOutput
    rulings: dict[str, Ruling]
    evaluator_quotes: dict[str, tuple[Utterance, ...]]
    critic_quotes: dict[str, tuple[Utterance, ...]]
    warnings: tuple[Warning, ...]
    usage: Tokens
    cost_usd: Exact | None
    calls: tuple[Call, ...]
    provenance: Provenance
    evaluator_members: tuple[MemberScores, ...] = Field(
        default=(), exclude_if=absent, description="Of a jury: each member's scores."
    )
    critic_members: tuple[MemberScores, ...] = Field(
        default=(), exclude_if=absent, description="Of a jury: what each member suggests; null where it agrees."
    )
    stages: Stages = ()
    recheck: Rechecked = None
    calibrated: Calibrated = None
    case: Dialogue = Field(exclude=True, repr=False)
    rubric: Any = Field(default=None, exclude=True, repr=False)
    failures: tuple[tuple[str, Failure], ...] = Field(default=(), exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _with_justifications(cls, given: Any) -> Any:
        """In JSON a ruling's justification stands in the contract's object only."""
        if not isinstance(given, Mapping) or not isinstance(output := given.get("output"), Mapping):
            return given
        final = output["referee_final"]
        rulings = {
            key: {**ruling, "justification": final[key]["justification"]} for key, ruling in given["rulings"].items()
        }
        return {**given, "rulings": rulings}

    @model_validator(mode="after")
    def _quotes_stand(self) -> Self:
        ruled = (ruling.quotes for ruling in self.rulings.values())
        for quotes in (*self.evaluator_quotes.values(), *self.critic_quotes.values(), *ruled):
            for quote in quotes:
                turn = self.case.turns[quote.turn] if 0 <= quote.turn < len(self.case.turns) else None
                if (
                    turn is None
                    or (turn.speaker, turn.line) != (quote.speaker, quote.line)
                    or turn.text[quote.start : quote.end] != quote.quote
                ):
                    place = f"{quote.start}:{quote.end} of line {quote.line}"
                    raise ValueError(f"the quote at {place} does not stand in this dialogue")
        return self

    @property
    def dialogue_id(self) -> int | str:
        return self.output.dialogue_id

    @property
    def marks(self) -> dict[str, Mark]:
        """What the Evaluator said of each criterion."""
        found = {}
        for key, quotes in self.evaluator_quotes.items():
            scored = self.output.evaluator[key]
            assert isinstance(scored, Scored)
            reason = uncited(scored.justification, quotes)
            found[key] = Mark(value=scored.score, reason=reason, quotes=quotes)
        return found

    @property
    def objections(self) -> dict[str, CriticView]:
        """What the Critic said of each criterion."""
        return {
            entry.criterion: CriticView(
                agree=entry.agree,
                comment=uncited(entry.comment, self.critic_quotes[entry.criterion]),
                suggested=entry.suggested_score,
                quotes=self.critic_quotes[entry.criterion],
            )
            for entry in self.output.critic
        }

    @property
    def judges(self) -> tuple[str, str]:
        """Who evaluated, and who criticized."""
        evaluator, _, critic = self.provenance.judge.partition(", ")
        return evaluator, critic or evaluator

    @property
    def evaluator_average(self) -> Decimal:
        return plain(_number(self.output.evaluator[AVERAGE]))

    @property
    def final_average(self) -> Decimal:
        return plain(_number(self.output.referee_final[AVERAGE]))

    @property
    def overall_experience(self) -> Decimal:
        return _number(self.output.referee_final[OVERALL_EXPERIENCE])


def _number(value: Scored | Decimal) -> Decimal:
    assert isinstance(value, Decimal)
    return value


def cited(reason: str, quotes: Iterable[Utterance]) -> str:
    """A reason with the utterances it rests on: `Polite throughout (SYSTEM: "thank you").` One it quotes itself is not
    named again."""
    shown = "; ".join(quote.shown for quote in quotes if quote.shown not in reason)
    stem = reason.rstrip()
    if not shown or not stem:
        return stem or shown
    end = stem[-1] if stem[-1] in _ENDS else "."
    return f"{stem.rstrip(_ENDS)} ({shown}){end}"


def uncited(justification: str, quotes: Iterable[Utterance]) -> str:
    """A justification without the utterances named behind it, which reports show beside it."""
    named = tuple(quotes)
    for first in named:
        before, found, rest = justification.rpartition(f" ({first.shown}")
        reason = before + rest.rpartition(")")[2]
        if found and cited(reason, named) == justification:
            return reason
    return justification
