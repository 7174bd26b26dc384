"""A page as HTML, or as its JSON twin, from one typed context.

Reports are shown with their own templates, in the service's frame instead of the file's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from ...reports.pages import environment
from ...version import __version__


@dataclass(frozen=True, slots=True)
class CaseNav:
    """Where a case stands in the list of its run: the list, its neighbours, and its place among those that fit."""

    home: str
    run: str
    before: str
    after: str
    place: str


_HEADERS = {"cache-control": "private, no-cache", "vary": "accept, hx-request"}


def wants_json(request: Request) -> bool:
    """Whether the twin is asked for: by its name, or by what is accepted."""
    accepted = request.headers.get("accept", "")
    return request.url.path.endswith(".json") or ("application/json" in accepted and "text/html" not in accepted)


def wants_html(request: Request) -> bool:
    """Whether a person's browser asks for something that is no part of the API."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(("/api/", "/static/"))


def csrf() -> Markup:
    """A hidden field that every form has, which shows that a page of ours sent it."""
    return Markup("")


def html(template: str, status: int = 200, **values: Any) -> Response:
    """A template of ours filled in."""
    filled = environment("html", __package__, own_words=False).get_template(f"{template}.html.j2")
    return HTMLResponse(
        filled.render(frame="shell.html.j2", version=__version__, csrf=csrf, **values), status, _HEADERS
    )


def page(request: Request, template: str, context: Any, status: int = 200, **more: Any) -> Response:
    """A page whose context is a dataclass, or that context as JSON; `more` is what a report's template asks for."""
    if wants_json(request):
        return Response(orjson.dumps(context, default=str), status, _HEADERS, media_type="application/json")
    return html(template, status, page=context, **more)


def error_page(said: str, status: int) -> Response:
    """An error that a person meets."""
    return html("error", status, said=said, code=status)
