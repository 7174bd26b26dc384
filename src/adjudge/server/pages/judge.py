"""The start page: one form per protocol, filled in by hand or from a whole case, an example or a draft.

An invalid form comes back as it was sent, with the error beside its field.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypedDict
from urllib.parse import quote

import orjson
from fastapi import APIRouter, HTTPException, Request, Response

from ...api import one_dialogue, one_review
from ...arithmetic import plain
from ...computing import computed
from ...errors import InputError, TooLargeError
from ...inputs.json import parse_object
from ...inputs.text import kind_of
from ...models.cases import check_weight, check_weights
from ...models.common import Failure
from ...protocols.base import names
from ...protocols.compare.reading import FIELDS, WANTED, comparison_from, weights_from
from ...protocols.review.drafts import MEANINGS, add_to_draft, find_draft, new_draft
from ...protocols.review.reading import NEEDED, SLOTS, has_tags, slot_texts, slots_in
from ...rendering.wording import number
from ...reports import error_report
from ...rubric import Rubric
from ..callers import Caller, CallerOf, ReviewerOf
from ..common import State, StateOf, public_failure
from ..judging import EvaluateOptions
from ..rubrics import rubrics_for
from .common import TextsOf, lead_to, page, said_beside, status_of, weights_in
from .demo import JudgedExample, example

router = APIRouter(include_in_schema=False)

# By protocol: the title of each text field and what belongs in it.
_FIELDS = {
    "compare": {
        "userTask": ("Task", "What both answers respond to."),
        "responseA": ("Response A", "The first answer."),
        "responseB": ("Response B", "The second answer."),
        "context": ("Context", "What the answers should be read against, if anything."),
    },
    "dialogue": {
        "transcript": ("Transcript", "Lines of SYSTEM and USER with a tab between, “User: …” lines, or JSON messages."),
        "dialogue_id": ("Conversation id", "A number or name of your choice; it is returned with the result."),
    },
    "review": {
        "prompt": ("Prompt", "The last user prompt, with any reference text."),
        "response1": ("Response 1", "The text that was rated, as it was."),
        "response2": ("Response 2", "The text that was rated, as it was."),
        "response1_original_ratings": ("Ratings of Response 1", "The person’s table, as Markdown or JSON."),
        "response2_original_ratings": ("Ratings of Response 2", "The person’s table, as Markdown or JSON."),
        "original_likert_and_justification": ("Preference, 1 to 7", "The person’s Likert and its justification."),
        "taskconfig": ("Task configuration", "Locale, category and the like."),
        "system_prompt": ("System prompt", "If there was one."),
        "conversation_history": ("Conversation", "The messages before the prompt, if any."),
    },
}
_NEEDED = {"compare": ("userTask", "responseA", "responseB"), "dialogue": ("transcript",), "review": NEEDED}
# A slider uses the first of these steps that divides all the weights; if none does, it has no fixed step.
_STEPS = tuple(map(Decimal, ("0.5", "0.25", "0.1", "0.05", "0.01")))


@router.get("/")
@router.get("/judge/{name}")
async def form(request: Request, state: StateOf, caller: CallerOf, name: str = "compare") -> Response:
    """Show the form of a protocol, empty or filled with an example or a draft."""
    protocol, query = _protocol(name), request.query_params
    values: dict[str, str] = {}
    draft = query.get("draft", "") if protocol == "review" else ""
    try:
        rubric = _rubric(protocol, state, caller, query)
    except InputError as error:
        return _shown(request, state, caller, protocol, query, error, draft)
    if draft:
        values = _written(find_draft(state.engine.journal, draft, caller.name).slots)
    elif "example" in query:
        values = _loaded(protocol, example(protocol), rubric)
    return _shown(request, state, caller, protocol, {**query, **values}, draft=draft, fresh=not values)


@router.post("/judge/{name}")
async def submit(caller: ReviewerOf, values: TextsOf, name: str, request: Request, state: StateOf) -> Response:
    """Judge the case, fill the form from a whole case, switch the rubric, or save a draft; `action` says which."""
    protocol, action = _protocol(name), values.pop("action", "judge")
    draft = values.pop("draft", "") if protocol == "review" else ""
    try:
        if action == "rubric":
            # Drop the weights that were sent, because the new rubric has its own.
            texts = {name: value for name, value in values.items() if not name.startswith("weights.")}
            return await asyncio.to_thread(_shown, request, state, caller, protocol, texts, draft=draft, changed=True)
        if action == "load":
            rubric = _rubric(protocol, state, caller, values)
            whole = values.get("whole", "")
            loaded = await computed(len(whole), _loaded, protocol, whole, rubric)
            filled = {**values, **loaded, "whole": ""}
            return await asyncio.to_thread(_shown, request, state, caller, protocol, filled, draft=draft)
        if action == "save" and protocol == "review":
            return lead_to(request, f"/judge/review?draft={await _saved(state, caller, values, draft)}")
        rubric = _rubric(protocol, state, caller, values)
        options = {"judge": values.get("judge"), "oneOrder": "both_orders" not in values}
        settings = state.settings(getattr(state, protocol), EvaluateOptions.model_validate(options), rubric=rubric)
        case = await computed(sum(map(len, values.values())), _case, protocol, values, rubric)
        outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
    except TooLargeError:
        raise  # a page with the text in it would be too large, too; the script keeps the form
    except InputError as error:
        return await asyncio.to_thread(_shown, request, state, caller, protocol, values, error, draft)
    if isinstance(outcome, Failure):
        failed = InputError("", error_report(public_failure(outcome)).error)
        answer = await asyncio.to_thread(_shown, request, state, caller, protocol, values, failed, draft)
        answer.status_code = 502
        return answer
    return lead_to(request, f"/verdicts/{outcome.verdict_id}")


def _protocol(name: str) -> str:
    protocol = name.removesuffix(".json")
    if protocol not in names():
        raise HTTPException(404)
    return protocol


def _rubric(protocol: str, state: State, caller: Caller, values: Mapping[str, str]) -> Rubric:
    """Return the chosen rubric, or the service's default if none was chosen."""
    known = _rubrics(protocol, state, caller)
    chosen = values.get("rubric") or next(iter(known))
    if chosen not in known:
        allowed = ", ".join(rubric.partition("#")[0] for rubric in known)
        raise InputError("rubric", f"{chosen[:80]!r} is not stored, or has a newer version", f"one of {allowed}")
    return known[chosen]


