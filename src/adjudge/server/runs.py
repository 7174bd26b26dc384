"""`/api/runs`: starts a run in the background from a file of cases, shows its progress, stops and continues it.

`runs/hosting.py` executes the runs; `run_results.py` serves their results.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ..errors import InputError, SetupError
from ..protocols.base import names, protocol_of
from ..protocols.settings import Settings
from ..runs.hosted_run import HostedRun, RunStatus
from ..runs.plan import RunOptions
from ..runs.uploads import NewRun
from .bodies import UploadedFile, read_object, read_upload
from .callers import Caller, CallerOf, MayJudge
from .common import (
    ERRORS,
    Cursor,
    ProtocolName,
    State,
    StateOf,
    Strict,
    documented_body,
    documented_query,
    read_cursor,
    validated,
    with_settings,
)
from .idempotency import Idempotent
from .rubrics import named_rubric
from .visibility import find_run, listed_runs

router = APIRouter(tags=["runs"], responses=ERRORS, route_class=Idempotent)
_BY_TYPE = {
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/json": "json",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/vnd.apache.parquet": "parquet",
    "text/plain": "text",
}
InputFormat = Literal["jsonl", "ndjson", "json", "csv", "tsv", "parquet", "eval", "text"]
_MOST_AT_ONCE = 200
_LOOK_EVERY = 0.5  # seconds


# -- begin ------------------------------------------------------------------------------------------------------------


class RunLimits(Strict):
    """Limits that may be changed when a run is continued."""

    budget: Decimal | None = Field(None, gt=0, le=1_000_000, description="The most that the run may cost, in dollars.")
    rate: float | None = Field(None, gt=0, le=10_000_000, description="The most calls per minute to each provider.")
    concurrency: int = Field(20, ge=1, le=_MOST_AT_ONCE, description="The most calls to each provider at a time.")


class RunRequest(RunLimits):
    """Options for judging a file of cases: form fields beside `file`, or query parameters."""

    protocol: ProtocolName
    name: str = Field("", max_length=200, description="A name for the run.")
    source: str = Field("", max_length=200, description="The file's name, if the body is the file itself.")
    format: InputFormat | None = Field(None, description="Needed if the file's name does not show it.")
    map: str | None = Field(
        None, max_length=2000, description="The columns that fields are read from: `task=question,a=output_1`."
    )
    skip_bad: bool = Field(False, description="Count rows that cannot be read as failures, and continue.")
    shuffle: int | None = Field(None, ge=0, lt=2**31, description="Judge in a random order with this seed.")
    rubric: str | None = Field(
        None, max_length=130, description="A rubric of `/api/rubrics`: `name` or `name@version`."
    )


def run_request() -> type[RunRequest]:
    """Return the options for a run with the settings of all protocols."""
    return _run_request(names())


@lru_cache(maxsize=2)
def _run_request(protocols: tuple[str, ...]) -> type[RunRequest]:
    shared, own = Settings.requested(), _owners(protocols)
    for name, owners in own.items():
        one = protocol_of(owners[0]).settings.requested()[name]
        shared[name] = replace(one, http=f"{one.description} For {', '.join(owners)}.")
    return with_settings(RunRequest, shared, text=True)


def _owners(protocols: Iterable[str]) -> dict[str, list[str]]:
    """Return the protocols that have each setting which not all protocols share."""
    owners: dict[str, list[str]] = {}
    for protocol in protocols:
        for name in protocol_of(protocol).settings.requested():
            if name not in Settings.requested():
                owners.setdefault(name, []).append(protocol)
    return owners


_RAW = {"schema": {"type": "string", "format": "binary"}}
_FILE = {**_RAW["schema"], "description": "The cases: JSONL, CSV, TSV, Parquet, JSON or text."}
_FIELDS = run_request().model_json_schema()
_PROTOCOL = names()[0]
_CASES = f"{protocol_of(_PROTOCOL).form.row}\n"
_FORM = {**_FIELDS, "properties": {"file": _FILE, **_FIELDS["properties"]}, "required": ["file", "protocol"]}
_CONTENT = {
    "multipart/form-data": {"schema": _FORM, "example": {"file": _CASES, "protocol": _PROTOCOL, "name": "greetings"}},
    "application/x-ndjson": {**_RAW, "example": _CASES},
    "text/csv": _RAW,
    "application/octet-stream": _RAW,
}


@router.post(
    "/api/runs",
    summary="Judge a file of cases",
    status_code=201,
    response_model=RunStatus,
    openapi_extra={
        "parameters": documented_query(run_request()),
        "requestBody": {"required": True, "content": _CONTENT},
    },
)
async def begin_run(caller: MayJudge, request: Request, state: StateOf) -> Response:
    """Start a run on a file from a form, or on the body with options in the query. All rows are checked first."""
    file, given = await read_upload(request)
    wanted = await asyncio.to_thread(wanted_run, state, caller, file, given)
    run = await state.runs.begin(wanted, caller.name)
    await record(state, caller, "started", run, name=wanted.name)
    headers = {"location": f"/api/runs/{run.run_id}"}
    return Response(run.status().model_dump_json(), 201, headers, media_type="application/json")


async def record(state: State, caller: Caller, done: str, run: HostedRun, **detail: Any) -> None:
    """Write to the audit log who did what with a run."""
    await asyncio.to_thread(state.audit.record, caller.person, f"run.{done}", run.run_id, **detail)


def wanted_run(state: State, caller: Caller, file: UploadedFile, given: Mapping[str, str]) -> NewRun:
    """Build the description of a new run from a file and the fields sent with it."""
    asked = validated(run_request(), given)
    for field, owners in _owners(names()).items():
        if field in asked.model_fields_set and asked.protocol not in owners:
            raise InputError(field, f"is for {' and '.join(owners)}, not for {asked.protocol}")
    rubric = {} if asked.rubric is None else {"rubric": named_rubric(state, caller, asked.rubric, asked.protocol)}
    return NewRun(
        file.content,
        _one_name(file.name or asked.source),
        state.settings(state.own[asked.protocol], asked, **rubric),
        RunOptions(concurrency=asked.concurrency, rate=asked.rate, budget=asked.budget),
        asked.name,
        _mapping(asked.map),
        _format(asked, file),
        asked.skip_bad,
        asked.shuffle,
    )


def _format(asked: RunRequest, file: UploadedFile) -> str | None:
    """Return the file's format; None means by its name, which is more reliable than the type that clients guess."""
    if asked.format is not None or Path(file.name or asked.source).suffix:
        return asked.format
    if file.kind not in _BY_TYPE:
        found = "missing, and neither name nor type of the file shows it"
        raise InputError("format", found, f"one of {', '.join(get_args(InputFormat))}")
    return _BY_TYPE[file.kind]


