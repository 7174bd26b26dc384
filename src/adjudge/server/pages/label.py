"""The labelling pages: the runs to label, the progress and set-up of each, and the report on agreement with the judge.

Labelling is blind: these pages show no verdict, author of an answer, case id or original order of the answers. Only the
report on agreement shows verdicts. A person who still has cases to label in the run must label them before looking at
the report, and everyone who has looked is recorded.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypedDict
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...agreement.labels.files import annotator_name, criterion_scales
from ...agreement.labels.questions import as_shown
from ...agreement.labels.sampling import FOLDER, USUAL
from ...errors import ConflictError, InputError
from ...models.base import to_json
from ...models.common import Order
from ...protocols.base import protocol_of
from ...rendering.escaping import beginning, one_line
from ...rendering.wording import many
from ...results.run import open_run
from ...runs.hosted_run import HostedRun, RunStatus
from ..callers import Caller, CallerOf, Callers, MayJudge, MayLabel
from ..common import State, StateOf, read_cursor, validated
from ..labelling import (
    Labelling,
    LabelSetup,
    Task,
    check_review,
    find_to_label,
    labelling_of,
    may_label,
    may_review,
    progress_of,
    record_seen,
    sees_verdicts,
    set_up,
)
from .common import A_PAGE, FieldsOf, error_beside, html, page, paged, wants_json
from .run_tabs import RunTabs, run_tabs

router = APIRouter(include_in_schema=False)
_log = logging.getLogger(__name__)

_OPENING = 110  # characters of a case's text that a list shows
_WHO = "who."  # begins the name of the box that is ticked for a person


# -- what there is to label -------------------------------------------------------------------------------------------


@router.get("/label")
@router.get("/label.json")
def list_to_label(caller: MayLabel, request: Request, state: StateOf) -> Response:
    """List the runs to label, newest first."""
    before = read_cursor(request.query_params.get("cursor"), "r[0-9a-f]{17}")
    shown = list(islice(_listed(state, caller, before), A_PAGE + 1))
    more = str(shown[A_PAGE - 1]["run_id"]) if len(shown) > A_PAGE else None
    return page(request, "label_list", {"person": caller.person, "runs": shown[:A_PAGE], "next": more})


def _listed(state: State, caller: Caller, before: str | None) -> Iterable[dict[str, Any]]:
    """Yield the runs that the caller may label or set up. `mine` and `all` are None if a run is not set up yet."""
    for hosted, status in state.runs.statuses(None, before):
        try:
            found = labelling_of(hosted)
        except ConflictError as error:
            _log.error(one_line(str(error)))
            continue  # one run's broken file must not block the list of the others
        if not sees_verdicts(caller, hosted) and (found is None or not may_label(found, caller.person)):
            continue
        if found is not None or (status.state in ("finished", "stopped") and status.verdicts):
            yield {
                "run_id": hosted.run_id,
                "name": run_name(status),
                "protocol": status.protocol,
                "mine": found and progress_of(found, caller.person),
                "all": found and progress_of(found),
            }


def run_name(status: RunStatus) -> str:
    """Return the run's display name. Never use its file's name, which may reveal who wrote the answers."""
    return status.name or f"{many(status.cases, protocol_of(status.protocol).noun)} of {status.created[:10]}"


# -- a run ------------------------------------------------------------------------------------------------------------


class LabelRunPage(TypedDict):
    """A run's labelling progress, the caller's own labels, and for a reviewer the set-up form."""

    run_id: str
    name: str
    protocol: str
    mine: dict[str, int] | None
    all: dict[str, int] | None
    next: int | None
    people_a_case: int
    own: list[dict[str, Any]]
    page: int
    pages: int
    people: list[dict[str, Any]]
    setup: dict[str, Any] | None
    measurable: bool
    looked: bool


@router.get("/runs/{run_id}/label")
@router.get("/runs/{run_id}/label.json")
def show_run(caller: MayLabel, run_id: str, request: Request, state: StateOf) -> Response:
    """Show the labelling progress of a run."""
    hosted, found = find_to_label(state, caller, run_id)
    return _shown(request, state, caller, hosted, _run_page(request, hosted, found, caller))


def _shown(
    request: Request, state: State, caller: Caller, hosted: HostedRun, context: LabelRunPage, status: int = 200
) -> Response:
    tabs = run_tabs(state, caller, hosted, "label", name=context["name"])
    two_sides = protocol_of(context["protocol"]).table.two_sides
    return page(request, "label_run", context, status, tabs=tabs, two_sides=two_sides)


@router.get("/label/{place:path}")
@router.post("/label/{place:path}")
def moved(caller: MayLabel, place: str, request: Request) -> Response:
    """Redirect from the address that the labels of a run had before, with the method and the body as they are."""
    name, *rest = place.split("/", 1)
    run_id, dot, kind = name.partition(".")
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(quote("/".join((f"/runs/{run_id}/label{dot}{kind}", *rest))) + query, 308)


@router.post("/runs/{run_id}/label")
async def change_setup(caller: MayJudge, fields: FieldsOf, run_id: str, request: Request, state: StateOf) -> Response:
    """Set how many cases are labelled, by how many people each, and by whom."""

    def work() -> Response:
        hosted, found = find_to_label(state, caller, run_id)
        check_review(caller, hosted)
        try:
            wanted = _read_setup(fields, _may_label(request))
            set_up(hosted, wanted)
        except InputError as error:
            errors = {error.place: error_beside(error.place, error)}
        except ConflictError as error:
            errors = {"cases": str(error)}
        else:
            state.audit.record(caller.person, "labels.set_up", run_id, **wanted.model_dump())
            return RedirectResponse(f"/runs/{run_id}/label", 303)
        context = _run_page(request, hosted, found, caller, fields, errors)
        return _shown(request, state, caller, hosted, context, 400)

    # Picking the cases reads the whole run.
    async with state.reading:
        return await asyncio.to_thread(work)


def _may_label(request: Request) -> list[str]:
    """Return who may label here; empty on an open service, which knows nobody."""
    callers: Callers = request.app.state.callers
    return callers.names_with("annotator") if callers.required else []


def _ticked(fields: Mapping[str, str]) -> list[str]:
    return [field.removeprefix(_WHO) for field in fields if field.startswith(_WHO)]


def _read_setup(fields: Mapping[str, str], possible: Sequence[str]) -> LabelSetup:
    given_names = (*re.split(r"[\s,;]+", fields.get("named", "")), *_ticked(fields))
    try:
        names = dict.fromkeys(annotator_name(name) for name in given_names if name)
    except InputError as error:
        raise error.renamed({"--annotator": "named"}) from None
    given: dict[str, Any] = {key: fields[key] for key in ("cases", "people") if fields.get(key, "").strip()}
    setup = validated(LabelSetup, {**given, "named": tuple(names), "criteria": "criteria" in fields})
    if names and len(names) < setup.people:
        are = "is" if len(names) == 1 else "are"
        raise InputError("people", f"{setup.people} people per case, but only {len(names)} {are} named")
    if possible and not names and len(possible) < setup.people:
        only = f"only {possible[0]} may label here" if len(possible) == 1 else f"only {len(possible)} may label here"
        raise InputError("people", f"{setup.people} people per case, but {only}", "add people first")
    return setup


def _run_page(
    request: Request,
    hosted: HostedRun,
    found: Labelling | None,
    caller: Caller,
    entered: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> LabelRunPage:
    """Build the page's context, with the set-up values that were entered and their errors."""
    status, person, reviewer = hosted.status(), caller.person, may_review(caller, hosted)
    setup = LabelSetup(cases=max(1, min(USUAL, status.verdicts)), people=1) if found is None else found.setup
    if entered is None:
        entered = {"cases": str(setup.cases), "people": str(setup.people), "named": ", ".join(setup.named)}
        entered |= {"criteria": "1"} if setup.criteria else {}
        entered |= {f"{_WHO}{name}": "1" for name in setup.named}
    form: dict[str, Any] = {key: entered.get(key, "") for key in ("cases", "people", "named")}
    rates_criteria = bool(criterion_scales(found.run if found else open_run(hosted.directory.path)))
    form |= {"criteria": "criteria" in entered, "rates_criteria": rates_criteria}
    form |= {"most": status.verdicts, "errors": errors or {}}
    # Names from a terminal, or of people who were removed, are in the list as long as they are ticked.
    ticked, possible = _ticked(entered), _may_label(request)
    listed = dict.fromkeys((*possible, *(ticked if possible else ())))
    form |= {"possible": len(possible), "who": {name: name in ticked for name in listed}}
    own = [task for task in found.tasks if person in task.labels] if found else []
    labelled, at, pages = paged(own, request)
    waiting = found.open(person) if found else []
    # The agreement report needs at least one case of the random sample that has all its labels.
    drawn = [task for task in found.tasks if task.pick.stratum == "random"] if found else []
    enough = any(task.answers and task.is_complete(setup.people) for task in drawn)
    return LabelRunPage(
        run_id=hosted.run_id,
        name=run_name(status),
        protocol=status.protocol,
        mine=progress_of(found, person) if found else None,
        all=progress_of(found) if found else None,
        next=waiting[0].number if waiting else None,
        people_a_case=setup.people,
        own=[own_label(found, task, person, found.order(person, task)) for task in labelled if found],
        page=at,
        pages=pages,
        people=list(_people(found)) if found and reviewer else [],
        setup=form if reviewer else None,
        measurable=enough and sees_verdicts(caller, hosted),
        looked=found is not None and person in found.seen,
    )


