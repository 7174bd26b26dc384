"""The page of a verdict: its report in the service's frame, with features that only the service has.

A comparison can be shown with other weights. A review can be accepted, fixed or rejected: each form field is next to
what it changes, and a refused form comes back as it was sent, with the error beside its field. Prompts and raw replies
have a page of their own.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from math import lcm
from typing import Any

import orjson
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import ConflictError, InputError
from ...journal import Journal
from ...models.base import to_json
from ...models.cases import check_weights
from ...models.common import LABELS, Label
from ...models.verdict import Verdict
from ...prompts import changed_since
from ...protocols.base import protocol_of
from ...protocols.compare.questions import CompareQuestion
from ...protocols.compare.reading import weights_from
from ...protocols.compare.roles import COMPARER
from ...protocols.compare.rules import reweighted
from ...protocols.compare.verdict import ComparisonVerdict, Score
from ...protocols.dialogue.questions import CriticizeQuestion, EvaluateQuestion
from ...protocols.dialogue.roles import CRITIC, EVALUATOR
from ...protocols.dialogue.verdict import DialogueVerdict, Evaluation
from ...protocols.review.findings import facts_alone
from ...protocols.review.questions import RateQuestion
from ...protocols.review.rater import RATER
from ...protocols.review.reading import BLOCKS, INVALID
from ...protocols.review.verdict import ReviewVerdict
from ...protocols.review.view import grade_of
from ...rendering.pages import environment
from ...rendering.wording import many, number
from ...reports import render, view_of
from ...text.reasons import NOT_IN_THE_TEXT
from ..callers import Caller, CallerOf, ReviewerOf
from ..common import State, StateOf, judged, validated
from ..decisions import Decided, DecidedMeanwhileError, DecisionRequest, decide, decided, find_decided, next_undecided
from ..verdicts import find_verdict
from .common import DECISION_FORM, html, page, read_form, status_of, wants_json, weights_in
from .judge import sliders

router = APIRouter(include_in_schema=False)

_FORMS: dict[str, tuple[str, str]] = {
    "html": ("html", "text/html"),
    "md": ("markdown", "text/markdown"),
    "txt": ("text", "text/plain"),
}
_SIDES: dict[Label, str] = {"A": "response1", "B": "response2"}


@router.get("/verdicts/{name}")
async def show(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show a verdict as a page, or in the format given by `.json`, `.html`, `.md` or `.txt` after its id."""
    verdict_id, _, form = name.partition(".")
    # Use threads: the page of a dialogue with ten thousand turns takes half a second.
    verdict, written = await asyncio.to_thread(find_verdict, verdict_id, request, state, caller)
    # The URL may ask for other weights: one parameter each, or `weights=a=1,b=2`.
    weights = weights_in(request.query_params) or weights_from(request.query_params.get("weights"))
    if form == "json" or (not form and wants_json(request)):
        return judged(written if weights is None else to_json(_reweighted(verdict, weights)))
    if form:
        if form not in _FORMS:
            raise HTTPException(404)
        wanted, kind = _FORMS[form]
        if isinstance(verdict, ReviewVerdict):
            wanted = "tags" if form == "txt" else wanted
            text = await asyncio.to_thread(_review_file, request, await decided(state, verdict), wanted)
        else:
            text = await asyncio.to_thread(render, _reweighted(verdict, weights), wanted)
        return Response(text, media_type=kind)
    if isinstance(verdict, ReviewVerdict):
        return await _review_page(request, state, caller, await decided(state, verdict))
    return await asyncio.to_thread(_page, request, verdict, weights)


def _page(request: Request, verdict: Verdict, weights: Mapping[str, Any] | None) -> Response:
    refused, shown = "", verdict
    try:
        shown = _reweighted(verdict, weights)
    except InputError as error:
        refused = str(error)
    more: dict[str, Any] = {}
    if isinstance(verdict, ComparisonVerdict) and isinstance(shown, ComparisonVerdict):
        more = {"sliders": sliders(shown.rubric, shown.weights), "figures": _figures(verdict)}
        more["changed"] = shown is not verdict
    return _report(request, shown, 400 if refused else 200, refused=refused, **more)


