"""What a request needs of the application."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request

from ..engine import CompareSettings, Engine


@dataclass(frozen=True, slots=True)
class State:
    """The open engine, how requests are judged, and which judges they may ask for."""

    engine: Engine
    settings: CompareSettings
    allowed_judges: frozenset[str]


def state_of(request: Request) -> State:
    """The application's state."""
    state: State = request.app.state.adjudge
    return state
