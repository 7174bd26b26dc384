"""Code that all pages share: reading submitted forms, showing their errors, and rendering a context as HTML or JSON.

Reports use their own templates, but inside the service's page frame instead of the frame of a report file.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup
from pydantic import BaseModel

from ...errors import AdjudgeError, ConflictError, InputError, TooLargeError
from ...protocols.base import names, protocol_of
from ...rendering.pages import environment
from ...version import __version__
from ..bodies import MAX_BODY_BYTES, MAX_FORM_FIELDS, UploadedFile, form_fields, read_body, read_parts
from ..callers import CURRENT, check_form, check_origin
from ..users import Role
from .texts import texts_of, with_choice

A_PAGE = 50
# In bytes as sent, where a character may take twelve.
SMALL_FORM = 16_384
NOTE_FORM = 65_536
DECISION_FORM = 1_000_000
_FORM = "application/x-www-form-urlencoded"
# Whether the current request is one to a service that shows the demo.
DEMO: ContextVar[bool] = ContextVar("demo", default=False)
_HEADERS = {"vary": "accept, cookie, hx-request"}
T = TypeVar("T")


# -- forms ------------------------------------------------------------------------------------------------------------


async def read_form(request: Request, most: int = SMALL_FORM, fields: int = MAX_FORM_FIELDS) -> dict[str, str]:
    """Read the fields of a form that one of our pages sent, at most so many, in at most this many bytes."""
    check_origin(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        raise InputError("content-type", repr(kind[:80]), f"{_FORM} is needed")
    body = await read_body(request, most)
    return _checked(await asyncio.to_thread(form_fields, body, fields))


def form_up_to(most: int, fields: int = MAX_FORM_FIELDS) -> Callable[[Request], Awaitable[dict[str, str]]]:
    """Return a dependency that reads a form of at most this many bytes and fields."""

    async def read(request: Request) -> dict[str, str]:
        return await read_form(request, most, fields)

    return read


# Routes declare it after the caller, so that a missing role is refused before the body is read.
FieldsOf = Annotated[dict[str, str], Depends(form_up_to(SMALL_FORM))]
NoteOf = Annotated[dict[str, str], Depends(form_up_to(NOTE_FORM))]
TextsOf = Annotated[dict[str, str], Depends(form_up_to(MAX_BODY_BYTES))]


async def read_upload_form(request: Request) -> tuple[UploadedFile | None, dict[str, str]]:
    """Return the file uploaded with a form, or None if none was chosen, and the form's other fields."""
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        return None, await read_form(request, MAX_BODY_BYTES)
    check_origin(request)
    file, pairs = await read_parts(request)
    return file if file and (file.content or file.name) else None, _checked(pairs)


def _checked(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the fields as a dict after checking the CSRF code that a signed-in browser must send.

    Browsers send every line end as CR LF, whatever was pasted, so we turn it back into LF.
    """
    fields = {name: value.replace("\r\n", "\n") for name, value in pairs}
    check_form(fields.pop("csrf", None))
    return fields


def error_beside(field: str, error: InputError | None) -> str:
    """Return an error's text for display beside its field, or above the form; empty if there is no error."""
    return "" if error is None else str(error).removeprefix(f"{field}: ")


def status_of(error: AdjudgeError | None) -> int:
    """Return the HTTP status of a page that shows this form error."""
    if error is None:
        return 200
    return 413 if isinstance(error, TooLargeError) else 409 if isinstance(error, ConflictError) else 400


# -- pages ------------------------------------------------------------------------------------------------------------


def wants_json(request: Request) -> bool:
    """Return whether the request asks for JSON, by the path's suffix or by its Accept header."""
    accepted = request.headers.get("accept", "")
    return request.url.path.endswith(".json") or ("application/json" in accepted and "text/html" not in accepted)


def wants_html(request: Request) -> bool:
    """Return whether a browser asks for a page, as opposed to the API or a static file."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(("/api/", "/static/"))


def csrf() -> Markup:
    """Return the hidden field with the session's CSRF code for a form; empty if the caller has no session."""
    caller = CURRENT.get()
    if caller is None or caller.session is None:
        return Markup("")
    return Markup('<input type="hidden" name="csrf" value="{}">').format(caller.session.csrf)


_TEMPLATES = (__package__, f"{__package__.partition('.')[0]}.reports.run")


def html(template: str, status: int = 200, *, own_words: bool = False, package: str = "", **values: Any) -> Response:
    """Render a template of ours, or of a protocol's package. `own_words`: it prints our own text, so keep 29.0 and % on
    one line."""
    pages = environment("html", *((package,) if package else ()), *_TEMPLATES, own_words=own_words)
    filled = pages.get_template(f"{template}.html.j2")
    common = {"frame": "shell.html.j2", "version": __version__, "csrf": csrf, "caller": CURRENT.get()}
    # Inside a macro, `caller` is a word of Jinja's own.
    common |= {"may_judge": (caller := CURRENT.get()) is None or caller.may("reviewer")}
    common |= {"protocol_of": protocol_of, "menu": _menu(), "demo": DEMO.get()}
    return HTMLResponse(filled.render({**common, **values}), status, _HEADERS)


def _menu() -> list[tuple[str, str]]:
    """Return the pages in the menu that the caller's role may use, those of protocols among them, by address and
    name."""
    caller = CURRENT.get()
    entries: list[tuple[str, str, Role]] = [
        ("/judge", "Judge", "reviewer"),
        ("/runs", "Runs", "viewer"),
        ("/label", "Label", "annotator"),
        *(entry for name in names() for entry in protocol_of(name).service().menu),
        ("/rubrics", "Rubrics", "viewer"),
        ("/docs", "API", "viewer"),
    ]
    return [(address, name) for address, name, role in entries if caller is None or caller.may(role)]


def lead_to(request: Request, address: str) -> Response:
    """Redirect to another page. htmx gets a header instead, as it would follow a redirect and swap the page in."""
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"hx-redirect": address})
    return RedirectResponse(address, 303)


def page(
    request: Request, template: str, context: Mapping[str, object] | BaseModel, status: int = 200, **more: Any
) -> Response:
    """Respond with a page, or with its context as JSON; `more` is only used for the HTML."""
    if wants_json(request):
        written = orjson.dumps(
            context, default=lambda each: each.model_dump(mode="json") if isinstance(each, BaseModel) else str(each)
        )
        return Response(written, status, _HEADERS, media_type="application/json")
    return with_choice(request, html(template, status, page=context, texts=texts_of(request), **more))


def paged(items: Sequence[T], request: Request) -> tuple[Sequence[T], int, int]:
    """Return the items on the page that `page=` asks for, that page's number, and the number of pages."""
    asked = request.query_params.get("page", "1")
    if not re.fullmatch(r"[1-9][0-9]{0,5}", asked):
        raise InputError("page", f"{asked[:40]!r}", "a number from 1 is allowed")
    pages = max(1, -(-len(items) // A_PAGE))
    at = min(int(asked), pages)
    return items[(at - 1) * A_PAGE : at * A_PAGE], at, pages


def error_page(message: str, status: int) -> Response:
    """Respond with an error as a page for people."""
    return html("error", status, message=message, code=status)
