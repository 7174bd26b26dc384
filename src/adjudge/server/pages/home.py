"""The first page, `/`: each role starts where its work is. A service without accounts starts with the form to judge."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...protocols.base import names, protocol_of
from ..callers import Caller, CallerOf
from ..common import State, StateOf
from . import judge
from .common import wants_html

router = APIRouter(include_in_schema=False)


@router.get("/")
async def show_first(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Lead a signed-in person to where their work is; everybody else gets the form to judge."""
    if caller.session is not None and wants_html(request):
        return RedirectResponse(await first_page(state, caller), 303)
    return await judge.show_form(request, state, caller)


async def first_page(state: State, caller: Caller) -> str:
    """Return the address where a person starts: an annotator labels, a reviewer reviews what waits, and all others, who
    lead or look on, begin with the runs."""
    if caller.role == "annotator":
        return "/label"
    if caller.role == "reviewer":
        for name in names():
            waiting = protocol_of(name).service().waiting
            if waiting is not None and (address := await waiting(state, caller)):
                return address
    return "/runs"
