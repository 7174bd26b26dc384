"""A run as HTML: a report that leads with the finding and lists the cases, and a page for each case with its evidence.

The report is one file of bounded size; further pages of the list, and the cases, lie in a folder beside it
(`report_files`), where the cases share a stylesheet. A small script filters and sorts the list; all else works without
it. Nothing is requested from anywhere.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from ...models.rows import Cells
from ...results.columns import name as sql_name
from ...results.database import Database
from ...results.files import new_file, new_folder
from ...results.leaderboard import has_games, leaderboard_of
from ...results.run import Reader, Run
from ...results.summary import OUTCOME, Summary, summary_of
from .. import render
from ..pages import environment
from .leaderboard import leaderboard_sections
from .pictures import pictures
from .summary import calibrated_sentence, cautions, cost_sentence, finding
from .wording import headline, listed, many, shown

ROWS = 1_000
MOST_PAGES = 5_000
MOST_FAILURES = 50
_BATCH = 1_000
# What the list shows of a row, under which heading; a column that says nothing in this run is left out.
_COLUMNS: dict[str, dict[str, str]] = {
    "compare": {
        "difference": "A − B",
        "confidence": "Sure",
        "label": "Label",
        "system_a": "A by",
        "system_b": "B by",
    },
    "dialogue": {"average": "Average", "objections": "Objections", "changed": "Changed", "label": "Label"},
    "review": {"likert": "1 to 7", "kept": "Kept", "replaced": "Replaced", "filled": "Filled", "refused": "Refused"},
}
_SAID = {
    "compare": {"tie": "tie"},
    "review": {"A": "Response 1", "B": "Response 2", "tie": "Neither"},
    "dialogue": {},
}
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_OWN_RULES = "\n#at-"  # where a page's own rules begin: which quotes light up
_STYLE_POLICY = "style-src 'unsafe-inline'"


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


@dataclass(frozen=True, slots=True)
class Written:
    """What was written where."""

    index: Path
    summary: Summary
    pages: int
    without_page: int
    broken: int


def write_html(database: Database, index: Path) -> Written:
    """The report and its folder of pages, put in place together."""
    index = index.expanduser()
    files = index.with_name(f"{index.stem}_files")
    summary = summary_of(database)
    board = leaderboard_of(database) if has_games(database) else None
    columns = _columns(database, summary)
    pages = max((summary.finished + ROWS - 1) // ROWS, 1)
    names = [f"../{quote(index.name)}", *(f"page-{number}.html" for number in range(2, pages + 1))]
    outcomes = sorted({*summary.outcomes, *(status for status in summary.statuses if status != "verdict")})
    frame = {
        "run": database.run,
        "counted": headline(summary),
        "columns": tuple(columns.values()),
        "heading": {"compare": "Winner", "dialogue": "Overall", "review": "Preferred"}[database.run.protocol],
        "outcomes": [(it, _SAID[database.run.protocol].get(it, it)) for it in outcomes],
        "disagreeing": summary.labelled > 0,
        "script": _script(),
        "policy": _policy(),
        "pages": pages,
    }
    first: list[Line] = []
    with new_folder(files) as folder, Reader(database.run) as reader:
        cases = _Cases(reader, folder, f"../../../{quote(index.name)}")
        rows = _rows(database, columns)
        for number in range(pages):
            lines = [_line(database.run, row, columns, cases) for row in islice(rows, ROWS)]
            if number == 0:
                first = lines
                continue
            after = names[number + 1] if number + 1 < pages else ""
            page = _fill(
                "cases", frame, number=number + 1, lines=lines, before=names[number - 1], after=after, files=""
            )
            (folder / names[number]).write_text(page, "utf-8")
    cut = summary.verdicts - cases.made - cases.broken
    report = _fill(
        "run",
        frame,
        number=1,
        lines=first,
        before="",
        after=f"{quote(files.name)}/page-2.html" if pages > 1 else "",
        files=f"{quote(files.name)}/",
        finding=finding(database.run, summary, board),
        cautions=cautions(summary, chosen=database.where is not None, condition=condition(database)),
        notes=[*filter(None, [calibrated_sentence(database.run, summary)]), *_notes(cut, cases.broken)],
        facts=_facts(database.run, summary),
        pictures=pictures(database.run, summary, board),
        board=leaderboard_sections(board) if board is not None else (),
        failures=_failures(database),
        failed=summary.statuses["failure"] + summary.statuses["skipped"],
        cost=cost_sentence(summary),
    )
    with new_file(index) as file:
        file.write(report.encode("utf-8", "replace"))
    return Written(index, summary, cases.made, cut, cases.broken)


def condition(database: Database) -> str:
    """That only some rows are here, and which."""
    return "" if database.where is None else f"Only rows where {database.where}"


class _Cases:
    """The pages of single cases as they are written, and the stylesheets they share."""

    def __init__(self, reader: Reader, folder: Path, home: str) -> None:
        self._reader, self._folder, self._home = reader, folder, home
        self._styles: set[str] = set()
        self.made = self.broken = 0

    def write(self, position: int) -> str:
        """A case's own page, and its name; nothing where there are enough, or for a verdict that we cannot show."""
        if self.made >= MOST_PAGES:
            return ""
        name = f"cases/{position // 1000:03d}/{position:06d}.html"
        try:
            page = render(self._reader.verdict(position), "html", home=self._home)
        except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            self.broken += 1  # one verdict that cannot be shown does not spoil the others
            return ""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        page = _STYLE.sub(self._linked, page, count=1).replace(_STYLE_POLICY, f"{_STYLE_POLICY} 'self' file:", 1)
        path.write_text(page, "utf-8", "replace")
        self.made += 1
        return name

    def _linked(self, style: re.Match[str]) -> str:
        shared, begun, own = style[1].partition(_OWN_RULES)
        shared = shared.strip()
        name = f"style-{hashlib.sha256(shared.encode()).hexdigest()[:12]}.css"
        if name not in self._styles:
            (self._folder / name).write_text(shared, "utf-8")
            self._styles.add(name)
        rules = f"<style>{begun}{own}</style>" if begun else ""
        return f'<link rel="stylesheet" href="../../{name}">{rules}'


