"""Writes the report of a run, its finding and its cases, as Markdown or as HTML with a page for each case.

The HTML report is one file of bounded size. Further pages of the list, and the pages of cases, are in a folder beside
it (`report_files`), where the cases share a stylesheet. A small script filters and sorts the list; everything else
works without it. The pages make no network requests.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from markupsafe import Markup

from ...files import user_path
from ...rendering.document import Document, Grid, Picture, Section, as_markdown, grid_markdown, markdown_row
from ...rendering.pages import environment
from ...rendering.wording import many
from ...results.database import Database
from ...results.files import new_file, new_folder
from ...results.run import Reader
from ...results.summary import Summary
from .. import render
from .view import lines_of, view_run

# Rows of a Markdown table: more than anybody reads, and few enough for viewers to open the file.
MOST_ROWS = 10_000
_LEFT_OUT = ("grid", "points")  # the list of cases and the leaderboard show the same
ROWS = 1_000
MOST_PAGES = 5_000
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_OWN_RULES = "\nmain:has(#at-"  # where a page's own CSS rules begin, which highlight its quotes
_STYLE_POLICY = "style-src 'unsafe-inline'"


def write_markdown(database: Database, file: BinaryIO) -> None:
    """Write the finding, the pictures of the page as tables, and the first cases. All text is escaped."""
    view, summary, _ = view_run(database)
    lead = [view.conduct.sentence, f"{view.finding.title}. {view.finding.sentence}", f"{view.counted}."]
    lead += [*(caution.text for caution in view.cautions), *view.notes]
    sections = (
        view.conduct.section,
        *(section for part in view.parts for section in part.sections),
        *(_tabled(picture) for picture in view.pictures if picture.kind not in _LEFT_OUT),
    )
    document = Document(f"Run {database.run.name}", tuple(lead), sections, facts=tuple(view.facts.items()))
    file.write(as_markdown(document).encode("utf-8", "replace"))
    cut = ""
    if summary.finished > MOST_ROWS:
        cut = f"The first {MOST_ROWS:,} of {summary.finished:,}. --where chooses others; CSV and Parquet have all.\n\n"
    head = ("Case", view.heading, *view.columns.values())
    file.write(f"\n## Cases\n\n{cut}{grid_markdown(Grid(head, (), len(head)))}\n".encode())
    for line in islice(lines_of(database, view.columns, lambda _: ""), MOST_ROWS):
        cells = [cell for _, cell, _ in line.cells]
        if line.explanation:
            cells = [line.explanation, *[""] * (len(cells) - 1)]
        file.write((markdown_row([line.case, line.word, *cells]) + "\n").encode("utf-8", "replace"))


def _tabled(picture: Picture) -> Section:
    """Convert a picture to a table, or to a sentence if it is a histogram."""
    if picture.kind == "steps":
        counted = ", ".join(step.text for step in picture.rows if step.value)
        return Section(picture.title, (picture.lead, f"{counted}."))
    head = ("What", "Result", "95 % interval" if picture.kind == "bars" else "Note")
    rows = [(row.label, row.text, row.note) for row in picture.rows]
    return Section(picture.title, (picture.lead,), [Grid(head, rows)])


@dataclass(frozen=True, slots=True)
class Written:
    """The path of a written report, and counts of its case pages."""

    index: Path
    summary: Summary
    pages: int
    without_page: int
    broken: int


def write_html(database: Database, index: Path) -> Written:
    """Write the folder of pages and then the report. Each is put in place only when it is complete."""
    index = user_path(index)
    files = index.with_name(f"{index.stem}_files")
    beside = quote(files.name)
    view, summary, _ = view_run(database)
    pages = max((summary.finished + ROWS - 1) // ROWS, 1)
    names = [f"../{quote(index.name)}", *(f"page-{number}.html" for number in range(2, pages + 1)), ""]
    template = environment("html", __package__).get_template
    script, policy = _script()
    values: dict[str, Any] = {
        "run": database.run,
        "view": view,
        "frame": "page.html.j2",
        "home": "",
        "script": script,
        "policy": policy,
        "pages": pages,
        "cases_at": "#case-",
        "heads": [(head, "", "") for head in ("Case", view.heading, *view.columns.values())],
        "nothing": "No case has an outcome yet.",
    }
    failed = {position for position, *_ in view.failures}
    elsewhere: dict[int, str] = {}  # for failures that are not on the first page of the list: the page they are on
    with new_folder(files) as folder, Reader(database.run) as reader:
        cases = _Cases(reader, folder, f"../../../{quote(index.name)}")
        every = lines_of(database, view.columns, cases.write)
        first = list(islice(every, ROWS))
        for at in range(1, pages):
            lines = list(islice(every, ROWS))
            here = {"number": at + 1, "lines": lines, "before": names[at - 1], "after": names[at + 1], "files": ""}
            page = template("cases.html.j2").render(values | here)
            (folder / names[at]).write_text(page, "utf-8")
            elsewhere |= {line.position: f"{beside}/{names[at]}" for line in lines if line.position in failed}
    cut = summary.verdicts - cases.made - cases.broken
    notes = []
    if cut:
        notes.append(
            f"{many(cut, 'case')} of the list {'has' if cut == 1 else 'have'} no page of their own: at most "
            f"{MOST_PAGES:,} are written. Choose some with --where, or show one with adjudge show DIR --case ID."
        )
    if cases.broken:
        notes.append(f"{many(cases.broken, 'verdict')} could not be shown on a page of their own.")
    here = {"number": 1, "lines": first, "before": "", "after": f"{beside}/{names[1]}", "files": f"{beside}/"}
    report = template("run.html.j2").render(values | here, elsewhere=elsewhere, notes=notes)
    with new_file(index) as file:
        file.write(report.encode("utf-8", "replace"))
    return Written(index, summary, cases.made, cut, cases.broken)


class _Cases:
    """Writes the pages of single cases and the stylesheets they share, and counts them."""

    def __init__(self, reader: Reader, folder: Path, home: str) -> None:
        self._reader, self._folder, self._home = reader, folder, home
        self.made = self.broken = 0

    def write(self, position: int) -> str:
        """Write a case's page and return its name, or "" if there are too many pages or it cannot be rendered."""
        if self.made >= MOST_PAGES:
            return ""
        name = f"cases/{position // 1000:03d}/{position:06d}.html"
        try:
            page = render(self._reader.verdict(position), "html", home=self._home)
        except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            self.broken += 1  # the other cases are still written
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
        if not (self._folder / name).exists():
            (self._folder / name).write_text(shared, "utf-8")
        rules = f"<style>{begun}{own}</style>" if begun else ""
        return f'<link rel="stylesheet" href="../../{name}">{rules}'


def _script() -> tuple[Markup, str]:
    """Return the script, and a content security policy that allows the page's styles and exactly this script."""
    script = Markup((resources.files("adjudge.reports.run") / "templates" / "cases.js").read_text("utf-8"))
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return script, f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
