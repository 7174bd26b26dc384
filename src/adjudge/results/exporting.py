"""A run's results for other programs: JSON lines, CSV, Parquet. Rows pass through one at a time."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ..text.hidden import clean
from .columns import text
from .database import ROW_GROUP, Database
from .files import new_file
from .run import Reader

# What a spreadsheet takes for a formula if a cell begins with it, also in the wide forms of East Asian scripts.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?\Z")


def write_jsonl(database: Database, file: BinaryIO) -> None:
    """One object a line: the columns, and under `verdict` the whole verdict, byte for byte as the run has it."""
    with Reader(database.run) as reader:
        for row in database.rows():
            verdict = reader.verdict_json(row["position"]) if row["status"] == "verdict" else b""
            row.pop("verdict", None)  # a column of the input's own that is called so
            file.write(orjson.dumps(row)[:-1] + b',"verdict":' + (verdict or b"null") + b"}\n")


def write_csv(database: Database, file: BinaryIO) -> None:
    """Comma-separated UTF-8 with a heading, without control characters but tabs and line ends.

    A text that a spreadsheet would compute gets an apostrophe before it.
    """
    written = io.TextIOWrapper(file, "utf-8", "replace", newline="", write_through=False)
    try:
        writer = csv.writer(written, lineterminator="\r\n")
        writer.writerow(map(_cell, database.names))
        for row in database.rows():
            writer.writerow(map(_cell, row.values()))
    finally:
        written.detach()


def write_parquet(database: Database, path: Path) -> None:
    """A Parquet file with typed columns, for DuckDB, pandas, Polars, Spark."""
    made = database.folder / "results.parquet"
    options = f"format parquet, compression zstd, row_group_size {ROW_GROUP}"
    database.query(f"copy (from {database.chosen}) to {text(str(made))} ({options})")
    with new_file(path) as file, made.open("rb") as whole:
        shutil.copyfileobj(whole, file, 2**20)


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else value
    # Cleaned first: a formula may stand behind what is taken away. Carriage returns are kept, as the text was written.
    shown = "\r".join(map(clean, value.split("\r")))
    return f"'{shown}" if _FORMULA.match(shown) and not _PLAIN_NUMBER.match(shown) else shown
