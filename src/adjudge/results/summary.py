"""Summarizes a run in numbers: outcomes, winners, agreement with labels, cost. DuckDB does the counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ..models.figures import Counts, Figure
from ..protocols.figures import UNDECIDED, TraitCount
from ..statistics.intervals import mean_figure, share_interval
from .columns import criteria, criterion_columns, name
from .database import Database

_BANDS = 48


@dataclass(frozen=True)
class Summary(Counts):
    """The numbers of a run. `labels` counts cases with a label, `labelled` those whose label a verdict can agree with:
    not a rating. `different` counts judged cases with copies as one, as intervals do. `empty` names the optional
    columns of the list that have no value."""

    outcomes: Counter[str]
    different: int
    both_orders: int
    orders_disagree: int
    warnings: Counter[str]
    judges: Counter[str]
    labels: int
    labelled: int
    labelled_undecided: int
    agreeing: int
    numbers: Mapping[float, int]
    means: Mapping[str, Figure]
    empty: frozenset[str]
    cost: Decimal
    unknown_cost: int
    tokens: int
    calls: int

    @property
    def verdicts(self) -> int:
        return self.statuses["verdict"]

    @property
    def undecided(self) -> int:
        return self.outcomes[UNDECIDED]

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
    protocol, table = database.run.protocol.table, database.chosen
    judged = f"{table} where status = 'verdict'"
    orders = protocol.traits.get("orders") or TraitCount("0", "0")
    optional = [each.name for each in protocol.listed if each.optional]
    found = database.figures(
        f"""select coalesce(sum(cost), 0) as cost, count(*) filter (cost is null and calls > 0) as unknown_cost,
        coalesce(sum(tokens), 0)::BIGINT as tokens, coalesce(sum(calls), 0)::BIGINT as calls,
        count(label) as labels, count(agrees) as labelled,
        count(agrees) filter ({protocol.outcome.undecided}) as labelled_undecided, count(*) filter (agrees) as agreeing,
        coalesce(sum({orders.of}), 0)::BIGINT as both_orders,
        coalesce(sum({orders.hits}), 0)::BIGINT as orders_disagree,
        count(distinct content) filter (status = 'verdict') as different,
        [{", ".join(f"count({column})" for column in optional)}] as filled
        from {table} join (select position, content from {database.schema}.cases) using (position)"""
    )
    filled = zip(optional, found.pop("filled"), strict=True)
    return Summary(
        cases=database.expected,
        statuses=database.counts().statuses,
        outcomes=counter(database, protocol.outcome.sql, judged),
        warnings=counter(database, "unnest(string_split(warnings, ' '))"),
        judges=counter(database, "judge"),
        numbers=_histogram(database, judged),
        means=_means(database, judged, found["different"]),
        empty=frozenset(column for column, count in filled if not count),
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
    """Return the protocol's grid of criteria × cases: the names of its rows, and the cases in at most 48 bands."""
    run, grid = database.run, database.run.protocol.table.grid
    if grid is None:
        return (), []
    names, own = criteria(run), criterion_columns(run, grid.suffixes)
    rows = {names[stem]: grid.cell.format(*map(name, columns)) for stem, columns in own.items()} | dict(grid.more)
    order = f"{grid.order} desc nulls last"
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


def counter(database: Database, what: str, table: str = "") -> Counter[str]:
    """Count the rows by the value of an SQL expression; rows without one are left out."""
    found = database.query(
        f"select value, count(*) from (select {what} as value from {table or database.chosen}) "
        "where value is not null group by value order by count(*) desc, value"
    )
    return Counter(dict(found))


def _histogram(database: Database, judged: str) -> dict[float, int]:
    """Count verdicts by their main number, rounded to the middle of its histogram step."""
    number = database.run.protocol.table.number
    if number is None:
        return {}
    counted = f"round({number.column} / {float(number.step)}) * {float(number.step)}"
    if number.scale and number.open_ends:
        low, high = number.scale
        counted = f"greatest(least({counted}, {high}), {low})"
    found = database.query(
        f"select middle + 0, count(*) from (select {counted} as middle from {judged}) "
        "where middle is not null group by middle order by middle"
    )
    return {float(middle): count for middle, count in found}


def _means(database: Database, judged: str, different: int) -> dict[str, Figure]:
    asked = "".join(f", count({it}), avg({it}), stddev_samp({it})" for it in map(name, database.scores))
    ((verdicts, *row),) = database.query(f"select count(*){asked} from {judged}")
    found: dict[str, Figure] = {}
    for at, score in enumerate(database.scores):
        count, mean, deviation = row[3 * at : 3 * at + 3]
        if count:
            found[score] = mean_figure(mean, deviation, count, round(count * different / verdicts))
    return found
