"""The page and the files of a review with its decision: people accept, fix or reject it.

Each form field is next to what it changes, and a refused form comes back as it was sent, with the error beside its
field.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ....errors import ConflictError, InputError
from ....models.common import LABELS, Label
from ....rendering.pages import environment
from ....rendering.wording import many, number
from ....reports import render, view_of
from ....server.callers import Caller, MayJudge
from ....server.common import State, StateOf, validated
from ....server.pages.common import DECISION_FORM, read_form, status_of, wants_json
from ....server.pages.verdict import report_page
from ..reading import BLOCKS, INVALID
from ..verdict import ReviewVerdict
from ..view import grade_of
from .decisions import Decided, DecidedMeanwhileError, DecisionRequest, decide, decided, find_decided, place_in_run
from .queue import QueuePlace

router = APIRouter(include_in_schema=False)
_SIDES: dict[Label, str] = {"A": "response1", "B": "response2"}


async def show_review(request: Request, state: State, caller: Caller, verdict: ReviewVerdict) -> Response:
    """Show a review with its decisions."""
    return await decision_page(request, state, caller, await decided(state, verdict))


async def review_file(request: Request, state: State, form: str, verdict: ReviewVerdict) -> str:
    """Render a review for download, with its decision."""
    return await asyncio.to_thread(_file, request, await decided(state, verdict), "tags" if form == "text" else form)


async def decision_page(
    request: Request,
    state: State,
    caller: Caller,
    known: Decided,
    sent: Mapping[str, str] | None = None,
    error: InputError | None = None,
    queue: QueuePlace | None = None,
) -> Response:
    """Show a review with the newest decision applied, or with `judged` in the URL as the judge left it; in its place in
    a queue, if it is given.

    In the decision form, `values` are the current contents of the fields and `base` their contents before any edit.
    """
    as_judged = "judged" in (request.query_params if sent is None else sent)
    shown = known.verdict if as_judged else known.current
    base = dict(_fields(shown))
    values = {**base, "reason": "", **(sent or {})}
    place = re.sub(r"^(feedback)\..*", r"\1", error.place.removeprefix("fixes.")) if error else ""
    message = "; ".join(filter(None, (error.found, error.allowed))) if error else ""
    errors = {place: message} if place in (*base, "reason") else {}

    def is_open(label: Label, key: str) -> bool:
        """Return whether a row's fields start unfolded, because one has an error or was changed."""
        names = [f"{_SIDES[label]}.{key}.{what}" for what in ("rating", "justification")]
        return any(name in errors or values.get(name) != base.get(name) for name in names)

    allowed = caller.may("reviewer")
    form = {
        "allowed": allowed,
        "history": known.history,
        "newest": known.newest,
        "as_judged": as_judged,
        "base": base,
        "values": values,
        "is_open": is_open,
        "options": {
            criterion.key: [
                (int(value), number(value), grade_of(int(value), criterion.key, shown.rubric))
                for value in criterion.scale.values
            ]
            for criterion in shown.rubric.criteria
        },
        **await _place(request, state, caller, shown.verdict_id, queue),
        "errors": errors,
        "error": "" if errors else message,
    }
    more = {"decision": form, "blocks": _blocks_of(shown)}
    return await asyncio.to_thread(report_page, request, shown, status_of(error), **more)


async def _place(
    request: Request, state: State, caller: Caller, verdict_id: str, queue: QueuePlace | None
) -> dict[str, Any]:
    """Return where the form is sent, how far the reviews of the run are decided, and what comes next."""
    found = {"action": f"/verdicts/{verdict_id}/decision", "queue": queue, "of": 0, "next": "", "queue_at": ""}
    if queue is not None:
        return found | {
            "action": queue.address, "decided": queue.decided, "of": queue.of, "next": queue.following,
            "queue_at": queue.home,
        }  # fmt: skip
    run_id = request.path_params.get("run_id")
    place = await place_in_run(state, caller, verdict_id, run_id) if caller.may("reviewer") else None
    if place is None:
        return found
    return found | {
        "decided": place.decided,
        "of": place.of,
        "next": f"/verdicts/{place.following}" if place.following else "",
        "queue_at": f"/runs/{place.run_id}/review/{place.position}" if place.hosted else "",
    }


def _file(request: Request, known: Decided, form: str) -> str:
    """Render a review for download, with its decision; with `judged` in the URL, as the judge left it.

    Raises ConflictError for the tagged blocks of a rejected review, because nobody vouches for them any more.
    """
    if "judged" in request.query_params or known.newest is None:
        return render(known.verdict, form)
    if form == "tags":
        if known.rejected:
            raise ConflictError(
                f"{known.verdict.verdict_id}: rejected by {known.newest.person}; `?judged` gives the blocks as judged"
            )
        return render(known.current, form)
    view = view_of(known.current)
    values = {"view": view, "headline": view.headline, "home": "", "frame": "page.html.j2", "decision": None}
    template = environment(form, "adjudge.protocols.review", own_words=False).get_template(f"file.{form}.j2")
    return template.render(values, decided=known.newest) + "\n"


