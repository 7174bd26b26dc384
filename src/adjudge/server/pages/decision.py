"""A review's page where it is decided: the report with a form in it, whose fields stand beside what they change.

A decision that cannot be taken comes back as it was sent, with the error beside its field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import ConflictError, InputError
from ...inputs.review.tags import BLOCKS, INVALID
from ...models import LABELS, Label, ReviewVerdict
from ...reports import Format, render, view_of
from ...reports.pages import environment
from ...reports.review.view import grade_of
from ...reports.wording import number
from ..callers import Caller, ReviewerOf
from ..common import State, StateOf, validated
from ..decisions import (
    Decided,
    DecidedMeanwhileError,
    DecisionRequest,
    ReviewDecision,
    decide,
    decided,
    find_decided,
    next_undecided,
)
from .forms import read_form, status_of
from .rendering import html, wants_json

router = APIRouter(include_in_schema=False)

_SIDES: dict[Label, str] = {"A": "response1", "B": "response2"}


@dataclass(frozen=True, slots=True)
class DecisionForm:
    """What was decided, and the form to decide: what stands in its fields, and what stood there before."""

    allowed: bool
    history: tuple[ReviewDecision, ...]
    as_judged: bool
    base: Mapping[str, str]
    values: Mapping[str, str]
    options: Mapping[str, tuple[tuple[int, str, str], ...]]
    next: str | None
    errors: Mapping[str, str]
    error: str

    @property
    def newest(self) -> ReviewDecision | None:
        return self.history[-1] if self.history else None

    def name(self, label: Label, key: str, what: str) -> str:
        """The field that holds a `rating` or a `justification`."""
        return f"{_SIDES[label]}.{key}.{what}"

    def is_open(self, label: Label, key: str) -> bool:
        """Whether a row's fields are to be seen at once: something is wrong in them, or was changed."""
        names = [self.name(label, key, what) for what in ("rating", "justification")]
        return any(name in self.errors or self.values.get(name) != self.base.get(name) for name in names)


async def review_page(
    request: Request,
    state: State,
    caller: Caller,
    known: Decided,
    sent: Mapping[str, str] | None = None,
    error: InputError | None = None,
) -> Response:
    """The page of a review as it stands, or with `judged` in the address as the judge left it."""
    as_judged = "judged" in (request.query_params if sent is None else sent)
    shown = known.verdict if as_judged else known.standing
    base = dict(_fields(shown))
    place = re.sub(r"^feedback\..*", "feedback", error.place) if error else ""
    said = "; ".join(filter(None, (error.found, error.allowed))) if error else ""
    beside, allowed = place in (*base, "reason"), caller.may("reviewer")
    form = DecisionForm(
        allowed=allowed,
        history=known.history,
        as_judged=as_judged,
        base=base,
        values={**base, "reason": "", **(sent or {})},
        options={
            criterion.key: tuple(
                (int(value), number(value), grade_of(int(value), criterion.key, shown.rubric))
                for value in criterion.scale.values
            )
            for criterion in shown.rubric.criteria
        },
        next=await next_undecided(state, caller, known.verdict.verdict_id) if allowed and known.history else None,
        errors={place: said} if beside else {},
        error="" if beside else said,
    )
    view = view_of(shown)
    return html(
        "review_page",
        status_of(error),
        view=view,
        headline=view.headline,
        home=getattr(request.state, "case_nav", None),
        verdict_id=known.verdict.verdict_id,
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
    fixes: dict[str, object] = {}
    for name, text in changed.items() if choice == "fixed" else ():
        if name == "feedback":
            fixes[name] = _bullets(text)
        elif name == "explanation":
            fixes[name] = text
        elif name == "likert":
            fixes[name] = _whole(name, text)
        else:
            side, key, what = name.split(".")
            table = fixes.setdefault(side, {})
            assert isinstance(table, dict)
            table.setdefault(key, {})[what] = _whole(name, text) if what == "rating" else text
    return validated(DecisionRequest, {"decision": choice, "reason": sent.get("reason", ""), "fixes": fixes})


def _differ(name: str, text: str, base: Mapping[str, str]) -> bool:
    """Whether a field was changed: white space aside, but for the lines of the feedback, each of which is a bullet."""
    if name == "feedback":
        return _bullets(text) != _bullets(base[name])
    return text.split() != base[name].split()


def _bullets(text: str) -> tuple[str, ...]:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return tuple(line.removeprefix("- ") for line in lines if line)


def _whole(name: str, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,3}", text, re.ASCII):
        raise InputError(name, repr(text[:40]), "a whole number is needed")
    return int(text)