def _people(found: Labelling) -> Iterable[dict[str, Any]]:
    """Yield the progress of everyone who is named in the set-up or has labelled."""
    for name in dict.fromkeys((*found.setup.named, *found.labels)):
        labels = [task.labels[name] for task in found.tasks if name in task.labels]
        skipped, flagged = sum(label.skipped for label in labels), sum(label.flagged for label in labels)
        yield {"name": name, "progress": progress_of(found, name), "skipped": skipped, "flagged": flagged}


def own_label(found: Labelling, task: Task, person: str, order: Order) -> dict[str, Any]:
    """Return a person's label in words, for a reader who sees the answers in this order."""
    label = task.labels[person]
    answer = "open" if label.value is None and not label.skipped else as_shown(found.run, label, order)
    if not task.is_done_by(person) and label.value is not None:
        answer += ", criteria open"
    return {
        "number": task.number,
        "opening": opening_of(found, task),
        "said": in_words(answer),
        **label.model_dump(include={"flagged", "note", "unblinded", "time"}),
    }


def in_words(text: str) -> str:
    """Return the text with its first letter capitalized."""
    return text[:1].upper() + text[1:]


def opening_of(found: Labelling, task: Task) -> str:
    """Return the beginning of a case's text."""
    return beginning(found.run.protocol.opening(found.shown(task)), _OPENING)


