"""The audit log: who accepted, changed or rejected what, and when. Entries are added and never changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

_SCHEMA = """
create table if not exists audit (
    id integer primary key, time text not null, person text not null, action text not null, subject text not null,
    detail text not null
)
"""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act of one person: `action` such as `review.accepted`, `subject` the id of what it was done to."""

    time: str
    person: str
    action: str
    subject: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AuditLog:
    """The entries in a file, which is made with the first one."""

    path: Path

    def record(self, person: str, action: str, subject: str, **detail: Any) -> None:
        """Add an entry; it is on the disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute(_SCHEMA)
            time = datetime.now(UTC).isoformat(timespec="seconds")
            row = (time, person, action, subject, orjson.dumps(detail, default=str).decode())
            database.execute("insert into audit (time, person, action, subject, detail) values (?, ?, ?, ?, ?)", row)

    def entries(self, subject: str | None = None) -> list[AuditEntry]:
        """All entries, or those about one thing, the oldest first."""
        if not self.path.exists():
            return []
        with closing(sqlite3.connect(self.path)) as database:
            rows = database.execute(
                "select time, person, action, subject, detail from audit where ? is null or subject = ? order by id",
                (subject, subject),
            )
            return [
                AuditEntry(time, who, action, about, orjson.loads(detail)) for time, who, action, about, detail in rows
            ]

    def subjects(self, kind: str) -> frozenset[str]:
        """All that was ever acted on in this way: `review` for `review.accepted` and the like."""
        if not self.path.exists():
            return frozenset()
        with closing(sqlite3.connect(self.path)) as database:
            rows = database.execute("select distinct subject from audit where action glob ?", (f"{kind}.*",))
            return frozenset(subject for (subject,) in rows)
