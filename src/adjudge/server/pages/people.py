"""Pages for signing in and out, managing people and their roles, and changing a password."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import TypedDict
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import AdjudgeError, ConflictError, InputError
from ..callers import Caller, CallerOf, Callers, MayManage, cookie, fits, form_code, known_caller, set_cookie
from ..common import StateOf
from ..hashing import RETRY_SECONDS, QueueFullError
from ..users import MIN_PASSWORD, Token, User, UserStore, check_role
from .common import FieldsOf, page, status_of

router = APIRouter(include_in_schema=False)

_LONGEST_PATH = 2000
_LOCAL = re.compile(r"/(?![/\\])[^\s\\\x00-\x1f\x7f]*")
_TELLS = {
    "viewer": "looks",
    "annotator": "labels",
    "reviewer": "judges, decides, starts runs, edits rubrics",
    "admin": "does all that, and manages people and roles",
}


# -- sign in and out --------------------------------------------------------------------------------------------------


def local_path(given: str) -> str:
    """Return the path to open after signing in; anything that is not a page of this service becomes `/`."""
    leads_here = len(given) <= _LONGEST_PATH and _LOCAL.fullmatch(given) and not urlsplit(given).netloc
    return given if leads_here and not given.startswith(("/sign-", "/api/")) else "/"


def requested_page(request: Request) -> str:
    """Return the page that a signed-out visitor asked for, or from which they sent a form."""
    asks = request.method in ("GET", "HEAD")
    where = urlsplit(str(request.url) if asks else request.headers.get("referer", ""))
    return local_path(where.path + (f"?{where.query}" if where.query else ""))


@router.get("/sign-in")
async def sign_in_form(request: Request, said: str = "") -> Response:
    """Show the sign-in form, or redirect a caller who is already signed in."""
    where = local_path(request.query_params.get("next", ""))
    if await known_caller(request) is not None:
        return RedirectResponse(where, 303)
    if await asyncio.to_thread(_callers(request).needs_admin):
        return RedirectResponse("/setup", 303)
    return _sign_in(request, where, said="The password is changed; sign in with it." if said == "password" else "")


@router.post("/sign-in")
async def sign_in(fields: FieldsOf, request: Request, state: StateOf) -> Response:
    """Start a session if name and password are right, or if the token is valid."""
    callers = _callers(request)
    where, name, token = (fields.get(field, "").strip() for field in ("next", "name", "token"))
    before, where = cookie(request, "adjudge-sign-in"), local_path(where)
    if before is None or not fits(before, fields.get("sign_in", "")):
        # Otherwise another site could sign this browser in to its own account and read what is entered here.
        error = (
            "the form is too old, or the browser refuses cookies; without TLS it accepts them from this machine only"
        )
        return _sign_in(request, where, name, error, 403)
    known: Token | User | None = None
    if token:
        # Tokens cannot be guessed, so only password attempts are limited.
        known = await asyncio.to_thread(callers.tokens.find, token)
    else:
        try:
            # Take a turn before counting the attempt: whoever gets none has tried no password.
            async with callers.hashing.turn():
                if wait := await asyncio.to_thread(callers.users.seconds_to_wait, name, _address(request)):
                    return _later(_sign_in(request, where, name, f"too many wrong tries; wait {wait} s", 429), wait)
                if callers.auth:
                    known = await asyncio.to_thread(callers.users.verified, name, fields.get("password", ""))
        except QueueFullError as full:
            return _later(_sign_in(request, where, name, str(full), 503), RETRY_SECONDS)
    if known is None:
        if not token:
            # An unknown name may be a password in the wrong field, so log "unknown". Both cases take the same time.
            person = name if await asyncio.to_thread(callers.users.named, name) else "unknown"
            await asyncio.to_thread(state.audit.record, person, "session.refused", _address(request))
        return _sign_in(request, where, name, "the token is not valid" if token else "name or password is wrong", 401)
    if not token:
        await asyncio.to_thread(callers.users.forgive, name, _address(request))
    earlier = await known_caller(request)
    if earlier is not None and earlier.session is not None:
        await asyncio.to_thread(callers.sessions.end, earlier.session.secret)
    session = await asyncio.to_thread(callers.sessions.begin, "token" if token else "user", known.name, known.stamp)
    await asyncio.to_thread(state.audit.record, known.name, "session.begun", known.name, kind=session.kind)
    answer = RedirectResponse(where, 303)
    set_cookie(request, answer, "adjudge", session.secret)
    set_cookie(request, answer, "adjudge-sign-in", None)
    return answer


def _later(refusal: Response, seconds: int) -> Response:
    refusal.headers["retry-after"] = str(seconds)
    return refusal


@router.post("/sign-out")
async def sign_out(caller: CallerOf, fields: FieldsOf, request: Request, state: StateOf) -> Response:
    """End the session, here and wherever its cookie is used."""
    if caller.session is not None:
        await asyncio.to_thread(_callers(request).sessions.end, caller.session.secret)
        await asyncio.to_thread(state.audit.record, caller.person, "session.ended", caller.person)
    answer = RedirectResponse("/sign-in", 303)
    set_cookie(request, answer, "adjudge", None)
    return answer


class SignInPage(TypedDict):
    """The sign-in form. `people` says whether it asks for name and password besides a token."""

    people: bool
    next: str
    name: str
    error: str
    said: str


def _sign_in(
    request: Request, where: str, name: str = "", error: str = "", status: int = 200, said: str = ""
) -> Response:
    secret = cookie(request, "adjudge-sign-in") or secrets.token_urlsafe(32)
    context = SignInPage(people=_callers(request).auth, next=where, name=name[:64], error=error, said=said)
    answer = page(request, "sign_in", context, status, sign_in=form_code(secret))
    answer.headers["cache-control"] = "no-store"
    set_cookie(request, answer, "adjudge-sign-in", secret)
    return answer


# -- people -----------------------------------------------------------------------------------------------------------


class PeoplePage(TypedDict):
    """The caller's own account, for an admin also all people, and the message about the last change."""

    person: str
    role: str
    manages: bool
    manages_tokens: bool
    has_password: bool
    auth: bool
    people: list[dict[str, str | bool]]
    roles: dict[str, str]
    shortest: int
    error: str
    about: str
    name: str
    said: str
    token: str  # the secret of the token that was just made


