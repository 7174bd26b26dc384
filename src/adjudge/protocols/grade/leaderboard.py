"""Ranks the systems whose answers a run graded by their pass rate: passed ÷ decided, with intervals.

A column of the input names the system. An undecided answer counts neither as passed nor as failed. Several answers of
one system to one task are not independent, so intervals count tasks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from ...errors import InputError
from ...models.figures import Change, Figure
from ...results.columns import extracted
from ...results.database import Database
from ...statistics.changes import share_change
from ...statistics.resampling import mean_by_unit

NAMES = ("system", "model", "system_name", "model_name")


@dataclass(frozen=True, slots=True)
class SystemRate:
    """One system: its pass rate, its mean score (0 to 100) over the decided answers, and the counts behind them."""

    rank: int
    system: str
    pass_rate: Figure
    mean_score: Figure
    passed: int
    failed: int
    undecided: int
    without_verdict: int


@dataclass(frozen=True, slots=True)
class PassRates:
    """All standings, the highest pass rate first, and what a reader should know about them.

    `column` is the input's column that names the systems. `ahead` compares the first two on the tasks that both were
    given once and that were decided for both; None without such tasks.
    """

    standings: tuple[SystemRate, ...]
    column: str
    tasks: int
    without_system: int
    ahead: Change | None


def leaderboard_of(database: Database) -> PassRates:
    """Build the leaderboard of a run whose input names the system that wrote each answer."""
    cases = f"{database.schema}.cases"
    found = [name for (name,) in database.query(f"select distinct unnest(json_keys(extra)) from {cases} order by 1")]
    column = next((name for wanted in NAMES for name in found if name.lower() == wanted), None)
    if column is None:
        allowed = f"the input needs a column that names who wrote each answer: {', '.join(NAMES)}"
        raise InputError(str(database.run.folder), "no column names the systems", allowed)
    rows = database.query(
        f"""select trim({extracted("extra", [column])}[1]), task, status, outcome, score from {database.chosen}
        join (select position, extra, task from {cases}) using (position) order by position"""
    )
    by_system: dict[str, list[tuple[int, str, str | None, float]]] = {}
    for system, task, status, outcome, score in rows:
        by_system.setdefault(system or "", []).append((task, status, outcome, score))
    unnamed = len(by_system.pop("", []))
    made = [_standing(system, own) for system, own in by_system.items()]
    ranked = sorted(
        (each for each in made if each.pass_rate.cases),
        key=lambda each: (-(each.pass_rate.value or 0.0), -(each.mean_score.value or 0.0), each.system),
    )
    if not ranked:
        raise InputError(str(database.run.folder), "no decided answer of a named system", "another judge may decide")
    rates = [each.pass_rate.value for each in ranked]  # equal ones share a rank
    return PassRates(
        standings=tuple(replace(each, rank=rates.index(each.pass_rate.value) + 1) for each in ranked),
        column=column,
        tasks=len({task for own in by_system.values() for task, *_ in own}),
        without_system=unnamed,
        ahead=None if len(ranked) < 2 else _ahead(*(_once(by_system[each.system]) for each in ranked[:2])),
    )


def _standing(system: str, rows: list[tuple[int, str, str | None, float]]) -> SystemRate:
    decided = [(outcome == "pass", score, task) for task, _, outcome, score in rows if outcome in ("pass", "fail")]
    return SystemRate(
        rank=0,
        system=system,
        pass_rate=mean_by_unit((float(passed), task) for passed, _, task in decided),
        mean_score=mean_by_unit(((score, task) for _, score, task in decided), is_share=False),
        passed=sum(passed for passed, *_ in decided),
        failed=sum(not passed for passed, *_ in decided),
        undecided=sum(outcome == "undecided" for _, _, outcome, _ in rows),
        without_verdict=sum(status != "verdict" for _, status, *_ in rows),
    )


def _once(rows: list[tuple[int, str, str | None, float]]) -> dict[int, bool]:
    """Return whether the answer passed, for the tasks that have one answer and that were decided."""
    answers = Counter(task for task, *_ in rows)
    decided = ((task, outcome) for task, _, outcome, _ in rows if outcome in ("pass", "fail"))
    return {task: outcome == "pass" for task, outcome in decided if answers[task] == 1}


def _ahead(first: dict[int, bool], second: dict[int, bool]) -> Change | None:
    shared = [task for task in first if task in second]
    return share_change([second[task] for task in shared], [first[task] for task in shared]) if shared else None
