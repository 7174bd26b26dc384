"""Compares two runs over the same cases: which verdicts changed, by how much, and whether chance could explain it.

A case is the same if its id and its texts are the same. Weights are part of how it is judged and may differ. Cases with
the same texts under several ids are copies, which tests and intervals count as one. Cases of one task count together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from ..errors import InputError
from ..models.figures import Change, Figure
from ..protocols.base import Protocol
from ..protocols.figures import UNDECIDED
from ..statistics.changes import mean_change, share_change
from ..statistics.resampling import mean_by_unit
from .columns import name
from .database import Database, staged, workspace
from .run import Run

Stage = Callable[[duckdb.DuckDBPyConnection, Path, Run, str], Database]


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case whose verdict changed, with the scores that changed, before and after.

    `positions` are its positions in the two runs.
    """

    case: str
    positions: tuple[int, int]
    before: str
    after: str
    change: float | None
    scores: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Shift:
    """A score over all pairs that have it: its means, and in how many pairs it changed."""

    pairs: int
    moved: int
    before: float
    after: float


@dataclass(frozen=True)
class Diff:
    """The differences between two runs. `different` counts the cases judged in both, with copies counted once, and
    `flipped_share` is the share of these whose outcome changed. `titles` are the names of scores for people, by column.
    """

    protocol: Protocol
    names: tuple[str, str]
    titles: Mapping[str, str]
    only_first: list[str]
    only_second: list[str]
    in_both: int
    judged_in_both: int
    different: int
    unfinished: int
    fixed: list[str]
    broken: list[str]
    failed_in_both: int
    undecided: list[int]
    moves: Counter[tuple[str, str]]
    flipped_share: Figure
    tests: Mapping[str, Change]
    agreement: Change | None
    shifts: Mapping[str, Shift]
    changed: int
    _scores: tuple[str, ...]
    _database: Database

    @property
    def other_texts(self) -> list[str]:
        """Ids that are in both runs, but with different texts."""
        gone = set(self.only_first)
        return [case for case in self.only_second if case in gone]

    @property
    def flips(self) -> Counter[tuple[str, str]]:
        """The number of cases for each change of outcome, as (before, after)."""
        return Counter({pair: count for pair, count in self.moves.items() if pair[0] != pair[1]})

    @property
    def flipped(self) -> int:
        return sum(self.flips.values())

    def changes(self, most: int | None = None, skipped: int = 0) -> Iterator[CaseChange]:
        """Yield the cases that changed: first those with another outcome, then by how far their main number moved."""
        limit = "" if most is None else f"limit {most}"
        scores = "".join(f", b{at}, a{at}" for at in range(len(self._scores)))
        number = self.protocol.table.number
        main = "null" if number is None else "a{0} - b{0}".format(self._scores.index(number.column))
        found = self._database.stream(
            f"""select "case", first, second, was, now, round({main}, 9) as change{scores} from judged
            where moved order by was <> now desc, coalesce(abs(change), 0) desc, "case", first
            {limit} offset {skipped}"""
        )
        for case, first, second, was, now, change, *cells in found:
            pairs = {it: (cells[2 * at], cells[2 * at + 1]) for at, it in enumerate(self._scores)}
            moved = {it: pair for it, pair in pairs.items() if None not in pair and pair[0] != pair[1]}
            yield CaseChange(case, (first, second), was, now, change, moved)


@contextmanager
def diff_of(first: Run, second: Run, stage: Stage = staged) -> Iterator[Diff]:
    """Compare the first run with the second. The cases that changed can be read until the block ends.

    `stage` loads a run into the database as a schema; by default it reads the run's files.
    """
    if first.protocol is not second.protocol:
        found = f"a {second.protocol.name} run cannot be compared with a {first.protocol.name} run"
        raise InputError("RUN2", found, "both runs must have the same protocol")
    with workspace() as (connection, folder):
        before, after = (
            stage(connection, folder, run, schema) for run, schema in ((first, "before"), (second, "after"))
        )
        yield _compared(before, after)


