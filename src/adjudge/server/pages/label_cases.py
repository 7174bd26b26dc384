"""The page on which a person labels a case, and the page with everybody's labels side by side.

Labelling is blind: these pages show no verdict, author of an answer, case id or original order of the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...agreement.labels.files import HumanLabel
from ...agreement.labels.questions import SHOWN_AS, answered, questions, skipped
from ...errors import ConflictError, InputError
from ...protocols.labelling import LabelQuestion
from ...runs.hosted_run import HostedRun
from ..callers import Caller, MayLabel
from ..common import State, StateOf
from ..labelling import (
    Labelling,
    Task,
    check_review,
    find_set_up,
    keep_label,
    may_review,
    progress_of,
    record_seen,
    sees_verdicts,
)
from .common import NoteOf, page, paged, status_of
from .label import in_words, opening_of, own_label, run_name
from .run_tabs import run_tabs

router = APIRouter(include_in_schema=False)

_MOST_NOTE = 2000


# -- a case -----------------------------------------------------------------------------------------------------------


class CasePage(TypedDict):
    """A case as this person sees it. `options` is empty if the person is not asked to label it."""

    run_id: str
    name: str
    protocol: str
    number: int
    place: int | None
    progress: dict[str, int]
    before: tuple[tuple[str, str], ...]
    answers: list[tuple[str, str]]
    question: str
    options: list[dict[str, Any]]
    criteria: list[dict[str, Any]]
    done: bool
    skipped: bool
    flagged: bool
    note: str
    previous: int | None
    next: int | None
    guidance: list[tuple[str, str]]
    knows_verdict: bool
    error: str


@router.get("/runs/{run_id}/label/{name}")
def show_case(caller: MayLabel, run_id: str, name: str, request: Request, state: StateOf) -> Response:
    """Show a case by its number, the first open one (`next`), or all labels (`side-by-side`); `.json` gives JSON."""
    asked, person = name.removesuffix(".json"), caller.person
    if asked == "side-by-side":
        return _side_by_side(run_id, request, state, caller)
    hosted, found = find_set_up(state, caller, run_id)
    if asked == "next":
        return _on(run_id, next(iter(found.open(person)), None))
    task = _task(found, asked, person, may_review(caller, hosted))
    return _shown(request, state, caller, hosted, _case_page(hosted, found, task, person))


def _shown(
    request: Request, state: State, caller: Caller, hosted: HostedRun, context: CasePage, status: int = 200
) -> Response:
    tabs = run_tabs(state, caller, hosted, "label", name=context["name"])
    return page(request, "label_case", context, status, tabs=tabs)


@router.post("/runs/{run_id}/label/{name}")
def keep(caller: MayLabel, fields: NoteOf, run_id: str, name: str, request: Request, state: StateOf) -> Response:
    """Save a person's label and go to the next case; `look` shows the verdicts and ends this person's labelling."""
    person = caller.person
    hosted, found = find_set_up(state, caller, run_id)
    if name == "look" and sees_verdicts(caller, hosted):
        record_seen(hosted, person)
        return RedirectResponse(f"/runs/{run_id}/agreement", 303)
    task = _task(found, name, person, False)
    try:
        keep_label(found, task, person, _change_by(found, task, person, fields))
    except (InputError, ConflictError) as error:
        context = _case_page(hosted, found, task, person, str(error), fields)
        return _shown(request, state, caller, hosted, context, status_of(error))
    if fields.get("answer", "") == "":
        return _on(run_id, task)
    waiting = find_set_up(state, caller, run_id)[1].open(person)
    # Continue with the next open case after this one; earlier open cases come last.
    return _on(run_id, next((one for one in waiting if one.number > task.number), next(iter(waiting), None)))


def _on(run_id: str, task: Task | None) -> Response:
    """Redirect to a case, or to the run's labelling page if there is none."""
    return RedirectResponse(f"/runs/{run_id}/label" + (f"/{task.number}" if task else ""), 303)


def _task(found: Labelling, asked: str, person: str, any_case: bool) -> Task:
    """Return the case with this number, from the person's queue or, with `any_case`, from all cases."""
    among = found.tasks if any_case else found.queue(person)
    task = next((task for task in among if str(task.number) == asked), None)
    if task is None:
        raise HTTPException(404)
    return task


def _change_by(
    found: Labelling, task: Task, person: str, fields: Mapping[str, str]
) -> Callable[[HumanLabel], HumanLabel]:
    """Return a function that applies a form to a label. Without an answer it sets only flag, note and criteria."""
    answer, note = fields.get("answer", ""), fields.get("note")
    asked, *criteria = _asked(found, task, person)
    _check_answer("answer", answer, asked)
    if note is not None and len(note) > _MOST_NOTE:
        raise InputError("note", f"{len(note):,} characters", f"at most {_MOST_NOTE:,} are allowed")
    rated = {}
    for at, each in enumerate(criteria, 1):
        given, name = fields.get(f"criterion.{at}", ""), each.words.partition(": ")[0]
        _check_answer(name, given, each)
        if given:
            rated[each.criterion] = each.answers.get(given)
        elif answer not in ("", "s"):
            raise InputError(name, "missing", "rate it, or skip it")

    def change(label: HumanLabel) -> HumanLabel:
        label = label.updated(note=label.note if note is None else note.strip(), flagged=fields.get("flag") == "1")
        if answer == "s":
            return skipped(label)
        for criterion, value in rated.items():
            label = answered(label, criterion, value)
        return answered(label, None, asked.answers[answer]) if answer else label

    return change


