"""The columns of a dialogue in a run's flat table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from ..figures import (
    CaseListing,
    CaseSql,
    CriterionGrid,
    CriterionMeans,
    GateFigure,
    ListColumn,
    Number,
    Outcomes,
    OutcomeShare,
)
from ..table import Column, Table
from . import GATES
from .verdict import AVERAGE, DialogueVerdict


def _evaluated(verdict: DialogueVerdict, key: str) -> Any:
    return getattr(verdict.output.evaluator[key], "score", None)


_ROUNDED_DOWN = "the final average rounded down to a step of the scale"

_FINAL, _BEFORE = "the weighted average of the final scores", "the same before the Critic spoke"

_OBJECTIONS = "how many scores the Critic objected to"

_COLUMNS = (
    Column("overall_experience", "DOUBLE", _ROUNDED_DOWN, lambda v: v.overall_experience, score=True),
    Column("average", "DOUBLE", _FINAL, lambda v: v.output.referee_final[AVERAGE], score=True),
    Column("evaluator_average", "DOUBLE", _BEFORE, lambda v: v.output.evaluator[AVERAGE], score=True),
    Column("objections", "BIGINT", _OBJECTIONS, lambda v: sum(not entry.agree for entry in v.output.critic)),
    Column(
        "changed",
        "BIGINT",
        "how many scores the Referee changed",
        lambda v: sum(ruling.value != _evaluated(v, key) for key, ruling in v.rulings.items()),
    ),
)


def _criterion_columns(key: str, name: str, called: str) -> Iterable[Column]:
    def suggested(verdict: DialogueVerdict) -> Decimal | None:
        return next((entry.suggested_score for entry in verdict.output.critic if entry.criterion == key), None)

    yield Column(called, "DOUBLE", f"{name}: the final score", lambda v: v.rulings[key].value, score=True, title=name)
    yield Column(f"{called}_evaluator", "DOUBLE", f"{name}: the Evaluator's score", lambda v: _evaluated(v, key))
    yield Column(f"{called}_critic", "DOUBLE", f"{name}: what the Critic suggested, if it objected", suggested)


TABLE = Table(
    columns=_COLUMNS,
    of_criterion=_criterion_columns,
    criteria=lambda verdict: verdict.rulings,
    outcome=Outcomes(
        value="format('{:g}', overall_experience)",
        column="overall_experience",
        name="overall experience",
        heading="Overall",
        title="Overall experience",
        noun="dialogue",
        before="Overall experience",
        where=" at each step",
        low=40,
        high=80,
    ),
    number=Number(column="average", step=5, expected="People are expected to rate it {}"),
    case=CaseSql(
        extracted={"texts": "input ->> '$.turns[*].text'", "speakers": "input ->> '$.turns[*].speaker'"},
        content="hash(speakers, texts)",
        opening="texts[list_position(speakers, 'USER')]",
    ),
    shown=("overall_experience", "average", "objections", "changed", "label"),
    listed=(
        ListColumn("average", "Average"),
        ListColumn("objections", "Objections"),
        ListColumn("changed", "Changed"),
        ListColumn("label", "Label", optional=True),
    ),
    tested={"average": "final average", "overall_experience": "overall experience"},
    means=CriterionMeans(whose="the final scores", totals=(("average", "Weighted average", "A"),)),
    grid=CriterionGrid(
        suffixes=("",),
        cell="{0}",
        order="average",
        lead="the best on the left",
        tones=("B", "A", "A"),
        legend=(("A", "high"), ("B", "low")),
    ),
    score_suffixes=("_evaluator",),
    gates=(
        GateFigure(
            name="mean_score",
            about=GATES["mean_score"],
            value="average",
            scale=lambda rubric: (float(rubric.scale.low), float(rubric.scale.high)),
        ),
    ),
)


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    for step, count in sorted(answers.items(), key=lambda item: -float(item[0])):
        yield OutcomeShare(TABLE.outcome.tone(step), count, f"at {step}")


LISTING = CaseListing(parts=_parts, orders={"average": "lowest first"})