def suffix_of_type(kind: str) -> str:
    """Return the suffix that a file of this content type would have; empty if it is not known."""
    return f".{_BY_TYPE[kind]}".replace(".text", ".txt") if kind in _BY_TYPE else ""


def _mapping(given: str | None) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for piece in filter(str.strip, (given or "").split(",")):
        field, _, column = map(str.strip, piece.partition("="))
        if not field or not column:
            raise InputError("map", piece[:80], "field=column, such as task=question,a=output_1")
        if field in mapping:
            raise InputError("map", f"{field[:80]} appears twice", "each field once")
        mapping[field] = column
    return mapping


def _one_name(given: str) -> str:
    """Return a file's name without folders and control characters, cut to 200 characters."""
    name = re.sub(r"[\x00-\x1f\x7f]", "", given).encode("utf-8", "replace").decode()
    return re.split(r"[/\\]", name)[-1][-200:]


# -- look, stop, continue ---------------------------------------------------------------------------------------------


class RunPage(BaseModel):
    """Runs, newest first."""

    runs: list[RunStatus]
    next: str | None = Field(None, description="The cursor of the next page; null on the last.")


class ResumeRequest(RunLimits):
    """Options for continuing a run. A limit that is not given stays as it is; null removes it."""

    retry_failed: bool = Field(False, description="Retry failed cases, whatever the reason.")


