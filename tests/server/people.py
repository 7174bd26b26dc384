"""Requests of people with a name and a role, whatever lets them in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI

from adjudge.server.callers import Caller, caller_of
from adjudge.server.users import User

FORM = {"accept": "text/html", "origin": "http://testserver"}


@contextmanager
def acting_as(app: FastAPI, name: str, role: Any = "annotator") -> Iterator[None]:
    """All requests inside are this person's."""
    before = app.dependency_overrides.get(caller_of)
    app.dependency_overrides[caller_of] = lambda: Caller(user=User(name, role, 0.0, ""))
    try:
        yield
    finally:
        app.dependency_overrides.pop(caller_of)
        if before is not None:
            app.dependency_overrides[caller_of] = before