def _rubrics(protocol: str, state: State, caller: Caller) -> dict[str, Rubric]:
    """Return this protocol's rubrics by reference: the service's default first, then the latest version of each."""
    kept = [each for each in rubrics_for(state, caller) if each.protocol == protocol]
    return {rubric.reference: rubric for rubric in (getattr(state, protocol).rubric, *kept)}


# -- reading a form ---------------------------------------------------------------------------------------------------


def _case(protocol: str, values: Mapping[str, str], rubric: Rubric) -> Any:
    """Build the case from the entered values and check it."""
    if protocol == "compare":
        texts = {name: values.get(name, "") for name in _FIELDS["compare"]}
        return comparison_from({**texts, "weights": weights_in(values) or None}, rubric)
    if protocol == "dialogue":
        text, given = values.get("transcript", ""), values.get("dialogue_id", "").strip()
        if not text.strip():
            raise InputError("transcript", "empty", "a conversation of SYSTEM and USER is needed")
        return one_dialogue(text, (int(given) if given.isdecimal() and len(given) < 19 else given) or None)
    slots = _slots(values)
    for name in NEEDED:
        if name not in slots:
            raise InputError(name, "empty", f"{MEANINGS[name]} is needed")
    return one_review(slots, rubric)


def _slots(values: Mapping[str, str]) -> dict[str, str]:
    return {name: values[name] for name in SLOTS if values.get(name, "").strip()}


