"""The pages for labelling a run: what there is to label, one case a page, and people's labels side by side.

Blind: nothing of a verdict, of who wrote an answer, of a case's id or of the order of its answers is on these pages.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...agreement.labels.files import HumanLabel, annotator_name, turned
from ...agreement.labels.questions import SHOWN_AS, Asked, answered, as_shown, questions, skipped
from ...agreement.labels.sampling import MAX_PICKS, USUAL
from ...errors import ConflictError, InputError, NotFoundError
from ...models.comparison import Order
from ...reports.escaping import shorten
from ...runs.hosting import HostedRun, RunStatus
from ..callers import Caller, CallerOf
from ..common import State, StateOf, cursor_of, read_cursor
from ..labelling import (
    MOST_PEOPLE,
    Labelling,
    LabelSetup,
    Task,
    find_to_label,
    keep_label,
    labelling_of,
    may_label,
    may_review,
    note_seen,
    sees_verdicts,
    set_up,
)
from .forms import read_form
from .rendering import page

router = APIRouter(include_in_schema=False)

_A_PAGE = 50
_OPENING = 110  # characters of a case that stand for it in a list
_MOST_NOTE = 2000
_WORDS = {"compare": "comparison", "dialogue": "dialogue", "review": "review"}
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")


@dataclass(frozen=True, slots=True)
class Progress:
    """How much is done of how much."""

    done: int
    of: int

    @property
    def share(self) -> float:
        return self.done / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class RunToLabel:
    """A run in the list; without `mine` and `all` it is not set up yet."""

    run_id: str
    name: str
    protocol: str
    mine: Progress | None = None
    all: Progress | None = None


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
    time: str


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """Somebody who labels."""

    name: str
    progress: Progress
    skipped: int
    flagged: int


@dataclass(frozen=True, slots=True)
class SetupForm:
    """How a run is labelled, as it stands in the form."""

    cases: str
    people: str
    named: str
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
    mine: Progress | None
    all: Progress | None
    next: int | None
    people_a_case: int
    own: tuple[OwnLabel, ...]
    people: tuple[PersonProgress, ...]
    setup: SetupForm | None
    measurable: bool


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that may be given, and the key that gives it."""

    key: str
    meaning: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class CasePage:
    """A case as this person sees it; `options` is empty for somebody who is not asked."""

    run_id: str
    name: str
    protocol: str
    number: int
    place: int | None
    progress: Progress
    before: tuple[tuple[str, str], ...]
    answers: tuple[tuple[str, str], ...]
    question: str
    options: tuple[Option, ...]
    done: bool
    skipped: bool
    flagged: bool
    note: str
    previous: int | None
    next: int | None
    guidance: tuple[tuple[str, str], ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """A case with what each person says of it, in the words of the reviewer who looks at it."""

    number: int
    opening: str
    differ: bool
    labels: Mapping[str, OwnLabel]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """People's labels beside each other. `hidden` cases wait for the reviewer's own label."""

    run_id: str
    name: str
    protocol: str
    people: tuple[str, ...]
    cases: tuple[Beside, ...]
    differing: int
    hidden: int
    page: int
    pages: int


def _without_suffix(name: str) -> str:
    """A name whose `.json` only asks for the twin."""
    return name.removesuffix(".json")


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
    for hosted in state.runs.listed(None, before):
        found = labelling_of(hosted)
        if not sees_verdicts(caller, hosted) and (found is None or not may_label(found, caller.person)):
            continue
        status = hosted.status()
        if found is not None:
            mine, done = _progress(found, _person(caller))
            yield RunToLabel(hosted.run_id, _name(status), status.protocol, mine, done)
        elif status.state in ("finished", "stopped") and status.verdicts:
            yield RunToLabel(hosted.run_id, _name(status), status.protocol)


def _name(status: RunStatus) -> str:
    """What the run is called; never its file's name, which may say who wrote the answers."""
    words = _WORDS[status.protocol] + ("" if status.cases == 1 else "s")
    return status.name or f"{status.cases:,} {words} of {status.created[:10]}"


def _person(caller: Caller) -> str:
    """The caller's name, which is that of a file."""
    try:
        return annotator_name(caller.person)
    except InputError as error:
        raise InputError("person", error.found, error.allowed) from None


def _progress(found: Labelling, person: str) -> tuple[Progress, Progress]:
    """Of the caller's cases, how many she has done; of all, how many want nobody any more."""
    queue = found.queue(person)
    complete = sum(task.is_complete(found.setup.people) for task in found.tasks)
    return Progress(sum(task.is_done_by(person) for task in queue), len(queue)), Progress(complete, len(found.tasks))


# -- a run ------------------------------------------------------------------------------------------------------------


@router.get("/label/{name}")
async def show_run(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Where the labelling of a run stands; `.json` after its id gives the twin."""
    caller.needs("annotator")
    run_id = _without_suffix(name)
    hosted, found = await asyncio.to_thread(find_to_label, state, caller, run_id)
    return page(request, "label_run", await asyncio.to_thread(_run_page, hosted, found, caller))


@router.post("/label/{run_id}")
async def change_setup(run_id: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """How many cases are labelled, by how many people each, and by whom."""
    caller.needs("reviewer")
    fields = await read_form(request)

    def work() -> Response:
        hosted, found = _to_review(state, caller, run_id)
        status = hosted.status()
        wanted, errors = _read_setup(fields)
        if wanted is not None and not errors:
            try:
                set_up(hosted, wanted)
            except ConflictError as error:
                errors = {"cases": str(error)}
            else:
                detail = {"cases": wanted.cases, "people": wanted.people, "named": list(wanted.named)}
                state.audit.record(caller.person, "labels.set_up", run_id, **detail)
                return RedirectResponse(f"/label/{run_id}", 303)
        entered = {key: fields.get(key, "") for key in ("cases", "people", "named")}
        form = SetupForm(**entered, most=status.verdicts, errors=errors)
        return page(request, "label_run", _run_page(hosted, found, caller, form), 400)

    return await asyncio.to_thread(work)


def _to_review(state: State, caller: Caller, run_id: str) -> tuple[HostedRun, Labelling | None]:
    hosted, found = find_to_label(state, caller, run_id)
    if not may_review(caller, hosted):
        raise NotFoundError(f"{run_id}: no such run")
    return hosted, found


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
    return (None if errors else LabelSetup(named=tuple(names), **counts)), errors


def _run_page(
    hosted: HostedRun, found: Labelling | None, caller: Caller, form: SetupForm | None = None
) -> LabelRunPage:
    status, person = hosted.status(), _person(caller)
    mine = done = None
    own: list[OwnLabel] = []
    people: list[PersonProgress] = []
    waiting: list[Task] = []
    reviewer = may_review(caller, hosted)
    if found is not None:
        mine, done = _progress(found, person)
        waiting = found.open(person)
        own = [
            _own(found, task, task.labels[person], found.order(person, task))
            for task in found.tasks
            if person in task.labels
        ]
        if reviewer:
            names = dict.fromkeys((*found.setup.named, *found.labels))
            people = [_person_progress(found, name) for name in names]
    if reviewer and form is None:
        usual = min(USUAL, status.verdicts)
        form = (
            SetupForm(str(usual), "1", "", status.verdicts)
            if found is None
            else SetupForm(
                str(found.setup.cases), str(found.setup.people), ", ".join(found.setup.named), status.verdicts
            )
        )
    return LabelRunPage(
        hosted.run_id,
        _name(status),
        status.protocol,
        status.cases,
        person,
        mine,
        done,
        waiting[0].number if waiting else None,
        1 if found is None else found.setup.people,
        tuple(own),
        tuple(people),
        form if reviewer else None,
        found is not None and sees_verdicts(caller, hosted) and _measurable(found),
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
        _progress(found, name)[0],
        sum(label.skipped for label in labels),
        sum(label.flagged for label in labels),
    )


def _own(found: Labelling, task: Task, label: HumanLabel, order: Order) -> OwnLabel:
    said = "open" if label.value is None and not label.skipped else as_shown(label, order if label.shown else None)
    return OwnLabel(task.number, _opening(found, task), _in_words(said), label.flagged, label.note, label.time)


def _in_words(said: str) -> str:
    return said[:1].upper() + said[1:]


def _opening(found: Labelling, task: Task) -> str:
    """The beginning of what a case is about; of a review that is its prompt, and not its configuration."""
    before = found.shown(task).before
    text = dict(before).get("Prompt") or (before[0][1] if before else "")
    return shorten(" ".join(text.split()), _OPENING)


# -- a case -----------------------------------------------------------------------------------------------------------


@router.get("/label/{run_id}/{name}")
async def show_case(run_id: str, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """A case to label by its number, `next` for the first open one, or `side-by-side`; `.json` gives the twin."""
    caller.needs("annotator")
    asked = _without_suffix(name)
    if asked == "side-by-side":
        return await _side_by_side(run_id, request, state, caller)

    def work() -> Response:
        hosted, found = find_to_label(state, caller, run_id)
        if found is None:
            raise HTTPException(404)
        person = _person(caller)
        if asked == "next":
            waiting = found.open(person)
            return RedirectResponse(f"/label/{run_id}" + (f"/{waiting[0].number}" if waiting else ""), 303)
        return page(
            request,
            "label_case",
            _case_page(hosted, found, _task(found, asked, person, may_review(caller, hosted)), person),
        )

    return await asyncio.to_thread(work)


@router.post("/label/{run_id}/{name}")
async def keep(run_id: str, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Keep what a person says of a case, and go on; `look`: she looks at the verdicts, and is asked no more."""
    caller.needs("annotator")
    fields = await read_form(request)

    def work() -> Response:
        hosted, found = find_to_label(state, caller, run_id)
        person = _person(caller)
        if found is None:
            raise HTTPException(404)
        if name == "look" and sees_verdicts(caller, hosted):
            note_seen(hosted, person)
            return RedirectResponse(f"/runs/{quote(run_id)}/agreement", 303)
        task = _task(found, name, person, False)
        try:
            said = _said(found, task, person, fields)
            keep_label(found, task, person, said)
        except (InputError, ConflictError) as error:
            status = 409 if isinstance(error, ConflictError) else 400
            return page(request, "label_case", _case_page(hosted, found, task, person, str(error), fields), status)
        if fields.get("answer", "") == "":
            return RedirectResponse(f"/label/{run_id}/{task.number}", 303)
        now = labelling_of(hosted)
        waiting = [] if now is None else now.open(person)
        # Onwards from here; what was left open before comes at the end.
        after = next((one for one in waiting if one.number > task.number), waiting[0] if waiting else None)
        return RedirectResponse(f"/label/{run_id}" + (f"/{after.number}" if after else ""), 303)

    return await asyncio.to_thread(work)


def _task(found: Labelling, asked: str, person: str, any_case: bool) -> Task:
    """The case of this number, of a person's queue or of all."""
    among = found.tasks if any_case else found.queue(person)
    task = next((task for task in among if _NUMBER.fullmatch(asked) and task.number == int(asked)), None)
    if task is None:
        raise HTTPException(404)
    return task


def _said(found: Labelling, task: Task, person: str, fields: Mapping[str, str]) -> Callable[[HumanLabel], HumanLabel]:
    """What a form makes of a label. Without an answer, only flag and note are kept."""
    answer, note = fields.get("answer", ""), fields.get("note")
    asked = _asked(found, task, person)
    if answer not in ("", "s", *asked.answers):
        allowed = ", ".join(key for key, _ in asked.meanings)
        raise InputError("answer", f"{answer[:40]!r}", f"one of {allowed}, s is allowed")
    if note is not None and len(note) > _MOST_NOTE:
        raise InputError("note", f"{len(note):,} characters", f"at most {_MOST_NOTE:,} are allowed")

    def change(label: HumanLabel) -> HumanLabel:
        label = label.updated(note=label.note if note is None else note.strip(), flagged=fields.get("flag") == "1")
        if answer == "s":
            return skipped(label)
        return answered(label, None, asked.answers[answer]) if answer else label

    return change


def _asked(found: Labelling, task: Task, person: str) -> Asked:
    return questions(found.run, found.order(person, task), criteria=False)[0]


def _case_page(
    hosted: HostedRun,
    found: Labelling,
    task: Task,
    person: str,
    error: str = "",
    fields: Mapping[str, str] | None = None,
) -> CasePage:
    queue, asked = found.queue(person), _asked(found, task, person)
    at = next((place for place, other in enumerate(queue) if other.number == task.number), None)
    label, shown, order = task.labels.get(person), found.shown(task), found.order(person, task)
    value = None if label is None else _value(label, order)
    texts = shown.answers or ()
    done = at is not None and task.is_done_by(person)
    status = hosted.status()
    return CasePage(
        run_id=hosted.run_id,
        name=_name(status),
        protocol=status.protocol,
        number=task.number,
        place=None if at is None else at + 1,
        progress=_progress(found, person)[0],
        before=shown.before,
        answers=tuple(zip(SHOWN_AS, texts if order == "ab" else texts[::-1], strict=False)),
        question=asked.words,
        options=tuple(
            Option(key, _in_words(meaning) or key, done and value == str(asked.answers[key]))
            for key, meaning in asked.meanings
        )
        if at is not None
        else (),
        done=done,
        skipped=label is not None and label.skipped,
        flagged=fields.get("flag") == "1" if fields else label is not None and label.flagged,
        note=fields.get("note", "") if fields else "" if label is None else label.note,
        previous=queue[at - 1].number if at else None,
        next=queue[at + 1].number if at is not None and at + 1 < len(queue) else None,
        guidance=tuple((criterion.name, criterion.guidance) for criterion in found.run.rubric.criteria),
        error=error,
    )


def _value(label: HumanLabel, order: Order) -> str:
    """A label's value as somebody would give it who sees the answers in this order."""
    return str(turned(label.value, order) if label.shown else label.value)


# -- side by side -----------------------------------------------------------------------------------------------------


async def _side_by_side(run_id: str, request: Request, state: State, caller: Caller) -> Response:
    """People's labels beside each other, disagreements first; without those that wait for the reviewer's own."""
    caller.needs("reviewer")
    asked = request.query_params.get("page", "1")
    if not _NUMBER.fullmatch(asked):
        raise InputError("page", f"{asked[:40]!r}", "a number from 1 is allowed")

    def work() -> SideBySide:
        hosted, found = _to_review(state, caller, run_id)
        if found is None:
            raise HTTPException(404)
        person = _person(caller)
        waiting = {task.number for task in found.open(person)}
        tasks = [task for task in found.tasks if task.labels and task.number not in waiting]
        tasks.sort(key=lambda task: (-_spread(task), not _is_flagged(task), task.number))
        status, pages = hosted.status(), max(1, -(-len(tasks) // _A_PAGE))
        at = min(int(asked), pages)
        return SideBySide(
            hosted.run_id,
            _name(status),
            status.protocol,
            tuple(found.labels),
            tuple(_beside(found, task, person) for task in tasks[(at - 1) * _A_PAGE : at * _A_PAGE]),
            sum(_spread(task) > 0 for task in tasks),
            sum(bool(task.labels) for task in found.tasks) - len(tasks),
            at,
            pages,
        )

    return page(request, "label_beside", await asyncio.to_thread(work))


def _spread(task: Task) -> float:
    """How far people are apart: steps between winners, with a tie in the middle, or points of the scale."""
    steps = {"A": -1, "tie": 0, "B": 1}
    values = [
        float(steps[label.value] if isinstance(label.value, str) else label.value)
        for label in task.labels.values()
        if label.value is not None
    ]
    return max(values) - min(values) if values else 0.0


def _is_flagged(task: Task) -> bool:
    return any(label.flagged or label.note for label in task.labels.values())


def _beside(found: Labelling, task: Task, person: str) -> Beside:
    order = found.order(person, task)
    labels = {name: _own(found, task, label, order) for name, label in task.labels.items()}
    return Beside(task.number, _opening(found, task), _spread(task) > 0, labels)
