"""The columns of a dialogue in a run's flat table."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ..table import Column, Table
from .verdict import AVERAGE, DialogueVerdict


def _evaluated(verdict: DialogueVerdict, key: str) -> Any:
    return getattr(verdict.output.evaluator[key], "score", None)


def _changed(verdict: DialogueVerdict) -> int:
    return sum(ruling.value != _evaluated(verdict, key) for key, ruling in verdict.rulings.items())


_ROUNDED_DOWN = "the final average rounded down to a step of the scale"

_FINAL, _BEFORE = "the weighted average of the final scores", "the same before the Critic spoke"

_OBJECTIONS = "how many scores the Critic objected to"

_COLUMNS = (
    Column("overall_experience", "DOUBLE", _ROUNDED_DOWN, lambda v: v.overall_experience, score=True),
    Column("average", "DOUBLE", _FINAL, lambda v: v.output.referee_final[AVERAGE], score=True),
    Column("evaluator_average", "DOUBLE", _BEFORE, lambda v: v.output.evaluator[AVERAGE], score=True),
    Column("objections", "BIGINT", _OBJECTIONS, lambda v: sum(not entry.agree for entry in v.output.critic)),
    Column("changed", "BIGINT", "how many scores the Referee changed", _changed),
)


def _criterion_columns(key: str, name: str, called: str) -> Iterable[Column]:
    def suggested(verdict: DialogueVerdict) -> Decimal | None:
        return next((entry.suggested_score for entry in verdict.output.critic if entry.criterion == key), None)

    yield Column(called, "DOUBLE", f"{name}: the final score", lambda v: v.rulings[key].value, score=True)
    yield Column(f"{called}_evaluator", "DOUBLE", f"{name}: the Evaluator's score", lambda v: _evaluated(v, key))
    yield Column(f"{called}_critic", "DOUBLE", f"{name}: what the Critic suggested, if it objected", suggested)


TABLE = Table(
    columns=_COLUMNS,
    of_criterion=_criterion_columns,
    criteria=lambda verdict: verdict.rulings,
)
