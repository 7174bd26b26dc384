"""The pages to judge one case: one form per protocol, filled in by hand or from a whole case, an example or a draft.

An invalid form comes back as it was sent, with the errors beside their fields: all that are empty at once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, TypedDict
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel

from ...arithmetic import plain
from ...computing import computed
from ...errors import InputError, TooLargeError
from ...models.cases import check_weight
from ...models.common import Failure
from ...protocols.base import Protocol, names, protocol_of
from ...protocols.form import sent_settings, shown_settings, weights_in
from ...rendering.wording import number
from ...reports import error_report
from ...rubric import Rubric
from ..callers import Caller, CallerOf, MayJudge
from ..common import State, StateOf, failed_status, public_failure, validated, with_settings
from ..rubrics import rubrics_for
from .common import TextsOf, error_beside, lead_to, page, status_of
from .demo import JudgedExample, example, example_rubric

router = APIRouter(include_in_schema=False)

# A slider uses the first of these steps that divides all the weights; if none does, it has no fixed step.
_STEPS = tuple(map(Decimal, ("0.5", "0.25", "0.1", "0.05", "0.01")))


@router.get("/judge")
@router.get("/judge/{name}")
async def show_form(request: Request, state: StateOf, caller: CallerOf, name: str = "") -> Response:
    """Show the form of a protocol, empty or filled with an example or a draft."""
    protocol, query = _protocol(name or state.first.protocol), request.query_params
    values: dict[str, str] = {}
    drafts = protocol.form.drafts
    draft = query.get("draft", "") if drafts else ""
    try:
        rubric = _rubric(protocol, state, caller, query)
    except InputError as error:
        return _shown(request, state, caller, protocol, query, error, draft)
    if drafts and draft:
        values, _ = drafts.find(state.engine.journal, draft, caller.name, rubric)
    elif "example" in query:
        fits = example_rubric(protocol)
        values = {"rubric": fits.reference} if protocol.form.example_rubric else {}
        values |= protocol.form.fill(example(protocol.name), fits if values else rubric)
    return _shown(request, state, caller, protocol, {**query, **values}, draft=draft, fresh=not values)


@router.post("/judge/{name}")
async def submit(caller: MayJudge, values: TextsOf, name: str, request: Request, state: StateOf) -> Response:
    """Judge the case, fill the form from a whole case, switch the rubric, or save a draft; `action` says which."""
    protocol, action = _protocol(name), values.pop("action", "judge")
    drafts, own = protocol.form.drafts, state.own[protocol.name]
    draft = values.pop("draft", "") if drafts else ""
    try:
        if action == "rubric":
            # Drop the weights that were sent, because the new rubric has its own.
            texts = {name: value for name, value in values.items() if not name.startswith("weights.")}
            return await asyncio.to_thread(_shown, request, state, caller, protocol, texts, draft=draft, changed=True)
        if action == "load":
            rubric = _rubric(protocol, state, caller, values)
            whole = values.get("whole", "")
            if not whole.strip():
                raise InputError("whole", "empty", "paste a case, or drop a file")
            loaded = await computed(len(whole), protocol.form.fill, whole, rubric)
            filled = {**values, **loaded, "whole": ""}
            return await asyncio.to_thread(_shown, request, state, caller, protocol, filled, draft=draft)
        if action == "save" and drafts:
            async with state.drafting:
                saved = await drafts.save(state.engine.journal, values, own.rubric, caller.name, draft)
            return lead_to(request, f"/judge/{protocol.name}?draft={saved}")
        if missing := protocol.form.missing(values):
            return await asyncio.to_thread(_shown, request, state, caller, protocol, values, missing, draft)
        rubric = _rubric(protocol, state, caller, values)
        sent = validated(_settings_form(protocol.name), sent_settings(type(own), values))
        settings = state.settings(own, sent, rubric=rubric)
        case = await computed(sum(map(len, values.values())), protocol.form.case, values, rubric)
        outcome = await caller.judge(state.engine, case, settings)
    except TooLargeError:
        raise  # a page with the text in it would be too large, too; the script keeps the form
    except InputError as error:
        return await asyncio.to_thread(_shown, request, state, caller, protocol, values, error, draft)
    if isinstance(outcome, Failure):
        failed = InputError("", error_report(public_failure(outcome)).error)
        answer = await asyncio.to_thread(_shown, request, state, caller, protocol, values, failed, draft)
        answer.status_code = failed_status(outcome)
        return answer
    return lead_to(request, f"/verdicts/{outcome.verdict_id}")


def _protocol(name: str) -> Protocol:
    protocol = name.removesuffix(".json")
    if protocol not in names():
        raise HTTPException(404)
    return protocol_of(protocol)


@cache
def _settings_form(protocol: str) -> type[BaseModel]:
    return with_settings(BaseModel, protocol_of(protocol).settings.requested(), text=True)


def _rubric(protocol: Protocol, state: State, caller: Caller, values: Mapping[str, str]) -> Rubric:
    """Return the chosen rubric, or the service's default if none was chosen."""
    known = _rubrics(protocol, state, caller)
    chosen = values.get("rubric") or next(iter(known))
    if chosen not in known:
        allowed = ", ".join(rubric.partition("#")[0] for rubric in known)
        raise InputError("rubric", f"{chosen[:80]!r} is not stored, or has a newer version", f"one of {allowed}")
    return known[chosen]


