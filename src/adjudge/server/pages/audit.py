"""The page of the audit log: who did what, filtered and in pages."""

from __future__ import annotations

from typing import Annotated, TypedDict
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from ...protocols.base import names, protocol_of
from ..audit import ACTIONS, AuditEntry
from ..callers import MayManage
from ..common import Cursor, StateOf, read_cursor
from .common import A_PAGE, page

router = APIRouter(include_in_schema=False)
Filter = Annotated[str, Query(max_length=200)]


class AuditPage(TypedDict):
    """A page of the audit log, newest entry first, with its filters."""

    entries: list[AuditEntry]
    persons: list[str]
    actions: list[str]
    person: str
    action: str
    subject: str
    next: str | None
    next_address: str | None


@router.get("/audit")
@router.get("/audit.json")
def audit(
    request: Request,
    caller: MayManage,
    state: StateOf,
    person: Filter = "",
    action: Filter = "",
    subject: Filter = "",
    cursor: Cursor = None,
) -> Response:
    """Show who did what, newest first."""
    before = read_cursor(cursor, "[0-9]{1,18}")
    # No name contains a NUL byte, and Postgres does not accept one.
    given = {"person": person, "action": action, "subject": subject}
    given = {field: value.replace("\x00", "") for field, value in given.items()}
    wanted = {field: value for field, value in given.items() if value}
    found = state.audit.newest(A_PAGE + 1, None if before is None else int(before), **wanted)
    persons, actions = state.audit.known()
    more = str(found[A_PAGE - 1].number) if len(found) > A_PAGE else None
    context = AuditPage(
        entries=found[:A_PAGE],
        persons=persons,
        actions=actions,
        person=given["person"],
        action=given["action"],
        subject=given["subject"],
        next=more,
        next_address=more and "/audit?" + urlencode({**wanted, "cursor": more}),
    )
    known = dict(ACTIONS)
    for name in names():
        known |= protocol_of(name).service().actions
    return page(request, "audit", context, known=known)
