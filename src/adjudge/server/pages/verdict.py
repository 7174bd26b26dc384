"""The page of a verdict: its report in the service's frame, with what only a service can add.

A comparison can be seen with other weights, a review decided; prompts and raw replies are a page of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, TypedDict

import orjson
from fastapi import APIRouter, HTTPException, Request, Response

from ...engine import Verdict
from ...errors import InputError
from ...inputs.comparison import weights_from
from ...journal import Journal
from ...judges.base import CompareQuestion, CriticizeQuestion, EvaluateQuestion, RateQuestion
from ...judges.roles import COMPARER, CRITIC, EVALUATOR, RATER
from ...models import ComparisonVerdict, DialogueVerdict, Evaluation, ReviewVerdict
from ...models.base import to_json
from ...models.cases import check_weights
from ...protocols.compare import reweighted
from ...protocols.review.findings import facts_alone
from ...reports import Format, protocol_of, render, view_of
from ...text.reasons import NOT_IN_THE_TEXT
from ..callers import CallerOf
from ..common import StateOf, judged
from ..verdicts import decided, find_verdict
from .common import html, page, wants_json, weights_in
from .decision import review_file, review_page
from .judge import sliders

router = APIRouter(include_in_schema=False)

_FORMS: dict[str, tuple[Format, str]] = {
    "html": ("html", "text/html"),
    "md": ("markdown", "text/markdown"),
    "txt": ("text", "text/plain"),
}


@router.get("/verdicts/{name}")
async def show(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """A verdict as a page; `.json`, `.html`, `.md` and `.txt` after its id give it in that form."""
    verdict_id, _, form = name.partition(".")
    # On threads: the page of a dialogue of ten thousand turns takes half a second.
    verdict, written = await asyncio.to_thread(find_verdict, verdict_id, request, state, caller)
    # Other weights that the address asks for: a field for each, or `weights=a=1,b=2`.
    weights = weights_in(request.query_params) or weights_from(request.query_params.get("weights"))
    if form == "json" or (not form and wants_json(request)):
        return judged(written if weights is None else to_json(_reweighted(verdict, weights)))
    if form:
        if form not in _FORMS:
            raise HTTPException(404)
        wanted, kind = _FORMS[form]
        if isinstance(verdict, ReviewVerdict):
            wanted = "tags" if form == "txt" else wanted
            text = await asyncio.to_thread(review_file, request, await decided(state, verdict), wanted)
        else:
            text = await asyncio.to_thread(render, _reweighted(verdict, weights), wanted)
        return Response(text, media_type=kind)
    if isinstance(verdict, ReviewVerdict):
        return await review_page(request, state, caller, await decided(state, verdict))
    return await asyncio.to_thread(_page, verdict, weights, getattr(request.state, "case_nav", None))


def _page(verdict: Verdict, weights: Mapping[str, Any] | None, nav: Mapping[str, str] | None) -> Response:
    refused, shown = "", verdict
    try:
        shown = _reweighted(verdict, weights)
    except InputError as error:
        refused = str(error)
    more: dict[str, Any] = {}
    if isinstance(verdict, ComparisonVerdict) and isinstance(shown, ComparisonVerdict):
        now = {key: criterion.weight for key, criterion in shown.criteria.items()}
        more = {"sliders": sliders(shown.rubric, now), "changed": shown is not verdict, "figures": _figures(verdict)}
    view = view_of(shown)
    return html(
        f"{protocol_of(verdict)}_page",
        400 if refused else 200,
        view=view,
        headline=view.headline,
        home=nav,
        verdict_id=verdict.verdict_id,
        refused=refused,
        **more,
    )


class CallsPage(TypedDict):
    """The prompts that were sent, and the replies as they came."""

    verdict_id: str
    prompts: list[dict[str, str]]
    replies: list[dict[str, str]]


@router.get("/verdicts/{verdict_id}/{name}")
def calls(verdict_id: str, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The prompts that were sent and the replies that came, as `calls` or `calls.json`."""
    if name not in ("calls", "calls.json"):
        raise HTTPException(404)
    verdict, _ = find_verdict(verdict_id, request, state, caller)
    context = CallsPage(
        verdict_id=verdict_id,
        # Where no model was called, no prompt was sent.
        prompts=list(_prompts(verdict)) if verdict.calls else [],
        replies=list(_replies(verdict, state.engine.journal)),
    )
    return page(request, "calls", context)


def _reweighted(verdict: Verdict, weights: Mapping[str, Any] | None) -> Verdict:
    """The verdict as it is with these weights; itself where there are none, or no others."""
    if weights is None:
        return verdict
    if not isinstance(verdict, ComparisonVerdict):
        raise InputError("weights", "this is no comparison", "only a comparison can be weighted anew")
    was = {key: criterion.weight for key, criterion in verdict.criteria.items()}
    now = check_weights(weights, was)
    return verdict if now == was else reweighted(verdict, now)


def _figures(verdict: ComparisonVerdict) -> str:
    """What the page's script needs to decide anew, as JSON: exact numbers as text."""

    def pair(by_label: Mapping[Any, Any]) -> list[str]:
        return [format(by_label[label].value, "f") for label in ("A", "B")]

    scale = verdict.rubric.scale
    figures = {
        "band": format(verdict.rubric.tie_band, "f"),
        "low": format(min(scale.low, Decimal(0)), "f"),
        "high": format(scale.high, "f"),
        "winner": verdict.winner,
        "decided": verdict.decided,
        "seed": verdict.order.drawn_from_seed,
        "weights": {key: format(criterion.weight, "f") for key, criterion in verdict.criteria.items()},
        "scores": {key: pair(criterion.scores) for key, criterion in verdict.criteria.items()},
        "orders": [
            {
                "order": opinion.order,
                "preference": opinion.preference,
                "rationale": "" if opinion.rationale == NOT_IN_THE_TEXT else opinion.rationale,
                "scores": {key: pair(by_label) for key, by_label in opinion.scores.items()},
            }
            for opinion in verdict.opinions
        ],
    }
    return orjson.dumps(figures).decode()


# -- behind a verdict -------------------------------------------------------------------------------------------------


def _replies(verdict: Verdict, journal: Journal) -> Iterator[dict[str, str]]:
    for at, call in enumerate(verdict.calls, 1):
        stored = journal.get(call.key)
        body = "not in this journal" if stored is None else stored.body.decode("utf-8", "replace")
        with suppress(orjson.JSONDecodeError):
            body = orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2).decode()
        yield {"title": f"{at}. {call.model}, {call.purpose}", "key": call.key, "body": body}


def _prompts(verdict: Verdict) -> Iterator[dict[str, str]]:
    """The first prompt of each role, made again from the verdict; repairs and explaining follow from replies."""
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
    elif verdict.invalid is None:
        asked["Rater"] = RATER.prompt(RateQuestion(verdict.case.blind(), rubric, facts_alone(verdict.case)))
    for title, blank in asked.items():
        # The code of the real fence is of no use to a reader.
        prompt = blank.with_code("CODE")
        yield {"title": title, "system": prompt.system, "user": prompt.user}
