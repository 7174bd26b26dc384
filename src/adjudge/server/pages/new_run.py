"""`/runs/new`: a file is uploaded, looked at and started on one page.

The file is kept with the run that it may become, so that columns and settings can be changed without sending it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypedDict

from fastapi import APIRouter, Request, Response

from ...errors import ConflictError, InputError, NotFoundError, TooLargeError
from ...inputs.rows import SUFFIXES
from ...protocols.base import names, protocol_of
from ...protocols.form import sent_settings, shown_settings
from ...runs.hosted_run import HostedRun
from ...runs.uploads import UploadFindings, fields_of
from ...text.decoding import refuse_binary
from ..bodies import MAX_BODY_BYTES, UploadedFile
from ..callers import Caller, MayJudge
from ..common import State, StateOf
from ..rubrics import rubrics_for
from ..runs import record, run_request, suffix_of_type, wanted_run
from .common import NoteOf, error_beside, lead_to, page, read_upload_form, status_of
from .run_progress import estimated

router = APIRouter(include_in_schema=False)
_ASKED = ("protocol", "name", "rubric", "budget")
_NOT_READ = ("name", "budget")  # what may change between the look and the start without another look
_COLUMN = "column."


class NewRunPage(TypedDict):
    """The form; and for a file that is kept what was found in it. `columns` are names with the fields they are used
    for, `choices` the fields with words for them. Without an `estimate` the run cannot be started."""

    form: dict[str, Any]
    run_id: str
    file: dict[str, Any] | None
    columns: list[tuple[str, str]]
    choices: list[tuple[str, str]]
    found: dict[str, Any]
    estimate: tuple[tuple[str, str, str], ...]
    changed: bool


@router.get("/runs/new")
def show_form(request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Show the form for a file."""
    return _shown(request, state, caller, {})