# -- agreement --------------------------------------------------------------------------------------------------------


@router.get("/runs/{run_id}/agreement")
@router.get("/runs/{run_id}/agreement.json")
async def show_agreement(run_id: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show the agreement report for the labels given here, or else for the input's label column."""
    hosted = state.runs.find(run_id, caller.scope)
    found = await asyncio.to_thread(labelling_of, hosted)
    if found is not None and caller.may("annotator") and (waiting := found.open(caller.person)):
        if wants_json(request):
            raise ConflictError(f"{run_id}: {len(waiting)} cases wait for your label; label them before you look")
        name = hosted.status().name or run_id
        tabs = run_tabs(state, caller, hosted, "agreement", name=name)
        first = waiting[0].number
        return html("agreement_wait", 409, run_id=run_id, name=name, open=len(waiting), next=first, tabs=tabs)
    async with state.reading:
        answer = await asyncio.to_thread(_report, hosted, request, run_tabs(state, caller, hosted, "agreement"))
    if found is not None:
        labelled = {position for own in found.labels.values() for position in own}
        await asyncio.to_thread(record_seen, hosted, caller.person, labelled or None)
    return answer


def _report(hosted: HostedRun, request: Request, tabs: RunTabs) -> Response:
    # SciPy takes seconds to load, so import it only when there is something to measure.
    from ...agreement.report import build_report
    from ...reports.agreement.view import agreement_document

    run = open_run(hosted.directory.path)
    folder = str(run.folder / FOLDER)
    try:
        report = build_report(run)
    except InputError as error:
        # The error may name folders on this machine and command line options.
        found = error.found.replace(folder, "labels").replace(str(run.folder), hosted.run_id)
        if wants_json(request):
            raise ConflictError(f"{hosted.run_id}: nothing to measure yet: {found}") from None
        return html("agreement_none", 409, run_id=hosted.run_id, found=found, tabs=tabs)
    labels = report.labels.updated(source=report.labels.source.replace(folder, "given here"))
    report = report.updated(labels=labels, run=hosted.status().name or hosted.run_id)
    if wants_json(request):
        return Response(to_json(report), media_type="application/json")
    document = agreement_document(report, run.rubric)
    # Whoever must decide whether to trust the judge asks first where it is wrong; tables come after that.
    first = sorted(document.sections, key=lambda section: section.key != "differ")
    cases = f"/runs/{hosted.run_id}/cases"
    more: dict[str, Any] = {"document": replace(document, sections=tuple(first)), "tabs": tabs}
    more["list_at"] = f"{cases}?positions="
    return html("agreement", own_words=True, run_id=hosted.run_id, case_at=f"{cases}/", **more)
