"""`adjudge show`: look at the results of a run: rows that fit a condition, any question in SQL, one case in full."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .asking import say

if TYPE_CHECKING:
    from ..results.columns import Table
    from ..results.directory import Run

_DESCRIPTION = """\
Look at the results of a run. Conditions and questions are SQL over the table `results`, read by DuckDB; a word in
double quotes that is no column is a text. The table is a copy, with no file and no network within its reach.
"""
_EPILOG = """\
examples:
  adjudge show DIR --where 'winner = "tie"'
  adjudge show DIR --where 'not agrees' --columns case,label,winner,confidence
  adjudge show DIR --sql 'select system_a, avg(difference) from results group by system_a'
  adjudge show DIR --case egg-3
"""
_LIMIT = 20
_COLUMNS = {
    "compare": "case status winner decided confidence difference label system_a system_b reason",
    "dialogue": "case status overall_experience average objections changed label reason",
    "review": "case status winner likert kept replaced filled refused label invalid reason",
}


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "show",
        help="look at the results of a run: rows, SQL, one case",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run_directory", metavar="DIR", help="a run directory, also of a run that is still going")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--where", metavar="SQL", help="only rows for which this holds")
    what.add_argument("--sql", metavar="SQL", help="any single SELECT over the table `results`")
    what.add_argument("--case", metavar="ID", help="the full report of one case")
    what.add_argument("--list-columns", action="store_true", help="which columns there are, and what they mean")
    parser.add_argument("--columns", metavar="A,B,…", help="which columns (default: the most telling; * for all)")
    parser.add_argument(
        "--limit", type=int, metavar="N", help=f"at most so many rows (default: {_LIMIT}; 0 for all; all with --sql)"
    )
    parser.add_argument("--format", choices=("table", "json"), default="table", help="default: table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask and print."""
    from ..errors import InputError
    from ..results.columns import table_of
    from ..results.directory import open_run

    if args.limit is not None and args.limit < 0:
        raise InputError("--limit", str(args.limit), "0 (all) or more is allowed")
    opened = open_run(args.run_directory)
    if args.case is not None:
        return _show_case(args, opened)
    table = table_of(opened)
    if args.list_columns:
        _print(args, ["column", "type", "meaning"], ((c.name, c.kind, c.meaning) for c in table.columns), 3)
        return 0
    names = _columns(args.columns, opened, table, for_json=args.format == "json")
    if args.sql is None and args.where is None:
        _show_first(args, opened, table, names)
    else:
        _ask(args, opened, table, names)
    return 0


def _show_first(args: argparse.Namespace, opened: Run, table: Table, names: list[str]) -> None:
    """Rows as they come: no database is needed to look at the first few."""
    from itertools import islice

    limit = _LIMIT if args.limit is None else args.limit
    rows = (table.row(outcome) for outcome in opened.outcomes())
    told = list(islice(rows, limit)) if limit else rows
    count = _print(args, names, ([row[name] for name in names] for row in told))
    if args.format == "table":
        more = " or more" if limit and count == limit else ""
        print(f"{count:,}{more} of {opened.expected:,} cases have an outcome", file=sys.stderr)


def _ask(args: argparse.Namespace, opened: Run, table: Table, names: list[str]) -> None:
    from ..results import sql
    from ..results.database import database_of

    wanted = None
    if args.where is not None and (spoken := sql.named(args.where, table.names)) is not None:
        wanted = {*names, *spoken}
    with database_of(opened, table, wanted) as database:
        if args.sql is not None:
            heads, rows = database.ask(args.sql, "--sql")
            _print(args, heads, _first(rows, args.limit or 0))
            return
        limit = _LIMIT if args.limit is None else args.limit
        chosen = ", ".join(map(sql.name, names))
        # The condition alone first: what is wrong with it is then told in its own words.
        _, counted = database.ask(f"select count(*) from results where (\n{args.where}\n)", "--where")
        total = next(counted)[0]
        capped = f"limit {limit}" if limit else ""
        question = f"select {chosen} from results where (\n{args.where}\n) order by position {capped}"
        count = _print(args, names, database.ask(question, "--where")[1])
    if args.format == "table":
        fit = "1 row fits" if total == 1 else f"{total:,} rows fit"
        print(f"{fit}, the first {count:,} shown" if count < total else fit, file=sys.stderr)


def _show_case(args: argparse.Namespace, opened: Run) -> int:
    from ..errors import InputError
    from ..results.pages import case_text

    if args.columns or args.format == "json":
        raise InputError("--case", "beside --columns or --format json", "adjudge export --where … has single cases")
    found = [position for position, case in opened.case_lines() if str(case["case"]) == args.case]
    if not found:
        raise InputError("--case", f"{args.case!r}: no case of this run has that id", "see `adjudge show DIR`")
    with opened.reader() as reader:
        outcome = reader.outcome(found[0])
    if found[1:]:
        say(f"{len(found):,} cases have this id; this is the first")
    if outcome is None:
        say("no outcome yet: the run has not come to this case")
        return 1
    if outcome.status != "verdict":
        reason = outcome.line.get("reason") or outcome.status
        say(f"no verdict: {reason}: {outcome.line.get('message')} ({outcome.case.get('place')})")
        return 1
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    sys.stdout.write(case_text(opened, outcome, colour=sys.stdout.isatty(), width=width))
    return 0


def _columns(asked: str | None, opened: Run, table: Table, *, for_json: bool) -> list[str]:
    from ..errors import InputError

    if asked is None:
        usual = [name for name in _COLUMNS[opened.protocol].split() if name in table.names]
        return list(table.names) if for_json else usual
    if asked.strip() == "*":
        return list(table.names)
    known = {name.lower(): name for name in table.names}
    chosen = []
    for name in filter(None, (piece.strip() for piece in asked.split(","))):
        if name.lower() not in known:
            raise InputError("--columns", f"no column {name}", f"one of {', '.join(table.names)}")
        chosen.append(known[name.lower()])
    if not chosen:
        raise InputError("--columns", "empty", f"one of {', '.join(table.names)}")
    return chosen


def _first(rows: Iterator[Any], limit: int) -> Iterator[Any]:
    from itertools import islice

    return islice(rows, limit) if limit else rows


def _print(args: argparse.Namespace, names: list[str], rows: Iterable[Any], words: int | None = None) -> int:
    """Print a table or a list of objects; how many rows it had."""
    from ..results.printing import print_json, print_table

    if args.format == "json":
        return print_json(names, rows, sys.stdout.buffer)
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None
    return print_table(names, rows, width, words, whole=args.columns is not None or args.sql is not None)