@router.post("/verdicts/{verdict_id}/decision")
async def submit(caller: MayJudge, verdict_id: str, request: Request, state: StateOf) -> Response:
    """Save a decision. Its fixes are changes to the version of the review that the page showed."""
    known = await find_decided(verdict_id, request, state, caller)
    return await submitted(request, state, caller, known, f"/verdicts/{verdict_id}#decision")


async def submitted(
    request: Request, state: State, caller: Caller, known: Decided, then: str, queue: QueuePlace | None = None
) -> Response:
    """Save the decision that a form sent and go on to another page, or show the form again with what is wrong."""
    sent = await read_form(request, DECISION_FORM)
    seen, verdict_id = sent.get("seen", ""), known.verdict.verdict_id
    try:
        if seen != str(len(known.history)):
            raise DecidedMeanwhileError(verdict_id)
        shown = known.verdict if "judged" in sent else known.current
        await decide(state, caller, known, _wanted(sent, shown), shown)
        return RedirectResponse(then, 303)
    except DecidedMeanwhileError:
        known = await decided(state, known.verdict)
        sent = _seen_before(known, sent, int(seen) if seen.isdecimal() and len(seen) < 6 else 0)
        refused = InputError(
            "decision", "somebody decided in the meantime", "look at what was decided, then send again"
        )
    except InputError as error:
        refused = error
    if wants_json(request):
        raise refused
    return await decision_page(request, state, caller, known, sent, refused, queue)


def _seen_before(known: Decided, sent: Mapping[str, str], decisions: int) -> dict[str, str]:
    """Return the sent fields without those left unchanged from what the form showed after this many decisions."""
    at = min(decisions, len(known.history))
    untouched = dict(_fields(known.verdict if "judged" in sent else known.version_after(at)))
    return {name: value for name, value in sent.items() if name not in untouched or _differ(name, value, untouched)}


def _blocks_of(verdict: ReviewVerdict) -> list[tuple[str, str]]:
    """Return the tagged blocks with their names. An invalid task has one block without a tag."""
    tagged = render(verdict, "tags")
    texts = [text.strip() for text in re.split(rf"^(?=<(?:{'|'.join(BLOCKS)})>$)", tagged, flags=re.MULTILINE)]
    return [(text[1:].partition(">")[0] if text.startswith("<") else INVALID, text) for text in texts if text]


def _fields(verdict: ReviewVerdict) -> Iterator[tuple[str, str]]:
    """Yield the name and value of every form field that can be changed."""
    if verdict.likert is None:
        return
    for label in LABELS:
        for key, line in verdict.table(label).items():
            yield f"{_SIDES[label]}.{key}.rating", str(line.value)
            yield f"{_SIDES[label]}.{key}.justification", line.justification
    yield "likert", str(verdict.likert.value)
    yield "explanation", verdict.likert.justification
    yield "feedback", "\n".join(verdict.feedback)


def _wanted(sent: Mapping[str, str], shown: ReviewVerdict) -> DecisionRequest:
    """Return the decision that a form asks for. Only changed fields become fixes."""
    base, choice = dict(_fields(shown)), sent.get("decision", "")
    changed = {name: sent[name] for name in base if name in sent and _differ(name, sent[name], base)}
    if changed and choice == "accepted":
        found = many(len(changed), "field was changed", "fields were changed")
        raise InputError("decision", found, "“Fix & accept” saves the changes; reload the page to drop them")
    fixes: dict[str, Any] = {}
    for name, text in changed.items() if choice == "fixed" else ():
        *path, last = name.split(".")
        table = fixes
        for part in path:
            table = table.setdefault(part, {})
        if last in ("rating", "likert") and re.fullmatch(r"-?[0-9]{1,3}", text, re.ASCII):
            table[last] = int(text)
        else:
            table[last] = _bullets(text) if last == "feedback" else text
    return validated(DecisionRequest, {"decision": choice, "reason": sent.get("reason", ""), "fixes": fixes})


def _differ(name: str, text: str, base: Mapping[str, str]) -> bool:
    """Return whether a field was changed, ignoring white space except for line breaks between feedback bullets."""
    if name == "feedback":
        return _bullets(text) != _bullets(base[name])
    return text.split() != base[name].split()


def _bullets(text: str) -> tuple[str, ...]:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return tuple(line.removeprefix("- ") for line in lines if line)
