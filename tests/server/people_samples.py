"""A service with people, for tests: quick password hashes, a clock that stands still, and browsers to sign in with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from server.run_pages import HTML, bearer

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.database import ServiceDatabase, open_database
from adjudge.server.users import Role, TokenStore, UserStore

PASSWORD = "correct horse battery"
FORM = {**HTML, "origin": "http://localhost"}
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Browser(TestClient):
    """Sends forms as a browser does: from our own page, with what its hidden fields hold."""

    def __init__(self, app: FastAPI, url: str = "http://localhost") -> None:
        super().__init__(app, base_url=url, follow_redirects=False)
        self.form = {**HTML, "origin": url}
        # One that is not entered would start a thread and an event loop for every request.
        self.portal = getattr(app.state, "portal", None)

    def __enter__(self) -> Browser:
        super().__enter__()
        self.app.state.portal = self.portal
        return self

    def __exit__(self, *failed: Any) -> None:
        self.app.state.portal = None
        super().__exit__(*failed)

    def submit(self, path: str, fields: dict[str, str] | None = None, page: str = "/people", **more: Any) -> Any:
        return self.post(path, data={**self.hidden(page), **(fields or {})}, headers={**self.form, **more})

    def hidden(self, page: str) -> dict[str, str]:
        text = self.get(page, headers=HTML).text
        return dict(re.findall(r'<input type="hidden" name="(csrf|sign_in)" value="([^"]*)">', text))

    def sign_in(self, name: str = "ann", password: str = PASSWORD, next: str = "/", **fields: str) -> Any:  # noqa: A002
        given = fields or {"name": name, "password": password}
        return self.submit("/sign-in", {**given, "next": next}, "/sign-in")


@dataclass
class PeopleService:
    """An application over a database, and its stores as another process would see them."""

    folder: Any
    database: ServiceDatabase | None = None
    auth: bool = True
    clock: Clock = field(default_factory=Clock)
    settings: CompareSettings = field(default_factory=CompareSettings)

    def __post_init__(self) -> None:
        database = self.database = self.database or open_database(self.folder / "service.db")
        self.users, self.tokens = UserStore(database, self.clock, QUICK), TokenStore(database)
        self.app = self.another_process()

    def another_process(self) -> FastAPI:
        return create_app(
            self.settings,
            journal=self.folder / "journal.db",
            tokens=TokenStore(self.database),
            auth=self.auth,
            clock=self.clock,
            hosts=("ours.example",),
        )

    def emptied(self) -> PeopleService:
        """The same as it was at first: to make another application takes a fifth of a second."""
        tables = ("tokens", "given", "users", "sessions", "attempts", "audit")
        self.database.changes(*((f"delete from adjudge_{table}", ()) for table in tables))
        self.clock.now = Clock.now
        return self

    def add(self, name: str, role: Role = "reviewer") -> None:
        self.users.add(name, PASSWORD, role)

    def token(self, name: str, **limits: Any) -> dict[str, str]:
        """The header of a new token."""
        return bearer(self.tokens.add(name, **limits))

    def browser(self, name: str = "", url: str = "http://localhost") -> Browser:
        made = Browser(self.app, url)
        if name:
            assert made.sign_in(name).status_code == 303
        return made
