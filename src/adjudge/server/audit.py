"""The audit log: who signed in, who changed people, who accepted, changed or rejected what, and when.

Entries are added and never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from .database import ServiceDatabase


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act of one person: `action` such as `review.accepted`, `subject` the id of what it was done to."""

    time: str
    person: str
    action: str
    subject: str
    detail: Mapping[str, Any]
    number: int = 0


@dataclass(frozen=True, slots=True)
class AuditLog:
    """The entries in the service's database."""

    database: ServiceDatabase

    def record(self, person: str, action: str, subject: str, **detail: Any) -> None:
        """Add an entry; it is on the disk when this returns."""
        time = datetime.now(UTC).isoformat(timespec="seconds")
        self.database.change(
            "insert into adjudge_audit (time, person, action, subject, detail) values (?, ?, ?, ?, ?)",
            *(time, person, action, subject, orjson.dumps(detail, default=str).decode()),
            durable=True,
        )

    def entries(self, subject: str | None = None) -> list[AuditEntry]:
        """All entries, or those about one thing, the oldest first."""
        return self._found({"subject": subject}, "order by id")

    def newest(
        self,
        limit: int,
        before: int | None = None,
        *,
        person: str | None = None,
        action: str | None = None,
        subject: str | None = None,
    ) -> list[AuditEntry]:
        """Entries that fit, the newest first; `before`: older than the one of this number."""
        fitting = {"person": person, "action": action, "subject": subject}
        return self._found(fitting, "order by id desc limit ?", limit, before=before)

    def known(self) -> tuple[list[str], list[str]]:
        """All persons and all actions in the log."""
        persons, actions = (
            [row[0] for row in self.database.rows(f"select distinct {column} from adjudge_audit order by {column}")]
            for column in ("person", "action")
        )
        return persons, actions

    def subjects(self, kind: str) -> frozenset[str]:
        """All that was ever acted on in this way: `review` for `review.accepted` and the like."""
        rows = self.database.rows("select distinct subject from adjudge_audit where action like ?", f"{kind}.%")
        return frozenset(subject for (subject,) in rows)

    def _found(
        self, fitting: Mapping[str, str | None], rest: str, *values: int, before: int | None = None
    ) -> list[AuditEntry]:
        given: dict[str, str | int] = {f"{column} = ?": value for column, value in fitting.items() if value is not None}
        if before is not None:
            given["id < ?"] = before
        rows = self.database.rows(
            "select time, person, action, subject, detail, id from adjudge_audit "
            f"where {' and '.join(['true', *given])} {rest}",
            *given.values(),
            *values,
        )
        return [
            AuditEntry(time, who, act, about, orjson.loads(detail), number)
            for time, who, act, about, detail, number in rows
        ]
