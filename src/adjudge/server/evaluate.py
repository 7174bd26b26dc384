"""`POST /api/evaluate`: two answers in, a verdict out; also from a stored id."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from ..engine import CompareSettings
from ..errors import InputError, NotJournalledError
from ..inputs.comparison import WANTED, comparison_from
from ..inputs.json import parse_object
from ..render.json import comparison_json, failure_json
from ..verdicts import Failure
from .bodies import FAILURES, failed_status, read_body
from .schemas import ErrorResponse, EvaluateRequest, EvaluateResponse
from .state import State, allowed_judge, state_of

router = APIRouter()

_ID_LENGTH = 21  # the whole id, so that nobody finds verdicts by trying beginnings


@router.post(
    "/api/evaluate",
    tags=["compare"],
    summary="Compare two answers to one task",
    response_model=EvaluateResponse,
    responses=FAILURES,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": EvaluateRequest.model_json_schema()}},
        }
    },
)
async def evaluate(request: Request, state: Annotated[State, Depends(state_of)]) -> Response:
    """Seven weighted criteria, evidence quotes with their offsets, exact totals, and a winner or a tie."""
    data = parse_object(await read_body(request), "body", WANTED)
    case = comparison_from(data, state.settings.rubric)
    outcome = await state.engine.compare(case, _settings(data, state))
    if isinstance(outcome, Failure):
        return Response(failure_json(outcome), failed_status(outcome), media_type="application/json")
    return Response(comparison_json(outcome, case, indent=False), media_type="application/json")


@router.get(
    "/api/verdicts/{verdict_id}",
    tags=["compare"],
    summary="A verdict by its id",
    response_model=EvaluateResponse,
    responses={404: {"model": ErrorResponse, "description": "No such verdict."}},
)
async def verdict(verdict_id: str, state: Annotated[State, Depends(state_of)]) -> Response:
    """The verdict exactly as it was first given."""
    record = state.engine.journal.get_verdict(verdict_id) if len(verdict_id) == _ID_LENGTH else None
    if record is None:
        raise NotJournalledError(f"{verdict_id}: no such verdict")
    return Response(record[1], media_type="application/json")


def _settings(data: dict[str, Any], state: State) -> CompareSettings:
    judge = allowed_judge(data, "judge", state)
    one_order = data.get("oneOrder", state.settings.one_order)
    if not isinstance(one_order, bool):
        raise InputError("oneOrder", f"{str(one_order)[:80]!r}", "true or false is allowed")
    seed = data.get("seed", state.settings.seed)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError("seed", f"{str(seed)[:80]!r}", "a whole number is allowed")
    return replace(state.settings, judge=judge or state.settings.judge, one_order=one_order, seed=seed)