@router.post("/runs/new")
async def upload(request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Keep an uploaded file or pasted cases, and show what is in it."""
    values: dict[str, str] = {}
    try:
        file, values = await read_upload_form(request)
        content, name, suffix = _file(file, values.pop("cases", ""))
    except InputError as error:
        return await asyncio.to_thread(_shown, request, state, caller, values, error)
    run = await asyncio.to_thread(state.runs.keep, content, suffix, caller.name)
    look = {"source": name, "suffix": suffix, "bytes": len(content)}
    wrong = await _look(state, caller, run, look, values)
    if wrong is not None and wrong.place == "file":  # nothing can be done with it
        await asyncio.to_thread(state.runs.remove, run)
        return await asyncio.to_thread(_shown, request, state, caller, values, wrong)
    await record(state, caller, "uploaded", run, name=values.get("name", ""))
    if wrong is None:
        return lead_to(request, f"/runs/new/{run.run_id}")
    return await asyncio.to_thread(_shown_upload, request, state, caller, run, status=status_of(wrong))


@router.get("/runs/new/{run_id}")
def show_upload(run_id: str, request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Show what was found in a file that is kept."""
    return _shown_upload(request, state, caller, state.runs.find_kept(run_id, caller.scope))


@router.post("/runs/new/{run_id}")
async def change(caller: MayJudge, run_id: str, fields: NoteOf, request: Request, state: StateOf) -> Response:
    """Read the file again as it is wanted now. Start its run, if what will be judged was shown; or discard it."""
    run = await asyncio.to_thread(state.runs.find_kept, run_id, caller.scope)
    press, look = fields.pop("press", ""), run.look
    if press == "discard":
        await asyncio.to_thread(state.runs.remove, run)
        await record(state, caller, "deleted", run)
        return lead_to(request, "/runs")
    try:
        error = await _look(state, caller, run, look, fields)
    except (ConflictError, NotFoundError):
        if not run.marker.exists():
            raise
        return lead_to(request, f"/runs/{run_id}")  # another click has started it
    if error is None and press == "start" and _is_same(look, run.look):
        state.runs.resume(run, {}, payer=caller.name or "")
        await record(state, caller, "started", run)
        return lead_to(request, f"/runs/{run_id}")
    changed = error is None and press == "start"
    return await asyncio.to_thread(_shown_upload, request, state, caller, run, changed, status_of(error))


def _file(file: UploadedFile | None, pasted: str) -> tuple[bytes, str, str]:
    """Return the content of what was sent, its name, and a suffix that shows its format."""
    if file is None or not file.content.strip():
        if not pasted.strip():
            raise InputError("file", "missing", "choose a file of cases, or paste some")
        return pasted.encode(), "pasted.jsonl", ".jsonl"
    name = Path(file.name.replace("\\", "/")).name
    *_, before, suffix = ["", "", *(each.lower() for each in Path(name).suffixes)]
    suffix = before + suffix if suffix == ".gz" else suffix or suffix_of_type(file.kind)
    if suffix.removesuffix(".gz") not in SUFFIXES:
        refuse_binary(file.content, "file")
        found = f"the ending {suffix} is not known" if suffix else "its name has no ending that shows its format"
        raise InputError("file", found, f"one of {', '.join(SUFFIXES)} is needed")
    return file.content, name, suffix


# -- look -------------------------------------------------------------------------------------------------------------


async def _look(
    state: State, caller: Caller, run: HostedRun, look: Mapping[str, Any], values: Mapping[str, str]
) -> InputError | None:
    """Read the file as the form asks, and store what was found beside what was asked. Return the error, if any."""
    if not look:
        raise NotFoundError(f"{run.run_id}: no such upload; its run was started or discarded")
    given = {name: values[name] for name in _ASKED if values.get(name, "").strip()}
    if given.get("protocol") in names():
        given |= sent_settings(protocol_of(given["protocol"]).settings, values)
    uses, found, error = _chosen(look, values), UploadFindings(**look.get("found", {})), None
    left_out = look.get("left_out", [])
    try:
        named = UploadedFile(b"", f"upload{look['suffix']}", "")
        wanted = await asyncio.to_thread(wanted_run, state, caller, named, given)
        fields = fields_of(given["protocol"])
        uses = uses if look.get("given", {}).get("protocol", given["protocol"]) == given["protocol"] else {}
        mapping = _mapping(look if uses else {}, uses, fields)
        left_out = [field for field, column in mapping.items() if not column]
        wanted = replace(wanted, cases=run.upload or b"", source=look["source"], mapping=mapping, skip_bad=True)
        found = await state.runs.look(run, wanted)
        if found.mapping:
            uses = {column: _joined(found.mapping, column) for column in found.columns}
    except InputError as wrong:
        error = wrong
        await asyncio.to_thread(state.runs.forget, run)
    if found.wrong is not None and error is None:
        place, words, too_large = found.wrong
        error = (TooLargeError if too_large else InputError)(place, words)
    run.write_look(
        {
            **{name: look[name] for name in ("source", "suffix", "bytes")},
            "values": dict(values), "given": given, "uses": uses, "left_out": left_out, "found": asdict(found),
            "error": None if error is None else (error.place, error_beside(error.place, error)),
        }
    )  # fmt: skip
    return error


def _joined(mapping: Mapping[str, str], column: str) -> str:
    return " ".join(field for field, chosen in mapping.items() if chosen == column)


def _chosen(look: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
    """Return what each column is to be taken for: the fields, separated by spaces."""
    columns = look.get("found", {}).get("columns", ())
    return {column: values[name] for at, column in enumerate(columns) if (name := f"{_COLUMN}{at}") in values}


def _mapping(look: Mapping[str, Any], uses: Mapping[str, str], fields: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each field that somebody chose. A field is empty if its column was taken away; fields that
    are not in it are guessed."""
    mapping: dict[str, str] = {}
    for column, used in uses.items():
        for field in used.split():
            if field in mapping:
                found = f"{fields.get(field, field)} is chosen for {mapping[field]} and for {column}"
                raise InputError("columns", found, "choose one of the two")
            mapping[field] = column
    taken_away = [*look.get("left_out", ()), *(look.get("found", {}).get("mapping") or {})] if uses else []
    return dict.fromkeys((field for field in taken_away if field not in mapping), "") | mapping


def _is_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether what will be judged, and how, is what was shown."""

    def facts(look: Mapping[str, Any]) -> tuple[Any, ...]:
        given = {name: value for name, value in look.get("given", {}).items() if name not in _NOT_READ}
        return given, look.get("uses"), look.get("error")

    return facts(before) == facts(now)


# -- the page ---------------------------------------------------------------------------------------------------------


def _shown_upload(
    request: Request, state: State, caller: Caller, run: HostedRun, changed: bool = False, status: int = 200
) -> Response:
    look, estimate = run.look, run.estimate
    place, words = look.get("error") or ("", "")
    error = InputError(place, words.removeprefix(f"{place}: ")) if words else None
    context = _context(state, caller, look.get("values", {}), error)
    protocol = look.get("given", {}).get("protocol", "")
    context |= {
        "run_id": run.run_id,
        "file": {"name": look.get("source", ""), "bytes": look.get("bytes", 0)},
        "columns": [(name, look["uses"].get(name, "")) for name in look.get("found", {}).get("columns", ())],
        "choices": list(fields_of(protocol).items()) if protocol in names() else [],
        "found": look.get("found", {}),
        "estimate": estimated(estimate, run.status()) if error is None and estimate else (),
        "changed": changed,
    }
    return _answer(request, state, context, status)


def _shown(
    request: Request, state: State, caller: Caller, values: Mapping[str, str], error: InputError | None = None
) -> Response:
    return _answer(request, state, _context(state, caller, values, error), status_of(error))


def _answer(request: Request, state: State, context: NewRunPage, status: int) -> Response:
    forms = {name: protocol_of(name).form for name in names()}
    offered = {name: one for each in names() for name, one in protocol_of(each).settings.offered().items()}
    more = {"forms": forms, "offered": offered.values(), "first": state.first.protocol, "suffixes": SUFFIXES}
    return page(request, "run_new", context, status, **more)


def _context(state: State, caller: Caller, values: Mapping[str, str], error: InputError | None) -> NewRunPage:
    """Build the form: its choices, the values that were sent, and the error."""
    rubrics: dict[str, list[str]] = {protocol: [] for protocol in names()}
    for rubric in rubrics_for(state, caller):
        rubrics[rubric.protocol].append(f"{rubric.name}@{rubric.version}")
    place = error.place if error and error.place in (*run_request().model_fields, "file", "columns") else ""
    settings: dict[str, bool | str] = {}
    for name in names():
        settings |= shown_settings(state.own[name], values or None)
    form = {
        "judges": state.judges(state.first.judges[0]),
        "rubrics": rubrics,
        "most_bytes": MAX_BODY_BYTES,
        **settings,
        "values": dict(values),
        "place": place,
        "error": error_beside(place, error),
    }
    return NewRunPage(
        form=form, run_id="", file=None, columns=[], choices=[], found={}, estimate=(), changed=False
    )  # fmt: skip
