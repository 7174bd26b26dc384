"""A run's results in other people's formats: JSON lines, CSV, Parquet, Markdown. HTML has a file of its own.

Rows pass through one at a time, whatever the run's size.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ..errors import InputError
from ..reports.escaping import clean
from . import sql
from .columns import Table
from .documents import Document, Grid, as_markdown, grid_markdown, markdown_row
from .files import finished_path
from .needs import need
from .selecting import Selection
from .staging import ROW_GROUP, settings
from .summary import Counts, Summary, summary_of
from .summary_report import headline, missing, summary_sections

# What a spreadsheet takes for a formula if a cell begins with it, also in the wide forms of East Asian scripts.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?\Z")
_MARKDOWN_COLUMNS = {
    "compare": ("case", "winner", "confidence", "difference", "label", "system_a", "system_b", "reason"),
    "dialogue": ("case", "overall_experience", "average", "objections", "changed", "label", "reason"),
    "review": ("case", "winner", "likert", "kept", "replaced", "filled", "refused", "label", "invalid", "reason"),
}
# More rows than anybody reads; a page that viewers of Markdown still open.
MOST_ROWS = 10_000
_SHORT = 64
_TEXT_CELLS = ("case", "winner", "system_a", "system_b", "label", "reason", "invalid")


def write_jsonl(selection: Selection, file: BinaryIO) -> Counts:
    """One object a line: the columns, and under `verdict` the whole verdict, byte for byte as the run has it."""
    counts = Counts(selection.run.expected)
    taken = "verdict" in selection.table.names
    with selection.run.reader() as reader:
        for row in selection.rows():
            counts.statuses[row["status"]] += 1
            verdict = reader.verdict_json(row["position"]) if row["status"] == "verdict" else b""
            if taken:
                del row["verdict"]
            file.write(orjson.dumps(row)[:-1] + b',"verdict":' + (verdict or b"null") + b"}\n")
    return counts


def write_csv(selection: Selection, file: BinaryIO) -> Counts:
    """Comma-separated UTF-8 with a heading, without control characters but tabs and line ends.

    A text that a spreadsheet would compute gets an apostrophe before it.
    """
    counts = Counts(selection.run.expected)
    with _as_text(file) as text:
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(map(_cell, selection.table.names))
        # Whole and broken numbers are written as they are; all else is looked at first.
        others = [at for at, column in enumerate(selection.table.columns) if column.kind not in ("BIGINT", "DOUBLE")]
        for row in selection.rows():
            counts.statuses[row["status"]] += 1
            cells = list(row.values())
            for at in others:
                if cells[at] is not None:
                    cells[at] = _cell(cells[at])
            writer.writerow(cells)
    return counts


def write_parquet(selection: Selection, path: Path) -> Counts:
    """A Parquet file with typed columns, for DuckDB, pandas, Polars, Spark."""
    duckdb = need("duckdb", "Parquet")
    database = selection.database
    if database is None:
        raise InputError(
            "--format", "parquet of columns whose names differ in upper and lower case only", "CSV or JSONL"
        )
    folder = database.file.parent
    with finished_path(path) as temporary:
        connection = duckdb.connect(":memory:", config=settings(folder))
        try:
            connection.execute(f"attach {sql.text(str(database.file))} as made (read_only)")
            connection.execute("use made")
            chosen, order = "from results", ""
            if selection.where is not None:
                # The condition itself was asked where no file is within reach; here only its answer is used.
                listed = folder / "chosen.csv"
                listed.write_text("\n".join(map(str, selection.positions())), "ascii")
                kept = f"from read_csv({sql.path(str(listed))}, header = false, columns = {{'position': 'BIGINT'}})"
                chosen, order = f"from results where position in ({kept})", "order by position"
            counted = connection.execute(f"select status, count(*) {chosen} group by status").fetchall()
            options = f"format parquet, compression zstd, row_group_size {ROW_GROUP}"
            connection.execute(f"copy (select * {chosen} {order}) to {sql.text(str(temporary))} ({options})")
        finally:
            connection.close()
    return Counts(selection.run.expected, Counter(dict(counted)))


def write_markdown(selection: Selection, file: BinaryIO) -> Summary:
    """The summary, and the first cases as a table; every word that others wrote is escaped."""
    run = selection.run
    summary = summary_of(run, selection.table, selection.rows())
    chosen = selection.where is not None
    lead = tuple(filter(None, (headline(summary), missing(summary, chosen), condition(selection))))
    document = Document(f"Run {run.name}", lead, summary_sections(run, summary))
    file.write(as_markdown(document).encode("utf-8", "replace"))
    columns = [name for name in _MARKDOWN_COLUMNS[run.protocol] if _said(name, summary, selection.table)]
    texts = tuple(name for name in columns if name in _TEXT_CELLS)
    ordered = (*texts, *(name for name in columns if name not in texts))
    head = grid_markdown(Grid(ordered, (), names=len(texts)))
    cut = ""
    if summary.finished > MOST_ROWS:
        cut = f"The first {MOST_ROWS:,} of {summary.finished:,}. --where chooses others; CSV and Parquet have all.\n\n"
    file.write(("\n## Cases\n\n" + cut + "\n".join(head) + "\n").encode())
    for row in islice(selection.rows(), MOST_ROWS):
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


def _cell(value: Any) -> Any:
    if isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else value
    text = str(value)
    return _usual_text(text) if len(text) <= _SHORT else _text(text)


def _text(value: str) -> str:
    # Cleaned first: a formula may stand behind what is taken away. Carriage returns are kept, as the text was written.
    text = "\r".join(map(clean, value.split("\r")))
    if _FORMULA.match(text) and not _PLAIN_NUMBER.match(text):
        return f"'{text}"
    return text


# Names of winners, systems and judges come again and again.
_usual_text = lru_cache(2_000)(_text)


@contextmanager
def _as_text(file: BinaryIO) -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(file, "utf-8", "replace", newline="", write_through=False)
    try:
        yield text
    finally:
        text.detach()
