"""A run as HTML: a report that leads with the finding and lists the cases, and a page for each case with its evidence.

The report is one file of bounded size; further pages of the list, and the cases, lie in a folder beside it
(`report_files`), where the cases share a stylesheet. A small script filters and sorts the list; all else works without
it. Nothing is requested from anywhere.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from ...files import user_path
from ...models.rows import Cells
from ...results.database import Database
from ...results.files import new_file, new_folder
from ...results.run import Reader
from ...results.summary import Summary
from .. import render
from ..pages import environment
from ..wording import many
from .view import Line, line_of, line_sql, view_run

ROWS = 1_000
MOST_PAGES = 5_000
_BATCH = 1_000
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_OWN_RULES = "\n#at-"  # where a page's own rules begin: which quotes light up
_STYLE_POLICY = "style-src 'unsafe-inline'"


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
    index = user_path(index)
    files = index.with_name(f"{index.stem}_files")
    view, summary, _ = view_run(database)
    pages = max((summary.finished + ROWS - 1) // ROWS, 1)
    names = [f"../{quote(index.name)}", *(f"page-{number}.html" for number in range(2, pages + 1))]
    frame = {
        "run": database.run,
        "view": view,
        "frame": "page.html.j2",
        "home": "",
        "script": _script(),
        "policy": _policy(),
        "pages": pages,
        "cases_at": "#case-",
        "heads": [(head, "", "") for head in ("Case", view.heading, *view.columns.values())],
        "nothing": "No case has an outcome yet.",
    }
    first: list[Line] = []
    failed = {position for position, *_ in view.failures}
    elsewhere: dict[int, str] = {}  # which further page of the list a failure stands on
    with new_folder(files) as folder, Reader(database.run) as reader:
        cases = _Cases(reader, folder, f"../../../{quote(index.name)}")
        rows = _rows(database, view.columns)
        for number in range(pages):
            lines = [
                line_of(
                    database.run,
                    row,
                    view.columns,
                    cases.write(row["position"]) if row["status"] == "verdict" else "",
                )
                for row in islice(rows, ROWS)
            ]
            if number == 0:
                first = lines
                continue
            after = names[number + 1] if number + 1 < pages else ""
            page = _fill(
                "cases", frame, number=number + 1, lines=lines, before=names[number - 1], after=after, files=""
            )
            (folder / names[number]).write_text(page, "utf-8")
            here = f"{quote(files.name)}/{names[number]}"
            elsewhere |= {line.position: here for line in lines if line.position in failed}
    cut = summary.verdicts - cases.made - cases.broken
    report = _fill(
        "run",
        frame,
        number=1,
        lines=first,
        before="",
        after=f"{quote(files.name)}/page-2.html" if pages > 1 else "",
        files=f"{quote(files.name)}/",
        elsewhere=elsewhere,
        notes=_notes(cut, cases.broken),
    )
    with new_file(index) as file:
        file.write(report.encode("utf-8", "replace"))
    return Written(index, summary, cases.made, cut, cases.broken)


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


def _rows(database: Database, columns: Mapping[str, str]) -> Iterator[Cells]:
    """The rows with the columns of the list, and the beginning of what was asked."""
    names, question = line_sql(database, columns)
    found = database.cursor().execute(f"{question} order by r.position")
    while batch := found.fetchmany(_BATCH):
        for row in batch:
            yield dict(zip(names, row, strict=True))


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


@cache
def _script() -> Markup:
    return Markup((resources.files("adjudge.reports.run") / "templates" / "cases.js").read_text("utf-8"))


@cache
def _policy() -> str:
    """What the page may do: its own styles, and exactly this script."""
    digest = b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _fill(template: str, frame: dict[str, Any], **values: Any) -> str:
    return environment("html").get_template(f"run/templates/{template}.html.j2").render({**frame, **values})
