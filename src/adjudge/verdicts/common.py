"""What all protocols share: calls and their tokens, warnings, facts, look-ups, and the failure, never a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, Self

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
    "no_quorum",  # too few members of a jury gave an opinion
    "invalid",  # the case itself cannot be judged
    "crashed",  # our own code could not bear this case: please tell us
]


Severity = Literal["minor", "major"]
Purpose = Literal["opinion", "longer", "repair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One paid reply behind an opinion; `key` finds it in the journal. `cost` is None where the price is unknown.

    `found` says that it was there before this judgment, and so was not paid for it. It is no part of what the reply
    says, and of no verdict.
    """

    key: str
    purpose: Purpose
    model: str
    usage: Usage
    cost: Decimal | None = None
    attempts: int = 1
    sent: dict[str, str | int | float | None] = field(default_factory=dict)
    found: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Warning:
    """Something a reader of the verdict should know, with a code a program can count."""

    code: Literal[
        "dropped_quote",
        "missing_evidence",
        "preference_against_totals",
        "jury_member_failed",
        "search_failed",
        "addresses_the_judge",
        "control_token",
        "not_in_english",  # a justification that stayed in another language, and was written by a program instead
        "composed_by_rule",  # a Likert justification that did not fit the tables, written by a program instead
        "not_assessed",  # criteria the judge cannot tell anything about
        "dropped_constraint",  # a demand the judge listed that its quote does not bear out
        "dropped_observation",  # something the judge saw that its quote does not show
    ]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something code found in a text: certain, or a hint; and how bad it is, where that can be said."""

    name: str
    where: Literal["task", "context", "A", "B"]
    start: int
    end: int
    found: str
    certain: bool
    severity: Severity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One search result."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A search that really ran, and what it found; `error` says why it found nothing to read."""

    query: str
    provider: str
    findings: tuple[Finding, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A judgment that did not come about, and why. It has no score."""

    reason: Reason
    message: str
    judge: str
    calls: tuple[Call, ...] = ()

    def with_calls(self, calls: Iterable[Call]) -> Self:
        """The same failure with the replies that were paid before it."""
        return replace(self, calls=(*calls, *self.calls))


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
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
    # Most verdicts rest on one call or two: no sum begins with an empty one.
    return sum(used[1:], used[0]) if used else Usage()


def total_cost(calls: Iterable[Call]) -> Decimal | None:
    """All dollars of some calls; None if the price of any is unknown."""
    total = Decimal(0)
    for call in calls:
        if call.cost is None:
            return None
        total += call.cost
    return total
