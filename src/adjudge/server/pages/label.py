"""The pages about labelling: which runs there are to label, where each stands, and how it is set up.

Blind: nothing of a verdict, of who wrote an answer, of a case's id or of the order of its answers is on these pages.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...agreement.labels.files import annotator_name
from ...agreement.labels.questions import as_shown
from ...agreement.labels.sampling import MAX_PICKS, USUAL
from ...errors import ConflictError, InputError
from ...models.comparison import Order
from ...reports.escaping import one_line, shorten
from ...runs.hosted_run import HostedRun, RunStatus
from ..callers import Caller, CallerOf
from ..common import State, StateOf, cursor_of, read_cursor
from ..labelling import (
    MOST_PEOPLE,
    Labelling,
    LabelSetup,
    Task,
    check_review,
    find_to_label,
    labelling_of,
    may_label,
    may_review,
    sees_verdicts,
    set_up,
)
from .forms import read_form
from .rendering import page, paged

router = APIRouter(include_in_schema=False)
_log = logging.getLogger(__name__)

_A_PAGE = 50
_OPENING = 110  # characters of a case that stand for it in a list
_WORDS = {"compare": "comparison", "dialogue": "dialogue", "review": "review"}


@dataclass(frozen=True, slots=True)
class LabelProgress:
    """How much is done of how much."""

    done: int
    of: int


@dataclass(frozen=True, slots=True)
class RunToLabel:
    """A run in the list; without `mine` and `all` it is not set up yet."""

    run_id: str
    name: str
    protocol: str
    mine: LabelProgress | None = None
    all: LabelProgress | None = None


@dataclass(frozen=True, slots=True)
class LabelList:
    """The runs that the caller may label or set up."""

    person: str
    runs: tuple[RunToLabel, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class OwnLabel:
    """What somebody has said of a case, in the words of whoever reads it."""

    number: int
    opening: str
    said: str
    flagged: bool
    note: str
    unblinded: bool
    time: str


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """Somebody who labels."""

    name: str
    progress: LabelProgress
    skipped: int
    flagged: int


@dataclass(frozen=True, slots=True)
class SetupForm:
    """How a run is labelled, as it stands in the form."""

    cases: str
    people: str
    named: str
    criteria: bool
    most: int
    errors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelRunPage:
    """A run to label: where it stands, what the caller said, and for a reviewer how it is set up."""

    run_id: str
    name: str
    protocol: str
    cases: int
    person: str
    mine: LabelProgress | None
    all: LabelProgress | None
    next: int | None
    people_a_case: int
    own: tuple[OwnLabel, ...]
    page: int
    pages: int
    people: tuple[PersonProgress, ...]
    setup: SetupForm | None
    measurable: bool
    looked: bool


# -- what there is to label -------------------------------------------------------------------------------------------


@router.get("/label")
@router.get("/label.json")
async def list_to_label(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The runs to label, the newest first."""
    caller.needs("annotator")
    before = read_cursor(request.query_params.get("cursor"), "r[0-9a-f]{17}")

    def found() -> LabelList:
        shown = list(islice(_listed(state, caller, before), _A_PAGE + 1))
        more = cursor_of(shown[_A_PAGE - 1].run_id) if len(shown) > _A_PAGE else None
        return LabelList(caller.person, tuple(shown[:_A_PAGE]), more)

    return page(request, "label_list", await asyncio.to_thread(found))


def _listed(state: State, caller: Caller, before: str | None) -> Iterable[RunToLabel]:
    for hosted, status in state.runs.statuses(None, before):
        try:
            found = labelling_of(hosted)
        except ConflictError as error:
            _log.error(one_line(str(error)))
            continue  # a broken file of one run is no reason to keep people from the others
        if not sees_verdicts(caller, hosted) and (found is None or not may_label(found, caller.person)):
            continue
        if found is not None:
            mine, done = progress_of(found, caller.person)
            yield RunToLabel(hosted.run_id, run_name(status), status.protocol, mine, done)
        elif status.state in ("finished", "stopped") and status.verdicts:
            yield RunToLabel(hosted.run_id, run_name(status), status.protocol)


def run_name(status: RunStatus) -> str:
    """What the run is called; never its file's name, which may say who wrote the answers."""
    words = _WORDS[status.protocol] + ("" if status.cases == 1 else "s")
    return status.name or f"{status.cases:,} {words} of {status.created[:10]}"


def progress_of(found: Labelling, person: str) -> tuple[LabelProgress, LabelProgress]:
    """Of the caller's cases, how many she has done; of all, how many want nobody any more."""
    queue = found.queue(person)
    complete = sum(task.is_complete(found.setup.people) for task in found.tasks)
    return LabelProgress(sum(task.is_done_by(person) for task in queue), len(queue)), LabelProgress(
        complete, len(found.tasks)
    )


# -- a run ------------------------------------------------------------------------------------------------------------


