"""Requests of people with a name and a role, whatever lets them in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI

from adjudge.server.callers import Caller, Callers
from adjudge.server.users import User

FORM = {"accept": "text/html", "origin": "http://testserver"}


class _OneCaller(Callers):
    """Whoever asks is this person."""

    caller: Caller

    def known(self, bearer: str | None, cookie: str | None) -> Caller:
        return self.caller


@contextmanager
def acting_as(app: FastAPI, name: str, role: Any = "annotator") -> Iterator[None]:
    """All requests inside are this person's."""
    before: Callers = app.state.callers
    app.state.callers = instead = _OneCaller(before.tokens, before.users, before.sessions)
    instead.caller = Caller(user=User(name, role, 0.0, ""))
    try:
        yield
    finally:
        app.state.callers = before
