"""`POST /api/evaluate`: two answers in, a verdict out; also from a stored id."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from ..engine import CompareSettings
from ..errors import InputError, NotJournalledError, TooLargeError
from ..readers.json import comparison_from, read_object
from ..render.json import comparison_json, failure_json
from ..verdicts import Failure
from .schemas import ErrorResponse, EvaluateRequest, EvaluateResponse
from .state import State, state_of

router = APIRouter()

MAX_BODY_BYTES = 16_000_000
_FAILED_STATUS = {"rate_limited": 503, "timeout": 504, "unauthorized": 502}
_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorResponse, "description": "The request names what is wrong and what is allowed."},
    413: {"model": ErrorResponse, "description": "A text or the whole request is too large."},
    502: {"model": ErrorResponse, "description": "The judgment failed; `failure` says why. It is never a score."},
    503: {"model": ErrorResponse, "description": "A key is missing, or the provider's rate limit is reached."},
    504: {"model": ErrorResponse, "description": "The judge did not answer in time."},
}


@router.post(
    "/api/evaluate",
    tags=["compare"],
    summary="Compare two answers to one task",
    response_model=EvaluateResponse,
    responses=_ERRORS,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": EvaluateRequest.model_json_schema()}},
        }
    },
)
async def evaluate(request: Request, state: Annotated[State, Depends(state_of)]) -> Response:
    """Seven weighted criteria, evidence quotes with their offsets, exact totals, and a winner or a tie."""
    data = read_object(await _read_body(request), "body")
    case = comparison_from(data, state.settings.rubric)
    outcome = await state.engine.compare(case, _settings(data, state))
    if isinstance(outcome, Failure):
        return Response(failure_json(outcome), _FAILED_STATUS.get(outcome.reason, 502), media_type="application/json")
    return Response(comparison_json(outcome, case), media_type="application/json")


@router.get(
    "/api/verdicts/{verdict_id}",
    tags=["compare"],
    summary="A verdict by its id",
    response_model=EvaluateResponse,
    responses={404: {"model": ErrorResponse, "description": "No such verdict."}},
)
async def verdict(verdict_id: str, state: Annotated[State, Depends(state_of)]) -> Response:
    """The verdict exactly as it was first given."""
    record = state.engine.journal.get_verdict(verdict_id)
    if record is None:
        raise NotJournalledError(f"{verdict_id}: no such verdict")
    return Response(record[1], media_type="application/json")


async def _read_body(request: Request) -> bytes:
    """The body, given up as soon as it is too large."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise TooLargeError("body", f"more than {MAX_BODY_BYTES:,} bytes", "send less")
        chunks.append(chunk)
    return b"".join(chunks)


def _settings(data: dict[str, Any], state: State) -> CompareSettings:
    judge = data.get("judge")
    if judge is not None and judge not in state.allowed_judges:
        allowed = ", ".join(sorted(state.allowed_judges))
        raise InputError("judge", f"{str(judge)[:80]!r} is not allowed here", f"one of {allowed}")
    one_order = data.get("oneOrder", state.settings.one_order)
    if not isinstance(one_order, bool):
        raise InputError("oneOrder", f"{str(one_order)[:80]!r}", "true or false is allowed")
    seed = data.get("seed", state.settings.seed)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError("seed", f"{str(seed)[:80]!r}", "a whole number is allowed")
    return replace(state.settings, judge=judge or state.settings.judge, one_order=one_order, seed=seed)
