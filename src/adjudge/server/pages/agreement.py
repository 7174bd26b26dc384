"""How far the judge of a run agrees with people: the page of `adjudge agree` in the service's frame.

It shows verdicts, so whoever has still to label cases of the run is asked to do that first; who has looked is noted.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from ...agreement.labels.sampling import FOLDER
from ...errors import ConflictError, InputError, NotFoundError
from ...models.base import to_json
from ...results import require_extra
from ...results.run import open_run
from ...runs.hosted_run import HostedRun
from ..callers import CallerOf
from ..common import StateOf
from ..labelling import labelling_of, note_seen, sees_verdicts
from .rendering import html, wants_json

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run_id}/agreement")
@router.get("/runs/{run_id}/agreement.json")
async def show_agreement(run_id: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The report over the labels that were given here, or else in the input's label column."""
    hosted = state.runs.find(run_id)
    if not sees_verdicts(caller, hosted):
        raise NotFoundError(f"{run_id}: no such run")
    found = await asyncio.to_thread(labelling_of, hosted)
    if found is not None and (waiting := found.open(caller.person)):
        if wants_json(request):
            raise ConflictError(f"{run_id}: {len(waiting)} cases wait for your label; label them before you look")
        name = hosted.status().name or run_id
        return html("agreement_wait", 409, run_id=run_id, name=name, open=len(waiting), next=waiting[0].number)
    async with state.reading:
        answer = await asyncio.to_thread(_report, hosted, request)
    if found is not None:
        labelled = {position for own in found.labels.values() for position in own}
        await asyncio.to_thread(note_seen, hosted, caller.person, labelled or None)
    return answer


def _report(hosted: HostedRun, request: Request) -> Response:
    require_extra("agreement with people", "agreement")
    # SciPy takes seconds to load: only when there is something to measure.
    from ...agreement.report.build import build_report
    from ...reports.agreement.view import agreement_document

    run = open_run(hosted.directory.path)
    folder = str(run.folder / FOLDER)
    try:
        report = build_report(run)
    except InputError as error:
        # It may name folders of this machine, and options of a command.
        said = error.found.replace(folder, "labels").replace(str(run.folder), hosted.run_id)
        raise ConflictError(f"{hosted.run_id}: nothing to measure yet: {said}") from None
    labels = report.labels.updated(source=report.labels.source.replace(folder, "given here"))
    report = report.updated(labels=labels, run=hosted.status().name or hosted.run_id)
    if wants_json(request):
        return Response(to_json(report), media_type="application/json")
    document = agreement_document(report, run.rubric)
    return html("agreement", own_words=True, run_id=hosted.run_id, document=document)
