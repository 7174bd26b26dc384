"""`/api/verdicts`: what was judged, the newest first, any verdict by its id, and what a reviewer decided of a review.

A review is accepted, fixed or rejected. Decisions are entries of the audit log: the newest counts, and none is ever
changed. Neither is the verdict: what was fixed is kept with the decision, and stands in its place wherever a result is
handed on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ..engine import Verdict, verdict_of
from ..errors import ConflictError, InputError, NotJournalledError
from ..journal.base import ListedVerdict
from ..models import ComparisonVerdict, DialogueVerdict, ReviewVerdict
from ..models.base import Frozen
from ..models.rows import answer_of
from ..protocols.review.fixing import MAX_CHARACTERS, ReviewFixes, changes, fixed
from ..reports import protocol_of, render
from .bodies import read_object
from .callers import Caller, CallerOf, ReviewerOf
from .common import ERRORS, Cursor, State, StateOf, documented_body, in_our_words, judged, read_cursor, validated

router = APIRouter(tags=["verdicts"], responses=ERRORS)
_ID_LENGTH = 21  # the whole id, so that nobody finds verdicts by trying beginnings
_LOOKED_AT = 500  # verdicts of others, or that do not fit, that a page may pass over
_A_TIME = 50
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


class VerdictLine(BaseModel):
    """A verdict in a line."""

    verdict_id: str
    protocol: Literal["compare", "dialogue", "review"]
    answer: str = Field(description="A, B or tie; 20 to 100; 1 to 7, or invalid.")
    decided: bool
    judge: str
    rubric: str
    cost_usd: str | None
    runs: list[str] = Field(description="The runs in which it is the outcome of a case.")


class VerdictPage(BaseModel):
    """Verdicts, the newest first."""

    verdicts: list[VerdictLine]
    next: str | None = Field(
        None, description="The cursor of the next page. A page may be short, even empty, where few verdicts fit."
    )


@router.get("/api/verdicts", summary="All verdicts, the newest first")
def list_verdicts(
    state: StateOf,
    caller: CallerOf,
    protocol: Literal["compare", "dialogue", "review"] | None = None,
    answer: Annotated[str | None, Query(max_length=20, description="A, B, tie; 20 to 100; 1 to 7, invalid.")] = None,
    decided: bool | None = None,
    run: Annotated[str | None, Query(max_length=40, description="Only outcomes of this run.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Cursor = None,
) -> VerdictPage:
    """With tokens, only those that the caller was given, and those of its runs."""
    before = read_cursor(cursor, "[0-9]{1,18}")
    asked = {"protocol": protocol, "answer": answer, "decided": decided}
    wanted = {name: value for name, value in asked.items() if value is not None}
    lines: list[VerdictLine] = []
    for looked_at, kept in enumerate(_older(state, None if before is None else int(before)), 1):
        if run in (None, *kept.runs) and _visible(state, caller, kept.verdict_id, kept.runs):
            line = _line(kept)
            lines += [line] if wanted.items() <= dict(line).items() else []
        if len(lines) == limit or looked_at == _LOOKED_AT:
            return VerdictPage(verdicts=lines, next=str(kept.number))
    return VerdictPage(verdicts=lines, next=None)


def _older(state: State, at: int | None) -> Iterator[ListedVerdict]:
    while found := state.engine.journal.verdicts_before(at, _A_TIME):
        yield from found
        at = found[-1].number


@router.get(
    "/api/verdicts/{verdict_id}",
    summary="A verdict by its id",
    response_model=ComparisonVerdict | DialogueVerdict | ReviewVerdict,
)
async def get_verdict(verdict_id: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The verdict exactly as it was first given; with tokens, only to one who was given it, or whose run made it."""
    return judged(_record(verdict_id, request, state, caller)[1])


def find_verdict(verdict_id: str, request: Request, state: State, caller: Caller) -> tuple[Verdict, bytes]:
    """A verdict and its JSON, as this caller may read it."""
    inputs, verdict = _record(verdict_id, request, state, caller)
    written = in_our_words(verdict)
    return verdict_of(inputs, written), written


def _record(verdict_id: str, request: Request, state: State, caller: Caller) -> tuple[bytes, bytes]:
    """A stored verdict that this caller may see: its own, one of its runs', or a shipped example."""
    journal = state.engine.journal
    visible = len(verdict_id) == _ID_LENGTH and (
        caller.name is None
        or any(example.verdict_id == verdict_id for example in request.app.state.examples)
        or _visible(state, caller, verdict_id, journal.runs_with(verdict_id))
    )
    record = journal.get_verdict(verdict_id) if visible else None
    if record is None:
        raise NotJournalledError(f"{verdict_id[:40]}: no such verdict")
    return record


def _visible(state: State, caller: Caller, verdict_id: str, runs: list[str] | tuple[str, ...]) -> bool:
    return caller.may_see(verdict_id) or any(state.runs.is_of(run, caller.name) for run in runs)