def _compared(old: Database, new: Database) -> Diff:
    protocol = old.run.protocol
    numbers = {score: name(score) for score in old.scores if score in new.scores}
    # A case that occurs twice in both runs is paired twice, in order.
    numbered = (
        'select position, "case", content, task, key, status, '
        "row_number() over (partition by key order by position) as nth "
        "from {0}.cases left join (select position, status from {0}.results) using (position)"
    )
    old.query(
        f"""create table pairs as select b.position as first, a.position as second, b.status as was, a.status as now,
        coalesce(b."case", a."case") as "case", a.content, a.task from ({numbered.format("before")}) as b
        full join ({numbered.format("after")}) as a using (key, nth)"""
    )
    _judge(old, numbers)

    def cases(condition: str) -> list[str]:
        return [case for (case,) in old.query(f'select "case" from pairs where {condition} order by first, second')]

    counted = old.figures(
        """select count(*) as in_both, count(*) filter (was is null or now is null) as unfinished,
        count(*) filter (was <> 'verdict' and now <> 'verdict') as failed_in_both from pairs
        where first is not null and second is not null"""
    )
    counted |= old.figures(
        f"""select count(*) as judged_in_both, count(distinct content) as different,
        count(*) filter (moved) as changed,
        [count(*) filter (was = '{UNDECIDED}'), count(*) filter (now = '{UNDECIDED}')] as undecided from judged"""
    )
    # Copies are one case, changed if any of them is.
    flipped = old.query("select max((was <> now)::INTEGER), any_value(task) from judged group by content")
    moves = old.query("select was, now, count(*) from judged group by all order by 3 desc, 1, 2")
    names = (old.run.name, new.run.name)
    agreed = _by_content(old, "agreed", "agrees")
    tested = {at: score for at, score in enumerate(numbers) if score in protocol.table.tested}
    pairs = {score: _by_content(old, f"b{at}", f"a{at}") for at, score in tested.items()}
    return Diff(
        protocol=protocol,
        # If both runs have the same name, show their paths instead.
        names=(str(old.run.folder), str(new.run.folder)) if names[0] == names[1] else names,
        titles={column.name: column.title or column.name for column in new.columns if column.name in numbers},
        only_first=cases("second is null"),
        only_second=cases("first is null"),
        fixed=cases("was <> 'verdict' and now = 'verdict'"),
        broken=cases("was = 'verdict' and now <> 'verdict'"),
        flipped_share=mean_by_unit(flipped),
        moves=Counter({(was, now): count for was, now, count in moves}),
        tests={score: mean_change(*both) for score, both in pairs.items() if len(both[0])},
        agreement=share_change(*agreed) if len(agreed[0]) else None,
        shifts=_shifts(old, {at: score for at, score in enumerate(numbers) if at not in tested}),
        _scores=tuple(numbers),
        _database=old,
        **counted,
    )


def _judge(database: Database, numbers: Mapping[str, str]) -> None:
    """Create the table of pairs with a verdict in both runs: their outcomes, their scores (b0, a0, b1, …), and whether
    they agree with the label."""
    side = f"select position, {database.run.protocol.table.outcome.sql} as outcome, agrees as agreed" + "".join(
        f", {sql} as s{at}" for at, sql in enumerate(numbers.values())
    )
    scores = "".join(f", b.s{at} as b{at}, a.s{at} as a{at}" for at in range(len(numbers)))
    # A score that is missing on one side does not count as changed.
    moved = "".join(f" or coalesce(b.s{at} <> a.s{at}, false)" for at in range(len(numbers)))
    database.query(
        f"""create table judged as select pairs."case", first, second, pairs.content, pairs.task,
        b.outcome as was, a.outcome as now, cast(b.agreed as DOUBLE) as agreed, cast(a.agreed as DOUBLE) as agrees,
        b.outcome <> a.outcome{moved} as moved{scores} from pairs
        join ({side} from before.results where status = 'verdict') as b on pairs.first = b.position
        join ({side} from after.results where status = 'verdict') as a on pairs.second = a.position"""
    )


def _by_content(database: Database, before: str, after: str) -> tuple[Any, Any, list[int]]:
    """Return both numbers of every case that has both, and its task; for copies, the means of their numbers."""
    arrays = database.connection.execute(
        f"""select avg({before}) as before, avg({after}) as after, any_value(task) as task from judged
        where {before} is not null and {after} is not null group by content order by content"""
    ).fetchnumpy()
    return arrays["before"], arrays["after"], arrays["task"].tolist()


def _shifts(database: Database, scores: Mapping[int, str]) -> dict[str, Shift]:
    asked = ", ".join(
        f"count(a{at} - b{at}), count(*) filter (a{at} <> b{at}), avg(b{at}) filter (a{at} is not null), "
        f"avg(a{at}) filter (b{at} is not null)"
        for at in scores
    )
    (row,) = database.query(f"select {asked or 'count(*)'} from judged")
    found = {score: Shift(*row[4 * nth : 4 * nth + 4]) for nth, score in enumerate(scores.values())}
    return {score: shift for score, shift in found.items() if shift.pairs}
