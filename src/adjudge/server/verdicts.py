"""`/api/verdicts`: what was judged, the newest first, and any verdict by its id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ..engine import Verdict, verdict_of
from ..errors import NotJournalledError
from ..journal.base import ListedVerdict
from ..models import ComparisonVerdict, DialogueVerdict, ReviewVerdict
from ..models.rows import answer_of
from ..reports import protocol_of
from .callers import Caller, CallerOf
from .common import ERRORS, Cursor, State, StateOf, cursor_of, in_our_words, judged, read_cursor

router = APIRouter(tags=["verdicts"], responses=ERRORS)
_ID_LENGTH = 21  # the whole id, so that nobody finds verdicts by trying beginnings
_LOOKED_AT = 500  # verdicts of others, or that do not fit, that a page may pass over
_A_TIME = 50


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
    wanted = {"protocol": protocol, "answer": answer, "decided": decided}

    def fits(line: VerdictLine) -> bool:
        is_wanted = all(value is None or getattr(line, name) == value for name, value in wanted.items())
        return is_wanted and (run is None or run in line.runs)

    lines: list[VerdictLine] = []
    for looked_at, kept in enumerate(_older(state, None if before is None else int(before)), 1):
        if _visible(state, caller, kept.verdict_id, kept.runs) and fits(line := _line(kept)):
            lines.append(line)
        if len(lines) == limit or looked_at == _LOOKED_AT:
            return VerdictPage(verdicts=lines, next=cursor_of(kept.number))
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
