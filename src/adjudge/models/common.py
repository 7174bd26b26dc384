"""What all protocols share: calls and their tokens, warnings, facts, look-ups, and the failure, never a number."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field

from ..redaction import redact
from .base import Exact, Frozen, absent

Label = Literal["A", "B"]
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
    "over_budget",  # what the call may cost is more than is left
    "stopped",  # the run was stopped before the call was sent
    "no_quorum",  # too few members of a jury gave an opinion
    "invalid",  # the case itself cannot be judged
    "crashed",  # an unexpected error in adjudge; please report it
]

# Reasons that say nothing of the case: the call was not sent, or a later try may well succeed.
NOT_SENT: frozenset[Reason] = frozenset({"over_budget", "stopped"})
PASSING: frozenset[Reason] = frozenset({"rate_limited", "server_error", "timeout", "connection", "unauthorized"})

# What a provider or an exception said: it may repeat a key.
Said = Annotated[str, AfterValidator(redact)]

Severity = Literal["minor", "major"]
Purpose = Literal["opinion", "longer", "repair"]
WarningCode = Literal[
    "dropped_quote",
    "missing_evidence",
    "replaced_reason",  # a reason that quoted words which are not in the text, written by a program instead
    "preference_against_totals",
    "preference_follows_position",  # A when A stands first, B when B does
    "jury_member_failed",
    "search_failed",
    "addresses_the_judge",
    "control_token",
    "hidden_characters",  # invisible ones, where no script needs them
    "rechecked",  # judged again without the passages that addressed the judge
    "not_in_english",  # a justification that stayed in another language, and was written by a program instead
    "composed_by_rule",  # a Likert justification that did not fit the tables, written by a program instead
    "not_assessed",  # criteria the judge cannot tell anything about
    "dropped_constraint",  # a demand the judge listed that its quote does not bear out
    "dropped_observation",  # something the judge saw that its quote does not show
]


def _sum(given: dict[str, Any]) -> int:
    return int(given["input_tokens"] + given["output_tokens"])


class Tokens(Frozen):
    """Tokens of all calls, repairs and failed replies included."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = Field(default_factory=_sum)
    reasoning_tokens: int = 0


class Usage(Tokens):
    """Tokens of one call; `input_tokens` counts those read from or written to a provider's cache too."""

    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Call(Frozen):
    """One paid reply behind an opinion; `key` finds it in the journal. `cost` is None where the price is unknown.

    `attempts` counts the requests it took; `attempt` numbers the replies asked for because the one before was unusable.
    `found` says that it was there before this judgment, and so was not paid for it. It is no part of the verdict.
    """

    key: str
    purpose: Purpose
    model: str
    usage: Usage
    cost: Exact | None = Field(default=None, validation_alias="cost_usd", serialization_alias="cost_usd")
    attempts: int = 1
    attempt: int = Field(default=0, exclude_if=lambda number: number == 0)
    sent: dict[str, str | float | int | None] = Field(default_factory=dict)
    found: bool = Field(default=False, exclude=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash(self.key)


class Warning(Frozen):
    """Something a reader of the verdict should know, with a code a program can count."""

    code: WarningCode
    message: str


# The texts a judge is shown. In a review `task` is the prompt and `context` the conversation.
Where = Literal["task", "context", "system_prompt", "task_config", "search", "A", "B"]


class Fact(Frozen):
    """Something code found in a text: certain, or a hint; and how bad it is, where that can be said."""

    name: str
    where: Where
    start: int
    end: int
    found: str
    certain: bool
    severity: Severity | None = Field(default=None, exclude_if=absent)


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
    error: Said | None = None


class Recheck(Frozen):
    """What came of the same case without the passages that tried to steer the judge.

    `outcome` is the winner, the Overall Experience or the Likert; `again` is the whole second verdict, in Python only.
    """

    outcome: str
    totals: dict[str, Exact]
    changed: bool = Field(description="Whether the outcome is another one than with these passages.")
    again: Any = Field(default=None, exclude=True, repr=False)


class Failure(Frozen):
    """A judgment that did not come about, and why. It has no score. `members` are the failures within a jury's."""

    reason: Reason
    message: Said
    judge: str
    calls: tuple[Call, ...] = ()
    members: tuple[Failure, ...] = Field(default=(), exclude=True)

    @property
    def may_pass(self) -> bool:
        """Whether it says nothing of the case, so that it may be different another time."""
        return any(failure.reason in NOT_SENT | PASSING for failure in (self, *self.members))

    def with_calls(self, calls: Iterable[Call]) -> Self:
        """The same failure with the replies that were paid before it."""
        return self.updated(calls=(*calls, *self.calls))


class Opinion(Frozen):
    """What every opinion of a judge has beside its own: what was paid, said and failed on the way, for Python only."""

    judge: str
    calls: tuple[Call, ...] = Field(default=(), exclude=True)
    warnings: tuple[Warning, ...] = Field(default=(), exclude=True)
    failures: tuple[Failure, ...] = Field(default=(), exclude=True)


class MemberScores(Frozen):
    """What one member of a jury gave each criterion; null where it did not assess it, and where a Critic agrees."""

    judge: str
    scores: dict[str, Exact | None]


class Stage(Frozen):
    """One judge of a cascade: what its verdict was, and why that was not sure enough. The last stage's verdict stands.

    `margin` is that of a comparison. A stage that failed has no answer.
    """

    judge: str
    answer: str | None
    margin: Exact | None = Field(default=None, exclude_if=absent)
    unsure: tuple[Said, ...]
    calls: int
    cost_usd: Exact | None


# Fields of every verdict, left out of the JSON where there is nothing in them.
Rechecked = Annotated[Recheck | None, Field(exclude_if=absent)]
Stages = Annotated[tuple[Stage, ...], Field(exclude_if=absent, description="Of a cascade: who was asked, and why.")]


class FailureDetails(Frozen):
    """A failed judgment: why, and what was paid for it."""

    reason: Reason
    message: str
    judge: str
    usage: Tokens
    cost_usd: Exact | None
    calls: tuple[Call, ...]


class ErrorReport(Frozen):
    """Every error as JSON: one line that names the place, what was found and what is allowed."""

    error: str
    failure: FailureDetails | None = Field(
        default=None, exclude_if=absent, description="For a failed judgment: reason, message, usage, calls."
    )


class Provenance(Frozen):
    """All that is needed to make the same verdict again."""

    software: str
    judge: str
    rubric: str
    prompts: dict[str, str]
    sample: int
    seed: int
    temperature: float


def total_usage(calls: Iterable[Call]) -> Usage:
    """All tokens of some calls."""
    used = [call.usage for call in calls]
    return Usage(**{name: sum(getattr(usage, name) for usage in used) for name in Usage.model_fields})


def total_cost(calls: Iterable[Call]) -> Decimal | None:
    """All dollars of some calls; None if the price of any is unknown."""
    costs = [call.cost for call in calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


def each_once(calls: Iterable[Call]) -> list[Call]:
    """Calls without repetition: what was paid once is counted once, and as paid, although several questions used it."""
    given = list(calls)
    paid = {call.key: call for call in given if not call.found}
    return list({call.key: paid.get(call.key, call) for call in given}.values())


def spent(calls: Iterable[Call]) -> dict[str, Any]:
    """What calls used and cost together, and the calls: three fields of every verdict."""
    paid = tuple(calls)
    tokens = Tokens(**total_usage(paid).model_dump(include=set(Tokens.model_fields)))
    return {"usage": tokens, "cost_usd": total_cost(paid), "calls": paid}
