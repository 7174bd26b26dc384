"""`/api/verdicts/{verdict_id}/decision`: a reviewer accepts, fixes or rejects a review.

Decisions are entries of the audit log. The newest one counts, and none is ever changed. The verdict is not changed
either: fixes are stored with the decision and replace the verdict's own values in every result that is handed on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from ....errors import ConflictError, InputError
from ....models.base import Frozen
from ....reports import render
from ....server.audit import Action
from ....server.bodies import read_object
from ....server.callers import Caller, CallerOf, MayJudge
from ....server.common import ERRORS, State, StateOf, documented_body, validated
from ....server.verdicts import find_verdict
from ..fixing import MAX_CHARACTERS, ReviewFixes, changes, fixed
from ..verdict import ReviewVerdict

router = APIRouter(tags=["decisions"], responses=ERRORS)
Choice = Literal["accepted", "fixed", "rejected"]
_ACTION = "review."
_DONE: dict[Choice, str] = {"accepted": "accepted", "fixed": "changed and accepted", "rejected": "rejected"}
ACTIONS = {_ACTION + choice: Action(f"{done} a review", "/verdicts/{}") for choice, done in _DONE.items()}
_ATTEMPTS = 5  # while other people decide the same review
_WANTED = "decision, and optionally reason and fixes"
# The fields that a reviewer may change.
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
    """One person's decision; `changes` describes how it differs from the verdict."""

    decision: Choice
    person: str
    time: str
    reason: str = ""
    changes: tuple[str, ...] = ()
    number: int = Field(exclude=True)  # of the entry in the audit log
    result: dict[str, Any] | None = Field(default=None, exclude=True)


class DecisionRequest(Frozen):
    """Accept a review as it is, with changes, or not at all."""

    decision: Choice
    reason: str = Field(default="", max_length=MAX_CHARACTERS, description="Needed to reject.")
    fixes: ReviewFixes = Field(default_factory=ReviewFixes, description="Needed with `fixed`, allowed only there.")


class DecidedReview(BaseModel):
    """The decision that counts, those before it, and what is to be handed on."""

    verdict_id: str
    decision: ReviewDecision | None = Field(description="The newest; null if nobody has decided yet.")
    history: list[ReviewDecision] = Field(description="All decisions, the oldest first.")
    blocks: str | None = Field(description="The five tagged blocks as they were decided; null if it was rejected.")


class DecidedMeanwhileError(ConflictError):
    """Another person has decided since the decisions were read."""


@dataclass(frozen=True)
class Decided:
    """A review and the decisions about it, the oldest first."""

    verdict: ReviewVerdict
    history: tuple[ReviewDecision, ...]

    @property
    def newest(self) -> ReviewDecision | None:
        return self.history[-1] if self.history else None

    @property
    def rejected(self) -> bool:
        return self.newest is not None and self.newest.decision == "rejected"

    @cached_property
    def current(self) -> ReviewVerdict:
        """The verdict with the fixes of the newest decision."""
        return self.version_after(len(self.history))

    def version_after(self, decisions: int) -> ReviewVerdict:
        """Return the verdict as it stood after this many decisions."""
        result = self.history[decisions - 1].result if decisions else None
        return self.verdict.updated(**{field: result[field] for field in _RESULT}) if result else self.verdict


@router.get("/api/verdicts/{verdict_id}/decision", summary="The decisions on a review")
async def get_decision(verdict_id: str, request: Request, state: StateOf, caller: CallerOf) -> DecidedReview:
    """Return all decisions about a review. The newest one counts; only reviews can be decided."""
    return _shown(await find_decided(verdict_id, request, state, caller))


@router.put(
    "/api/verdicts/{verdict_id}/decision",
    summary="Accept, fix or reject a review",
    openapi_extra=documented_body(DecisionRequest, *_EXAMPLES),
)
async def put_decision(verdict_id: str, request: Request, state: StateOf, caller: MayJudge) -> DecidedReview:
    """Store a decision. Fixes must obey the same rules as a judge's ratings; the rest of the result is derived again.

    Fixes change the verdict, not an earlier decision. If the same person sends the same decision again, it is stored
    once.
    """
    wanted = validated(DecisionRequest, await read_object(request, _WANTED))
    for _ in range(_ATTEMPTS):
        known = await find_decided(verdict_id, request, state, caller)
        with suppress(DecidedMeanwhileError):  # fixes apply to the verdict, whatever was decided in between
            return _shown(await decide(state, caller, known, wanted, known.verdict))
    raise ConflictError(f"{verdict_id}: others are deciding this review; try again")


