"""Sessions of browsers: who signed in, until when, and the code that shows that a form came from a page of theirs.

A session's id is 256 random bits in a cookie; the database holds only its SHA-256. Every sign-in makes a new one.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fastapi import Request, Response

from .database import ServiceDatabase
from .guard import LOOPBACK_NAMES
from .users import digest

IDLE_SECONDS = 12 * 3600.0
LONGEST_SECONDS = 7 * 86_400.0
_NOTE_EVERY = 60.0  # seconds: not every request needs to be written down
_SESSION, _SIGN_IN = "adjudge", "adjudge-sign-in"

Kind = Literal["user", "token"]


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser that is signed in, as a person or with a token; `csrf` stands in all its forms.

    `stamp` is that of the password or token it was begun with: with another one it is worth nothing.
    """

    secret: str
    kind: Kind
    name: str
    stamp: str

    @property
    def csrf(self) -> str:
        return form_code(self.secret)


class SessionStore:
    """The sessions in a database; `clock` says the time in seconds."""

    def __init__(self, database: ServiceDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock

    def begin(self, kind: Kind, name: str, stamp: str) -> BrowserSession:
        """A new session, and an end to all that are over."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        self._database.changes(
            (
                "delete from adjudge_sessions where created < ? or seen < ?",
                (now - LONGEST_SECONDS, now - IDLE_SECONDS),
            ),
            ("insert into adjudge_sessions values (?, ?, ?, ?, ?, ?)", (digest(secret), kind, name, stamp, now, now)),
        )
        return BrowserSession(secret, kind, name, stamp)

    def find(self, secret: str) -> BrowserSession | None:
        """The session with this id, unless it is over."""
        now = self._clock()
        found = self._database.rows(
            "select kind, name, stamp, seen from adjudge_sessions where hash = ? and created >= ? and seen >= ?",
            *(digest(secret), now - LONGEST_SECONDS, now - IDLE_SECONDS),
        )
        if not found:
            return None
        kind, name, stamp, seen = found[0]
        if now - seen > _NOTE_EVERY:
            self._database.change("update adjudge_sessions set seen = ? where hash = ?", now, digest(secret))
        return BrowserSession(secret, kind, name, stamp)

    def end(self, secret: str) -> None:
        """Sign out."""
        self._database.change("delete from adjudge_sessions where hash = ?", digest(secret))


def form_code(secret: str) -> str:
    """What a form holds to show that it came from a page for whoever has this secret in a cookie."""
    return hmac.digest(secret.encode("utf-8", "surrogateescape"), b"form", "sha256").hex()


def fits(secret: str, given: str) -> bool:
    """Whether a form holds the code of this secret."""
    return hmac.compare_digest(form_code(secret).encode(), given.encode("utf-8", "surrogateescape"))


# -- cookies ----------------------------------------------------------------------------------------------------------


def session_cookie(request: Request) -> str | None:
    """The id of the session in a request."""
    return request.cookies.get(_name(_SESSION, request))


def sign_in_cookie(request: Request) -> str | None:
    """The secret that a browser was given with the sign-in form, so that nobody else can sign it in."""
    return request.cookies.get(_name(_SIGN_IN, request))


def set_session(request: Request, response: Response, session: BrowserSession | None) -> None:
    """Give the browser a session, or take it away."""
    _set(request, response, _SESSION, None if session is None else session.secret)
    _set(request, response, _SIGN_IN, None)


def set_sign_in(request: Request, response: Response, secret: str) -> None:
    """Give the browser the secret of the sign-in form."""
    _set(request, response, _SIGN_IN, secret)


def _set(request: Request, response: Response, name: str, value: str | None) -> None:
    # Without an age it is gone when the browser is closed.
    response.set_cookie(
        _name(name, request), value or "", max_age=None if value else 0, path="/", httponly=True, samesite="lax",
        secure=_is_secure(request),
    )  # fmt: skip


def _name(name: str, request: Request) -> str:
    # Browsers take a name that begins so from this very host only, over TLS.
    return f"__Host-{name}" if _is_secure(request) else name


def _is_secure(request: Request) -> bool:
    """Whether cookies may go over TLS only: everywhere but on this machine without TLS."""
    return request.url.scheme == "https" or (request.url.hostname or "").lower() not in LOOPBACK_NAMES
