"""`GET /api/health`: is the service up, and what does it judge with?"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel

from ..version import __version__
from .state import State, state_of

router = APIRouter()


class Health(BaseModel):
    """The service's own state; it asks no judge."""

    status: Literal["ok"]
    version: str
    judge: str
    rubric: str


@router.get("/api/health", tags=["service"], summary="Is the service up?")
async def health(state: Annotated[State, Depends(state_of)]) -> Health:
    """Answers as long as the service runs and its journal is open."""
    return Health(status="ok", version=__version__, judge=state.settings.judge, rubric=state.settings.rubric.reference)
