"""The first start with `--auth`: who holds the code that the service prints on its terminal makes the first admin.

The page exists only while there is no admin. Afterwards it shows that admin the next steps.
"""

from __future__ import annotations

import asyncio
import hmac
from typing import TypedDict

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import AdjudgeError, InputError
from ..callers import Callers, known_caller, set_cookie
from ..common import State, StateOf
from ..hashing import RETRY_SECONDS, QueueFullError
from ..users import MIN_PASSWORD
from .common import FieldsOf, page, status_of

router = APIRouter(include_in_schema=False)


class SetupPage(TypedDict):
    """The form that makes the first admin; `done` means that there is one, who sees this."""

    done: bool
    name: str
    error: str
    shortest: int


@router.get("/setup")
async def show_setup(request: Request) -> Response:
    """Show the form, or to an admin the next steps."""
    callers: Callers = request.app.state.callers
    caller = await known_caller(request)
    if callers.auth and caller is not None and caller.may("admin"):
        return _page(request, done=True, name=caller.person)
    if not await asyncio.to_thread(callers.needs_admin):
        raise HTTPException(404)
    return _page(request)


@router.post("/setup")
async def make_admin(fields: FieldsOf, request: Request, state: StateOf) -> Response:
    """Make the first admin and sign in, if the code is right."""
    callers: Callers = request.app.state.callers
    name = fields.get("name", "")
    try:
        async with callers.hashing.turn():
            secret = await asyncio.to_thread(_made, callers, state, fields)
    except QueueFullError as full:
        answer = _page(request, name=name, error=full, status=503)
        answer.headers["retry-after"] = str(RETRY_SECONDS)
        return answer
    except InputError as error:
        return _page(request, name=name, error=error, status=status_of(error))
    answer = RedirectResponse("/setup", 303)
    set_cookie(request, answer, "adjudge", secret)
    return answer


def _made(callers: Callers, state: State, fields: dict[str, str]) -> str:
    """Add the admin and return the secret of a new session."""
    if not callers.needs_admin():
        raise HTTPException(404)
    given, name, password = fields.get("code", "").strip(), fields.get("name", ""), fields.get("password", "")
    if not hmac.compare_digest(given.encode("utf-8", "surrogateescape"), (callers.setup_code or "").encode()):
        raise InputError("code", "not the one on the terminal")
    if password != fields.get("again", ""):
        raise InputError("password", "the two entries are not the same")
    callers.users.add(name, password, "admin")
    callers.setup_code = None
    state.audit.record(name, "person.added", name, role="admin")
    made = callers.users.named(name)
    assert made is not None
    state.audit.record(name, "session.begun", name, kind="user")
    return callers.sessions.begin("user", name, made.stamp).secret


def _page(
    request: Request, *, done: bool = False, name: str = "", error: AdjudgeError | None = None, status: int = 200
) -> Response:
    shown = str(error or "").replace("NAME:", "name:", 1)
    context = SetupPage(done=done, name=name[:64], error=shown, shortest=MIN_PASSWORD)
    answer = page(request, "setup", context, status)
    answer.headers["cache-control"] = "no-store"
    return answer
