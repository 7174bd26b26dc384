"""Summarizes a run in numbers: outcomes, winners, agreement with labels, cost. DuckDB does the counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ..models.figures import Counts, Figure
from ..statistics.intervals import mean_figure, share_interval
from .columns import criteria, name
from .database import Database

# A verdict's outcome in one word. An undecided verdict is neither a win nor a tie.
OUTCOME = {
    "compare": "case when decided is false then 'undecided' else winner end",
    "dialogue": "format('{:g}', overall_experience)",
    "review": "coalesce(winner, 'invalid')",
}
# The column of a verdict's main number, and the width of its histogram's steps.
NUMBER = {"compare": "lead", "dialogue": "average", "review": "likert"}
_STEP = {"compare": 0.5, "dialogue": 5.0, "review": 1.0}
ACTIONS = ("kept", "replaced", "filled", "refused")
_BANDS = 48
_ENDS = 4  # margins of this many points on the rubric's scale or more share a histogram step


@dataclass(frozen=True)
class Summary(Counts):
    """The numbers of a run. `labels` counts cases with a label, `labelled` those whose label a verdict can agree with:
    not a dialogue's rating. `different` counts judged cases with copies as one, as intervals do."""

    outcomes: Counter[str]
    different: int
    both_orders: int
    orders_disagree: int
    warnings: Counter[str]
    judges: Counter[str]
    named_systems: int
    confident: int
    labels: int
    labelled: int
    labelled_undecided: int
    agreeing: int
    numbers: Mapping[float, int]
    means: Mapping[str, Figure]
    corrections: Mapping[str, Counter[str]]
    cost: Decimal
    unknown_cost: int
    tokens: int
    calls: int

    @property
    def verdicts(self) -> int:
        return self.statuses["verdict"]

    @property
    def undecided(self) -> int:
        return self.outcomes["undecided"]

    def share(self, count: int, of: int) -> Figure:
        """Return a share of verdicts. If some cases are copies, its interval counts only different cases."""
        distinct = max(round(of * self.different / max(self.verdicts, 1)), 1)
        return Figure(count / of, of, "", share_interval(round(count * distinct / of), distinct))

    @property
    def agreement(self) -> Figure | None:
        """The share of labelled and decided cases in which the judge agrees with the label; None without such cases."""
        decided = self.labelled - self.labelled_undecided
        return self.share(self.agreeing, decided) if decided else None


def summary_of(database: Database) -> Summary:
    """Summarize the chosen rows."""
    protocol, table = database.run.protocol.name, database.chosen
    judged = f"{table} where status = 'verdict'"
    undecided = "decided is false" if protocol == "compare" else "false"
    orders = ("order_consistent", "not order_consistent", "confidence") if protocol == "compare" else ("null",) * 3
    found = database.figures(
        f"""select coalesce(sum(cost), 0) as cost, count(*) filter (cost is null and calls > 0) as unknown_cost,
        coalesce(sum(tokens), 0)::BIGINT as tokens, coalesce(sum(calls), 0)::BIGINT as calls,
        count(system_a) as named_systems, count(label) as labels, count(agrees) as labelled,
        count(agrees) filter ({undecided}) as labelled_undecided, count(*) filter (agrees) as agreeing,
        count({orders[0]}) as both_orders, count(*) filter ({orders[1]}) as orders_disagree,
        count({orders[2]}) as confident, count(distinct content) filter (status = 'verdict') as different
        from {table} join (select position, content from {database.schema}.cases) using (position)"""
    )
    return Summary(
        cases=database.expected,
        statuses=database.counts().statuses,
        outcomes=_counter(database, OUTCOME[protocol], judged),
        warnings=_counter(database, "unnest(string_split(warnings, ' '))"),
        judges=_counter(database, "judge"),
        numbers=_histogram(database, judged),
        means=_means(database, judged, found["different"]),
        corrections=_corrections(database, judged) if protocol == "review" else {},
        **found,
    )


