"""The columns of a comparison in a run's flat table."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from ...arithmetic import rounded
from ...models.common import LABELS, Label
from ...text.findings import ATTEMPTS
from ..figures import (
    UNDECIDED,
    CaseListing,
    CaseSql,
    CriterionGrid,
    CriterionMeans,
    ListColumn,
    Number,
    OutcomeClass,
    Outcomes,
    OutcomeShare,
    TraitCount,
    counted,
    win_rate,
)
from ..table import Column, Table, agrees_on_winner
from . import GATES
from .verdict import ComparisonVerdict, Totals


def _equal_totals(verdict: ComparisonVerdict) -> bool | None:
    """Return whether the totals of both answers are equal in every order; None for identical answers."""
    if verdict.decided_by == "identical":
        return None
    weights = verdict.weights
    return all(not Totals.of(opinion.scores, weights).lead for opinion in verdict.opinions)


def undecided_by(verdict: ComparisonVerdict) -> str | None:
    """Say what kept the judge from deciding, in words that many cases share."""
    if verdict.decided:
        return None
    if verdict.recheck is not None and verdict.recheck.changed:
        return "it comes out otherwise without the text that addresses the judge"
    if any(fact.name in ATTEMPTS for fact in verdict.facts):
        return "a text tries to steer the judge"
    if verdict.order.consistent is False:
        return "the two orders disagree"
    if any(opinion.members for opinion in verdict.opinions):
        return "most members of the jury did not decide"
    return "the judge was not sure enough"


def _preferred_place(verdict: ComparisonVerdict) -> str | None:
    preferred = {opinion.order: opinion.preference for opinion in verdict.opinions}
    if len(preferred) < 2:
        return None
    places = {("A", "B"): "first", ("B", "A"): "second"}
    return places.get((preferred["ab"], preferred["ba"]), "none")


_EQUAL = "whether the judge gave both answers the same total, in every order; empty for identical answers"

_PLACE = "first or second, if the judge prefers the answer in that place in both orders; else none; empty for one order"

_BOTH_ORDERS = "whether both orders name the same winner; empty for one order"

_DIFFERENCE = "Weighted total: A less B"

_COLUMNS = (
    Column("winner", "VARCHAR", "A, B or tie; the best guess where the judge did not decide", lambda v: v.winner),
    Column("decided", "BOOLEAN", "whether the judge was sure enough to decide", lambda v: v.decided),
    Column("undecided_by", "VARCHAR", "what kept it from deciding, if it did not", undecided_by),
    Column("confidence", "DOUBLE", "how sure it is, 0 to 1, if it says", lambda v: v.confidence),
    Column(
        "total_a", "DOUBLE", "A's weighted total", lambda v: v.overall["A"].weighted_total, True, "Weighted total: A"
    ),
    Column(
        "total_b", "DOUBLE", "B's weighted total", lambda v: v.overall["B"].weighted_total, True, "Weighted total: B"
    ),
    Column("difference", "DOUBLE", "total_a − total_b", lambda v: rounded(v.totals.a - v.totals.b), True, _DIFFERENCE),
    Column("normalized_a", "DOUBLE", "A's total on the rubric's own scale", lambda v: v.overall["A"].normalized, True),
    Column("normalized_b", "DOUBLE", "B's total on the rubric's own scale", lambda v: v.overall["B"].normalized, True),
    Column("lead", "DOUBLE", "normalized_a − normalized_b: how far A is ahead", lambda v: v.number, score=True),
    Column("decided_by", "VARCHAR", "the rule that decided", lambda v: v.decided_by),
    Column("order_consistent", "BOOLEAN", _BOTH_ORDERS, lambda v: v.order.consistent),
    Column("preferred_place", "VARCHAR", _PLACE, _preferred_place),
    Column("equal_totals", "BOOLEAN", _EQUAL, _equal_totals),
)


def _criterion_columns(key: str, name: str, called: str) -> Iterable[Column]:
    for label in LABELS:

        def cell(verdict: ComparisonVerdict, label: Label = label) -> Decimal | None:
            score = verdict.criteria[key].scores[label]
            return score.value if score.assessed else None

        yield Column(
            f"{called}_{label.lower()}",
            "DOUBLE",
            f"{name}: {label}'s score",
            cell,
            score=True,
            title=f"{name}: {label}",
        )


TABLE = Table(
    columns=_COLUMNS,
    of_criterion=_criterion_columns,
    criteria=lambda verdict: verdict.criteria,
    agrees=agrees_on_winner,
    two_sides=True,
    outcome=Outcomes(
        value="winner",
        undecided="decided is false",
        blocked="undecided_by",
        column="winner",
        name="winner",
        heading="Winner",
        title="Who won",
        classes=(
            OutcomeClass("A", "A wins", "A", always=True),
            OutcomeClass("B", "B wins", "B", always=True),
            OutcomeClass("tie", "Tie", "tie", always=True),
            OutcomeClass(UNDECIDED, "Undecided", UNDECIDED),
        ),
        sorted=("A", "tie", "B", UNDECIDED),
    ),
    number=Number(
        column="lead",
        step=0.5,
        expected="People are expected to say {} on a scale from 0 (B is better) to 1 (A is better)",
        title="Margins",
        lead="A’s total minus B’s on the rubric’s scale: left of the middle B is ahead, right of it A.",
        scale=(-4, 4),
        open_ends=True,
        tones=("B", "A"),
        signed=True,
        tick=2,
    ),
    case=CaseSql(
        extracted={"given": "input ->> ['/task', '/context', '/a', '/b']"},
        content="hash(given[1], given[3], given[4], given[2])",
        task="hash(given[1], given[2])",
        opening="given[1]",
    ),
    shown=("winner", "decided", "confidence", "difference", "label", "system_a", "system_b"),
    listed=(
        ListColumn("lead", "A − B", signed=True),
        ListColumn("confidence", "Sure", optional=True, probability=True),
        ListColumn("label", "Label", optional=True),
        ListColumn("system_a", "A by", optional=True),
        ListColumn("system_b", "B by", optional=True),
    ),
    tested={"normalized_a": "A’s total", "normalized_b": "B’s total", "lead": "A’s lead over B"},
    derived=("total_a", "total_b", "difference"),
    means=CriterionMeans(
        whose="both answers",
        totals=(("normalized_a", "Total: A", "A"), ("normalized_b", "Total: B", "B")),
        columns=(("_a", ": A", "A"), ("_b", ": B", "B")),
        legend=(("A", "A"), ("B", "B")),
        wide=True,
    ),
    grid=CriterionGrid(
        suffixes=("_a", "_b"),
        cell="{0} - {1}",
        order="lead",
        lead="A is farthest ahead on the left, B on the right",
        tones=("B", "", "A"),
        legend=(("A", "A ahead"), ("B", "B ahead")),
        reach=4,
        signed=True,
    ),
    traits={
        "ties": counted("equal_totals"),
        "orders": TraitCount("(not order_consistent)::INT", "(order_consistent is not null)::INT"),
        "position": TraitCount(
            "(preferred_place in ('first', 'second'))::INT", "(preferred_place is not null)::INT", "preferred_place"
        ),
    },
    score_suffixes=("_a", "_b"),
    gates=(win_rate(GATES["win_rate"]),),
)

_WINNERS = {"A": "for A", "B": "for B", "tie": "tied"}

LISTING = CaseListing(
    parts=lambda answers: (OutcomeShare(key, answers.get(key, 0), words) for key, words in _WINNERS.items()),
    sorts={"margin": "abs(r.lead)", "difference": "r.difference"},
    orders={"-margin": "clearest first", "margin": "closest first"},
)
