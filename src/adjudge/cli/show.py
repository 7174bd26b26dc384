"""`adjudge show` prints the results of a run: rows that meet a condition, any SQL query, or one case in full.
`adjudge export` writes the same results as a file for other programs, or as a report for people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

import orjson

from ..arithmetic import plain
from ..errors import InputError
from ..files import user_path
from ..models.base import escape_controls, exact_number
from ..rendering.document import grid_text
from ..rendering.wording import headline, missing, shown
from ..reports.run.conduct import conduct_sentence
from ..reports.run.export import write_html, write_markdown
from ..results.columns import name as quoted
from ..results.conduct import conduct_of
from ..results.database import Database, opened
from ..results.exporting import write_csv, write_jsonl, write_parquet
from ..results.files import new_file
from ..results.run import Reader, Run, open_run
from ..spelling import did_you_mean
from .common import note, remark, say
from .outputs import rendered, terminal_width

_LIMIT = 20
_AT_A_TIME = 500  # rows printed together; column widths are computed for each batch
_WIDEST = 48

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


def run_show(args: argparse.Namespace) -> int:
    """Query the results of a run and print them."""
    if args.limit is not None and args.limit < 0:
        raise InputError("--limit", str(args.limit), "0 (all) or more is allowed")
    run = open_run(args.run_directory)
    with opened(run, args.where) as database:
        if args.case is not None:
            return _show_case(args, run, database)
        if args.list_columns:
            _print(args, ["column", "type", "meaning"], ((c.name, c.kind, c.meaning) for c in database.columns))
        elif args.sql is not None:
            heads, rows = database.ask(args.sql, "--sql")
            _print(args, heads, islice(rows, args.limit) if args.limit else rows)
        else:
            _show_rows(args, database)
    return 0


def _show_rows(args: argparse.Namespace, database: Database) -> None:
    names = _columns(args.columns, database, for_json=args.format == "json")
    limit = _LIMIT if args.limit is None else args.limit
    ((total,),) = database.query(f"select count(*) from {database.chosen}")
    capped = f"limit {limit}" if limit else ""
    rows = database.ask(f"select {', '.join(map(quoted, names))} from {database.chosen} {capped}", "DIR")[1]
    if args.format == "table" and args.where is None:
        remark(conduct_sentence(conduct_of(database)))
    count = _print(args, names, rows)
    if args.format == "table":
        if args.where is not None:
            counted = "1 row matches" if total == 1 else f"{total:,} rows match"
        else:
            verb = "has" if total == 1 else "have"
            counted = f"{total:,} of {database.expected:,} cases {verb} an outcome"
        remark(f"{counted}, the first {count:,} shown" if count < total else counted)


def _show_case(args: argparse.Namespace, run: Run, database: Database) -> int:
    if args.columns or args.format == "json":
        allowed = "use adjudge export --where … for single cases as data"
        raise InputError("--case", "cannot be combined with --columns or --format json", allowed)
    asked = """select c.position, r.status, r.reason, r.message from cases as c left join results as r using (position)
        where c."case" = ? order by c.position"""
    found = database.query(asked, args.case)
    if not found:
        raise InputError("--case", f"{args.case!r}: no case of this run has that id", "see `adjudge show DIR`")
    if found[1:]:
        note(f"{len(found):,} cases have this id; this is the first")
    position, status, reason, message = found[0]
    if status is None:
        say("no outcome yet: the run has not reached this case")
        return 1
    with Reader(run) as reader:
        if status != "verdict":
            say(f"no verdict: {reason or status}: {message} ({reader.case(position).get('place')})")
            return 1
        sys.stdout.write(rendered(reader.verdict(position), "text", None))
    return 0


def _columns(asked: str | None, database: Database, *, for_json: bool) -> list[str]:
    if asked is None:
        return list(database.names if for_json else database.run.protocol.table.usual_columns)
    if asked.strip() == "*":
        return list(database.names)
    known = {name.lower(): name for name in database.names}
    chosen = [name for piece in asked.split(",") if (name := piece.strip())]
    unknown = next((name for name in chosen if name.lower() not in known), None)
    if unknown is not None or not chosen:
        hint, found = (did_you_mean(unknown, database.names), f"no column {unknown}") if unknown else ("", "empty")
        raise InputError("--columns", found, f"{hint}one of {', '.join(database.names)}")
    return [known[name.lower()] for name in chosen]


def _print(args: argparse.Namespace, names: list[str], rows: Iterable[Sequence[Any]]) -> int:
    """Print a table or a JSON list, some rows at a time, and return the number of rows."""
    count = 0
    each = iter(rows)
    if args.format == "json":
        # Keys must be unique, so a second `count` gets its column number as a suffix.
        first = dict(zip(reversed(names), range(len(names), 0, -1), strict=True))
        keys = [name if first[name] == at else f"{name}_{at}" for at, name in enumerate(names, 1)]
        for row in each:
            sys.stdout.buffer.write(b",\n" if count else b"[\n")
            sys.stdout.buffer.write(escape_controls(orjson.dumps(dict(zip(keys, row, strict=True)), default=_plain)))
            count += 1
        sys.stdout.buffer.write(b"\n]\n" if count else b"[]\n")
        return count
    width = terminal_width()
    whole = args.columns is not None or args.sql is not None or args.list_columns
    while batch := list(islice(each, _AT_A_TIME)):
        count += len(batch)
        # Omit columns without a value unless they were asked for.
        filled = [at for at in range(len(names)) if whole or any(row[at] is not None for row in batch)]
        numbers = {place for place, at in enumerate(filled) if all(_numeric(row[at]) for row in batch)}
        cells = [[shown(row[at]) for at in filled] for row in batch]
        if width is not None and not whole:
            cells = [[cell if len(cell) <= _WIDEST else f"{cell[: _WIDEST - 1]}…" for cell in row] for row in cells]
        sys.stdout.buffer.write(
            grid_text([names[at] for at in filled], cells, numbers, width).encode("utf-8", "replace")
        )
    if not count:
        sys.stdout.write("no rows\n")
    return count


def _numeric(value: Any) -> bool:
    return value is None or (isinstance(value, int | float | Decimal) and not isinstance(value, bool))


def _plain(value: Any) -> Any:
    return exact_number(plain(value)) if isinstance(value, Decimal) else str(value)


# -- export -----------------------------------------------------------------------------------------------------------


def run_export(args: argparse.Namespace) -> int:
    """Export the results of a run and print what was written."""
    chosen = _choose(args.format, args.output)
    written = open_run(args.run_directory)
    with opened(written, args.where) as database:
        path = _write(database, chosen, args.output)
        counts = database.counts()
    if path is not None:
        rows = f"{counts.finished:,} {'row' if counts.finished == 1 else 'rows'}"
        named = args.output if args.output and user_path(args.output) == path else path
        remark(f"{named}: {rows if args.where else headline(counts)}")
    if late := missing(counts, args.where is not None):
        say(late)
    return 0


def _choose(asked: Format | None, output: str | None) -> Format:
    chosen = asked or _BY_SUFFIX.get(Path(output or "-").suffix.lower())
    if chosen is None:
        found = "missing" if output in (None, "-") else f"not clear from {output}"
        raise InputError("--format", found, f"one of {', '.join(get_args(Format))}")
    if chosen in ("parquet", "html") and output == "-":
        raise InputError("--output", f"- cannot be used with {chosen}", "a path is needed")
    return chosen


def _write(database: Database, chosen: Format, output: str | None) -> Path | None:
    """Write the results and return the file's path, or None if they were printed."""
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
        note(f"{written.without_page:,} cases have no page of their own; choose fewer with --where")
    if written.broken:
        say(f"{written.broken:,} verdicts could not be shown on a page of their own")
    return written.index