def _line(kept: ListedVerdict) -> VerdictLine:
    verdict = verdict_of(kept.inputs, kept.verdict)
    return VerdictLine(
        verdict_id=kept.verdict_id,
        protocol=protocol_of(verdict),  # type: ignore[arg-type]
        answer=answer_of(verdict),
        decided=getattr(verdict, "decided", True),
        judge=verdict.provenance.judge,
        rubric=verdict.provenance.rubric.partition("#")[0],
        cost_usd=None if verdict.cost_usd is None else format(verdict.cost_usd, "f"),
        runs=list(kept.runs),
    )


# -- decisions --------------------------------------------------------------------------------------------------------


class ReviewDecision(Frozen):
    """One decision of one person; `changes` are those made to the verdict."""

    decision: Choice
    person: str
    time: str
    reason: str = ""
    changes: tuple[str, ...] = ()
    number: int = Field(exclude=True)  # of its entry
    result: dict[str, Any] | None = Field(default=None, exclude=True)


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
    def standing(self) -> ReviewVerdict:
        """What stands: the verdict, or what was made of it."""
        return self.standing_after(len(self.history))

    def standing_after(self, decisions: int) -> ReviewVerdict:
        """What stood when there were so many decisions."""
        result = self.history[decisions - 1].result if decisions else None
        return self.verdict.updated(**{field: result[field] for field in _RESULT}) if result else self.verdict


@router.get("/api/verdicts/{verdict_id}/decision", tags=["decisions"], summary="What was decided of a review")
async def get_decision(verdict_id: str, request: Request, state: StateOf, caller: CallerOf) -> DecidedReview:
    """The newest decision counts. Only reviews are decided."""
    return _shown(await find_decided(verdict_id, request, state, caller))


@router.put(
    "/api/verdicts/{verdict_id}/decision",
    tags=["decisions"],
    summary="Accept, fix or reject a review",
    openapi_extra=documented_body(DecisionRequest, *_EXAMPLES),
)
async def put_decision(verdict_id: str, request: Request, state: StateOf, caller: ReviewerOf) -> DecidedReview:
    """A fix obeys the rules that a judge's ratings obey; what follows from it is derived anew.

    Fixes are changes to the verdict, not to a decision before. The same decision sent again by the same person is kept
    once.
    """
    wanted = validated(DecisionRequest, await read_object(request, _WANTED))
    for _ in range(_ATTEMPTS):
        known = await find_decided(verdict_id, request, state, caller)
        with suppress(DecidedMeanwhileError):  # what it changes is the verdict: it holds whatever was decided before
            return _shown(await decide(state, caller, known, wanted, known.verdict))
    raise ConflictError(f"{verdict_id}: others are deciding this review; try again")


async def decide(
    state: State, caller: Caller, known: Decided, wanted: DecisionRequest, based_on: ReviewVerdict
) -> Decided:
    """Keep a decision whose fixes are changes to `based_on`; it is refused if somebody decided since `known`."""
    reason, newest, result = wanted.reason.strip(), known.newest, based_on
    if wanted.decision == "rejected" and not reason:
        raise InputError("reason", "empty", "say why it is rejected")
    detail: dict[str, Any] = {"reason": reason}
    if wanted.decision == "fixed":
        result = fixed(result, wanted.fixes)
        told, kept = changes(known.verdict, result), result.model_dump(mode="json")
        if not told:
            raise InputError("fixes", "nothing is changed", "change something, or accept it as it is")
        detail |= {"changes": told, "result": {field: kept[field] for field in _RESULT}}
    elif wanted.fixes != ReviewFixes():
        raise InputError("fixes", f"given with {wanted.decision}", "only `fixed` takes them")
    before = newest and (newest.decision, newest.person, newest.reason)
    if before != (wanted.decision, caller.person, reason) or result != known.standing:
        about, action = known.verdict.verdict_id, _ACTION + wanted.decision
        after = newest.number if newest else 0
        if not await asyncio.to_thread(state.audit.record, caller.person, action, about, after=after, **detail):
            raise DecidedMeanwhileError(f"{about}: somebody decided in the meantime")
    return await decided(state, known.verdict)


async def find_decided(verdict_id: str, request: Request, state: State, caller: Caller) -> Decided:
    """A review that the caller may see, with all decisions about it."""
    verdict, _ = find_verdict(verdict_id, request, state, caller)
    if not isinstance(verdict, ReviewVerdict):
        raise InputError("verdict_id", "not a review", "only reviews are decided")
    return await decided(state, verdict)


async def decided(state: State, verdict: ReviewVerdict) -> Decided:
    """A review with all decisions about it."""
    entries = await asyncio.to_thread(state.audit.entries, verdict.verdict_id)
    history = (
        ReviewDecision.model_validate(
            {
                **entry.detail,
                "decision": entry.action.removeprefix(_ACTION),
                "person": entry.person,
                "time": entry.time,
                "number": entry.number,
            }
        )
        for entry in entries
        if entry.action in _ACTIONS
    )
    return Decided(verdict, tuple(history))


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


def _shown(known: Decided) -> DecidedReview:
    return DecidedReview(
        verdict_id=known.verdict.verdict_id,
        decision=known.newest,
        history=list(known.history),
        blocks=None if known.rejected else render(known.standing, "tags"),
    )