@router.get("/people")
@router.get("/people.json")
def people(request: Request, caller: CallerOf, said: str = "") -> Response:
    """Show the caller's own account, and to an admin everyone's."""
    return people_page(request, caller, said=_DONE.get(said, ""))


@router.post("/people")
async def add_person(caller: MayManage, fields: FieldsOf, request: Request, state: StateOf) -> Response:
    """Add a person with an initial password, which they can change later."""
    name, password = fields.get("name", ""), fields.get("password", "")

    def add(users: UserStore) -> None:
        role = check_role(fields.get("role", ""))
        _same(password, fields.get("again", ""))
        users.add(name, password, role)
        state.audit.record(caller.person, "person.added", name, role=role)

    return await _changed(request, caller, add, "added", "add", name)


@router.post("/people/password")
async def change_password(caller: CallerOf, fields: FieldsOf, request: Request, state: StateOf) -> Response:
    """Change the caller's own password. This needs the old password and ends all of the caller's sessions."""

    def change(users: UserStore) -> None:
        user, new = caller.user, fields.get("new", "")
        if user is None:
            raise ConflictError("password: only a person who signed in with one has a password")
        if wait := users.seconds_to_wait(user.name, _address(request)):
            raise InputError("password", f"too many wrong tries; wait {wait} s")
        if users.verified(user.name, fields.get("password", "")) is None:
            raise InputError("password", "is not your current one")
        users.forgive(user.name, _address(request))
        _same(new, fields.get("again", ""))
        users.set_password(user.name, new)
        state.audit.record(user.name, "person.password", user.name)

    return await _changed(request, caller, change, "password", "password")


@router.post("/people/{name}/role")
async def change_role(caller: MayManage, fields: FieldsOf, name: str, request: Request, state: StateOf) -> Response:
    """Give a person another role, effective at once."""

    def change(users: UserStore) -> None:
        role = check_role(fields.get("role", ""))
        users.set_role(name, role, keep_admin=True)
        state.audit.record(caller.person, "person.role", name, role=role)

    return await _changed(request, caller, change, "role", "list")


@router.post("/people/{name}/remove")
async def remove_person(caller: MayManage, fields: FieldsOf, name: str, request: Request, state: StateOf) -> Response:
    """Remove a person from the service. What they did is kept."""

    def remove(users: UserStore) -> None:
        users.remove(name, keep_admin=True)
        state.audit.record(caller.person, "person.removed", name)

    return await _changed(request, caller, remove, "removed", "list")


_DONE = {
    "added": "The person can sign in now.",
    "role": "The role is changed.",
    "revoked": "The token is not valid any more; its runs are stopped.",
    "removed": "The person is signed out and cannot sign in again; their runs are stopped.",
}


async def _changed(
    request: Request, caller: Caller, change: Callable[[UserStore], None], done: str, about: str, name: str = ""
) -> Response:
    """Make a change and redirect to the page, or show the page with the error."""
    callers = _callers(request)
    try:
        if not callers.auth:
            raise ConflictError("people: the service was started without --auth; `adjudge user` changes them")
        async with callers.hashing.turn():
            await asyncio.to_thread(change, callers.users)
    except QueueFullError as full:
        page = await asyncio.to_thread(people_page, request, caller, full, about, name)
        page.status_code = 503
        return _later(page, RETRY_SECONDS)
    except (InputError, ConflictError) as error:
        return await asyncio.to_thread(people_page, request, caller, error, about, name)
    return RedirectResponse("/sign-in?said=password" if done == "password" else f"/people?said={done}", 303)


def _same(password: str, again: str) -> None:
    if password != again:
        raise InputError("password", "the two entries are not the same")


def people_page(
    request: Request,
    caller: Caller,
    error: AdjudgeError | None = None,
    about: str = "",
    name: str = "",
    said: str = "",
    token: str = "",
) -> Response:
    """Show the page after a change: with its error beside the form that it is `about`, or the token that was made."""
    callers = _callers(request)
    known = (("person", callers.users.listed()), ("token", callers.tokens.listed())) if caller.may("admin") else ()
    context = PeoplePage(
        person=caller.person,
        role=caller.role,
        manages=callers.auth and caller.may("admin"),
        manages_tokens=callers.required and caller.may("admin"),
        has_password=caller.user is not None,
        auth=callers.auth,
        people=[
            {
                "name": each.name,
                "kind": kind,
                "role": each.role,
                "since": str(datetime.fromtimestamp(each.created, UTC).date()),
                "self": each.name == caller.name,
            }
            for kind, found in known
            for each in found
        ],
        roles=_TELLS,
        shortest=MIN_PASSWORD,
        error=str(error or "").replace("NAME:", "name:", 1),
        about=about,
        name=name,
        said=said,
        token=token,
    )
    return page(request, "people", context, status_of(error))


def _address(request: Request) -> str:
    """Return the sender's address in its one usual form. A header may say anything where a proxy is trusted."""
    try:
        return str(ip_address((request.client.host if request.client else "").partition("%")[0]))
    except ValueError:
        return "unknown"


def _callers(request: Request) -> Callers:
    callers: Callers = request.app.state.callers
    return callers
