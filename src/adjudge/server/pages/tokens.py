"""Tokens on the page of people: an admin makes one, which is shown once, and revokes one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...arithmetic import to_decimal
from ...errors import ConflictError, InputError
from ..callers import Callers, MayManage
from ..common import StateOf
from ..users import Role, TokenStore, check_role
from .common import FieldsOf
from .people import people_page

router = APIRouter(include_in_schema=False)


@router.post("/people/tokens")
async def add_token(caller: MayManage, fields: FieldsOf, request: Request, state: StateOf) -> Response:
    """Make a token and show it, this once, on the page that answers."""
    name = fields.get("name", "")

    def add() -> Response:
        try:
            role = check_role(fields.get("role", ""))
            secret = _added(_tokens(request), name, role, fields)
        except (InputError, ConflictError) as error:
            return people_page(request, caller, error, "token", name)
        state.audit.record(caller.person, "token.added", name, role=role)
        answer = people_page(request, caller, name=name, token=secret)
        answer.headers["cache-control"] = "no-store"
        return answer

    return await asyncio.to_thread(add)


@router.post("/people/tokens/{name}/revoke")
async def revoke_token(caller: MayManage, fields: FieldsOf, name: str, request: Request, state: StateOf) -> Response:
    """Revoke a token, with immediate effect."""

    def revoke() -> Response:
        try:
            _tokens(request).revoke(name)
        except (InputError, ConflictError) as error:
            return people_page(request, caller, error, "list")
        state.audit.record(caller.person, "token.revoked", name)
        return RedirectResponse("/people?said=revoked", 303)

    return await asyncio.to_thread(revoke)


def _tokens(request: Request) -> TokenStore:
    callers: Callers = request.app.state.callers
    if not callers.required:
        # The first token closes an open service to everybody, the sender of this form included.
        raise ConflictError("tokens: nobody signs in here; `adjudge token add NAME` makes the first one")
    return callers.tokens


def _added(tokens: TokenStore, name: str, role: Role, fields: Mapping[str, str]) -> str:
    budget, rate = (_number(fields, field) for field in ("budget", "rate"))
    if rate is not None and rate != int(rate):
        raise InputError("rate", fields["rate"][:40], "a whole number of requests a minute")
    try:
        return tokens.add(name, budget=budget, rate=None if rate is None else int(rate), role=role)
    except InputError as error:
        raise error.renamed({"--budget": "budget", "--rate": "rate"}) from None


def _number(fields: Mapping[str, str], field: str) -> Decimal | None:
    given = fields.get(field, "").strip()
    if given and ((exact := to_decimal(given)) is None or not exact.is_finite()):
        raise InputError(field, f"{given[:40]!r} is not a number", "leave it empty for no limit")
    return to_decimal(given) if given else None
