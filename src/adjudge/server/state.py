"""What a request needs of the application."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from ..engine import CompareSettings, DialogueSettings, Engine, ReviewSettings
from ..errors import InputError


@dataclass(frozen=True, slots=True)
class State:
    """The open engine, how requests are judged, and which judges they may ask for."""

    engine: Engine
    settings: CompareSettings
    dialogue_settings: DialogueSettings
    review_settings: ReviewSettings
    allowed_judges: frozenset[str]


def allowed_judge(data: Mapping[str, Any], field: str, state: State) -> str | None:
    """The judge a request names, if it may."""
    judge = data.get(field)
    if judge is None:
        return None
    if not isinstance(judge, str) or judge not in state.allowed_judges:
        allowed = ", ".join(sorted(state.allowed_judges))
        raise InputError(field, f"{str(judge)[:80]!r} is not allowed here", f"one of {allowed}")
    return judge


def state_of(request: Request) -> State:
    """The application's state."""
    state: State = request.app.state.adjudge
    return state
