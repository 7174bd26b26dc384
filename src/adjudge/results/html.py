"""A run as HTML files: a report with the cases in a table, and for each case the page that shows its evidence.

The report is one file; further pages of the table and the cases lie in a folder beside it (`report_files`). No script,
no request. Pages of single cases are made for so many only; the table names all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..models.rows import Cells
from ..reports.pages import environment
from ..reports.wording import judge_note
from .directory import Outcome, Run
from .exporting import condition, shown
from .files import new_file, new_folder
from .leaderboard import Collected, ranked
from .leaderboard_report import leaderboard_sections
from .needs import has
from .pages import case_html
from .selecting import Selection
from .summary import Summary
from .summary_report import headline, missing, summary_sections
from .wording import listed, many

ROWS = 200
MOST_PAGES = 5_000
_LONG_NAME = 80
# What a page shows of a row, under which heading; a column that says nothing in this run is left out.
_COLUMNS: dict[str, tuple[tuple[str, str], ...]] = {
    "compare": (
        ("winner", "Winner"),
        ("difference", "A − B"),
        ("confidence", "Sure"),
        ("label", "Label"),
        ("system_a", "A by"),
        ("system_b", "B by"),
    ),
    "dialogue": (
        ("overall_experience", "Overall"),
        ("average", "Average"),
        ("objections", "Objections"),
        ("changed", "Changed"),
        ("label", "Label"),
    ),
    "review": (
        ("winner", "Preferred"),
        ("likert", "1 to 7"),
        ("kept", "Kept"),
        ("replaced", "Replaced"),
        ("filled", "Filled"),
        ("refused", "Refused"),
        ("label", "Label"),
    ),
}
_PREFERRED = {"A": "Response 1", "B": "Response 2", "tie": "Neither"}


@dataclass(frozen=True, slots=True)
class Line:
    """A case in the table: its cells with their headings, and the page that shows it, if there is one.

    Where there is nothing to put into cells, `fate` and `told` say why.
    """

    case: str
    page: str
    cells: tuple[tuple[str, str], ...]
    note: str
    fate: str
    told: str
    agrees: bool | None
    tone: str


@dataclass(frozen=True, slots=True)
class Written:
    """What was written where."""

    index: Path
    summary: Summary
    pages: int
    without_page: int
    broken: int


def write_html(selection: Selection, index: Path) -> Written:
    """The report and its folder of pages, put in place together."""
    index = index.expanduser().resolve()
    files = index.with_name(f"{index.stem}_files")
    summary, games = _read(selection)
    columns = _columns(selection.run, summary)
    pages = max((summary.finished + ROWS - 1) // ROWS, 1)
    names = [f"../{quote(index.name)}", *(f"page-{number}.html" for number in range(2, pages + 1))]
    made, broken = 0, 0
    first: list[Line] = []
    with new_folder(files) as folder, selection.run.reader() as reader:
        rows = selection.rows()
        for number in range(pages):
            lines: list[Line] = []
            for row in islice(rows, ROWS):
                page = ""
                if row["status"] == "verdict" and made < MOST_PAGES:
                    page = _page_name(row["position"])
                    outcome = reader.outcome(row["position"])
                    assert outcome is not None
                    if _write_case(selection.run, outcome, folder / page, f"../../{names[number]}"):
                        made += 1
                    else:
                        page, broken = "", broken + 1
                lines.append(_line(selection.run, row, columns, page))
            if number == 0:
                first = lines
            else:
                around = _around(number, pages, names)
                shown_page = _fill("run_cases.html.j2", selection, summary, columns, lines, around)
                (folder / names[number]).write_text(shown_page, "utf-8")
        around = _around(0, pages, [quote(index.name), *(f"{quote(files.name)}/{name}" for name in names[1:])])
        judged = summary.statuses["verdict"]
        cut = judged - made - broken
        report = _fill(
            "run.html.j2",
            selection,
            summary,
            columns,
            first,
            around,
            files=quote(files.name),
            notes=_notes(selection, summary, cut, broken),
            facts=_facts(selection.run, summary),
            judge_note=" ".join(dict.fromkeys(filter(None, map(judge_note, summary.judges)))),
            sections=summary_sections(selection.run, summary),
            board=leaderboard_sections(ranked(games)) if games is not None else (),
        )
    with new_file(index) as file:
        file.write(report.encode("utf-8", "replace"))
    return Written(index, summary, made, cut, broken)


def _read(selection: Selection) -> tuple[Summary, Collected | None]:
    """The summary, and the games between systems if there are any and they can be weighed."""
    summary = Summary(selection.run.expected, scores=selection.table.scores)
    games = Collected() if selection.run.protocol == "compare" and has("scipy.optimize") else None
    with selection.run.reader() as reader:
        for row in selection.rows():
            summary.add(row)
            if games is not None:
                games.add(row, reader.given(row["position"]))
    return summary, games if games is not None and games.first else None


def _columns(run: Run, summary: Summary) -> tuple[tuple[str, str], ...]:
    silent = {
        "label": not summary.labelled,
        "system_a": not summary.named_systems,
        "system_b": not summary.named_systems,
        "confidence": not summary.confident,
    }
    return tuple((name, heading) for name, heading in _COLUMNS[run.protocol] if not silent.get(name))


def _line(run: Run, row: Cells, columns: tuple[tuple[str, str], ...], page: str) -> Line:
    cells = []
    for name, heading in columns:
        value: Any = row[name]
        if name == "winner" and run.protocol == "review":
            value = _PREFERRED.get(value)
        if name == "confidence" and value is not None:
            value = f"{int(value * 100)} %"
        cells.append((heading, shown(value)))
    fate, told = _told(row)
    return Line(
        case=row["case"],
        page=page,
        cells=tuple(cells),
        note="undecided, best guess" if row.get("decided") is False else "",
        fate=fate,
        told=told,
        agrees=row["agrees"],
        tone=row.get("winner") or "",
    )


def _told(row: Cells) -> tuple[str, str]:
    """Why a row has no numbers; nothing for one that has."""
    if row["status"] == "failure":
        return "Failed:", f"{row['reason']}. {row['message']}"
    if row["status"] == "skipped":
        return "Skipped:", row["message"] or "the row could not be judged"
    return ("Cannot be rated:", row["invalid"]) if row.get("invalid") else ("", "")


def _page_name(position: int) -> str:
    return f"cases/{position // 1000:03d}/{position:06d}.html"


def _write_case(run: Run, outcome: Outcome, path: Path, home: str) -> bool:
    """A case's own page; False for a verdict that our reports cannot show, which the others must not suffer from."""
    try:
        page = case_html(run, outcome, home)
    except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, "utf-8", "replace")
    return True


