"""A review's page where it is decided: the report with a form in it, whose fields stand beside what they change.

A decision that cannot be taken comes back as it was sent, with the error beside its field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import ConflictError, InputError
from ...inputs.review.tags import BLOCKS, INVALID
from ...models import LABELS, Label, ReviewVerdict
from ...reports import Format, render, view_of
from ...reports.pages import environment
from ...reports.review import grade_of
from ...reports.wording import number
from ..callers import Caller, ReviewerOf
from ..common import State, StateOf, validated
from ..decisions import (
    Decided,
    DecidedMeanwhileError,
    DecisionRequest,
    decide,
    decided,
    find_decided,
    next_undecided,
)
from .common import html, read_form, status_of, wants_json

router = APIRouter(include_in_schema=False)

_SIDES: dict[Label, str] = {"A": "response1", "B": "response2"}


async def review_page(
    request: Request,
    state: State,
    caller: Caller,
    known: Decided,
    sent: Mapping[str, str] | None = None,
    error: InputError | None = None,
) -> Response:
    """The page of a review as it stands, or with `judged` in the address as the judge left it.

    In the form to decide, `values` stand in its fields and `base` stood there before.
    """
    as_judged = "judged" in (request.query_params if sent is None else sent)
    shown = known.verdict if as_judged else known.standing
    base = dict(_fields(shown))
    values = {**base, "reason": "", **(sent or {})}
    place = re.sub(r"^feedback\..*", "feedback", error.place) if error else ""
    said = "; ".join(filter(None, (error.found, error.allowed))) if error else ""
    errors = {place: said} if place in (*base, "reason") else {}

    def is_open(label: Label, key: str) -> bool:
        """Whether a row's fields are to be seen at once: something is wrong in them, or was changed."""
        names = [f"{_SIDES[label]}.{key}.{what}" for what in ("rating", "justification")]
        return any(name in errors or values.get(name) != base.get(name) for name in names)

    allowed, verdict_id, view = caller.may("reviewer"), known.verdict.verdict_id, view_of(shown)
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
        "next": await next_undecided(state, caller, verdict_id) if allowed and known.history else None,
        "errors": errors,
        "error": "" if errors else said,
    }
    return html(
        "review_page",
        status_of(error),
        view=view,
        headline=view.headline,
        home=getattr(request.state, "case_nav", None),
        verdict_id=verdict_id,
        decision=form,
        blocks=_blocks_of(shown),
    )


def review_file(request: Request, known: Decided, form: Format) -> str:
    """A review to take along: what stands, with the decision; with `judged` in the address as the judge left it.

    The blocks of a rejected one are no longer given: nobody stands behind them.
    """
    if "judged" in request.query_params or known.newest is None:
        return render(known.verdict, form)
    if form == "tags":
        if known.rejected:
            raise ConflictError(
                f"{known.verdict.verdict_id}: rejected by {known.newest.person}; `?judged` gives the blocks as judged"
            )
        return render(known.standing, form)
    view = view_of(known.standing)
    values = {"view": view, "headline": view.headline, "home": "", "frame": "page.html.j2", "decision": None}
    template = environment(form, __package__, own_words=False).get_template(f"review_file.{form}.j2")
    return template.render(values, decided=known.newest) + "\n"


@router.post("/verdicts/{verdict_id}/decision")
async def submit(caller: ReviewerOf, verdict_id: str, request: Request, state: StateOf) -> Response:
    """Keep a decision; its fixes are changes to what the page showed."""
    known, sent = await find_decided(verdict_id, request, state, caller), await read_form(request)
    seen = sent.get("seen", "")
    try:
        if seen != str(len(known.history)):
            raise DecidedMeanwhileError(verdict_id)
        shown = known.verdict if "judged" in sent else known.standing
        await decide(state, caller, known, _wanted(sent, shown), shown)
        return RedirectResponse(f"/verdicts/{verdict_id}#decision", 303)
    except DecidedMeanwhileError:
        known = await decided(state, known.verdict)
        sent = _seen_before(known, sent, int(seen) if seen.isdecimal() and len(seen) < 6 else 0)
        said = "somebody decided in the meantime"
        refused = InputError("decision", said, "look at what was decided, then send again")
    except InputError as error:
        refused = error
    if wants_json(request):
        raise refused
    return await review_page(request, state, caller, known, sent, refused)


def _seen_before(known: Decided, sent: Mapping[str, str], decisions: int) -> dict[str, str]:
    """What was typed into a form that showed what stood after so many decisions, without what was only shown there."""
    at = min(decisions, len(known.entries))
    untouched = dict(_fields(known.verdict if "judged" in sent else known.standing_after(at)))
    return {name: value for name, value in sent.items() if name not in untouched or _differ(name, value, untouched)}


def _blocks_of(verdict: ReviewVerdict) -> list[tuple[str, str]]:
    """The tagged blocks, each with its name; an invalid task has one without a tag."""
    tagged = render(verdict, "tags")
    texts = [text.strip() for text in re.split(rf"^(?=<(?:{'|'.join(BLOCKS)})>$)", tagged, flags=re.MULTILINE)]
    return [(text[1:].partition(">")[0] if text.startswith("<") else INVALID, text) for text in texts if text]


def _fields(verdict: ReviewVerdict) -> Iterator[tuple[str, str]]:
    """All that the form can change, by the names of its fields."""
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
    """The decision in a form; only fields that were changed are fixes."""
    base, choice = dict(_fields(shown)), sent.get("decision", "")
    changed = {name: sent[name] for name in base if name in sent and _differ(name, sent[name], base)}
    if changed and choice == "accepted":
        many = "1 field was changed" if len(changed) == 1 else f"{len(changed)} fields were changed"
        raise InputError("decision", many, "“Fix & accept” takes the changes; open the page anew to drop them")
    fixes: dict[str, Any] = {}
    for name, text in changed.items() if choice == "fixed" else ():
        *path, last = name.split(".")
        table = fixes
        for part in path:
            table = table.setdefault(part, {})
        if last not in ("rating", "likert"):
            table[last] = _bullets(text) if last == "feedback" else text
        elif re.fullmatch(r"-?[0-9]{1,3}", text, re.ASCII):
            table[last] = int(text)
        else:
            raise InputError(name, repr(text[:40]), "a whole number is needed")
    return validated(DecisionRequest, {"decision": choice, "reason": sent.get("reason", ""), "fixes": fixes})


def _differ(name: str, text: str, base: Mapping[str, str]) -> bool:
    """Whether a field was changed: white space aside, but for the lines of the feedback, each of which is a bullet."""
    if name == "feedback":
        return _bullets(text) != _bullets(base[name])
    return text.split() != base[name].split()


def _bullets(text: str) -> tuple[str, ...]:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return tuple(line.removeprefix("- ") for line in lines if line)