def _rows(database: Database, columns: dict[str, str]) -> Iterator[Cells]:
    """The rows with the columns of the list, and the beginning of what was asked."""
    own = ["position", "case", "status", "agrees", "reason", "message", *columns]
    own += ["invalid"] if database.run.protocol == "review" else []
    asked = ", ".join(map(sql_name, own))
    found = database.cursor().execute(
        f"""select {asked}, {OUTCOME[database.run.protocol]} as outcome, opening from {database.chosen}
        join (select position, opening from {database.schema}.cases) using (position) order by position"""
    )
    while batch := found.fetchmany(_BATCH):
        for row in batch:
            yield dict(zip((*own, "outcome", "opening"), row, strict=True))


def _columns(database: Database, summary: Summary) -> dict[str, str]:
    silent = {"label": not summary.labelled, "confidence": not summary.confident}
    silent |= dict.fromkeys(("system_a", "system_b"), not summary.named_systems)
    return {name: heading for name, heading in _COLUMNS[database.run.protocol].items() if not silent.get(name)}


def _line(run: Run, row: Cells, columns: dict[str, str], cases: _Cases) -> Line:
    page = cases.write(row["position"]) if row["status"] == "verdict" else ""
    cells = []
    for name, heading in columns.items():
        value = row[name]
        text = f"{int(value * 100)} %" if name == "confidence" and value is not None else shown(value)
        cells.append((heading, text, value))
    outcome, told = row["outcome"] or "", ""
    if row["status"] != "verdict":
        outcome = row["status"]
        told = row["message"] or "the row could not be judged"
        told = f"{row['reason']}: {told}" if row["reason"] else told
    elif row.get("invalid"):
        outcome, told = "invalid", row["invalid"]
    said = {"failure": "failed", "invalid": "cannot be rated", **_SAID[run.protocol]}.get(outcome, outcome)
    return Line(
        row["position"], row["case"], row["opening"] or "", page, outcome, said, told, tuple(cells), row["agrees"]
    )


def _failures(database: Database) -> list[tuple[Any, ...]]:
    """The first cases without a verdict, and why."""
    return database.query(
        f"""select position, "case", coalesce(reason, 'skipped'), coalesce(message, '') from {database.chosen}
        where status <> 'verdict' order by position limit {MOST_FAILURES}"""
    )


def _notes(cut: int, broken: int) -> list[str]:
    notes = []
    if cut:
        notes.append(
            f"{many(cut, 'case')} of the list {'has' if cut == 1 else 'have'} no page of their own: at most "
            f"{MOST_PAGES:,} are written. Choose some with --where, or show one with adjudge show DIR --case ID."
        )
    if broken:
        notes.append(f"{many(broken, 'verdict')} could not be shown on a page of their own.")
    return notes


def _facts(run: Run, summary: Summary) -> dict[str, str]:
    given = run.config.get("input") or {}
    return {
        "Judge": listed(summary.judges, 4) or "–",
        "Rubric": run.rubric.reference,
        "Input": str(given.get("source") or "–"),
        "Started": str(run.config.get("created") or "–")[:16].replace("T", " "),
    }


@cache
def _script() -> Markup:
    return Markup((resources.files("adjudge.reports.run") / "templates" / "cases.js").read_text("utf-8"))


@cache
def _policy() -> str:
    """What the page may do: its own styles, and exactly this script."""
    digest = b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _fill(template: str, frame: dict[str, Any], **values: Any) -> str:
    return environment("html", "adjudge.reports.run").get_template(f"{template}.html.j2").render({**frame, **values})
