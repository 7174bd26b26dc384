"""`adjudge diff`: what changed from one run to another, and whether chance would explain it."""

from __future__ import annotations

import argparse
from typing import Any

from .asking import add_command
from .outputs import write_document, write_pieces

_DESCRIPTION = """\
Compare two runs over the same cases (the same id and the same texts): which verdicts changed and by how much, which
failures are new or fixed, and whether the difference is more than chance would bring. Cases of the same texts under
several ids are copies: tests and intervals count them as one. A verdict that the judge did not decide is an outcome of
its own, and agrees with no label.
"""
_EPILOG = """\
examples:
  adjudge diff monday tuesday
  adjudge diff small-judge large-judge --format markdown > change.md
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "diff", run, "what changed between two runs, and is it real", _DESCRIPTION, _EPILOG)
    parser.add_argument("run1", metavar="RUN1", help="a run directory: before")
    parser.add_argument("run2", metavar="RUN2", help="a run directory: after")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="list so many changed cases (default: 20; json lists all)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")


def run(args: argparse.Namespace) -> int:
    """Compare and print."""
    from ..errors import InputError
    from ..results import require_extra

    require_extra("adjudge diff")
    from ..reports.run.diff import diff_document, diff_json
    from ..results.diff import diff_of
    from ..results.run import open_run

    if args.limit < 0:
        raise InputError("--limit", str(args.limit), "0 or more is allowed")
    with diff_of(open_run(args.run1, "RUN1"), open_run(args.run2, "RUN2")) as found:
        if args.format == "json":
            write_pieces(diff_json(found), args.output)
        else:
            write_document(diff_document(found, args.limit), args.format, args.output)
    return 0
