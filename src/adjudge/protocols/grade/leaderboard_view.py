"""Shows a leaderboard of pass rates as a report for people, and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...models.figures import Figure
from ...rendering.document import Document, Grid, Section, cautious, non_empty
from ...rendering.wording import interval, listed, many, p_is, percent, rounded
from ..base import Ranking
from .leaderboard import PassRates, leaderboard_of

_READING = (
    "The pass rate is the share of decided answers that passed. An undecided answer counts neither as passed nor as "
    "failed: whether it passes depends on items that nobody assessed.",
    "Intervals hold 95 %; several answers of one system to one task count as one.",
    "The mean score, 0 to 100, is over the decided answers.",
)


def leaderboard_document(board: PassRates, name: str) -> Document:
    """Build the report: ranks, the number of answers, and how to read them."""
    decided = sum(each.passed + each.failed for each in board.standings)
    lead = (
        f"{many(decided, 'decided answer')} of {many(len(board.standings), 'system')} to {many(board.tasks, 'task')}."
    )
    return Document(f"Leaderboard of {name}", (lead, *_ahead(board)), leaderboard_sections(board))


def leaderboard_sections(board: PassRates) -> tuple[Section, ...]:
    """Build the table, the cautions, and the section on how to read it."""
    return non_empty(
        Section("Systems", (), [_grid(board)]), cautious(list(_notes(board))), Section("How to read it", _READING)
    )


def leaderboard_json(board: PassRates, name: str) -> dict[str, Any]:
    """Return the leaderboard as data for programs."""
    return {
        "run": name,
        "column": board.column,
        "tasks": board.tasks,
        "without_system": board.without_system,
        "systems": list(map(asdict, board.standings)),
        "ahead": None if board.ahead is None else asdict(board.ahead),
        "notes": list(_notes(board)),
    }


def rate_cells(rate: Figure) -> tuple[str, str]:
    """Return two cells: a pass rate, and its interval."""
    return percent(rate.value), interval(rate.interval, percent)


def _grid(board: PassRates) -> Grid:
    head = ("#", "System", "Pass rate", "95 % interval", "Passed", "Failed", "Undecided", "No verdict", "Mean score")
    rows = []
    for it in board.standings:
        counts = (f"{count:,}" for count in (it.passed, it.failed, it.undecided, it.without_verdict))
        rows.append((str(it.rank), it.system, *rate_cells(it.pass_rate), *counts, rounded(it.mean_score.value, 1)))
    return Grid(head, rows, names=2)


def _ahead(board: PassRates) -> Iterator[str]:
    """Say whether the first is better than the second on the tasks of both."""
    if (found := board.ahead) is None:
        return
    first, second, *_ = board.standings
    rate, other = percent(found.after.value), percent(found.before.value)
    rates = f"{rate} of {first.system} and {other} of {second.system} passed"
    sure = "more than chance" if found.real else "the difference may be chance"
    yield f"On {many(found.change.cases, 'task')} decided for both, {rates}: {sure} (p {p_is(found.p)})."


def _notes(board: PassRates) -> Iterator[str]:
    undecided = {it.system: it.undecided for it in board.standings if it.undecided}
    if undecided:
        answers = many(sum(undecided.values()), "answer")
        yield f"Of {listed(undecided)} {answers} were not decided: a system with many of them is judged by the rest."
    if failed := sum(it.without_verdict for it in board.standings):
        yield f"{many(failed, 'answer')} without a verdict could not be counted."
    if board.without_system:
        yield f"{many(board.without_system, 'row')} did not name a system."


RANKING = Ranking(rank=leaderboard_of, document=leaderboard_document, data=leaderboard_json)
