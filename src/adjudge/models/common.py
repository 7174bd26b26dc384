"""Models that all protocols share: calls and their tokens, warnings, facts, lookups and failures."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field

from ..redaction import redact
from .base import Exact, Frozen, absent

Label = Literal["A", "B"]
LABELS: tuple[Label, Label] = ("A", "B")
Order = Literal["ab", "ba"]

Reason = Literal[
    "refused",  # the model declined to judge
    "malformed",  # the reply does not fit the schema, also after the repair round
    "cut_off",  # the reply ended at the token limit, also after a retry with a higher limit
    "rejected",  # the provider rejected the request (4xx)
    "unauthorized",  # the key is missing or not accepted
    "rate_limited",  # still 429 after the last retry
    "server_error",  # still 5xx after the last retry
    "timeout",
    "connection",
    "over_budget",  # the call may cost more than is left of the budget
    "stopped",  # the run was stopped before the call was sent
    "no_quorum",  # too few members of a jury gave an opinion
    "invalid",  # the case itself cannot be judged
    "nothing_to_grade",  # no item of the rubric that earns points applies and could be assessed
    "crashed",  # an unexpected error in adjudge; please report it
]

# Reasons that do not depend on the case: the call was not sent, or a later attempt may succeed.
NOT_SENT: frozenset[Reason] = frozenset({"over_budget", "stopped"})
PASSING: frozenset[Reason] = frozenset({"rate_limited", "server_error", "timeout", "connection", "unauthorized"})

# Text from a provider or an exception, redacted because it may repeat a key.
Said = Annotated[str, AfterValidator(redact)]

Severity = Literal["minor", "major"]
Purpose = Literal["opinion", "longer", "repair"]
WarningCode = Literal[
    "dropped_quote",
    "missing_evidence",
    "replaced_reason",  # the reason quoted words that are not in the text, so a program wrote another
    "preference_against_totals",
    "preference_follows_position",  # the judge prefers A when A comes first, and B when B does
    "jury_member_failed",
    "search_failed",
    "addresses_the_judge",
    "control_token",
    "hidden_characters",  # invisible characters that the script does not need
    "rechecked",  # judged again without the passages that addressed the judge
    "not_in_english",  # a justification stayed in another language, so a program wrote another
    "composed_by_rule",  # too few of the judge's sentences on the preference fit the tables, so a program wrote some
    "dropped_sentence",  # a sentence on the preference that does not fit the tables or breaks a rule
    "not_assessed",  # criteria that the judge could not assess
    "dropped_constraint",  # the judge listed a demand that its quote does not support
    "dropped_observation",  # the judge reported something that its quote does not show
    "dropped_claim",  # the judge listed a claim or main point that is not in the text
    "not_found",  # what the judge takes for shown is not shown by a quote of the text it names
    "unproven",  # a yes without a quote that is in the text, which counts as no
]


class Tokens(Frozen):
    """The tokens of all calls, including repairs and failed replies."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = Field(default_factory=lambda given: int(given["input_tokens"] + given["output_tokens"]))
    reasoning_tokens: int = 0


class Usage(Tokens):
    """The tokens of one call; `input_tokens` includes those read from or written to the provider's cache."""

    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Call(Frozen):
    """One paid reply behind an opinion; `key` is its key in the journal. `cost` is None if the price is unknown.

    `attempts` counts the requests it took. `attempt` is above 0 if the question was asked again because an earlier
    reply was unusable. `found`: the reply was already in the journal, so it cost nothing now; not part of the verdict.
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
    """Something that a reader of the verdict should know, with a code for programs."""

    code: WarningCode
    message: str


class QuoteCount(Frozen):
    """How many quotes a judge gave in its first replies, and how many of them are not in the text that they name.

    Quotes that came when it was asked once more do not count, so a quote that was replaced is still an invented one.
    """

    given: int = 0
    invented: int = 0

    @classmethod
    def of(cls, there: Iterable[bool]) -> Self:
        """Count quotes, each with whether it is in its text."""
        found = tuple(there)
        return cls(given=len(found), invented=found.count(False))

    def __add__(self, other: QuoteCount) -> QuoteCount:
        return QuoteCount(given=self.given + other.given, invented=self.invented + other.invented)


# The texts a judge is shown. In a review `task` is the prompt and `context` the conversation.
Where = Literal["task", "context", "system_prompt", "task_config", "search", "A", "B", "answer", "reference"]


class Fact(Frozen):
    """Something that code found in a text, whether it is certain or a hint, and its severity if known."""

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
    """A search that was made and its results; if it failed, `error` says why."""

    query: str
    provider: str
    findings: tuple[Finding, ...] = ()
    error: Said | None = None


class Recheck(Frozen):
    """The result of judging the same case again without the passages that tried to steer the judge.

    `outcome` is the winner, the Overall Experience or the Likert; `again` is the whole second verdict, only in Python.
    """

    outcome: str
    totals: dict[str, Exact]
    changed: bool = Field(description="Whether the outcome is another one than with these passages.")
    again: Any = Field(default=None, exclude=True, repr=False)


class Failure(Frozen):
    """A judgment that failed, and why. It has no score, and it is false: `if verdict:` is true of verdicts alone.
    `members` are the failures of a jury's members."""

    reason: Reason
    message: Said
    judge: str
    calls: tuple[Call, ...] = ()
    members: tuple[Failure, ...] = Field(default=(), exclude=True)

    def __bool__(self) -> bool:
        return False

    @property
    def may_pass(self) -> bool:
        """Whether the failure does not depend on the case, so that another attempt may succeed."""
        return any(failure.reason in NOT_SENT | PASSING for failure in (self, *self.members))

    def with_calls(self, calls: Iterable[Call]) -> Self:
        """Return the failure with the replies that were paid for before it."""
        return self.updated(calls=(*calls, *self.calls))