@router.get("/api/runs", summary="All runs, the newest first")
def list_runs(
    state: StateOf, caller: CallerOf, limit: Annotated[int, Query(ge=1, le=200)] = 50, cursor: Cursor = None
) -> RunPage:
    """List runs. Tokens (unless admin) and annotators see their own, other people see all."""
    before = read_cursor(cursor, "r[0-9a-f]{17}")
    found = [status for _, status in islice(listed_runs(state, caller, before), limit + 1)]
    return RunPage(runs=found[:limit], next=str(found[limit - 1].run_id) if len(found) > limit else None)


RunOf = Annotated[HostedRun, Depends(find_run)]


@router.get("/api/runs/{run_id}", summary="The status of a run")
async def get_run(run: RunOf) -> RunStatus:
    """Return its state and counts. Every case is counted in exactly one of verdicts, failures and open."""
    return run.status()


@router.get(
    "/api/runs/{run_id}/events",
    summary="A run's progress as server-sent events",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "`progress` with the run's status whenever it changes, and `end` after the last one.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
    },
)
async def follow_run(run: RunOf, state: StateOf) -> StreamingResponse:
    """Stream events until the run ends. Each event has the full status, so a client that reconnects misses nothing."""
    return StreamingResponse(_events(run, state.runs.closing), media_type="text/event-stream")


async def _events(run: HostedRun, closing: asyncio.Event) -> AsyncIterator[str]:
    last = ""
    with suppress(SetupError):  # deleted meanwhile
        while not closing.is_set():
            status = run.status()
            if (now := status.model_dump_json()) != last:
                last = now
                yield f"event: progress\ndata: {now}\n\n"
            else:
                yield ": nothing new\n\n"  # a proxy may close an idle stream
            if status.state in ("stopped", "finished"):
                break
            await asyncio.sleep(_LOOK_EVERY)
    yield "event: end\ndata: {}\n\n"


@router.post("/api/runs/{run_id}/cancel", summary="Stop a run")
async def cancel_run(caller: MayJudge, run: RunOf, state: StateOf) -> RunStatus:
    """Stop the run after the calls in flight. Verdicts stay, and the run can be resumed."""
    state.runs.cancel(run)
    await record(state, caller, "cancelled", run)
    return run.status()


@router.post("/api/runs/{run_id}/pause", summary="Pause a run")
async def pause_run(caller: MayJudge, run: RunOf, state: StateOf) -> RunStatus:
    """Take no new case. Those in flight are finished and stored; then the run is stopped, and can be resumed."""
    state.runs.pause(run)
    await record(state, caller, "paused", run)
    return run.status()


@router.post(
    "/api/runs/{run_id}/resume",
    summary="Continue a run",
    openapi_extra=documented_body(ResumeRequest, {"budget": "5.00", "retry_failed": True}, required=False),
)
async def resume_run(caller: MayJudge, run: RunOf, request: Request, state: StateOf) -> RunStatus:
    """Judge open cases, and those that failed for a temporary reason. Limits may be changed. The caller pays."""
    data = await read_object(request, ", ".join(ResumeRequest.model_fields), optional=True)
    asked = validated(ResumeRequest, data)
    changes = asked.model_dump(exclude={"retry_failed"}, exclude_unset=True)
    # A caller who continues another's run pays for the rest of it.
    state.runs.resume(run, changes, retry=asked.retry_failed, payer=caller.name or "")
    await record(state, caller, "resumed", run)
    return run.status()


@router.delete("/api/runs/{run_id}", summary="Delete a run", status_code=204)
async def delete_run(caller: MayJudge, run: RunOf, state: StateOf) -> None:
    """Delete the run's folder with its cases. Replies and verdicts stay in the journal."""
    await asyncio.to_thread(state.runs.remove, run)
    await record(state, caller, "deleted", run)