@router.get("/label/{name}")
async def show_run(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Where the labelling of a run stands; `.json` after its id gives the twin."""
    caller.needs("annotator")
    hosted, found = await asyncio.to_thread(find_to_label, state, caller, name.removesuffix(".json"))
    return page(request, "label_run", await asyncio.to_thread(_run_page, request, hosted, found, caller))


@router.post("/label/{run_id}")
async def change_setup(run_id: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """How many cases are labelled, by how many people each, and by whom."""
    caller.needs("reviewer")
    fields = await read_form(request)

    def work() -> Response:
        hosted, found = find_to_label(state, caller, run_id)
        check_review(caller, hosted)
        wanted, errors = _read_setup(fields)
        if wanted is not None:
            try:
                set_up(hosted, wanted)
            except ConflictError as error:
                errors = {"cases": str(error)}
            else:
                state.audit.record(caller.person, "labels.set_up", run_id, **wanted.model_dump())
                return RedirectResponse(f"/label/{run_id}", 303)
        entered = {key: fields.get(key, "") for key in ("cases", "people", "named")}
        form = SetupForm(**entered, criteria="criteria" in fields, most=hosted.status().verdicts, errors=errors)
        return page(request, "label_run", _run_page(request, hosted, found, caller, form), 400)

    # Picking reads the whole run.
    async with state.reading:
        return await asyncio.to_thread(work)


def _read_setup(fields: Mapping[str, str]) -> tuple[LabelSetup | None, dict[str, str]]:
    errors: dict[str, str] = {}
    counts: dict[str, int] = {}
    for key, most in (("cases", MAX_PICKS), ("people", MOST_PEOPLE)):
        given = fields.get(key, "").strip()
        if re.fullmatch(r"[0-9]{1,6}", given) and 1 <= int(given) <= most:
            counts[key] = int(given)
        else:
            errors[key] = f"{given[:40]!r}; a number from 1 to {most:,} is allowed" if given else "missing"
    names: dict[str, None] = {}
    for given in re.split(r"[\s,;]+", fields.get("named", "").strip()):
        try:
            names |= {annotator_name(given): None} if given else {}
        except InputError as error:
            errors["named"] = f"{error.found}; {error.allowed}"
    if len(names) > MOST_PEOPLE:
        errors["named"] = f"{len(names)} people; at most {MOST_PEOPLE} are allowed"
    elif names and len(names) < counts.get("people", 0):
        errors["people"] = f"{counts['people']} people a case, but {len(names)} are named"
    setup = None if errors else LabelSetup(named=tuple(names), criteria="criteria" in fields, **counts)
    return setup, errors


def _run_page(
    request: Request, hosted: HostedRun, found: Labelling | None, caller: Caller, form: SetupForm | None = None
) -> LabelRunPage:
    status, person, reviewer = hosted.status(), caller.person, may_review(caller, hosted)
    setup = LabelSetup(cases=max(1, min(USUAL, status.verdicts)), people=1) if found is None else found.setup
    if reviewer and form is None:
        named = ", ".join(setup.named)
        form = SetupForm(str(setup.cases), str(setup.people), named, setup.criteria, status.verdicts)
    mine, done = (None, None) if found is None else progress_of(found, person)
    tasks = () if found is None else found.tasks
    labelled, at, pages = paged([task for task in tasks if person in task.labels], request)
    names = dict.fromkeys((*setup.named, *found.labels)) if found and reviewer else ()
    waiting = found.open(person) if found else ()
    return LabelRunPage(
        run_id=hosted.run_id,
        name=run_name(status),
        protocol=status.protocol,
        cases=status.cases,
        person=person,
        mine=mine,
        all=done,
        next=waiting[0].number if waiting else None,
        people_a_case=setup.people,
        own=tuple(own_label(found, task, person, found.order(person, task)) for task in labelled) if found else (),
        page=at,
        pages=pages,
        people=tuple(_person_progress(found, name) for name in names) if found else (),
        setup=form if reviewer else None,
        measurable=found is not None and sees_verdicts(caller, hosted) and _measurable(found),
        looked=found is not None and person in found.seen,
    )


def _measurable(found: Labelling) -> bool:
    """Whether enough is labelled for a look at the agreement: a case of the random sample has all its labels."""
    return any(
        task.pick.stratum == "random" and task.answers and task.is_complete(found.setup.people) for task in found.tasks
    )


def _person_progress(found: Labelling, name: str) -> PersonProgress:
    labels = [task.labels[name] for task in found.tasks if name in task.labels]
    return PersonProgress(
        name,
        progress_of(found, name)[0],
        sum(label.skipped for label in labels),
        sum(label.flagged for label in labels),
    )


def own_label(found: Labelling, task: Task, person: str, order: Order) -> OwnLabel:
    """A person's label as somebody reads it who sees the answers in this order."""
    label = task.labels[person]
    said = "open" if label.value is None and not label.skipped else as_shown(label, order if label.shown else None)
    if not task.is_done_by(person) and label.value is not None:
        said += ", criteria open"
    opening = opening_of(found, task)
    return OwnLabel(task.number, opening, in_words(said), label.flagged, label.note, label.unblinded, label.time)


def in_words(said: str) -> str:
    """As it begins a line."""
    return said[:1].upper() + said[1:]


def opening_of(found: Labelling, task: Task) -> str:
    """The beginning of what a case is about; of a review that is its prompt, and not its configuration."""
    before = found.shown(task).before
    text = dict(before).get("Prompt") or (before[0][1] if before else "")
    return shorten(" ".join(text.split()), _OPENING)
