"""Requests of people with a name and a role, whatever lets them in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI

from adjudge.server.callers import Caller, caller_of

FORM = {"accept": "text/html", "origin": "http://testserver"}


@dataclass(slots=True)
class Person(Caller):
    """Somebody who has signed in."""

    who: str = ""

    @property
    def name(self) -> str | None:
        return self.who


@contextmanager
def acting_as(app: FastAPI, name: str, role: Any = "annotator") -> Iterator[None]:
    """All requests inside are this person's."""
    before = app.dependency_overrides.get(caller_of)
    app.dependency_overrides[caller_of] = lambda: Person(role=role, who=name)
    try:
        yield
    finally:
        app.dependency_overrides.pop(caller_of)
        if before is not None:
            app.dependency_overrides[caller_of] = before
