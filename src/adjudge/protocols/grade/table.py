"""The columns of a grading in a run's flat table."""

from __future__ import annotations

from ..figures import CaseSql, OutcomeClass, Outcomes
from ..table import Column, Table

TABLE = Table(
    columns=(
        Column("result", "VARCHAR", "pass, fail or undecided", lambda verdict: verdict.answer),
        Column("score", "DOUBLE", "the score from 0 to 1", lambda verdict: verdict.score, score=True),
    ),
    outcome=Outcomes(
        value="result",
        column="result",
        name="result",
        heading="Result",
        title="Passed or failed",
        classes=(OutcomeClass("pass", "Passed", "A"), OutcomeClass("fail", "Failed", "B")),
        undecided="result = 'undecided'",
    ),
    agrees=lambda label, cells: label == cells["result"],
    case=CaseSql(content="hash(input)", task="hash(input ->> '/task')", opening="input ->> '/task'"),
)