def _report(request: Request, shown: Verdict, status: int, **more: Any) -> Response:
    """Render a verdict's report in the service's frame, with links to the neighbouring cases if it is part of a run."""
    view = view_of(shown)
    more |= {"verdict_id": shown.verdict_id, "home": getattr(request.state, "case_nav", None)}
    return html(
        "verdict_page", status, package=protocol_of(shown.protocol).package, view=view, headline=view.headline, **more
    )


def _reweighted(verdict: Verdict, weights: Mapping[str, Any] | None) -> Verdict:
    """Return the verdict with these weights, or the verdict itself if they are None or unchanged."""
    if weights is None:
        return verdict
    if not isinstance(verdict, ComparisonVerdict):
        raise InputError("weights", "not a comparison", "only a comparison can be shown with other weights")
    now = check_weights(weights, verdict.weights)
    return verdict if now == verdict.weights else reweighted(verdict, now)


def _figures(verdict: ComparisonVerdict) -> str:
    """Return as JSON what the page's script needs to recompute the decision. Exact numbers are strings; scores are
    whole numbers of `1 / unit`, so that a mean such as 22/3 stays exact."""
    final = {key: criterion.scores for key, criterion in verdict.criteria.items()}
    given = [final, *(opinion.scores for opinion in verdict.opinions)]
    unit = lcm(*(by[label].exactly.denominator for table in given for by in table.values() for label in LABELS))

    def scores(table: Mapping[str, Mapping[Label, Score]]) -> dict[str, list[str]]:
        return {key: [str(int(by[label].exactly * unit)) for label in LABELS] for key, by in table.items()}

    scale = verdict.rubric.scale
    figures = {
        "band": format(verdict.rubric.tie_band, "f"),
        "low": format(min(scale.low, Decimal(0)), "f"),
        "high": format(scale.high, "f"),
        "winner": verdict.winner,
        "decided": verdict.decided,
        "seed": verdict.order.drawn_from_seed,
        "weights": {key: format(weight, "f") for key, weight in verdict.weights.items()},
        "identical": verdict.decided_by == "identical",
        "unit": str(unit),
        "scores": scores(final),
        "orders": [
            {
                "order": opinion.order,
                "preference": opinion.preference,
                "rationale": "" if opinion.rationale == NOT_IN_THE_TEXT else opinion.rationale,
                "scores": scores(opinion.scores),
            }
            for opinion in verdict.opinions
        ],
    }
    return orjson.dumps(figures).decode()


# -- a review and its decision ----------------------------------------------------------------------------------------


async def _review_page(
    request: Request,
    state: State,
    caller: Caller,
    known: Decided,
    sent: Mapping[str, str] | None = None,
    error: InputError | None = None,
) -> Response:
    """Show a review with the newest decision applied, or with `judged` in the URL as the judge left it.

    In the decision form, `values` are the current contents of the fields and `base` their contents before any edit.
    """
    as_judged = "judged" in (request.query_params if sent is None else sent)
    shown = known.verdict if as_judged else known.standing
    base = dict(_fields(shown))
    values = {**base, "reason": "", **(sent or {})}
    place = re.sub(r"^(feedback)\..*", r"\1", error.place.removeprefix("fixes.")) if error else ""
    said = "; ".join(filter(None, (error.found, error.allowed))) if error else ""
    errors = {place: said} if place in (*base, "reason") else {}

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
        "next": await next_undecided(state, caller, shown.verdict_id) if allowed and known.history else None,
        "errors": errors,
        "error": "" if errors else said,
    }
    return _report(request, shown, status_of(error), decision=form, blocks=_blocks_of(shown))