@dataclass(frozen=True, slots=True)
class Band:
    """One or more neighbouring cases of a grid: how many, the first of them, and their mean in each row of the grid."""

    cases: int
    position: int
    case: str
    means: tuple[float | None, ...]


def grid_of(database: Database) -> tuple[tuple[str, ...], list[Band]]:
    """Return a grid of criteria × cases: the names of its rows, and the cases in at most 48 bands.

    A cell is A's lead over B in a comparison, the final score in a dialogue, and the number of corrected ratings of a
    dimension in a review. Cases are sorted accordingly: by margin, by average, by the number of corrections.
    """
    protocol, rows = database.run.protocol.name, {}
    for stem, said in criteria(database.run).items():
        if protocol == "dialogue" and stem in database.scores:
            rows[said] = name(stem)
        elif protocol == "compare" and f"{stem}_a" in database.scores:
            rows[said] = f"{name(f'{stem}_a')} - {name(f'{stem}_b')}"
        elif protocol == "review" and f"{stem}_a_action" in database.names:
            rows[said] = " + ".join(_corrected(f"{stem}_{side}_action") for side in "ab")
    if protocol == "review":
        rows["Preference"] = _corrected("likert_action")
    order = f"{NUMBER[protocol]} desc nulls last" if protocol != "review" else "replaced + refused desc nulls last"
    cells = "".join(f", {sql} as cell{at}" for at, sql in enumerate(rows.values()))
    means = "".join(f", avg(cell{at})" for at in range(len(rows)))
    found = database.query(
        f"""select count(*), arg_min(position, place), arg_min("case", place){means} from (
          select position, "case"{cells}, row_number() over (order by {order}, position) as place,
          ntile({_BANDS}) over (order by {order}, position) as band from {database.chosen} where status = 'verdict'
        ) group by band order by band"""
    )
    bands = [Band(count, position, case, tuple(means)) for count, position, case, *means in found]
    return (tuple(rows), bands) if rows and bands else ((), [])


def _corrected(action: str) -> str:
    return f"cast({name(action)} in ('replaced', 'refused') as INTEGER)"


def _counter(database: Database, what: str, table: str = "") -> Counter[str]:
    found = database.query(
        f"select said, count(*) from (select {what} as said from {table or database.chosen}) "
        "where said is not null group by said order by count(*) desc, said"
    )
    return Counter(dict(found))


def _histogram(database: Database, judged: str) -> dict[float, int]:
    """Count verdicts by their main number, rounded to the middle of its histogram step."""
    protocol = database.run.protocol.name
    step = _STEP[protocol]
    counted = f"round({NUMBER[protocol]} / {step}) * {step}"
    if protocol == "compare":
        counted = f"greatest(least({counted}, {_ENDS}), -{_ENDS})"
    found = database.query(
        f"select middle + 0, count(*) from (select {counted} as middle from {judged}) "
        "where middle is not null group by middle order by middle"
    )
    return {float(middle): count for middle, count in found}


def _means(database: Database, judged: str, different: int) -> dict[str, Figure]:
    asked = ", ".join(f"count({it}), avg({it}), stddev_samp({it})" for it in map(name, database.scores))
    ((verdicts, *row),) = database.query(f"select count(*), {asked} from {judged}")
    found: dict[str, Figure] = {}
    for at, score in enumerate(database.scores):
        count, mean, deviation = row[3 * at : 3 * at + 3]
        if count:
            found[score] = mean_figure(mean, deviation, count, round(count * different / verdicts))
    return found


def _corrections(database: Database, judged: str) -> dict[str, Counter[str]]:
    """Count the actions on the ratings of both responses by dimension; the preference is called `likert`."""
    found: dict[str, Counter[str]] = {}
    for column in database.names:
        if column.endswith("_action"):
            stem = column.removesuffix("_action")
            dimension = stem if stem == "likert" else stem[:-2]
            found.setdefault(dimension, Counter()).update(_counter(database, name(column), judged))
    return found
