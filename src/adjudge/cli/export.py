"""`adjudge export`: the results of a run as a file for other programs, or as a report for people."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Literal, get_args

from ..errors import InputError
from ..files import user_path
from ..reports.run.export import write_html, write_markdown
from ..reports.wording import headline, missing
from ..results.database import Database, opened
from ..results.exporting import write_csv, write_jsonl, write_parquet
from ..results.files import new_file
from ..results.run import open_run
from .asking import say

Format = Literal["jsonl", "csv", "parquet", "html", "markdown"]
_BY_SUFFIX: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
}


def run(args: argparse.Namespace) -> int:
    """Write, and say what was written."""
    chosen = _choose(args.format, args.output)
    written = open_run(args.run_directory)
    with opened(written, args.where) as database:
        path = _write(database, chosen, args.output)
        counts = database.counts()
    if path is not None:
        rows = f"{counts.finished:,} {'row' if counts.finished == 1 else 'rows'}"
        named = args.output if args.output and user_path(args.output) == path else path
        print(f"{named}: {rows if args.where else headline(counts)}", file=sys.stderr)
    if late := missing(counts, args.where is not None):
        say(late)
    return 0


def _choose(asked: Format | None, output: str | None) -> Format:
    named = _BY_SUFFIX.get(Path(output).suffix.lower()) if output and output != "-" else None
    if asked is None and named is None:
        found = "missing" if output in (None, "-") else f"not told by {output}"
        raise InputError("--format", found, f"one of {', '.join(get_args(Format))}")
    chosen = asked or named
    assert chosen is not None
    if chosen in ("parquet", "html") and output == "-":
        raise InputError("--output", f"- with {chosen}", "a path is needed")
    return chosen


def _write(database: Database, chosen: Format, output: str | None) -> Path | None:
    """The file that was written, or None if it was printed."""
    if chosen == "html":
        return _write_html(database, output)
    if chosen == "parquet":
        path = user_path(output) if output else database.run.folder / "results.parquet"
        write_parquet(database, path)
        return path
    write = {"csv": write_csv, "jsonl": write_jsonl, "markdown": write_markdown}[chosen]
    if not output or output == "-":
        write(database, sys.stdout.buffer)
        return None
    path = user_path(output)
    with new_file(path) as file:
        write(database, file)
    return path


def _write_html(database: Database, output: str | None) -> Path:
    index = user_path(output) if output else database.run.folder / "report.html"
    if index.is_dir() or not index.suffix:
        index.mkdir(parents=True, exist_ok=True)
        index = index / "index.html"
    written = write_html(database, index)
    if written.without_page:
        say(f"{written.without_page:,} cases have no page of their own; choose some with --where")
    if written.broken:
        say(f"{written.broken:,} verdicts could not be shown on a page of their own")
    return written.index