def _review_file(request: Request, known: Decided, form: str) -> str:
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
        return render(known.standing, form)
    view = view_of(known.standing)
    values = {"view": view, "headline": view.headline, "home": "", "frame": "page.html.j2", "decision": None}
    template = environment(
        form, protocol_of(known.standing.protocol).package, __package__, own_words=False
    ).get_template(f"file.{form}.j2")
    return template.render(values, decided=known.newest) + "\n"


@router.post("/verdicts/{verdict_id}/decision")
async def submit(caller: ReviewerOf, verdict_id: str, request: Request, state: StateOf) -> Response:
    """Save a decision. Its fixes are changes to the version of the review that the page showed."""
    known, sent = await find_decided(verdict_id, request, state, caller), await read_form(request, DECISION_FORM)
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
    return await _review_page(request, state, caller, known, sent, refused)


def _seen_before(known: Decided, sent: Mapping[str, str], decisions: int) -> dict[str, str]:
    """Return the sent fields without those left unchanged from what the form showed after this many decisions."""
    at = min(decisions, len(known.history))
    untouched = dict(_fields(known.verdict if "judged" in sent else known.standing_after(at)))
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
        told = many(len(changed), "field was changed", "fields were changed")
        raise InputError("decision", told, "“Fix & accept” saves the changes; reload the page to drop them")
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


# -- behind a verdict -------------------------------------------------------------------------------------------------


@router.get("/verdicts/{verdict_id}/{name}")
def calls(verdict_id: str, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show the prompts that were sent and the replies that came back, as `calls` or `calls.json`."""
    if name not in ("calls", "calls.json"):
        raise HTTPException(404)
    verdict, _ = find_verdict(verdict_id, request, state, caller)
    context = {
        "verdict_id": verdict_id,
        # Without model calls, no prompt was sent.
        "prompts": list(_prompts(verdict)) if verdict.calls else [],
        # The prompts are rebuilt with this version's texts.
        "changed": changed_since(verdict.provenance.prompts, protocol_of(verdict.protocol).prompts)
        if verdict.calls
        else "",
        "replies": list(_replies(verdict, state.engine.journal)),
    }
    return page(request, "calls", context)


def _replies(verdict: Verdict, journal: Journal) -> Iterator[dict[str, str]]:
    for at, call in enumerate(verdict.calls, 1):
        stored = journal.get(call.key)
        body = "not in this journal" if stored is None else stored.body.decode("utf-8", "replace")
        with suppress(orjson.JSONDecodeError):
            body = orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2).decode()
        yield {"title": f"{at}. {call.model}, {call.purpose}", "key": call.key, "body": body}


def _prompts(verdict: Verdict) -> Iterator[dict[str, str]]:
    """Yield the first prompt of each role, rebuilt from the verdict. Later ones (repair, explain) depend on replies."""
    rubric = verdict.rubric
    asked: dict[str, Any] = {}
    if isinstance(verdict, ComparisonVerdict):
        for order in verdict.order.judged:
            question = CompareQuestion(verdict.case, rubric, order, verdict.facts, verdict.lookups)
            asked[f"Comparer, {order[0].upper()} first"] = COMPARER.prompt(question)
    elif isinstance(verdict, DialogueVerdict):
        evaluation = Evaluation(judge=verdict.judges[0], marks=dict(verdict.marks))
        asked["Evaluator"] = EVALUATOR.prompt(EvaluateQuestion(verdict.case, rubric))
        asked["Critic"] = CRITIC.prompt(CriticizeQuestion(verdict.case, rubric, evaluation))
    elif isinstance(verdict, ReviewVerdict) and verdict.invalid is None:
        asked["Rater"] = RATER.prompt(RateQuestion(verdict.case.blind(), rubric, facts_alone(verdict.case)))
    for title, blank in asked.items():
        # Show a placeholder, because the fence code of the real prompt is of no use to readers.
        prompt = blank.with_code("CODE")
        yield {"title": title, "system": prompt.system, "user": prompt.user}
