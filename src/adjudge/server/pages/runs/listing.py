"""The list of runs, and the form that begins one: a file is read and checked, and what it would cost is shown first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from fastapi import APIRouter, Request, Response

from ....errors import InputError
from ....rubric import PROTOCOLS
from ...bodies import MAX_BODY_BYTES, UploadedFile
from ...callers import Caller, CallerOf, ReviewerOf
from ...common import State, StateOf
from ...runs import RunRequest, note, wanted_run
from ..forms import read_upload_form, said_beside, status_of
from ..rendering import lead_to, page
from .telling import RunLine, line_for

router = APIRouter()

_AT_A_TIME = 25


@dataclass(frozen=True, slots=True)
class BeginForm:
    """What can be chosen for a new run, what was, and what is wrong with it."""

    judges: tuple[str, ...]
    rubrics: dict[str, tuple[str, ...]]
    most_bytes: int
    both_orders: bool
    values: Mapping[str, str] = field(default_factory=dict)
    place: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class RunsPage:
    """Runs, the newest first; `older` is where the list goes on. The form is there for those who may begin one."""

    runs: tuple[RunLine, ...]
    first: bool
    older: str
    form: BeginForm | None
    several: bool


@router.get("/runs")
@router.get("/runs.json")
async def show_runs(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The list."""
    return await _shown(request, state, caller)


@router.post("/runs")
async def begin(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Read and check a file of cases, or what was pasted; the run waits for its start with an estimate."""
    values: dict[str, str] = {}
    try:
        file, values = await read_upload_form(request)
        pasted = values.get("cases", "")
        if file is None or not file.content.strip():
            if not pasted.strip():
                raise InputError("file", "missing", "choose a file of cases, or paste some")
            file = UploadedFile(pasted.encode(), "", "application/x-ndjson")
        given = {name: value for name, value in values.items() if name in RunRequest.model_fields and value.strip()}
        if given.get("protocol") == "compare":
            given["one_order"] = "false" if "both_orders" in values else "true"
        wanted = await asyncio.to_thread(wanted_run, state, caller, file, given)
        run = await state.runs.begin(wanted, caller.name, start=False)
    except InputError as error:
        return await _shown(request, state, caller, values, error)
    await note(state, caller, "uploaded", run, name=wanted.name)
    return lead_to(request, f"/runs/{run.run_id}")


async def _shown(
    request: Request,
    state: State,
    caller: Caller,
    values: Mapping[str, str] | None = None,
    error: InputError | None = None,
) -> Response:
    before = request.query_params.get("before")

    def found() -> RunsPage:
        runs = list(islice(state.runs.statuses(caller.scope, before), _AT_A_TIME + 1))
        lines = tuple(line_for(*each) for each in runs[:_AT_A_TIME])
        older = lines[-1].run_id if len(runs) > _AT_A_TIME else ""
        form = _form(state, caller, values or {}, error) if caller.may("reviewer") else None
        return RunsPage(lines, before is None, older, form, len(runs) > 1)

    context = await asyncio.to_thread(found)
    return page(request, "runs", context, 200 if error is None else status_of(error))


def _form(state: State, caller: Caller, values: Mapping[str, str], error: InputError | None) -> BeginForm:
    rubrics: dict[str, list[str]] = {protocol: [] for protocol in PROTOCOLS}
    for kept in state.rubrics.listed(caller.shelf):
        rubrics[kept.rubric.protocol].append(f"{kept.rubric.name}@{kept.rubric.version}")
    place = error.place if error and error.place in (*RunRequest.model_fields, "file") else ""
    return BeginForm(
        judges=state.judges(state.compare.judge),
        rubrics={protocol: tuple(names) for protocol, names in rubrics.items()},
        most_bytes=MAX_BODY_BYTES,
        both_orders="both_orders" in values if values else not state.compare.one_order,
        values=values,
        place=place,
        error=said_beside(place, error) if error else "",
    )
