"""A run's results in other people's formats: JSON lines, CSV, Parquet, Markdown. HTML has a file of its own.

Rows pass through one at a time, whatever the run's size.
"""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ..render.escaping import clean
from . import sql
from .column import Cells
from .columns import Table, table_of
from .database import MEMORY, database_of, fill
from .directory import Outcome, Run, open_run
from .documents import Document, Grid, as_markdown, grid_markdown, markdown_row
from .files import finished_path
from .needs import need
from .summary import Summary
from .summary_report import headline, missing, summary_sections

# What a spreadsheet takes for a formula if a cell begins with it, also in the wide forms of East Asian scripts.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?\Z")
_MARKDOWN_COLUMNS = {
    "compare": ("case", "winner", "confidence", "difference", "label", "system_a", "system_b", "reason"),
    "dialogue": ("case", "overall_experience", "average", "objections", "changed", "label", "reason"),
    "review": ("case", "winner", "likert", "kept", "replaced", "filled", "refused", "label", "invalid", "reason"),
}
_TEXT_CELLS = ("case", "winner", "system_a", "system_b", "label", "reason", "invalid")


@dataclass(frozen=True)
class Selection:
    """A run, its table, and which of its rows are wanted."""

    run: Run
    table: Table
    where: str | None
    _wanted: Callable[[int], bool] | None

    def outcomes(self) -> Iterator[Outcome]:
        return self.run.outcomes(self._wanted)

    def rows(self) -> Iterator[tuple[Outcome, Cells]]:
        """The outcomes with their rows."""
        for outcome in self.outcomes():
            yield outcome, self.table.row(outcome)


def select(path: str | Path, where: str | None = None) -> Selection:
    """The rows of a run that fit a condition in SQL; all without one."""
    run = open_run(path)
    table = table_of(run)
    if where is None:
        return Selection(run, table, None, None)
    with database_of(table, (table.row(outcome) for outcome in run.outcomes())) as database:
        chosen = database.positions(where)
    return Selection(run, table, where, lambda position: position < len(chosen) and bool(chosen[position]))


def write_jsonl(selection: Selection, file: BinaryIO) -> Summary:
    """One object a line: the columns, and under `verdict` the whole verdict, byte for byte as the run has it."""
    summary = _summary(selection)
    taken = "verdict" in selection.table.names
    for outcome, row in selection.rows():
        summary.add(row)
        line = {name: value for name, value in row.items() if not (taken and name == "verdict")}
        file.write(orjson.dumps(line)[:-1] + b',"verdict":' + (outcome.verdict_json or b"null") + b"}\n")
    return summary


def write_csv(selection: Selection, file: BinaryIO) -> Summary:
    """Comma-separated UTF-8 with a heading, without control characters but tabs and line ends.

    A text that a spreadsheet would compute gets an apostrophe before it.
    """
    summary = _summary(selection)
    with _as_text(file) as text:
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow([_cell(name) for name in selection.table.names])
        for _, row in selection.rows():
            summary.add(row)
            writer.writerow([_cell(row[name]) for name in selection.table.names])
    return summary


def write_parquet(selection: Selection, path: Path) -> Summary:
    """A Parquet file with typed columns, for DuckDB, pandas, Polars, Spark."""
    duckdb = need("duckdb", "Parquet")
    summary = _summary(selection)

    def rows() -> Iterator[Cells]:
        for _, row in selection.rows():
            summary.add(row)
            yield row

    with finished_path(path) as temporary, tempfile.TemporaryDirectory(prefix="adjudge-") as folder:
        filled = fill(duckdb, Path(folder), selection.table, rows())
        connection = duckdb.connect(str(filled), config={"memory_limit": MEMORY, "temp_directory": folder})
        try:
            connection.execute(f"copy results to {sql.text(str(temporary))} (format parquet, compression zstd)")
        finally:
            connection.close()
    return summary


def write_markdown(selection: Selection, file: BinaryIO) -> Summary:
    """The summary, and the cases as a table; every word that others wrote is escaped."""
    summary = _summary(selection)
    for _, row in selection.rows():
        summary.add(row)
    run = selection.run
    chosen = selection.where is not None
    lead = tuple(filter(None, (headline(summary), missing(summary, chosen), condition(selection))))
    document = Document(f"Run {run.name}", lead, summary_sections(run, summary))
    file.write(as_markdown(document).encode("utf-8", "replace"))
    columns = [name for name in _MARKDOWN_COLUMNS[run.protocol] if _said(name, summary, selection.table)]
    texts = tuple(name for name in columns if name in _TEXT_CELLS)
    ordered = (*texts, *(name for name in columns if name not in texts))
    head = grid_markdown(Grid(ordered, (), names=len(texts)))
    file.write(("\n## Cases\n\n" + "\n".join(head) + "\n").encode())
    for _, row in selection.rows():
        cells = [shown(row[name]) for name in ordered]
        file.write((markdown_row(cells) + "\n").encode("utf-8", "replace"))
    return summary


def condition(selection: Selection) -> str:
    """That only some rows are here, and which."""
    return "" if selection.where is None else f"Only rows where {selection.where}"


def shown(value: Any) -> str:
    """A cell as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("-", "−") if isinstance(value, int | float) else str(value)


def _said(name: str, summary: Summary, table: Table) -> bool:
    """Whether a column has anything to say in this run."""
    if name not in table.names:
        return False
    if name == "reason":
        return bool(summary.reasons)
    if name == "label":
        return summary.labelled > 0
    if name in ("system_a", "system_b"):
        return summary.named_systems > 0
    return name != "invalid" or summary.invalid > 0


def _summary(selection: Selection) -> Summary:
    return Summary(selection.run.expected, selection.table.scores)


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else value
    # Cleaned first: a formula may stand behind what is taken away. Carriage returns are kept, as the text was written.
    text = "\r".join(map(clean, str(value).split("\r")))
    if _FORMULA.match(text) and not _PLAIN_NUMBER.match(text):
        return f"'{text}"
    return text


@contextmanager
def _as_text(file: BinaryIO) -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(file, "utf-8", "replace", newline="", write_through=False)
    try:
        yield text
    finally:
        text.detach()
