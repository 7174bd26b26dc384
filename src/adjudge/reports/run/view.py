"""What the page of a run shows, as plain data: the finding, what to know, pictures; and its cases, line by line.

The report in a file and the service's page are made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...models.rows import Cells
from ...results.columns import name as sql_name
from ...results.database import Database
from ...results.leaderboard import Leaderboard, has_games, leaderboard_of
from ...results.run import Run
from ...results.summary import OUTCOME, Summary, grid_of, summary_of
from ..document import Picture, Section
from ..wording import headline, listed, percent_sure, shown
from .leaderboard import leaderboard_sections
from .pictures import pictures
from .summary import Caution, Headline, calibrated_sentence, cautions, finding

MOST_FAILURES = 50
_BATCH = 1_000
# What the list shows of a row, under which heading; a column that says nothing in this run is left out.
_COLUMNS: dict[str, dict[str, str]] = {
    "compare": {"difference": "A − B", "confidence": "Sure", "label": "Label", "system_a": "A by", "system_b": "B by"},
    "dialogue": {"average": "Average", "objections": "Objections", "changed": "Changed", "label": "Label"},
    "review": {"likert": "1 to 7", "kept": "Kept", "replaced": "Replaced", "filled": "Filled", "refused": "Refused"},
}
_HEADINGS = {"compare": "Winner", "dialogue": "Overall", "review": "Preferred"}
_SAID = {"failure": "failed", "invalid": "cannot be rated"}
_REVIEWED = {"A": "Response 1", "B": "Response 2", "tie": "Neither"}


@dataclass(frozen=True, slots=True)
class Listed:
    """An outcome, a word for it, and how many cases have it."""

    outcome: str
    said: str
    cases: int


@dataclass(frozen=True, slots=True)
class RunView:
    """A run without its cases. `outcomes` are those that occur; `columns` those that the list has, with their heads."""

    protocol: str
    counted: str
    finding: Headline
    cautions: tuple[Caution, ...]
    notes: tuple[str, ...]
    facts: dict[str, str]
    pictures: tuple[Picture, ...]
    board: tuple[Section, ...]
    failures: tuple[tuple[int, str, str, str], ...]
    failed: int
    heading: str
    columns: dict[str, str]
    outcomes: tuple[Listed, ...]
    finished: int
    orders_disagree: int
    differing: int


@dataclass(frozen=True, slots=True)
class Line:
    """A case in the list: its outcome, its cells, and the page that shows it, if there is one."""

    position: int
    case: str
    opening: str
    page: str
    outcome: str
    said: str
    told: str
    cells: tuple[tuple[str, str, Any], ...]
    agrees: bool | None


def view_run(database: Database) -> tuple[RunView, Summary, Leaderboard | None]:
    """The view of the rows that are wanted, and the numbers and the leaderboard it is made of."""
    run, summary = database.run, summary_of(database)
    board = leaderboard_of(database) if has_games(database) else None
    chosen, columns = database.where is not None, _COLUMNS[run.protocol]
    condition = f"Only rows where {database.where}" if chosen else ""
    failed = summary.statuses["failure"] + summary.statuses["skipped"]
    outcomes = {**dict(sorted(summary.outcomes.items())), "failed": failed}
    without_verdict = database.query(
        f"""select position, "case", coalesce(reason, 'skipped'), coalesce(message, '') from {database.chosen}
        where status <> 'verdict' order by position limit {MOST_FAILURES}"""
    )
    given = run.config.get("input") or {}
    named = summary.named_systems
    says = {"label": summary.labelled, "system_a": named, "system_b": named, "confidence": summary.confident}
    view = RunView(
        protocol=run.protocol,
        counted=headline(summary),
        finding=finding(run, summary, board),
        cautions=tuple(cautions(summary, chosen=chosen, condition=condition)),
        notes=tuple(filter(None, [calibrated_sentence(run, summary)])),
        facts={
            "Judge": listed(summary.judges, 4) or "–",
            "Rubric": run.rubric.reference,
            "Input": str(given.get("source") or "–"),
            "Started": str(run.config.get("created") or "–")[:16].replace("T", " "),
        },
        pictures=tuple(pictures(run, summary, board, grid_of(database))),
        board=leaderboard_sections(board) if board is not None else (),
        failures=tuple(without_verdict),
        failed=failed,
        heading=_HEADINGS[run.protocol],
        columns={name: heading for name, heading in columns.items() if says.get(name, True)},
        outcomes=tuple(Listed(key, _word(run, key), count) for key, count in outcomes.items() if count),
        finished=summary.finished,
        orders_disagree=summary.orders_disagree,
        differing=summary.labelled - summary.labelled_undecided - summary.agreeing,
    )
    return view, summary, board


def line_sql(database: Database, columns: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """The names of what a line of the list needs, and a question for it; conditions and an order may follow it, in
    which `r` is the row and `c` the case."""
    own = ["position", "case", "status", "agrees", "reason", "message", *columns]
    own += ["invalid"] if database.run.protocol == "review" else []
    asked = ", ".join(f"r.{sql_name(each)}" for each in own)
    question = f"""select {asked}, {OUTCOME[database.run.protocol]} as outcome, c.opening
        from {database.chosen} as r join {database.schema}.cases as c on r.position = c.position"""
    return (*own, "outcome", "opening"), question


def lines_of(database: Database, columns: Mapping[str, str], page: Callable[[int], str]) -> Iterator[Line]:
    """The whole list, in the order of the input; `page` is asked for the page of each case that has a verdict."""
    names, question = line_sql(database, columns)
    found = database.cursor().execute(f"{question} order by r.position")
    while rows := found.fetchmany(_BATCH):
        for row in (dict(zip(names, cells, strict=True)) for cells in rows):
            own = page(row["position"]) if row["status"] == "verdict" else ""
            yield line_of(database.run, row, columns, own)


def line_of(run: Run, row: Cells, columns: Mapping[str, str], page: str) -> Line:
    """A row of the list."""
    cells = []
    for name, heading in columns.items():
        value = row[name]
        text = f"{percent_sure(value)} %" if name == "confidence" and value is not None else shown(value)
        cells.append((heading, text, value))
    outcome, told, opening = row["outcome"] or "", "", row["opening"] or ""
    if row["status"] != "verdict":
        outcome, told = row["status"], row["message"] or "the row could not be judged"
        told = f"{row['reason']}: {told}" if row["reason"] else told
    elif row.get("invalid"):
        outcome, told = "invalid", row["invalid"]
    said = _word(run, outcome)
    return Line(row["position"], row["case"], opening, page, outcome, said, told, tuple(cells), row["agrees"])


def _word(run: Run, outcome: str) -> str:
    return (_SAID | _REVIEWED if run.protocol == "review" else _SAID).get(outcome, outcome)
