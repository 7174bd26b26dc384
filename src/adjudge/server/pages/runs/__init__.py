"""Pages of runs: the list and what begins one, a run in pictures with its cases, two runs compared, runs over time."""

from __future__ import annotations

from fastapi import APIRouter

from . import changes, listing, one_run

router = APIRouter(include_in_schema=False)
# Fixed names come before what might be a run's id.
for part in (listing, changes, one_run):
    router.include_router(part.router)
