"""The columns of a grading in a run's flat table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from ...arithmetic import rounded
from ..figures import (
    UNDECIDED,
    CaseListing,
    CaseSql,
    CriterionGrid,
    GateFigure,
    ListColumn,
    Number,
    OutcomeClass,
    Outcomes,
    OutcomeShare,
)
from ..table import Column, Table
from . import GATES
from .reading import label_from
from .verdict import FAIL, PASS, SIX, Claim, GradeVerdict, ItemVerdict

_PASSES = "whether it passes; empty if that depends on what nobody assessed"
_SURE = "whether it passes or not whatever the items are worth that nobody assessed"


def _hundred(score: Fraction) -> Decimal:
    return rounded(100 * score, SIX)


def _claims(verdict: GradeVerdict, result: str | None = None) -> int | None:
    """Count the claims, or those with this result; None if the rubric has no item that lists claims."""
    found: list[Claim] = [claim for item in verdict.items if item.kind == "claims" for claim in item.claims]
    listed = any(item.kind == "claims" and item.assessed for item in verdict.items)
    return sum(claim.result == result for claim in found) if listed else None


def _undecided_by(verdict: GradeVerdict) -> str | None:
    """Name the items that nobody assessed, if the outcome depends on them."""
    if verdict.decided:
        return None
    names = [item.key for item in verdict.items if item.applicable and not item.assessed]
    return f"not assessed: {', '.join(names)}"


_WORST = "the same with what nobody assessed at its worst"
_BEST = "the same with what nobody assessed at its best"
_COLUMNS = (
    Column("outcome", "VARCHAR", "pass, fail or undecided", lambda v: v.answer),
    Column("passed", "BOOLEAN", _PASSES, lambda v: v.passed),
    Column("decided", "BOOLEAN", _SURE, lambda v: v.decided),
    Column("undecided_by", "VARCHAR", "the items on which it depends, if it is not decided", _undecided_by),
    Column("score", "DOUBLE", "the score, 0 to 100", lambda v: _hundred(v.score_exact), score=True),
    Column("score_worst", "DOUBLE", _WORST, lambda v: _hundred(v.worst.score_exact)),
    Column("score_best", "DOUBLE", _BEST, lambda v: _hundred(v.best.score_exact)),
    Column("pass_at", "DOUBLE", "the score that is needed, 0 to 100", lambda v: 100 * v.pass_at),
    Column(
        "unassessed",
        "BIGINT",
        "how many applicable items nobody assessed",
        lambda v: sum(item.applicable and not item.assessed for item in v.items),
    ),
    Column("supported", "BIGINT", "claims of the answer that a source supports", partial(_claims, result="supported")),
    Column("contradicted", "BIGINT", "claims that a source contradicts", partial(_claims, result="contradicted")),
    Column("not_found", "BIGINT", "claims of which no source says anything", partial(_claims, result="not_found")),
    Column("why", "VARCHAR", "why it passed or not, in a sentence", lambda v: v.why),
)


def _value(item: ItemVerdict) -> Decimal | None:
    """Return what an assessed item got on its own scale: 0 or 1, a level, or a share."""
    if item.share is None:
        return None
    return rounded(Fraction(item.result) if item.kind == "scale" else item.share, SIX)


def _good(item: ItemVerdict) -> Decimal | None:
    if item.share is None:
        return None
    return rounded(1 - item.share if item.is_fault else item.share, SIX)


def _item_columns(key: str, name: str, called: str) -> Iterable[Column]:
    def of(read: Callable[[ItemVerdict], Any]) -> Callable[[GradeVerdict], Any]:
        return lambda verdict: next((read(item) for item in verdict.items if item.key == key), None)

    own = f"{name}: 1 or 0 for yes or no, the level, or the share"
    good = f"{name}: how good it is, 0 to 1; of a fault, 1 if it was not found"
    yield Column(called, "DOUBLE", own, of(_value), score=True, title=name)
    yield Column(f"{called}_good", "DOUBLE", good, of(_good))
    yield Column(f"{called}_points", "DOUBLE", f"{name}: the points it earned or cost", of(lambda item: item.earned))
    yield Column(f"{called}_result", "VARCHAR", f"{name}: the result in a word", of(lambda item: item.result))


def _agrees(label: str, cells: Mapping[str, Any]) -> bool | None:
    """Check whether a verdict says what a label says: pass or fail. An undecided one agrees with neither."""
    return None if cells.get("outcome") is None else bool(cells["outcome"] == label_from(label))


TABLE = Table(
    columns=_COLUMNS,
    of_criterion=_item_columns,
    criteria=lambda verdict: (item.key for item in verdict.items),
    agrees=_agrees,
    outcome=Outcomes(
        value="outcome",
        undecided="outcome = 'undecided'",
        blocked="undecided_by",
        why_undecided="it depends on items that nobody assessed",
        undecided_count="neither as passed nor as failed",
        of_system=("passed", "", "failed"),
        system_share="Share of its decided answers that passed",
        column="outcome",
        name="outcome",
        heading="Outcome",
        title="Passed or not",
        noun="answer",
        classes=(
            OutcomeClass(PASS, "Passed", "A", "passed", always=True),
            OutcomeClass(FAIL, "Failed", "B", "failed", always=True),
            OutcomeClass(UNDECIDED, "Undecided", UNDECIDED, "undecided"),
        ),
        sorted=(PASS, UNDECIDED, FAIL),
    ),
    number=Number(
        column="score",
        step=5,
        expected="People are expected to let it pass with a probability of {}",
        title="Scores",
        lead="Scores from 0 to 100; those that reach the pass mark are in the colour of a pass.",
        noun="answer",
        scale=(0, 100),
        tick=20,
    ),
    case=CaseSql(
        extracted={"given": "input ->> ['/task', '/answer', '/reference']", "more": "input -> ['/context', '/steps']"},
        content="hash(given[1], given[2], given[3], more[1], more[2])",
        task="hash(given[1], more[1])",
        opening="given[1]",
    ),
    shown=("outcome", "score", "unassessed", "supported", "contradicted", "not_found", "label"),
    listed=(
        ListColumn("score", "Score"),
        ListColumn("contradicted", "Contradicted", optional=True),
        ListColumn("not_found", "Not found", optional=True),
        ListColumn("label", "Label", optional=True),
    ),
    tested={"score": "score"},
    grid=CriterionGrid(
        suffixes=("_good",),
        cell="{0}",
        order="score",
        lead="the best on the left",
        tones=("B", "", "A"),
        legend=(("A", "earned"), ("B", "lost")),
    ),
    gates=(
        GateFigure(name="pass_rate", about=GATES["pass_rate"], value="passed::INT", share=True),
        GateFigure(
            name="mean_score",
            about=GATES["mean_score"],
            value="score",
            scale=lambda _: (0.0, 100.0),
            lowest="score_worst",
            highest="score_best",
        ),
    ),
)


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    outcomes = (("A", PASS, "passed"), ("B", FAIL, "did not pass"), ("tie", UNDECIDED, "undecided"))
    return (OutcomeShare(tone, answers.get(answer, 0), words) for tone, answer, words in outcomes)


LISTING = CaseListing(
    parts=_parts,
    sorts={"margin": "abs(r.score - r.pass_at)"},
    orders={"score": "lowest first", "margin": "closest to the pass mark first"},
)
