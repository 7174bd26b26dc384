"""What came of a case: opinions, scores, evidence, the verdict; or a failure, which is never a number.

All frozen; what a verdict holds by the dozen are named tuples, which are made fastest. An opinion is one judge's
parsed reply before any rule was applied; a verdict is what rules made of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, SkipValidation

Label = Literal["A", "B"]
Winner = Literal["A", "B", "tie"]
Impact = Literal["favorable", "unfavorable"]
Order = Literal["ab", "ba"]
LABELS: tuple[Label, Label] = ("A", "B")

Reason = Literal[
    "refused",  # the model declined to judge
    "malformed",  # the reply does not fit the schema, also after the repair round
    "cut_off",  # the reply ended at the token limit, also after a longer try
    "rejected",  # the provider did not take the request (4xx)
    "unauthorized",  # the key is missing or not accepted
    "rate_limited",  # still 429 after the last retry
    "server_error",  # still 5xx after the last retry
    "timeout",
    "connection",
    "no_quorum",  # too few members of a jury gave an opinion
]


Purpose = Literal["opinion", "longer", "repair"]


class Frozen(BaseModel):
    """Data that does not change once made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Usage(Frozen):
    """Tokens; `input_tokens` counts those read from or written to a provider's cache too."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
        )


class Call(Frozen):
    """One paid reply behind an opinion; `key` finds it in the journal. `cost` is None where the price is unknown."""

    key: str
    purpose: Purpose
    model: str
    usage: Usage
    cost: Decimal | None = None
    attempts: int = 1
    sent: dict[str, str | int | float | None] = {}


class Warning(Frozen):
    """Something a reader of the verdict should know, with a code a program can count."""

    code: Literal[
        "dropped_quote",
        "missing_evidence",
        "preference_against_totals",
        "jury_member_failed",
        "search_failed",
        "addresses_the_judge",
        "control_token",
    ]
    message: str


class Fact(Frozen):
    """Something code found in a text: certain, or a hint."""

    name: str
    where: Literal["task", "context", "A", "B"]
    start: int
    end: int
    found: str
    certain: bool


class Finding(Frozen):
    """One search result."""

    title: str
    url: str
    snippet: str


class Lookup(Frozen):
    """A search that really ran, and what it found; `error` says why it found nothing to read."""

    query: str
    provider: str
    findings: tuple[Finding, ...] = ()
    error: str | None = None


class Evidence(NamedTuple):
    """A quote that stands at `start:end` of the answer it names."""

    criterion: str
    answer: Label
    impact: Impact
    quote: str
    rationale: str
    start: int
    end: int


class Score(NamedTuple):
    """A criterion's score for one answer, and why."""

    value: Decimal
    justification: str


class Failure(Frozen):
    """A judgment that did not come about, and why. It has no score."""

    reason: Reason
    message: str
    judge: str
    calls: tuple[Call, ...] = ()

    def with_calls(self, calls: Iterable[Call]) -> Self:
        """The same failure with the replies that were paid before it."""
        return self.model_copy(update={"calls": (*calls, *self.calls)})


class ComparisonOpinion(Frozen):
    """One judge's view of both answers, seen in one order, in the case's own labels."""

    judge: str
    order: Order
    scores: SkipValidation[dict[str, dict[Label, Score]]]
    evidence: SkipValidation[tuple[Evidence, ...]]
    summaries: dict[Label, str]
    preference: Winner
    rationale: str
    calls: tuple[Call, ...] = ()
    warnings: tuple[Warning, ...] = ()
    members: tuple[ComparisonOpinion, ...] = ()
    failures: tuple[Failure, ...] = ()


class Research(Frozen):
    """What a judge would like to look up before it judges."""

    judge: str
    queries: tuple[str, ...]
    calls: tuple[Call, ...] = ()
    failures: tuple[Failure, ...] = ()


class Provenance(Frozen):
    """All that is needed to make the same verdict again."""

    software: str
    judge: str
    rubric: str
    prompts: dict[str, str]
    sample: int
    seed: int
    temperature: float


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
    """The Evaluator's score for one criterion, its reason, and the verified quotes it rests on."""

    value: Decimal
    reason: str
    quotes: tuple[Utterance, ...]

    @property
    def justification(self) -> str:
        """One sentence that quotes what it rests on, as the contract wants it."""
        return cited(self.reason, self.quotes)


class Evaluation(Frozen):
    """The Evaluator's opinion: a mark for every criterion."""

    judge: str
    marks: SkipValidation[dict[str, Mark]]
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


class Critique(Frozen):
    """The Critic's opinion: an entry for every criterion."""

    judge: str
    entries: SkipValidation[dict[str, Objection]]
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


class DialogueVerdict(Frozen):
    """The result of a dialogue: both opinions, the rulings, and the exact sums."""

    verdict_id: str
    dialogue_id: int | str
    weights: dict[str, Decimal]
    evaluation: SkipValidation[Evaluation]
    critique: SkipValidation[Critique]
    rulings: SkipValidation[dict[str, Ruling]]
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


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """The settled scores of one criterion."""

    weight: Decimal
    scores: dict[Label, Score]
    evidence: dict[Label, tuple[Evidence, ...]]


class Overall(Frozen):
    """An answer's exact weighted total; `normalized` is it on the rubric's own scale."""

    weighted_total: Decimal
    normalized: Decimal
    summary: str


class OrderReport(Frozen):
    """Did it matter which answer stood first? `moved`: how far each normalised total went between the orders."""

    judged: tuple[Order, ...]
    winners: dict[Order, Winner]
    consistent: bool | None
    moved: dict[Label, Decimal]
    drawn_from_seed: int | None = None


class ComparisonVerdict(Frozen):
    """The result of a comparison."""

    verdict_id: str
    criteria: SkipValidation[dict[str, CriterionVerdict]]
    overall: dict[Label, Overall]
    margin: Decimal
    winner: Winner
    decided_by: str
    rationale: str
    order: OrderReport
    warnings: tuple[Warning, ...]
    facts: tuple[Fact, ...]
    lookups: tuple[Lookup, ...]
    opinions: SkipValidation[tuple[ComparisonOpinion, ...]]
    calls: tuple[Call, ...]
    provenance: Provenance


def total_usage(calls: Iterable[Call]) -> Usage:
    """All tokens of some calls."""
    total = Usage()
    for call in calls:
        total += call.usage
    return total


def total_cost(calls: Iterable[Call]) -> Decimal | None:
    """All dollars of some calls; None if the price of any is unknown."""
    total = Decimal(0)
    for call in calls:
        if call.cost is None:
            return None
        total += call.cost
    return total