class Opinion(Frozen):
    """The fields that all opinions share. The calls, warnings and failures exist only in Python."""

    judge: str
    calls: tuple[Call, ...] = Field(default=(), exclude=True)
    warnings: tuple[Warning, ...] = Field(default=(), exclude=True)
    failures: tuple[Failure, ...] = Field(default=(), exclude=True)
    quoted: QuoteCount = Field(default=QuoteCount(), exclude=True)


class MemberScores(Frozen):
    """One jury member's score for each criterion; null if it did not assess the criterion, or if a Critic agrees."""

    judge: str
    scores: dict[str, Exact | None]


class Stage(Frozen):
    """One stage of a cascade: its judge, its answer, and why it was unsure. The last stage's verdict counts.

    `margin` is set for a comparison only. A stage that failed has no answer.
    """

    judge: str
    answer: str | None
    margin: Exact | None = Field(default=None, exclude_if=absent)
    unsure: tuple[Said, ...]
    calls: int
    cost_usd: Exact | None


# Fields of every verdict, left out of the JSON if empty.
Rechecked = Annotated[Recheck | None, Field(exclude_if=absent)]
Stages = Annotated[tuple[Stage, ...], Field(exclude_if=absent, description="Of a cascade: who was asked, and why.")]
Quoted = Annotated[
    QuoteCount | None,
    Field(exclude_if=absent, description="The quotes of all first replies; absent in verdicts of older versions."),
]


class FailureDetails(Frozen):
    """Why a judgment failed, and what was paid for it."""

    reason: Reason
    message: str
    judge: str
    usage: Tokens
    cost_usd: Exact | None
    calls: tuple[Call, ...]


class ErrorReport(Frozen):
    """An error as JSON: one line that names the place, what was found and what is allowed."""

    error: str
    failure: FailureDetails | None = Field(
        default=None, exclude_if=absent, description="For a failed judgment: reason, message, usage, calls."
    )


NO_JUDGE = "none"  # cannot be the name of a judge


class Provenance(Frozen):
    """Everything that is needed to make the same verdict again. The judge is `none` if nothing was asked of it."""

    software: str
    judge: str
    rubric: str
    prompts: dict[str, str]
    sample: int
    seed: int
    temperature: float


def total_usage(calls: Iterable[Call]) -> Usage:
    """Add up the tokens of some calls."""
    used = [call.usage for call in calls]
    return Usage(**{name: sum(getattr(usage, name) for usage in used) for name in Usage.model_fields})


def total_cost(calls: Iterable[Call]) -> Decimal | None:
    """Add up the dollars of some calls. Return None if the price of any is unknown."""
    costs = [call.cost for call in calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


def each_once(calls: Iterable[Call]) -> list[Call]:
    """Remove repeated calls, so that a reply used by several questions is counted once, as paid if any was paid."""
    given = list(calls)
    paid = {call.key: call for call in given if not call.found}
    return list({call.key: paid.get(call.key, call) for call in given}.values())


def repaired_replies(purposes: Iterable[Purpose]) -> tuple[int, int]:
    """Count the replies among calls, given by their purposes in order, and those that had to be asked for again: the
    reply was cut off, or wholly or partly unusable."""
    replies = repaired = 0
    whole = False
    for purpose in purposes:
        if purpose == "opinion":
            replies, whole = replies + 1, True
        else:
            repaired, whole = repaired + whole, False
    return replies, repaired


def all_quoted(opinions: Iterable[Any]) -> QuoteCount:
    """Add up the quotes of some opinions or verdicts; one that is None has none."""
    return sum((one.quoted for one in opinions if one is not None and one.quoted is not None), QuoteCount())


def spent(calls: Iterable[Call]) -> dict[str, Any]:
    """Return the fields `usage`, `cost_usd` and `calls` of a verdict."""
    paid = tuple(calls)
    used = total_usage(paid)
    tokens = Tokens(**{name: getattr(used, name) for name in Tokens.model_fields})
    return {"usage": tokens, "cost_usd": total_cost(paid), "calls": paid}


Winner = Literal["A", "B", "tie"]
