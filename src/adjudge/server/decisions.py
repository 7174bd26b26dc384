"""What a reviewer decided of a review: accepted, fixed or rejected, with the reason; and who decided what when.

Decisions are entries of the audit log: the newest counts, and none is ever changed. Neither is the verdict: what was
fixed is kept with the decision, and stands in its place wherever a result is handed on.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast, get_args

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from ..errors import ConflictError, InputError
from ..models import ReviewVerdict
from ..models.base import Frozen
from ..protocols.review.fixing import MAX_CHARACTERS, ReviewFixes, changes, fixed
from ..reports import render
from .bodies import read_object
from .callers import Caller, CallerOf
from .common import ERRORS, State, StateOf, documented_body, validated
from .database import AuditEntry
from .verdicts import find_verdict

router = APIRouter(tags=["decisions"], responses=ERRORS)

Choice = Literal["accepted", "fixed", "rejected"]
_ACTION = "review."
_ACTIONS = tuple(_ACTION + choice for choice in get_args(Choice))
_ATTEMPTS = 5  # to decide while others do
_WANTED = "decision, and optionally reason and fixes"
# What a reviewer may change; the rest of a verdict is the judge's.
_RESULT = ("response1_fixed_table", "response2_fixed_table", "final_likert_and_justification", "changelog", "sbq")
_EXAMPLES: list[Any] = [
    {"decision": "accepted"},
    {
        "decision": "fixed",
        "fixes": {"response1": {"truthfulness": {"rating": 2, "justification": "One of its figures is out of date."}}},
    },
    {"decision": "rejected", "reason": "The second response belongs to another task."},
]


class ReviewDecision(Frozen):
    """One decision of one person; `changes` are those made to the verdict."""

    decision: Choice
    person: str
    time: str
    reason: str
    changes: tuple[str, ...]


class DecisionRequest(Frozen):
    """Accept a review as it is, with changes, or not at all."""

    decision: Choice
    reason: str = Field(default="", max_length=MAX_CHARACTERS, description="Needed to reject.")
    fixes: ReviewFixes = Field(default_factory=ReviewFixes, description="Needed with `fixed`, and only there.")


class DecidedReview(BaseModel):
    """The decision that counts, those before it, and what is to be handed on."""

    verdict_id: str
    decision: ReviewDecision | None = Field(description="The newest; null if nobody has decided yet.")
    history: list[ReviewDecision] = Field(description="All decisions, the oldest first.")
    blocks: str | None = Field(description="The five tagged blocks as they were decided; null if it was rejected.")


class DecidedMeanwhileError(ConflictError):
    """Somebody else has decided since the decisions were looked up."""


@dataclass(frozen=True)
class Decided:
    """A review and the entries about it, the oldest first."""

    verdict: ReviewVerdict
    entries: tuple[AuditEntry, ...]

    @cached_property
    def history(self) -> tuple[ReviewDecision, ...]:
        """All decisions, the oldest first."""
        return tuple(map(_decision, self.entries))

    @property
    def newest(self) -> ReviewDecision | None:
        return self.history[-1] if self.history else None

    @property
    def rejected(self) -> bool:
        return self.newest is not None and self.newest.decision == "rejected"

    @cached_property
    def standing(self) -> ReviewVerdict:
        """What stands: the verdict, or what was made of it."""
        return self.standing_after(len(self.entries))

    def standing_after(self, decisions: int) -> ReviewVerdict:
        """What stood when there were so many decisions."""
        result = self.entries[decisions - 1].detail.get("result") if decisions else None
        return self.verdict.updated(**{field: result[field] for field in _RESULT}) if result else self.verdict


@router.get("/api/verdicts/{verdict_id}/decision", summary="What was decided of a review")
async def get_decision(verdict_id: str, request: Request, state: StateOf, caller: CallerOf) -> DecidedReview:
    """The newest decision counts. Only reviews are decided."""
    return _shown(await find_decided(verdict_id, request, state, caller))


@router.put(
    "/api/verdicts/{verdict_id}/decision",
    summary="Accept, fix or reject a review",
    openapi_extra=documented_body(DecisionRequest, *_EXAMPLES),
)
async def put_decision(verdict_id: str, request: Request, state: StateOf, caller: CallerOf) -> DecidedReview:
    """A fix obeys the rules that a judge's ratings obey; what follows from it is derived anew.

    Fixes are changes to the verdict, not to a decision before. The same decision sent again by the same person is kept
    once.
    """
    caller.needs("reviewer")
    wanted = validated(DecisionRequest, await read_object(request, _WANTED))
    for _ in range(_ATTEMPTS):
        known = await find_decided(verdict_id, request, state, caller)
        try:
            return _shown(await decide(state, caller, known, wanted, known.verdict))
        except DecidedMeanwhileError:
            continue  # what it changes is the verdict: it holds whatever was decided before
    raise ConflictError(f"{verdict_id}: others are deciding this review; try again")


async def decide(
    state: State, caller: Caller, known: Decided, wanted: DecisionRequest, based_on: ReviewVerdict
) -> Decided:
    """Keep a decision whose fixes are changes to `based_on`; it is refused if somebody decided since `known`."""
    caller.needs("reviewer")
    reason, newest = wanted.reason.strip(), known.newest
    if wanted.decision == "rejected" and not reason:
        raise InputError("reason", "empty", "say why it is rejected")
    if wanted.decision != "fixed" and wanted.fixes != ReviewFixes():
        raise InputError("fixes", f"given with {wanted.decision}", "only `fixed` takes them")
    result = fixed(based_on, wanted.fixes) if wanted.decision == "fixed" else based_on
    detail: dict[str, Any] = {"reason": reason}
    if wanted.decision == "fixed":
        told, kept = changes(known.verdict, result), result.model_dump(mode="json")
        if not told:
            raise InputError("fixes", "nothing is changed", "change something, or accept it as it is")
        detail |= {"changes": told, "result": {field: kept[field] for field in _RESULT}}
    before = None if newest is None else (newest.decision, newest.person, newest.reason)
    if before != (wanted.decision, caller.person, reason) or result != known.standing:
        about, after = known.verdict.verdict_id, known.entries[-1].number if known.entries else 0
        action = _ACTION + wanted.decision
        if not await asyncio.to_thread(state.audit.record, caller.person, action, about, after=after, **detail):
            raise DecidedMeanwhileError(f"{about}: somebody decided in the meantime")
    return await decided(state, known.verdict)


async def decided(state: State, verdict: ReviewVerdict) -> Decided:
    """A review with all decisions about it."""
    entries = await asyncio.to_thread(state.audit.entries, verdict.verdict_id)
    return Decided(verdict, tuple(entry for entry in entries if entry.action in _ACTIONS))


async def next_undecided(state: State, caller: Caller, verdict_id: str) -> str | None:
    """The review to decide after this one: the next of the same run that nobody has decided, from its end on again.

    Of runs that the caller does not see, nothing is told.
    """

    def find() -> str | None:
        journal = state.engine.journal
        for run in journal.runs_with(verdict_id):
            if caller.scope is not None and not state.runs.is_of(run, caller.scope):
                continue
            # An id begins with the letter of its protocol.
            ids = [one for _, one, _ in journal.outcomes(run) if one is not None and one.startswith("r")]
            at = ids.index(verdict_id) if verdict_id in ids else 0
            if found := state.audit.first_without(_ACTIONS, ids[at + 1 :] + ids[:at]):
                return found
        return None

    return await asyncio.to_thread(find)


async def find_decided(verdict_id: str, request: Request, state: State, caller: Caller) -> Decided:
    """A review that the caller may see, with all decisions about it."""
    verdict, _ = find_verdict(verdict_id, request, state, caller)
    if not isinstance(verdict, ReviewVerdict):
        raise InputError("verdict_id", "not a review", "only reviews are decided")
    return await decided(state, verdict)


def _decision(entry: AuditEntry) -> ReviewDecision:
    return ReviewDecision(
        decision=cast(Choice, entry.action.removeprefix(_ACTION)),
        person=entry.person,
        time=entry.time,
        reason=entry.detail.get("reason", ""),
        changes=tuple(entry.detail.get("changes", ())),
    )


def _shown(known: Decided) -> DecidedReview:
    return DecidedReview(
        verdict_id=known.verdict.verdict_id,
        decision=known.newest,
        history=list(known.history),
        blocks=None if known.rejected else render(known.standing, "tags"),
    )
