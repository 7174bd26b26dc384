"""Exports a run's results for other programs as JSON lines, CSV or Parquet. Rows are streamed."""

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

# Characters at the start of a cell that a spreadsheet reads as a formula, also in the wide forms of East Asian scripts.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?\Z")


def write_jsonl(database: Database, file: BinaryIO) -> None:
    """Write one object per line: the columns, and under `verdict` the whole verdict, byte for byte as stored."""
    with Reader(database.run) as reader:
        for row in database.rows():
            verdict = reader.verdict_json(row["position"]) if row["status"] == "verdict" else b""
            row.pop("verdict", None)  # a column of the input may have this name
            file.write(orjson.dumps(row)[:-1] + b',"verdict":' + (verdict or b"null") + b"}\n")


def write_csv(database: Database, file: BinaryIO) -> None:
    """Write comma-separated UTF-8 with a header, without control characters except tabs and line ends.

    A text that a spreadsheet would run as a formula is prefixed with an apostrophe.
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
    """Write a Parquet file with typed columns, for DuckDB, pandas, Polars, Spark."""
    made = database.folder / "results.parquet"
    options = f"format parquet, compression zstd, row_group_size {ROW_GROUP}"
    database.query(f"copy (from {database.chosen}) to {text(str(made))} ({options})")
    with new_file(path) as file, made.open("rb") as whole:
        shutil.copyfileobj(whole, file, 2**20)


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else value
    # Clean first, because a formula may follow the characters that are removed. Carriage returns of the text are kept.
    shown = "\r".join(map(clean, value.split("\r")))
    return f"'{shown}" if _FORMULA.match(shown) and not _PLAIN_NUMBER.match(shown) else shown
