"""The result of a dialogue: the Evaluator's marks, the Critic's objections, the Referee's rulings, and their average.

`DialogueOutput` has exactly the keys of the output contract; a `DialogueVerdict` is the full record that contains it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from ...arithmetic import plain
from ...models.base import Exact, Frozen, absent
from ...models.calibration import Calibrated
from ...models.common import (
    Call,
    MemberScores,
    Opinion,
    Provenance,
    Quoted,
    Rechecked,
    Stages,
    Tokens,
    Warning,
)
from ...models.verdict import Verdict
from .case import Dialogue, Speaker

_ENDS = ".!?…。！？"
AVERAGE, OVERALL_EXPERIENCE = "numeric_weighted_average", "OverallExperience"


class Utterance(Frozen):
    """A quote from an utterance: the speaker, the turn (from 0), the line, and the position in the utterance."""

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
    """The Evaluator's score for one criterion, its reason, and the verified quotes behind it.

    `assessed` is False if the judge says that it cannot tell; then the score is only the middle of the scale.
    """

    value: Exact
    reason: str
    quotes: tuple[Utterance, ...]
    assessed: bool = True

    @property
    def justification(self) -> str:
        """The reason with its quotes in one sentence, as the contract requires."""
        return cited(self.reason, self.quotes)


class Evaluation(Opinion):
    """The Evaluator's opinion: a mark for every criterion."""

    marks: dict[str, Mark]
    members: tuple[MemberScores, ...] = ()


class CriticView(Frozen):
    """The Critic's view of one mark, as reports show it."""

    agree: bool
    comment: str
    suggested: Exact | None
    quotes: tuple[Utterance, ...]


class Objection(CriticView):
    """The Critic's view of one mark. `contradicts`: the quote contradicts the reason, or shows what the reason says is
    missing. `wanted_quote`: the Critic gave a quote, verified or not."""

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
    """What the Referee decided for one criterion, and by which rule. The justification is that of the winning side."""

    value: Exact = Field(validation_alias="score", serialization_alias="score")
    rule: RefereeRule
    quotes: tuple[Utterance, ...]
    justification: str = Field(exclude=True)


class Scored(Frozen):
    """A score and the sentence that justifies it."""

    score: Exact
    justification: str


class CriticEntry(Frozen):
    """The Critic's view of one criterion, as the contract names its fields."""

    criterion: str
    agree: bool
    comment: str
    suggested_score: Exact | None


class Audit(Frozen):
    """How the result was reached."""

    decision_rules_applied: str
    evidence_used: tuple[str, ...]
    weighted_calc: str
    mapping_rule: str


class DialogueOutput(Frozen):
    """The output contract. `evaluator` and `referee_final` hold the weighted average as well as the criteria."""

    dialogue_id: int | str
    evaluator: dict[str, Scored | Exact]
    critic: tuple[CriticEntry, ...]
    referee_final: dict[str, Scored | Exact]
    audit: Audit


class DialogueVerdict(Verdict):
    """The result of a dialogue: the output contract, the positions of its quotes, and the rule behind every score."""

    protocol: ClassVar[str] = "dialogue"

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
    quoted: Quoted = None
    recheck: Rechecked = None
    calibrated: Calibrated = None
    case: Dialogue = Field(exclude=True, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _with_justifications(cls, given: Any) -> Any:
        """Add the justifications to the rulings: in JSON they are only in the contract's output."""
        if not isinstance(given, Mapping) or not isinstance(output := given.get("output"), Mapping):
            return given
        final = output["referee_final"]
        rulings = {
            key: {**ruling, "justification": final[key]["justification"]} for key, ruling in given["rulings"].items()
        }
        return {**given, "rulings": rulings}

    @model_validator(mode="after")
    def _quotes_are_real(self) -> Self:
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
                    raise ValueError(f"the quote at {place} is not in this dialogue")
        return self

    @property
    def answer(self) -> str:
        return str(self.overall_experience)

    @property
    def number(self) -> Decimal:
        """The weighted average of the final scores."""
        return self.final_average

    @property
    def document(self) -> DialogueOutput:
        return self.output

    @property
    def dialogue_id(self) -> int | str:
        return self.output.dialogue_id

    @property
    def marks(self) -> dict[str, Mark]:
        """The Evaluator's mark for each criterion."""
        found = {}
        for key, quotes in self.evaluator_quotes.items():
            scored = self.output.evaluator[key]
            assert isinstance(scored, Scored)
            reason = uncited(scored.justification, quotes)
            found[key] = Mark(value=scored.score, reason=reason, quotes=quotes)
        return found

    @property
    def objections(self) -> dict[str, CriticView]:
        """The Critic's view of each criterion."""
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
        """The names of the Evaluator and the Critic."""
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
    """Add the quotes to a reason: `Polite throughout (SYSTEM: "thank you").` A quote that the reason already has is
    not repeated."""
    shown = "; ".join(quote.shown for quote in quotes if quote.shown not in reason)
    stem = reason.rstrip()
    if not shown or not stem:
        return stem or shown
    end = stem[-1] if stem[-1] in _ENDS else "."
    return f"{stem.rstrip(_ENDS)} ({shown}){end}"


def uncited(justification: str, quotes: Iterable[Utterance]) -> str:
    """Remove the quotes that `cited` added to a justification; reports show them separately."""
    named = tuple(quotes)
    for first in named:
        before, found, rest = justification.rpartition(f" ({first.shown}")
        reason = before + rest.rpartition(")")[2]
        if found and cited(reason, named) == justification:
            return reason
    return justification
