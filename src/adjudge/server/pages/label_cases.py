"""The page of a case to label, and everybody's labels side by side.

Blind: nothing of a verdict, of who wrote an answer, of a case's id or of the order of its answers is on these pages.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...agreement.labels.files import HumanLabel, turned
from ...agreement.labels.questions import SHOWN_AS, Asked, answered, questions, skipped
from ...errors import ConflictError, InputError
from ...models.comparison import Order
from ...runs.hosted_run import HostedRun
from ..callers import Caller, CallerOf
from ..common import State, StateOf
from ..labelling import (
    Labelling,
    Task,
    check_review,
    find_set_up,
    keep_label,
    labelling_of,
    may_review,
    note_seen,
    sees_verdicts,
)
from .forms import read_form
from .label import (
    LabelProgress,
    OwnLabel,
    in_words,
    opening_of,
    own_label,
    progress_of,
    run_name,
)
from .rendering import page, paged

router = APIRouter(include_in_schema=False)

_MOST_NOTE = 2000
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that may be given, and the key that gives it; `value` is the number it stands for, of a criterion."""

    key: str
    meaning: str
    chosen: bool
    value: str = ""


@dataclass(frozen=True, slots=True)
class RatedCriterion:
    """A criterion to rate: the name of its field, which does not tell which answer is the case's first."""

    field: str
    name: str
    guidance: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class CasePage:
    """A case as this person sees it; `options` is empty for somebody who is not asked."""

    run_id: str
    name: str
    protocol: str
    number: int
    place: int | None
    progress: LabelProgress
    before: tuple[tuple[str, str], ...]
    answers: tuple[tuple[str, str], ...]
    question: str
    options: tuple[Option, ...]
    criteria: tuple[RatedCriterion, ...]
    done: bool
    skipped: bool
    flagged: bool
    note: str
    previous: int | None
    next: int | None
    guidance: tuple[tuple[str, str], ...]
    knows_verdict: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class LabelledCaseRow:
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
    cases: tuple[LabelledCaseRow, ...]
    differing: int
    hidden: int
    page: int
    pages: int


# -- a case -----------------------------------------------------------------------------------------------------------


