"""The audit log: who signed in, changed people, or made a decision, and when. Entries are never changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

from .database import ServiceDatabase

_LAST = 2**63 - 1  # greater than the number of any entry
_AT_ONCE = 900  # subjects looked up together


class Action(NamedTuple):
    """An action in words that follow the person's name, and the page of what it was done to; empty if there is none."""

    words: str
    page: str = ""


# Protocols add their own (`Service.actions`).
ACTIONS: Mapping[str, Action] = {
    "session.begun": Action("signed in"),
    "session.ended": Action("signed out"),
    "session.refused": Action("was refused at the sign-in"),
    "person.added": Action("added a person"),
    "person.role": Action("changed a person’s role"),
    "person.password": Action("changed a password"),
    "person.removed": Action("removed a person"),
    "token.added": Action("made a token"),
    "token.revoked": Action("revoked a token"),
    "rubric.kept": Action("saved a rubric"),
    "labels.set_up": Action("set up labelling", "/runs/{}/label"),
    "run.uploaded": Action("uploaded a file", "/runs/{}"),
    "run.started": Action("started a run", "/runs/{}"),
    "run.paused": Action("paused a run", "/runs/{}"),
    "run.resumed": Action("resumed a run", "/runs/{}"),
    "run.cancelled": Action("stopped a run", "/runs/{}"),
    "run.deleted": Action("deleted a run"),
}


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action of one person: `action` such as `review.accepted`, `subject` the id of the thing acted on."""

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

    def record(self, person: str, action: str, subject: str, *, after: int | None = None, **detail: Any) -> bool:
        """Add an entry and return True once it is on the disk.

        `after` is the number of the newest entry of this kind (`review` of `review.accepted`) about this subject that
        the caller knows, 0 for none. If there is a newer one, add nothing and return False.
        """
        time = datetime.now(UTC).isoformat(timespec="seconds")
        values = (time, person, action, subject, orjson.dumps(detail, default=str).decode())
        newest, kind = _LAST if after is None else after, action.partition(".")[0]
        adding = "insert into adjudge_audit (time, person, action, subject, detail) select ?, ?, ?, ?, ?"
        unless = "where not exists (select 1 from adjudge_audit where subject = ? and action like ? and id > ?)"
        return bool(self.database.change(f"{adding} {unless}", *values, subject, f"{kind}.%", newest, careful=True))

    def entries(self, subject: str | None = None) -> list[AuditEntry]:
        """Return all entries, or those about one subject, oldest first."""
        return self.newest(_LAST, None, **({} if subject is None else {"subject": subject}))[::-1]

    def newest(self, limit: int, before: int | None = None, **fitting: str) -> list[AuditEntry]:
        """Return entries with this `person`, `action` or `subject` and a number below `before`, newest first."""
        rows = self.database.rows(
            "select time, person, action, subject, detail, id from adjudge_audit "
            f"where {''.join(f'{column} = ? and ' for column in fitting)}id < ? order by id desc limit ?",
            *(*fitting.values(), _LAST if before is None else before, limit),
        )
        return [
            AuditEntry(time, who, act, about, orjson.loads(detail), number)
            for time, who, act, about, detail, number in rows
        ]

    def known(self) -> tuple[list[str], list[str]]:
        """Return all persons and all actions in the log."""
        persons = self.database.rows("select distinct person from adjudge_audit order by person")
        actions = self.database.rows("select distinct action from adjudge_audit order by action")
        return [person for (person,) in persons], [action for (action,) in actions]

    def latest(self, actions: Collection[str], subjects: Sequence[str]) -> dict[str, tuple[str, str, str]]:
        """Return the action, person and time of the newest entry for one of these actions, by subject."""
        found: dict[str, tuple[str, str, str]] = {}
        for begin in range(0, len(subjects), _AT_ONCE):
            some = subjects[begin : begin + _AT_ONCE]
            among = ", ".join("?" * len(some))
            rows = self.database.rows(
                f"select subject, action, person, time from adjudge_audit where subject in ({among}) order by id", *some
            )
            found |= {subject: (action, who, time) for subject, action, who, time in rows if action in actions}
        return found