@dataclass(frozen=True, slots=True)
class Around:
    """Where a page stands among the others."""

    number: int
    pages: int
    home: str
    before: str
    after: str


def _around(number: int, pages: int, names: list[str]) -> Around:
    before = names[number - 1] if number else ""
    return Around(number + 1, pages, names[0], before, names[number + 1] if number + 1 < pages else "")


def _notes(selection: Selection, summary: Summary, cut: int, broken: int) -> list[str]:
    notes = [missing(summary, selection.where is not None), condition(selection)]
    if cut:
        notes.append(
            f"{many(cut, 'case')} of the table {'has' if cut == 1 else 'have'} no page of their own: at most "
            f"{MOST_PAGES:,} are written. Choose some with --where, or show one with adjudge show DIR --case ID."
        )
    if broken:
        notes.append(f"{many(broken, 'verdict')} could not be shown on a page of their own.")
    return [note for note in notes if note]


def _facts(run: Run, summary: Summary) -> dict[str, str]:
    given = run.config.get("input") or {}
    return {
        "Judge": listed(summary.judges, 4) or "–",
        "Rubric": run.rubric.reference,
        "Input": str(given.get("source") or "–"),
        "Started": str(run.config.get("created") or "–"),
    }


def _fill(
    template: str,
    selection: Selection,
    summary: Summary,
    columns: tuple[tuple[str, str], ...],
    lines: list[Line],
    around: Around,
    **values: Any,
) -> str:
    page: Mapping[str, Any] = {
        "home": around.home if around.number > 1 else "",
        "report": {"refs": ()},
        "files": "",
        "run": selection.run,
        "headline": f"Run {selection.run.name}",
        "counted": headline(summary),
        "columns": columns,
        "lines": lines,
        "around": around,
        "long_name": _LONG_NAME,
        **values,
    }
    return environment("adjudge.results").get_template(template).render(page)
