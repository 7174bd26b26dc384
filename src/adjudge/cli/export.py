"""`adjudge export`: the results of a run as a file for other programs, or as a report for people."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError
from ..files import user_path
from .asking import add_command, option, say

if TYPE_CHECKING:
    from ..results.database import Database

Format = Literal["jsonl", "csv", "parquet", "html", "markdown"]
_FORMATS: tuple[Format, ...] = ("jsonl", "csv", "parquet", "html", "markdown")
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

_DESCRIPTION = """\
Take the results of a run elsewhere. A run that is not finished is exported as far as it is, and it is said how many
cases are missing.

  jsonl     one object a line: the columns, and under "verdict" the whole verdict
  csv       the columns; a text that a spreadsheet would compute (= + - @ first) gets an apostrophe before it
  parquet   the columns with their types, for DuckDB, pandas, Polars, Spark
  html      a report: NAME.html with the finding and the first 1,000 cases, and beside it the folder NAME_files with
            further lists and a page for each of the first 5,000 cases
  markdown  the finding, the numbers and a table of the first 10,000 cases

`adjudge show DIR --list-columns` says which columns there are.
"""
_EPILOG = """\
examples:
  adjudge export DIR --format csv > results.csv
  adjudge export DIR -o results.parquet
  adjudge export DIR -o ties.html --where "winner = 'tie'"
"""


def register(commands: Any) -> None:
    """Add the command."""
    about = "the results of a run as JSONL, CSV, Parquet, HTML or Markdown"
    parser = add_command(commands, "export", "export.run", about, _DESCRIPTION, _EPILOG, extras=())
    option(parser, "run_directory DIR", "a run directory, also of a run that is still going")
    parser.add_argument("--format", choices=_FORMATS, help="default: what -o's suffix says")
    about = "where to (default: printed; parquet to DIR/results.parquet, html to DIR/report.html)"
    option(parser, "-o --output PATH", about)
    option(parser, "--where SQL", "only rows for which this holds, such as 'cost > 0.01'")


def run(args: argparse.Namespace) -> int:
    """Write, and say what was written."""
    chosen = _choose(args.format, args.output)
    from ..reports.wording import headline, missing
    from ..results.database import opened
    from ..results.run import open_run

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
        raise InputError("--format", found, f"one of {', '.join(_FORMATS)}")
    chosen = asked or named
    assert chosen is not None
    if chosen in ("parquet", "html") and output == "-":
        raise InputError("--output", f"- with {chosen}", "a path is needed")
    return chosen


def _write(database: Database, chosen: Format, output: str | None) -> Path | None:
    """The file that was written, or None if it was printed."""
    from ..reports.run.markdown import write_markdown
    from ..results.exporting import write_csv, write_jsonl, write_parquet
    from ..results.files import new_file

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
    from ..reports.run.html import write_html

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