@router.get("/label/{run_id}/{name}")
async def show_case(run_id: str, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """A case to label by its number, `next` for the first open one, or `side-by-side`; `.json` gives the twin."""
    caller.needs("annotator")
    asked = name.removesuffix(".json")
    if asked == "side-by-side":
        return await _side_by_side(run_id, request, state, caller)

    def work() -> Response:
        hosted, found = find_set_up(state, caller, run_id)
        person = caller.person
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
        hosted, found = find_set_up(state, caller, run_id)
        person = caller.person
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
    """What a form makes of a label. Without an answer, only flag, note and rated criteria are kept."""
    answer, note = fields.get("answer", ""), fields.get("note")
    asked, *criteria = _asked(found, task, person)
    _check_answer("answer", answer, asked)
    if note is not None and len(note) > _MOST_NOTE:
        raise InputError("note", f"{len(note):,} characters", f"at most {_MOST_NOTE:,} are allowed")
    rated = {}
    for at, each in enumerate(criteria, 1):
        given = fields.get(f"criterion.{at}", "")
        _check_answer(_name_of(each), given, each)
        if given:
            rated[each.criterion] = each.answers.get(given)
        elif answer not in ("", "s"):
            raise InputError(_name_of(each), "missing", "rate it, or skip it")

    def change(label: HumanLabel) -> HumanLabel:
        label = label.updated(note=label.note if note is None else note.strip(), flagged=fields.get("flag") == "1")
        if answer == "s":
            return skipped(label)
        for criterion, value in rated.items():
            label = answered(label, criterion, value)
        return answered(label, None, asked.answers[answer]) if answer else label

    return change


def _check_answer(place: str, given: str, asked: Asked) -> None:
    if given not in ("", "s", *asked.answers):
        allowed = ", ".join(key for key, _ in asked.meanings)
        raise InputError(place, f"{given[:40]!r}", f"one of {allowed}, s is allowed")


def _asked(found: Labelling, task: Task, person: str) -> list[Asked]:
    """What is asked about a case: of the whole, and then of each criterion, if these are rated."""
    return questions(found.run, found.order(person, task), criteria=found.setup.criteria)


def _name_of(asked: Asked) -> str:
    return asked.words.partition(": ")[0]


def _case_page(
    hosted: HostedRun,
    found: Labelling,
    task: Task,
    person: str,
    error: str = "",
    fields: Mapping[str, str] | None = None,
) -> CasePage:
    queue, (asked, *criteria) = found.queue(person), _asked(found, task, person)
    at = next((place for place, other in enumerate(queue) if other.number == task.number), None)
    label, shown, order = task.labels.get(person), found.shown(task), found.order(person, task)
    texts = shown.answers or ()
    status = hosted.status()
    return CasePage(
        run_id=hosted.run_id,
        name=run_name(status),
        protocol=status.protocol,
        number=task.number,
        place=None if at is None else at + 1,
        progress=progress_of(found, person)[0],
        before=shown.before,
        answers=tuple(zip(SHOWN_AS, texts if order == "ab" else texts[::-1], strict=False)),
        question=asked.words,
        options=tuple(
            Option(key, in_words(meaning) or key, label is not None and _value(label, order) == str(asked.answers[key]))
            for key, meaning in (() if at is None else asked.meanings)
        ),
        criteria=tuple(
            _rated(number, each, label, fields) for number, each in enumerate(() if at is None else criteria, 1)
        ),
        done=at is not None and task.is_done_by(person),
        skipped=label is not None and label.skipped,
        flagged=fields.get("flag") == "1" if fields else label is not None and label.flagged,
        note=fields.get("note", "") if fields else "" if label is None else label.note,
        previous=queue[at - 1].number if at else None,
        next=queue[at + 1].number if at is not None and at + 1 < len(queue) else None,
        guidance=tuple((criterion.name, criterion.guidance) for criterion in found.run.rubric.criteria),
        knows_verdict=found.knows_verdict(person, task),
        error=error,
    )


def _rated(number: int, asked: Asked, label: HumanLabel | None, fields: Mapping[str, str] | None) -> RatedCriterion:
    """A criterion with what was sent, or else with what is kept."""
    field, known = f"criterion.{number}", {} if label is None else label.criteria
    if fields is not None:
        chosen = fields.get(field, "")
    elif asked.criterion in known:
        kept = known[asked.criterion]
        # A file may hold what is not on the scale.
        chosen = "s" if kept is None else next((key for key, _ in asked.meanings if asked.answers[key] == kept), "")
    else:
        chosen = ""
    options = [
        Option(key, meaning.removeprefix(f"{asked.answers[key]}: "), key == chosen, str(asked.answers[key]))
        for key, meaning in asked.meanings
    ]
    name, _, guidance = asked.words.partition(": ")
    return RatedCriterion(field, name, guidance, (*options, Option("s", "cannot tell", chosen == "s", "Skip")))


def _value(label: HumanLabel, order: Order) -> str:
    """A label's value as somebody would give it who sees the answers in this order."""
    return str(turned(label.value, order) if label.shown else label.value)


# -- side by side -----------------------------------------------------------------------------------------------------


async def _side_by_side(run_id: str, request: Request, state: State, caller: Caller) -> Response:
    """People's labels beside each other, disagreements first; without those that wait for the reviewer's own."""
    caller.needs("reviewer")

    def work() -> SideBySide:
        hosted, found = find_set_up(state, caller, run_id)
        check_review(caller, hosted)
        person = caller.person
        waiting = {task.number for task in found.open(person)}
        tasks = [task for task in found.tasks if task.labels and task.number not in waiting]
        tasks.sort(key=lambda task: (-_spread(task), not _is_flagged(task), task.number))
        status = hosted.status()
        shown, at, pages = paged(tasks, request)
        return SideBySide(
            hosted.run_id,
            run_name(status),
            status.protocol,
            tuple(found.labels),
            tuple(_beside(found, task, person) for task in shown),
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


def _beside(found: Labelling, task: Task, person: str) -> LabelledCaseRow:
    order = found.order(person, task)
    labels = {name: own_label(found, task, name, order) for name in task.labels}
    return LabelledCaseRow(task.number, opening_of(found, task), _spread(task) > 0, labels)