def _rubrics(protocol: Protocol, state: State, caller: Caller) -> dict[str, Rubric]:
    """Return this protocol's rubrics by reference: the service's default first, then the latest version of each, and
    the one of the example."""
    kept = [each for each in rubrics_for(state, caller) if each.protocol == protocol.name]
    known = (state.own[protocol.name].rubric, *kept, example_rubric(protocol))
    return {rubric.reference: rubric for rubric in known}


# -- what is shown ----------------------------------------------------------------------------------------------------


class JudgePage(TypedDict):
    """The form of a protocol. `fresh` means that it holds only defaults; without `may_judge` it is not shown.

    The page also has the value of each setting on the form; that of a checkbox is true or false.
    """

    protocol: str
    may_judge: bool
    tabs: dict[str, str]
    fields: dict[str, str]
    sliders: list[dict[str, str]]
    rubric: str
    rubrics: dict[str, str]
    rubric_page: str
    judge: str
    judges: tuple[str, ...]
    fresh: bool
    examples: tuple[JudgedExample, ...]
    draft: str
    message: str
    error: str
    whole: str
    errors: dict[str, str]


def _shown(
    request: Request,
    state: State,
    caller: Caller,
    protocol: Protocol,
    values: Mapping[str, str],
    refused: InputError | Mapping[str, str] | None = None,
    draft: str = "",
    *,
    fresh: bool = False,
    changed: bool = False,
) -> Response:
    """Show the form of a protocol, after an error or with what is missing by field; `changed` means that another rubric
    was just chosen."""
    known, own = _rubrics(protocol, state, caller), state.own[protocol.name]
    form, offered = protocol.form, own.offered()
    rubric = known.get(values.get("rubric", ""), next(iter(known.values())))
    kept = rubrics_for(state, caller)
    errors, above = _errors(protocol, offered, refused)
    own_judge = own.judges[0]
    message = ""
    if form.drafts and draft and not refused:
        _, message = form.drafts.find(state.engine.journal, draft, caller.name, rubric)
    context = JudgePage(
        protocol=protocol.name,
        may_judge=caller.may("reviewer"),
        tabs={each: each.capitalize() for each in names()},
        fields={each.name: values.get(each.name, "") for each in form.fields},
        sliders=sliders(rubric, weights_in(values)) if form.reweighted else [],
        rubric=rubric.reference,
        rubrics={each.reference: f"{each.name}, version {each.version}" for each in known.values()},
        # A rubric that comes from the service's settings has no page.
        rubric_page="" if rubric not in kept else f"/rubrics/{quote(rubric.name)}",
        judge=values.get("judge", own_judge),
        judges=state.judges(own_judge),
        fresh=fresh,
        examples=request.app.state.examples,
        draft=draft,
        message=message,
        error=above,
        whole=values.get("whole", ""),
        errors=errors,
    )
    shown = shown_settings(own, values if refused or changed else None)
    status = status_of(refused) if isinstance(refused, InputError) else 400 if refused else 200
    answer = page(request, "judge", {**context, **shown}, status, form=form, offered=offered.values())
    if changed:
        # A reload must show the sliders of this rubric.
        answer.headers["hx-replace-url"] = f"/judge/{protocol.name}?rubric={quote(rubric.reference)}"
    return answer


def _errors(
    protocol: Protocol, offered: Iterable[str], refused: InputError | Mapping[str, str] | None
) -> tuple[dict[str, str], str]:
    """Return the errors by field, and the one above the form, which is about no text field."""
    if not isinstance(refused, InputError):
        return dict(refused or {}), ""
    place = re.split(r"[.:]", refused.place, maxsplit=1)[0]
    place = place if protocol.form.field(place) or place in ("whole", "weights", "judge", "rubric", *offered) else ""
    beside = error_beside(place, refused)
    return {place: beside} if place else {}, "" if protocol.form.field(place) else beside.removeprefix(": ")


def sliders(rubric: Rubric, given: Mapping[str, Any]) -> list[dict[str, str]]:
    """Build a slider per criterion, with its share of all weights. An invalid weight is replaced by the rubric's."""
    weights = dict(rubric.weights)
    for key, default in rubric.weights.items():
        with suppress(InputError):
            weights[key] = check_weight(key, given.get(key, default))
    whole = sum(map(Fraction, weights.values()), Fraction(0))
    high = max(Decimal(5), *(2 * weight for weight in rubric.weights.values()), *weights.values())
    used = (*weights.values(), *rubric.weights.values())
    step = next((str(step) for step in _STEPS if all(weight % step == 0 for weight in used)), "any")
    return [
        {
            "key": each.key,
            "name": each.name,
            "guidance": " ".join(each.guidance.split()),
            "value": number(weights[each.key]),
            "share": share(Fraction(weights[each.key]), whole),
            "high": number(plain(high)),
            "step": step,
        }
        for each in rubric.criteria
    ]


def share(weight: Fraction, whole: Fraction) -> str:
    """Format a weight's share of all weights in whole per cent, rounded half up."""
    return f"{(200 * weight + whole) // (2 * whole) if whole else 0}\u00a0%"
