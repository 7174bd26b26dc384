"""Parts of a verdict as the JSON that is kept beside it for a replay, and made again from it.

Only we write it, so nothing is checked but the names of the fields: one too many or too few is a TypeError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from .common import Call, Failure, Finding, Lookup, Usage


def failure_json(failure: Failure) -> dict[str, Any]:
    """A failure and the calls behind it, as plain data that JSON can hold."""
    return {
        "reason": failure.reason,
        "message": failure.message,
        "judge": failure.judge,
        "calls": [_call_json(call) for call in failure.calls],
    }


def failure_of(stored: Mapping[str, Any]) -> Failure:
    """The failure that was written so."""
    return Failure(**{**stored, "calls": tuple(_call_of(call) for call in stored.get("calls", ()))})


def lookup_of(stored: Mapping[str, Any]) -> Lookup:
    """The search that was written so."""
    return Lookup(**{**stored, "findings": tuple(Finding(**finding) for finding in stored.get("findings", ()))})


def _call_json(call: Call) -> dict[str, Any]:
    return {
        "key": call.key,
        "purpose": call.purpose,
        "model": call.model,
        "usage": asdict(call.usage),
        "cost": None if call.cost is None else str(call.cost),
        "attempts": call.attempts,
        "sent": call.sent,
    }


def _call_of(stored: Mapping[str, Any]) -> Call:
    cost = stored.get("cost")
    return Call(**{**stored, "usage": Usage(**stored["usage"]), "cost": None if cost is None else Decimal(cost)})
