"""A page as HTML, or as its JSON twin, from one context.

Reports are shown with their own templates, in the service's frame instead of the file's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import orjson
from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from ...errors import InputError
from ...reports.pages import environment
from ...version import __version__
from ..callers import CURRENT

_A_PAGE = 50
T = TypeVar("T")
_HEADERS = {"vary": "accept, cookie, hx-request"}


def wants_json(request: Request) -> bool:
    """Whether the twin is asked for: by its name, or by what is accepted."""
    accepted = request.headers.get("accept", "")
    return request.url.path.endswith(".json") or ("application/json" in accepted and "text/html" not in accepted)


def wants_html(request: Request) -> bool:
    """Whether a person's browser asks for something that is no part of the API."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(("/api/", "/static/"))


def csrf() -> Markup:
    """A hidden field that every form has, which shows that a page of ours sent it; an open service has none."""
    caller = CURRENT.get()
    return Markup("") if caller is None or caller.session is None else csrf_field(caller.session.csrf)


def csrf_field(code: str, name: str = "csrf") -> Markup:
    """The same with the code that it holds."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(name, code)


def html(template: str, status: int = 200, *, own_words: bool = False, **values: Any) -> Response:
    """A template of ours filled in; `own_words`: all it prints is ours, so that lines do not end between 29.0 and %."""
    pages = environment("html", __package__, own_words=own_words)
    filled = pages.get_template(f"{template}.html.j2")
    common = {"frame": "shell.html.j2", "version": __version__, "csrf": csrf, "caller": CURRENT.get()}
    return HTMLResponse(filled.render({**common, **values}), status, _HEADERS)


def lead_to(request: Request, address: str) -> Response:
    """Another page; a script is told to open it, for it would only see the page that a redirect leads to."""
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"hx-redirect": address})
    return RedirectResponse(address, 303)


def page(request: Request, template: str, context: Any, status: int = 200, **more: Any) -> Response:
    """A page, or its context as JSON; `more` is for the HTML alone."""
    if wants_json(request):
        return Response(orjson.dumps(context, default=str), status, _HEADERS, media_type="application/json")
    return html(template, status, page=context, **more)


def paged(items: Sequence[T], request: Request) -> tuple[Sequence[T], int, int]:
    """Of a long list, what stands on the page that `page=` asks for, that page's number, and how many there are."""
    asked = request.query_params.get("page", "1")
    if not re.fullmatch(r"[1-9][0-9]{0,5}", asked):
        raise InputError("page", f"{asked[:40]!r}", "a number from 1 is allowed")
    pages = max(1, -(-len(items) // _A_PAGE))
    at = min(int(asked), pages)
    return items[(at - 1) * _A_PAGE : at * _A_PAGE], at, pages


def error_page(said: str, status: int) -> Response:
    """An error that a person meets."""
    return html("error", status, said=said, code=status)