async def _saved(state: State, caller: Caller, values: Mapping[str, str], draft_id: str) -> str:
    """Save the slots as a new draft or into an existing one, and return its id."""
    journal, rubric, slots = state.engine.journal, state.review.rubric, _slots(values)
    async with state.drafting:
        if not draft_id:
            return (await new_draft(journal, slots, rubric, caller.name or "")).draft_id
        known = find_draft(journal, draft_id, caller.name)
        gone = dict.fromkeys(name for name in known.slots if name not in slots)
        return (await add_to_draft(journal, known, {**gone, **slots}, rubric)).draft_id


def _loaded(protocol: str, whole: str, rubric: Rubric) -> dict[str, str]:
    """Parse a whole case, in any format that case files have, into the fields of the form."""
    if not whole.strip():
        raise InputError("whole", "empty", "paste a case, or drop a file")
    if protocol == "dialogue":
        return {"transcript": whole}
    if protocol == "review" and has_tags(lines := whole.split("\n")):
        return {name.lower(): text.strip("\n") for name, (_, text) in slot_texts(lines, "whole").items()}
    data = parse_object(whole.encode("utf-8", "surrogatepass"), "whole", WANTED)
    if protocol == "review":
        return _written(slots_in(data, rubric))
    named = {name: data[given] for names in FIELDS.values() for given in names if given in data for name in names[:1]}
    weights = weights_from(named.pop("weights", None))
    check_weights(weights, rubric.weights)
    for name, value in named.items():
        if not isinstance(value, str | None):
            raise InputError(name, f"expected text, found {kind_of(value)}", "a string is allowed")
    sliders = {f"weights.{key}": str(weight) for key, weight in (weights or {}).items()}
    return {**{name: value or "" for name, value in named.items()}, **sliders}


def _written(slots: Mapping[str, Any]) -> dict[str, str]:
    """Return slots as text. Values that are not text become JSON, which the form accepts too."""
    return {
        name: value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
        for name, value in slots.items()
        if value is not None and name in SLOTS
    }


# -- what is shown ----------------------------------------------------------------------------------------------------


class JudgePage(TypedDict):
    """The form of a protocol. `fresh` means that it holds only defaults; without `may_judge` it is not shown."""

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
    both_orders: bool
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
    protocol: str,
    values: Mapping[str, str],
    error: InputError | None = None,
    draft: str = "",
    *,
    fresh: bool = False,
    changed: bool = False,
) -> Response:
    """Show the form of a protocol; `changed` means that another rubric was just chosen."""
    known, told = _rubrics(protocol, state, caller), _FIELDS[protocol]
    rubric = known.get(values.get("rubric", ""), next(iter(known.values())))
    kept = rubrics_for(state, caller)
    place = re.split(r"[.:]", error.place, maxsplit=1)[0] if error else ""
    place = place if place in (*told, "whole", "weights", "judge", "rubric") else ""
    said = said_beside(place, error)
    own = state.dialogue.evaluator if protocol == "dialogue" else getattr(state, protocol).judge
    context = JudgePage(
        protocol=protocol,
        may_judge=caller.may("reviewer"),
        tabs={each: each.capitalize() for each in names()},
        fields={name: values.get(name, "") for name in told},
        sliders=sliders(rubric, weights_in(values)) if protocol == "compare" else [],
        rubric=rubric.reference,
        rubrics={each.reference: f"{each.name}, version {each.version}" for each in known.values()},
        # A rubric that comes from the service's settings has no page.
        rubric_page="" if rubric not in kept else f"/rubrics/{quote(rubric.name)}",
        judge=values.get("judge", own),
        judges=state.judges(own),
        both_orders="both_orders" in values if error or changed else not state.compare.one_order,
        fresh=fresh,
        examples=request.app.state.examples,
        draft=draft,
        message=find_draft(state.engine.journal, draft, caller.name).message(rubric) if draft and not error else "",
        error=said.removeprefix(": ") if place not in told else "",
        whole=values.get("whole", ""),
        errors={place: said} if place else {},
    )
    answer = page(request, "judge", context, status_of(error), told=told, needed=_NEEDED[protocol])
    if changed:
        # A reload must show the sliders of this rubric.
        answer.headers["hx-replace-url"] = f"/judge/{protocol}?rubric={quote(rubric.reference)}"
    return answer


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
