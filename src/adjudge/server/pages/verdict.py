"""The page of a verdict: its report in the service's frame, with features that only the service has.

Where a case may bring its own weights, the verdict can be shown with others. A protocol may bring a page of its own.
Prompts and raw replies have a page, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

import orjson
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from ...errors import InputError
from ...journal import Journal
from ...models.base import to_json
from ...models.verdict import Verdict
from ...prompts import changed_since
from ...protocols.base import names, protocol_of
from ...protocols.form import weights_in
from ...reports import render, view_of
from ..callers import CallerOf
from ..common import StateOf, judged
from ..verdicts import find_verdict
from .common import html, page, wants_json
from .judge import sliders
from .texts import texts_of, with_choice

router = APIRouter(include_in_schema=False)

_FORMS: dict[str, tuple[str, str]] = {
    "html": ("html", "text/html"),
    "md": ("markdown", "text/markdown"),
    "txt": ("text", "text/plain"),
}


@router.get("/verdicts/{name}")
async def show(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show a verdict as a page, or in the format given by `.json`, `.html`, `.md` or `.txt` after its id."""
    verdict_id, _, form = name.partition(".")
    # Use threads: the page of a dialogue with ten thousand turns takes half a second.
    verdict, written = await asyncio.to_thread(find_verdict, verdict_id, request, state, caller)
    service, query = protocol_of(verdict.protocol).service(), request.query_params
    if form == "json" or (not form and wants_json(request)):
        shown = _reweighted(verdict, query)
        return judged(written if shown is verdict else to_json(shown))
    if form:
        if form not in _FORMS:
            raise HTTPException(404)
        wanted, kind = _FORMS[form]
        if service.file is not None:
            return Response(await service.file(request, state, wanted, verdict), media_type=kind)
        return Response(await asyncio.to_thread(render, _reweighted(verdict, query), wanted), media_type=kind)
    if service.page is not None:
        own_page: Response = await service.page(request, state, caller, verdict)
        return own_page
    return await asyncio.to_thread(_page, request, verdict)


def _page(request: Request, verdict: Verdict) -> Response:
    refused, shown = "", cast(Any, verdict)
    try:
        shown = _reweighted(verdict, request.query_params)
    except InputError as error:
        refused = str(error)
        if "hx-request" in request.headers:  # the page keeps the last weights that were allowed, and its address
            only = Markup('<p class="refusal" role="alert" id="refused">{}</p>').format(refused)
            return HTMLResponse(only, 400, {"hx-replace-url": "false"})
    more: dict[str, Any] = {}
    if protocol_of(verdict.protocol).form.reweighted is not None:
        # On the page of a run's case, other weights leave its address and the filters of the list as they are.
        kept = {name: value for name, value in request.query_params.items() if not name.startswith("weights")}
        more = {"sliders": sliders(shown.rubric, shown.weights), "changed": bool(refused) or shown is not verdict}
        more |= {"here": request.url.path, "kept": kept}
    return report_page(request, shown, 400 if refused else 200, refused=refused, **more)


def report_page(request: Request, shown: Verdict, status: int, **more: Any) -> Response:
    """Render a verdict's report in the service's frame, with links to the neighbouring cases if it is part of a run."""
    view, protocol = view_of(shown), protocol_of(shown.protocol)
    home = getattr(request.state, "case_nav", None)
    about = home["about"].judged(shown) if home else None
    more |= {"verdict_id": shown.verdict_id, "home": home, "about": about, "noun": protocol.noun}
    more |= {"view": view, "headline": view.headline, "texts": texts_of(request)}
    return with_choice(request, html("verdict_page", status, package=protocol.package, **more))


def _reweighted(verdict: Verdict, query: Mapping[str, str]) -> Any:
    """Return the verdict with the weights in the URL, or the verdict itself if there are none or they are its own."""
    if (reweighted := protocol_of(verdict.protocol).form.reweighted) is not None:
        return reweighted(verdict, query)
    if query.get("weights", "").strip() or weights_in(query):
        nouns = [each.noun for each in map(protocol_of, names()) if each.form.reweighted is not None]
        able = " or ".join(f"a {noun}" for noun in nouns)
        raise InputError("weights", f"not {able}", f"only {able} can be shown with other weights")
    return verdict


# -- behind a verdict -------------------------------------------------------------------------------------------------


@router.get("/verdicts/{verdict_id}/{name}")
def calls(verdict_id: str, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show the prompts that were sent and the replies that came back, as `calls` or `calls.json`."""
    if name not in ("calls", "calls.json"):
        raise HTTPException(404)
    verdict, _ = find_verdict(verdict_id, request, state, caller)
    protocol = protocol_of(verdict.protocol)
    # Without model calls, no prompt was sent. The code of the real prompt's fence is of no use to readers.
    first = protocol.first_prompts(verdict) if verdict.calls else {}
    sent = {title: prompt.with_code("CODE") for title, prompt in first.items()}
    context = {
        "verdict_id": verdict_id,
        "prompts": [{"title": title, "system": each.system, "user": each.user} for title, each in sent.items()],
        # The prompts are rebuilt with this version's texts.
        "changed": changed_since(verdict.provenance.prompts, protocol.prompts) if verdict.calls else "",
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
