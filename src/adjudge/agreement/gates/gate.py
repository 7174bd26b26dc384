"""Measures the figures of a run that a gate names, against a baseline too, and reports the decisions.

With a baseline, cases are paired by their id: the tasks should be the same, the answers may be new. Of cases with the
same id, the first is paired with the first, the second with the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from pydantic import Field

from ...errors import InputError
from ...models.base import Frozen
from ...models.figures import Figure
from ...results.columns import unit_sql
from ...results.database import Database, opened
from ...results.run import Run
from ...spelling import did_you_mean
from ...statistics.resampling import DRAWS
from ..labels.sources import load_labels
from ..report.joining import JoinedRun, columns_of_input, group_column, join_labels
from ..report.measures import compared, measured
from . import COST, FAILED, UNDECIDED_SHARE
from .conditions import GateCondition, OfferedFigure
from .deciding import FAILS, PASSES, TOO_CLOSE, Answer, CaseNumber, CaseNumbers, GateAnswer, MeasuredFigure, decide

Unsure = Literal["pass", "fail"]


class GateDecision(Frozen):
    """One condition, and what was decided. A condition that is true fails the gate."""

    condition: str
    figure: str
    answer: Answer
    limit: float = Field(description="What the value, or the difference to the baseline, is compared with.")
    share: bool = Field(description="Whether the figure is a share of cases, from 0 to 1.")
    value: Figure = Field(description="The figure in this run, over the decided cases.")
    baseline: Figure | None = Field(default=None, description="The same in the baseline, over the cases in both.")
    difference: Figure | None = Field(default=None, description="This run minus the baseline, paired by case.")
    open_cases: int = Field(default=0, description="Undecided cases and failed judgments that could change the figure.")
    lowest: Figure | None = Field(default=None, description="What is decided on, with all open cases at their lowest.")
    highest: Figure | None = Field(default=None, description="The same, with all open cases at their highest.")
    more_cases: int | None = Field(default=None, description="About how many more cases like these would settle it.")
    exact: bool = Field(default=False, description="Whether it is a fact about this run, and needs no interval.")
    turned: bool = Field(default=False, description="Whether only the open cases make it too close to call.")

    @property
    def decided_on(self) -> Figure:
        """The figure that is compared with the limit."""
        return self.difference or self.value


class GateReport(Frozen):
    """All conditions of a gate. It fails if one of them does."""

    run: str
    baseline: str | None
    protocol: str
    answer: Answer
    unsure: Unsure = Field(description="Whether what is too close to call passes or fails.")
    exit_code: int
    cases: int
    verdicts: int
    undecided: int
    failed: int
    unfinished: int
    decisions: tuple[GateDecision, ...]
    cautions: tuple[str, ...] = ()


def gate_of(
    run: Run,
    conditions: Sequence[GateCondition],
    *,
    baseline: Run | None = None,
    unsure: Unsure = "pass",
    group: str | None = None,
    labels: str | None = None,
    annotators: Sequence[str] = (),
    draws: int = DRAWS,
) -> GateReport:
    """Decide all conditions on a run. `group` names the column of cases that are not independent; `labels` and
    `annotators` are as for `load_labels`."""
    if baseline is not None and baseline.protocol is not run.protocol:
        found = f"{baseline.folder}: a {baseline.protocol.name} run"
        raise InputError("--against", found, f"a {run.protocol.name} run is needed")
    here = _read_run(run, conditions, group)
    there = None if baseline is None else _read_run(baseline, conditions, None, "--against")
    pairs = [] if there is None else _paired(here, there)
    measures = _Agreement(run, baseline, labels, annotators, group, draws)
    decisions = tuple(_decision(each, here, there, pairs, measures) for each in conditions)
    answer = next((each for each in (FAILS, TOO_CLOSE) if any(it.answer == each for it in decisions)), PASSES)
    counted = Counter(row.ending for row in here.rows)
    return GateReport(
        run=run.name,
        baseline=None if baseline is None else baseline.name,
        protocol=run.protocol.name,
        answer=answer,
        unsure=unsure,
        exit_code=1 if answer == FAILS else 3 if answer == TOO_CLOSE and unsure == "fail" else 0,
        cases=here.cases,
        verdicts=counted["verdict"] + counted["undecided"],
        undecided=counted["undecided"],
        failed=counted["failure"] + counted["skipped"],
        unfinished=here.cases - len(here.finished),
        decisions=decisions,
        cautions=tuple(_cautions(here, there, pairs)),
    )


# -- the cases of a run -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _GateRow:
    """A case: how it ended, and its lowest and highest number for each figure that has one."""

    position: int
    case: str
    task: int
    unit: int
    ending: str
    cost: Decimal | None
    calls: int
    numbers: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _GateRun:
    run: Run
    cases: int
    rows: Sequence[_GateRow]

    @property
    def finished(self) -> list[_GateRow]:
        return [row for row in self.rows if row.ending != "unfinished"]


def _read_run(run: Run, conditions: Sequence[GateCondition], group: str | None, place: str = "") -> _GateRun:
    figures = {each.figure.name: each.figure for each in conditions if _of_cases(each.figure)}
    with opened(run) as database:
        columns = columns_of_input(database)
        if group and group not in columns:
            listed = f"{did_you_mean(group, columns)}one of {', '.join(columns)}"
            allowed = listed if columns else "its input has no further columns"
            raise InputError("--group", f"{run.name}: no column {group!r:.60}", allowed)
        rows = _rows(database, figures, group_column(columns, group))
        found = _GateRun(run, database.expected, rows)
    if not found.finished:
        raise InputError(place or str(run.folder), f"{run.name}: no case is judged yet", "finish the run first")
    return found


def _of_cases(figure: OfferedFigure) -> bool:
    return figure.of_cases is not None or figure.name in (FAILED, UNDECIDED_SHARE)


def _rows(database: Database, figures: Mapping[str, OfferedFigure], group: str | None) -> list[_GateRow]:
    undecided = f"coalesce({database.run.protocol.table.outcome.undecided}, false)"
    ending = f"(case when status = 'verdict' and {undecided} then 'undecided' else status end)"
    # A protocol's SQL is over the columns of `results` alone: `cases` has some of the same names.
    sql = [each for figure in figures.values() for each in _number_sql(figure, ending)]
    numbers = "".join(f", ({each})::DOUBLE as n{at}" for at, each in enumerate(sql))
    named = "".join(f", r.n{at}" for at in range(len(sql)))
    found = database.query(
        f"""select c.position, c."case", c.task, {unit_sql(group)}, coalesce(r.ended, 'unfinished'), r.cost,
        coalesce(r.calls, 0){named} from cases as c left join
        (select position, {ending} as ended, cost, calls{numbers} from results) as r using (position)
        order by c.position"""
    )
    rows = []
    for position, case, task, unit, ended, cost, calls, *cells in found:
        ends = {name: (cells[2 * at], cells[2 * at + 1]) for at, name in enumerate(figures)}
        numbers_of = {name: both for name, both in ends.items() if None not in both}
        rows.append(_GateRow(position, case, task, unit, ended, cost, calls, numbers_of))
    return rows


def _number_sql(figure: OfferedFigure, ending: str) -> tuple[str, str]:
    """Return SQL for the least and the greatest number that a case may have; null if it does not count."""
    if figure.name == FAILED:
        failed = f"({ending} in ('failure', 'skipped'))::INT"
        return failed, failed
    if figure.name == UNDECIDED_SHARE:
        known = f"case {ending} when 'verdict' then 0 when 'undecided' then 1"
        return f"{known} else 0 end", f"{known} else 1 end"
    own = figure.of_cases
    assert own is not None
    low, high = (
        f"case {ending} when 'verdict' then {own.value} when 'undecided' then coalesce({open_}, {end}) else {end} end"
        for open_, end in zip((own.lowest, own.highest), figure.ends, strict=True)
    )
    return low, high


def _paired(here: _GateRun, there: _GateRun) -> list[tuple[_GateRow, _GateRow]]:
    """Pair the judged cases of two runs by id."""
    known = dict(_numbered(there))
    both = ((row, known[key]) for key, row in _numbered(here) if key in known)
    pairs = [pair for pair in both if not any(row.ending == "unfinished" for row in pair)]
    if not pairs:
        raise InputError("--against", f"{there.run.folder}: no case is in both runs", "cases with the same ids")
    return pairs


def _numbered(run: _GateRun) -> Iterator[tuple[tuple[str, int], _GateRow]]:
    """Yield all cases with their id, and how many cases with the same id are before them."""
    seen: Counter[str] = Counter()
    for row in run.rows:
        yield (row.case, seen[row.case]), row
        seen[row.case] += 1


# -- figures ----------------------------------------------------------------------------------------------------------


def _decision(
    condition: GateCondition,
    here: _GateRun,
    there: _GateRun | None,
    pairs: Sequence[tuple[_GateRow, _GateRow]],
    measures: _Agreement,
) -> GateDecision:
    figure = condition.figure
    before = None
    if figure.name == COST:
        value, before, on = _cost(condition, here, pairs)
    elif not _of_cases(figure):
        value, before, on = measures.figure(condition, pairs)
    elif condition.relative:
        value, before = (_numbers(figure, [pair[at] for pair in pairs]).measured().figure for at in (0, 1))
        on = _differences(figure, pairs).measured()
    else:
        on = _numbers(figure, here.finished).measured()
        value = on.figure
    decided: GateAnswer = decide(condition, on)
    return GateDecision(
        condition=condition.text,
        figure=figure.name,
        answer=decided.answer,
        limit=condition.limit,
        share=figure.share,
        value=value,
        baseline=before,
        difference=on.figure if condition.relative else None,
        open_cases=on.open,
        lowest=on.lowest,
        highest=on.highest,
        more_cases=decided.more_cases,
        exact=on.exact or condition.counts,
        turned=decided.turned,
    )


def _numbers(figure: OfferedFigure, rows: Sequence[_GateRow]) -> CaseNumbers:
    cases = [CaseNumber(*row.numbers[figure.name], row.unit) for row in rows if figure.name in row.numbers]
    return CaseNumbers(cases, figure.ends, figure.share, rare=figure.of_cases is None)


def _differences(figure: OfferedFigure, pairs: Sequence[tuple[_GateRow, _GateRow]]) -> CaseNumbers:
    """Return the differences of pairs, with the units of this run. If a side is open, so is the difference."""
    cases = []
    for row, other in pairs:
        if figure.name in row.numbers and figure.name in other.numbers:
            (low, high), (least, most) = row.numbers[figure.name], other.numbers[figure.name]
            cases.append(CaseNumber(low - most, high - least, row.unit))
    return CaseNumbers(cases, figure.ends, figure.share, differences=True)


def _cost(
    condition: GateCondition, here: _GateRun, pairs: Sequence[tuple[_GateRow, _GateRow]]
) -> tuple[Figure, Figure | None, MeasuredFigure]:
    """Return what the run cost. With a baseline: what the cases in both cost in each of them."""
    if not condition.relative:
        total = _total(here.finished)
        return total, None, MeasuredFigure(total, exact=True)
    value, before = (_total([pair[at] for pair in pairs]) for at in (0, 1))
    more = None if value.value is None or before.value is None else value.value - before.value
    return value, before, MeasuredFigure(Figure(more, len(pairs), value.reason or before.reason), exact=True)


def _total(rows: Sequence[_GateRow]) -> Figure:
    if unknown := sum(row.cost is None and row.calls > 0 for row in rows):
        return Figure(None, len(rows), f"no price is known for the calls of {unknown:,} cases")
    return Figure(float(sum((row.cost for row in rows if row.cost is not None), Decimal())), len(rows))


@dataclass(slots=True)
class _Agreement:
    """Agreement with people's labels, read when a condition is on it."""

    run: Run
    baseline: Run | None
    source: str | None
    annotators: Sequence[str]
    group: str | None
    draws: int
    joined: JoinedRun | None = None

    def figure(
        self, condition: GateCondition, same: Sequence[tuple[_GateRow, _GateRow]]
    ) -> tuple[Figure, Figure | None, MeasuredFigure]:
        kind, name = self.run.protocol.measured, condition.figure.name
        if self.joined is None:
            self.joined = join_labels(
                self.run, load_labels(self.run, self.source, self.annotators), others=0, group=self.group
            )
        cases = self.joined.counted
        if not condition.relative:
            value = measured(kind, [name], cases, self.draws)[name]
            return value, None, MeasuredFigure(value)
        assert self.baseline is not None
        other = join_labels(self.baseline, load_labels(self.baseline, self.source, self.annotators), others=0)
        new_at, old_at = ({case.row.position: case for case in each} for each in (cases, other.counted))
        at = [(before.position, row.position) for row, before in same]
        pairs = [(old_at[before], new_at[now]) for before, now in at if before in old_at and now in new_at]
        # Both sides are drawn by this run's tasks.
        pairs = [(replace(old, row=replace(old.row, unit=new.row.unit)), new) for old, new in pairs]
        if not pairs:
            raise InputError("--against", f"{self.baseline.folder}: no labelled case is decided in both", "shared ids")
        change = compared(kind, name, pairs, self.draws)
        return change.after, change.before, MeasuredFigure(change.change)


# -- what a reader should know ----------------------------------------------------------------------------------------


def _cautions(here: _GateRun, there: _GateRun | None, pairs: Sequence[tuple[_GateRow, _GateRow]]) -> list[str]:
    found = [
        f"{each.run.name} is not finished: {late:,} of {each.cases:,} cases are not counted."
        for each in (here, there)
        if each is not None and (late := each.cases - len(each.finished))
    ]
    if there is not None:
        alone = [len(each.finished) - len(pairs) for each in (here, there)]
        if any(alone):
            names = f"{alone[0]:,} only in {here.run.name}, {alone[1]:,} only in {there.run.name}"
            found.append(f"{len(pairs):,} cases are in both runs; {names}.")
        if other := sum(row.task != before.task for row, before in pairs):
            found.append(f"{other:,} of {len(pairs):,} cases have the same id in both runs, but not the same task.")
    return found