def choice_of(action: str) -> str:
    """Return the decision that an entry of the audit log with this action records."""
    return action.removeprefix(_ACTION)


async def decide(
    state: State, caller: Caller, known: Decided, wanted: DecisionRequest, based_on: ReviewVerdict
) -> Decided:
    """Store a decision whose fixes change `based_on`. Refuse it if somebody has decided since `known` was read."""
    reason, newest, result = wanted.reason.strip(), known.newest, based_on
    if wanted.decision == "rejected" and not reason:
        raise InputError("reason", "empty", "say why it is rejected")
    detail: dict[str, Any] = {"reason": reason}
    if wanted.decision == "fixed":
        result = fixed(result, wanted.fixes)
        changed, kept = changes(known.verdict, result), result.model_dump(mode="json")
        if not changed:
            raise InputError("fixes", "nothing is changed", "change something, or accept it as it is")
        detail |= {"changes": changed, "result": {field: kept[field] for field in _RESULT}}
    elif wanted.fixes != ReviewFixes():
        raise InputError("fixes", f"given with {wanted.decision}", "only `fixed` takes them")
    before = newest and (newest.decision, newest.person, newest.reason)
    if before != (wanted.decision, caller.person, reason) or result != known.current:
        about, action = known.verdict.verdict_id, _ACTION + wanted.decision
        after = newest.number if newest else 0
        if not await asyncio.to_thread(state.audit.record, caller.person, action, about, after=after, **detail):
            raise DecidedMeanwhileError(f"{about}: somebody decided in the meantime")
    return await decided(state, known.verdict)


async def find_decided(verdict_id: str, request: Request, state: State, caller: Caller) -> Decided:
    """Return a review that the caller may see, with all decisions about it."""
    verdict, _ = find_verdict(verdict_id, request, state, caller)
    if not isinstance(verdict, ReviewVerdict):
        raise InputError("verdict_id", "not a review", "only reviews can be decided")
    return await decided(state, verdict)


async def decided(state: State, verdict: ReviewVerdict) -> Decided:
    """Read all decisions about a review."""
    entries = await asyncio.to_thread(state.audit.entries, verdict.verdict_id)
    history = (
        ReviewDecision.model_validate(
            {
                **entry.detail,
                "decision": choice_of(entry.action),
                "person": entry.person,
                "time": entry.time,
                "number": entry.number,
            }
        )
        for entry in entries
        if entry.action in ACTIONS
    )
    return Decided(verdict, tuple(history))


@dataclass(frozen=True)
class PlaceInRun:
    """Where a review is in a run: its position, how many reviews of the run are decided, and the id of the next
    undecided one, from the beginning after the end; None if there is none. `hosted`: it is a run of this service."""

    run_id: str
    position: int
    decided: int
    of: int
    following: str | None
    hosted: bool


async def place_in_run(state: State, caller: Caller, verdict_id: str, run_id: str | None = None) -> PlaceInRun | None:
    """Return the place of a review in this run, or in one that the caller may see, with undecided reviews if possible;
    None if it is in none."""

    def places() -> Iterator[PlaceInRun]:
        journal = state.engine.journal
        for run in (run_id,) if run_id else journal.runs_with(verdict_id):
            hosted = state.runs.is_of(run, caller.scope)
            if caller.scope is not None and not hosted:
                continue
            # An id begins with the letter of its protocol.
            at = {place: one for place, one, _ in journal.outcomes(run) if one is not None and one.startswith("r")}
            if not at:
                continue
            known, ids = state.audit.latest(ACTIONS, list(at.values())), list(at.values())
            here = ids.index(verdict_id) if verdict_id in ids else 0
            following = next((one for one in ids[here + 1 :] + ids[:here] if one not in known), None)
            yield PlaceInRun(run, list(at)[here], sum(one in known for one in ids), len(ids), following, hosted)

    def find() -> PlaceInRun | None:
        found = list(places())
        return next((place for place in found if place.following), found[0] if found else None)

    return await asyncio.to_thread(find)


def _shown(known: Decided) -> DecidedReview:
    return DecidedReview(
        verdict_id=known.verdict.verdict_id,
        decision=known.newest,
        history=list(known.history),
        blocks=None if known.rejected else render(known.current, "tags"),
    )
