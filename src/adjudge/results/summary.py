"""Summarizes a run in numbers: outcomes, winners, agreement with labels, cost. DuckDB does the counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ..models.figures import Counts, Figure
from ..protocols.figures import UNDECIDED, TraitCount
from ..statistics.intervals import mean_figure, share_interval
from ..statistics.resampling import share_ends, unit_variance
from .columns import criteria, criterion_columns, name, text
from .database import Database

_BANDS = 48


@dataclass(frozen=True)
class Summary(Counts):
    """The numbers of a run. `labels` counts cases with a label, `labelled` those whose label a verdict can agree with:
    not a rating. `different` counts judged cases with copies as one, and `tasks` those of one task, as intervals do.
    `blocked` counts what kept verdicts from being decided. `empty` names the optional columns of the list that have no
    value. `shares` has the share of each outcome in all verdicts, `decided_shares` in those that were decided;
    `agreement` is the share of labelled and decided cases in which the judge agrees with the label, None without such
    cases."""

    outcomes: Counter[str]
    blocked: Counter[str]
    different: int
    tasks: int
    shares: Mapping[str, Figure]
    decided_shares: Mapping[str, Figure]
    agreement: Figure | None
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
        """Return a share of some verdicts. Cases of one task are not independent: its interval counts them as one."""
        distinct = max(round(of * self.tasks / max(self.verdicts, 1)), 1)
        return Figure(count / of, of, "", share_interval(count * distinct / of, distinct))


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
        count(distinct task) filter (status = 'verdict') as tasks,
        [{", ".join(f"count({column})" for column in optional)}] as filled
        from {table} join (select position, content, task from {database.schema}.cases) using (position)"""
    )
    counted = counter(database, protocol.outcome.sql, judged)
    shares, decided_shares, agreement = _shares(database, counted)
    filled = zip(optional, found.pop("filled"), strict=True)
    return Summary(
        cases=database.expected,
        statuses=database.counts().statuses,
        outcomes=counted,
        blocked=counter(database, name(protocol.outcome.blocked), judged) if protocol.outcome.blocked else Counter(),
        shares=shares,
        decided_shares=decided_shares,
        agreement=agreement,
        warnings=counter(database, "unnest(string_split(warnings, ' '))"),
        judges=counter(database, "judge"),
        numbers=_histogram(database, judged),
        means=_means(database),
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


def _shares(database: Database, counted: Counter[str]) -> tuple[dict[str, Figure], dict[str, Figure], Figure | None]:
    """Return the shares of the outcomes in all verdicts and in those that were decided, and the agreement."""
    outcome = database.run.protocol.table.outcome
    wanted = {f"of all {key}": f"({outcome.sql} = {text(key)})::INT" for key in counted}
    wanted |= {
        f"of decided {key}": f"case when {outcome.sql} <> '{UNDECIDED}' then ({outcome.sql} = {text(key)})::INT end"
        for key in counted
        if key != UNDECIDED
    }
    wanted["agreement"] = f"case when not ({outcome.undecided}) then agrees::INT end"
    found = {
        name: Figure(one.mean, one.cases, "", share_ends(one.mean, one.variance, one.cases, one.units))
        for name, one in _by_task(database, wanted).items()
    }
    parts = [
        {name.removeprefix(start): figure for name, figure in found.items() if name.startswith(start)}
        for start in ("of all ", "of decided ")
    ]
    return parts[0], parts[1], found.get("agreement")


def _means(database: Database) -> dict[str, Figure]:
    found: dict[str, Figure] = {}
    for score, one in _by_task(database, {score: name(score) for score in database.scores}).items():
        # As many independent cases as there are tasks would have this deviation.
        deviation = None if one.units < 2 else (one.variance * one.units) ** 0.5
        found[score] = mean_figure(one.mean, deviation, one.cases, one.units)
    return found


class _ByTask(NamedTuple):
    """The mean of a number over the verdicts that have it, its variance over tasks, and how many cases and tasks."""

    mean: float
    variance: float
    cases: int
    units: int


def _by_task(database: Database, numbers: Mapping[str, str]) -> dict[str, _ByTask]:
    """Compute the means of SQL expressions on a judged row. Cases of one task vary together; DuckDB does the sums."""
    if not numbers:
        return {}
    cells = ", ".join(f"({sql})::DOUBLE as x{at}" for at, sql in enumerate(numbers.values()))
    columns = [f"x{at}" for at in range(len(numbers))]
    chosen = f"""with chosen as (select task, {cells} from {database.chosen}
      join (select position, task from {database.schema}.cases) using (position) where status = 'verdict')"""
    (means,) = database.query(f"{chosen} select {', '.join(f'avg({x})' for x in columns)} from chosen")
    rows = database.query(
        f"""{chosen}, tasks as (select unnest(range({len(numbers)})) as number,
          unnest([{", ".join(f"count({x})" for x in columns)}]) as n,
          unnest([{", ".join(f"sum({x} - ?)" for x in columns)}]) as off from chosen group by task)
        select number, sum(off * off), sum(n), count(*) from tasks where n > 0 group by number""",
        *means,
    )
    found = {at: _ByTask(means[at], unit_variance(off, int(n), units), int(n), units) for at, off, n, units in rows}
    return {key: found[at] for at, key in enumerate(numbers) if at in found}