def _check_answer(place: str, given: str, asked: LabelQuestion) -> None:
    if given not in ("", "s", *asked.answers):
        allowed = ", ".join(key for key, _ in asked.meanings)
        raise InputError(place, f"{given[:40]!r}", f"one of {allowed}, s is allowed")


def _asked(found: Labelling, task: Task, person: str) -> list[LabelQuestion]:
    """Return the questions about a case: one about the whole, then one per criterion if criteria are rated."""
    return questions(found.run, found.order(person, task), criteria=found.setup.criteria)


def _case_page(
    hosted: HostedRun,
    found: Labelling,
    task: Task,
    person: str,
    error: str = "",
    fields: Mapping[str, str] | None = None,
) -> CasePage:
    """Build the page's context with the values that were sent, or else with the saved label."""
    queue, (asked, *criteria) = found.queue(person), _asked(found, task, person)
    at = next((place for place, other in enumerate(queue) if other.number == task.number), None)
    label = task.labels.get(person) or HumanLabel(case="", position=task.pick.position, annotator=person)
    shown, order, status = found.shown(task), found.order(person, task), hosted.status()
    texts = shown.answers or ()
    return CasePage(
        run_id=hosted.run_id,
        name=run_name(status),
        protocol=status.protocol,
        number=task.number,
        place=None if at is None else at + 1,
        progress=progress_of(found, person),
        before=shown.before,
        answers=list(zip(SHOWN_AS, texts if order == "ab" else texts[::-1], strict=False)),
        question=asked.words,
        options=[
            _option(key, in_words(meaning) or key, str(label.value) == str(asked.answers[key]))
            for key, meaning in (() if at is None else asked.meanings)
        ],
        criteria=[
            _rated(f"criterion.{number}", each, label, fields)
            for number, each in enumerate(() if at is None else criteria, 1)
        ],
        done=at is not None and task.is_done_by(person),
        skipped=label.skipped,
        flagged=fields.get("flag") == "1" if fields else label.flagged,
        note=fields.get("note", "") if fields else label.note,
        previous=queue[at - 1].number if at else None,
        next=queue[at + 1].number if at is not None and at + 1 < len(queue) else None,
        guidance=[(criterion.name, criterion.guidance) for criterion in found.run.rubric.criteria],
        knows_verdict=found.knows_verdict(person, task),
        error=error,
    )


def _rated(field: str, asked: LabelQuestion, label: HumanLabel, fields: Mapping[str, str] | None) -> dict[str, Any]:
    """Build a criterion's question with the sent or saved rating. Its field name does not reveal the answers' order."""
    chosen = "" if fields is None else fields.get(field, "")
    if fields is None and asked.criterion in label.criteria:
        kept = label.criteria[asked.criterion]
        # A label file may hold a value that is not on the scale.
        chosen = "s" if kept is None else next((key for key, _ in asked.meanings if asked.answers[key] == kept), "")
    options = [
        _option(key, meaning.removeprefix(f"{asked.answers[key]}: "), key == chosen, asked.names[key])
        for key, meaning in asked.meanings
    ]
    options.append(_option("s", "cannot tell", chosen == "s", "Skip"))
    name, _, guidance = asked.words.partition(": ")
    return {"field": field, "name": name, "guidance": guidance, "options": options}


def _option(key: str, meaning: str, chosen: bool, value: str = "") -> dict[str, Any]:
    """Build an answer option with the key that selects it; for a criterion, `value` is its rating."""
    return {"key": key, "meaning": meaning, "chosen": chosen, "value": value}


# -- side by side -----------------------------------------------------------------------------------------------------


class SideBySide(TypedDict):
    """Everybody's labels side by side, disagreements first. `hidden` counts cases the reviewer has yet to label."""

    run_id: str
    name: str
    protocol: str
    people: list[str]
    cases: list[dict[str, Any]]
    differing: int
    hidden: int
    page: int
    pages: int


def _side_by_side(run_id: str, request: Request, state: State, caller: Caller) -> Response:
    caller.needs("reviewer")
    hosted, found = find_set_up(state, caller, run_id)
    check_review(caller, hosted)
    person, status = caller.person, hosted.status()
    labelled = [task for task in found.tasks if task.labels]
    waiting = {task.number for task in found.open(person)}
    tasks = [task for task in labelled if task.number not in waiting]

    def later(task: Task) -> tuple[float, bool]:
        return -_spread(found, task), not any(label.flagged or label.note for label in task.labels.values())

    shown, at, pages = paged(sorted(tasks, key=later), request)
    context = SideBySide(
        run_id=hosted.run_id,
        name=run_name(status),
        protocol=status.protocol,
        people=list(found.labels),
        cases=[
            {
                "number": task.number,
                "opening": opening_of(found, task),
                "differ": _spread(found, task) > 0,
                "labels": {name: own_label(found, task, name, found.order(person, task)) for name in task.labels},
            }
            for task in shown
        ],
        differing=sum(_spread(found, task) > 0 for task in tasks),
        hidden=len(labelled) - len(tasks),
        page=at,
        pages=pages,
    )
    tabs = run_tabs(state, caller, hosted, "label", status, context["name"])
    return page(request, "label_beside", context, tabs=tabs)


def _spread(found: Labelling, task: Task) -> float:
    """Return how far people's labels are apart: steps between classes (A, tie, B), or points of the scale."""
    measured = found.run.protocol.measured
    values = [label.value for label in task.labels.values() if label.value is not None]
    places = [measured.place_of(value if isinstance(value, str) else float(value)) or 0.0 for value in values]
    return max(places) - min(places) if places else 0.0
