"""What all adapters share: grade one answer as a host gives it, and put the findings into plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import AdjudgeError, InputError
from ..models.common import Failure
from ..protocols.grade.rubric import pass_at
from ..protocols.rubrics import rubric_for
from ..reports import error_report
from .explaining import explain

if TYPE_CHECKING:
    from ..protocols.grade.verdict import GradeVerdict

UNDECIDED = "undecided"


class JudgmentFailedError(AdjudgeError):
    """There is no verdict, in a host that has no other way to learn it."""


class Marking(NamedTuple):
    """What hosts are given of a rubric: its name, version and hash in one word, and the score that passes."""

    reference: str
    pass_at: float


def marking(rubric: str | Path | None) -> Marking:
    """Read the rubric, or take the shipped one."""
    read = rubric_for("grade", rubric)
    return Marking(read.reference, float(pass_at(read)))


def failure_text(failure: Failure) -> str:
    """Return the one line that says why there is no verdict."""
    return error_report(failure).error


def details(outcome: GradeVerdict | Failure) -> dict[str, Any]:
    """Return what a host keeps beside score and explanation, as plain JSON data; an unknown cost is left out."""
    if isinstance(outcome, Failure):
        return {"failure": outcome.reason, "judge": outcome.judge}
    cost = {} if outcome.cost_usd is None else {"cost_usd": float(outcome.cost_usd)}
    return {
        "verdict_id": outcome.verdict_id,
        "judge": outcome.provenance.judge,
        "rubric": outcome.provenance.rubric,
        "outcome": outcome.answer,
        "score": float(outcome.score),
        "score_exact": str(outcome.score_exact),
        "pass_at": float(outcome.pass_at),
        **cost,
        "items": [{"key": item.key, "result": item.result, "earned": as_float(item.earned)} for item in outcome.items],
    }


def explanation(outcome: GradeVerdict | Failure) -> str:
    """Say why the outcome is what it is, be it a verdict or a failure."""
    return failure_text(outcome) if isinstance(outcome, Failure) else explain(outcome)


def as_text(value: object) -> str:
    """Return a text as it is, and other data of a host as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def named(place: str, name: str, given: Mapping[str, Any]) -> Any:
    """Return what a host gave by this name, which the setting `place` asks for. Raise InputError if it gave no such."""
    if name not in given:
        raise InputError(place, f"there is no {name!r:.60}", f"one of {', '.join(given)}" if given else "none is given")
    return given[name]


def as_float(number: Decimal | None) -> float | None:
    """Return a number as hosts keep it."""
    return None if number is None else float(number)
