"""`/api/verdicts`: list all verdicts, the newest first, or return one by its id."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ..engine import verdict_of
from ..errors import NotJournalledError
from ..journal.base import ListedVerdict
from ..models.verdict import Verdict
from ..protocols.base import names, protocol_of
from .callers import Caller, CallerOf
from .common import ERRORS, Cursor, ProtocolName, State, StateOf, in_our_words, judged, read_cursor
from .visibility import VisibleVerdicts

router = APIRouter(tags=["verdicts"], responses=ERRORS)
_ID_LENGTH = 21  # only whole ids are looked up, so that verdicts cannot be found by guessing a prefix
_LOOKED_AT = 500  # verdicts that are read for one page, including those it does not show
_A_TIME = 50
_ANY_VERDICT: Any = reduce(or_, (protocol_of(name).verdict for name in names()))


class VerdictLine(BaseModel):
    """One verdict in a list."""

    verdict_id: str
    protocol: ProtocolName
    answer: str = Field(description="A, B or tie; 20 to 100; 1 to 7, or invalid.")
    decided: bool
    judge: str
    rubric: str
    cost_usd: str | None
    runs: list[str] = Field(description="The runs in which it is the outcome of a case.")


class VerdictPage(BaseModel):
    """A page of verdicts, the newest first."""

    verdicts: list[VerdictLine]
    next: str | None = Field(
        None, description="The cursor of the next page. A page may be short, even empty, if few verdicts match."
    )


@router.get("/api/verdicts", summary="All verdicts, the newest first")
def list_verdicts(
    state: StateOf,
    caller: CallerOf,
    protocol: ProtocolName | None = None,
    answer: Annotated[str | None, Query(max_length=20, description="A, B, tie; 20 to 100; 1 to 7, invalid.")] = None,
    decided: bool | None = None,
    run: Annotated[str | None, Query(max_length=40, description="Only outcomes of this run.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Cursor = None,
) -> VerdictPage:
    """With tokens, list only the verdicts that the caller asked for and those of the caller's runs."""
    before = read_cursor(cursor, "[0-9]{1,18}")
    asked = {"protocol": protocol, "answer": answer, "decided": decided}
    wanted = {name: value for name, value in asked.items() if value is not None}
    lines: list[VerdictLine] = []
    visible = VisibleVerdicts(state, caller)
    for looked_at, kept in enumerate(verdicts_before(state, None if before is None else int(before)), 1):
        line = _line(kept) if run in (None, *kept.runs) and visible.sees(kept.verdict_id, kept.runs) else None
        if line is not None and wanted.items() <= dict(line).items():
            lines.append(line)
        if len(lines) == limit or looked_at == _LOOKED_AT:
            return VerdictPage(verdicts=lines, next=str(kept.number))
    return VerdictPage(verdicts=lines, next=None)


def verdicts_before(state: State, at: int | None) -> Iterator[ListedVerdict]:
    """Yield the stored verdicts before a number (None: all), the newest first."""
    while found := state.engine.journal.verdicts_before(at, _A_TIME):
        yield from found
        at = found[-1].number


@router.get(
    "/api/verdicts/{verdict_id}",
    summary="A verdict by its id",
    response_model=_ANY_VERDICT,
)
async def get_verdict(verdict_id: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Return the verdict exactly as it was first given; with tokens, only to who asked for it or owns its run."""
    return judged(_record(verdict_id, request, state, caller)[1])


def find_verdict(verdict_id: str, request: Request, state: State, caller: Caller) -> tuple[Verdict, bytes]:
    """Return a verdict and its JSON in the form that this caller may read."""
    inputs, verdict = _record(verdict_id, request, state, caller)
    written = in_our_words(verdict)
    return verdict_of(inputs, written), written


def find_settings(verdict_id: str, request: Request, state: State, caller: Caller) -> dict[str, Any]:
    """Return the settings with which a verdict was made, besides its rubric, in the form in which they are stored."""
    settings: dict[str, Any] = orjson.loads(_record(verdict_id, request, state, caller)[0])["settings"]
    return settings


def _record(verdict_id: str, request: Request, state: State, caller: Caller) -> tuple[bytes, bytes]:
    """Return a stored verdict that this caller may see: their own, one of their runs', or a shipped example."""
    journal = state.engine.journal
    visible = len(verdict_id) == _ID_LENGTH and (
        caller.name is None
        or any(example.verdict_id == verdict_id for example in request.app.state.examples)
        or VisibleVerdicts(state, caller).sees(verdict_id, journal.runs_with(verdict_id))
    )
    record = journal.get_verdict(verdict_id) if visible else None
    if record is None:
        raise NotJournalledError(f"{verdict_id[:40]}: no such verdict")
    return record


def _line(kept: ListedVerdict) -> VerdictLine | None:
    """Return the line of a verdict; None if its protocol is not installed any more."""
    try:
        verdict = verdict_of(kept.inputs, kept.verdict)
    except KeyError:
        return None
    return VerdictLine(
        verdict_id=kept.verdict_id,
        protocol=verdict.protocol,
        answer=verdict.answer,
        decided=verdict.decided,
        judge=verdict.provenance.judge,
        rubric=verdict.provenance.rubric.partition("#")[0],
        cost_usd=None if verdict.cost_usd is None else format(verdict.cost_usd, "f"),
        runs=list(kept.runs),
    )
