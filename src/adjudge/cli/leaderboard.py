"""`adjudge leaderboard`: which system writes the better answers, by a compare run over several of them."""

from __future__ import annotations

import argparse
from typing import Any

from .outputs import write_document, write_out

_DESCRIPTION = """\
Rank the systems of a compare run whose rows name who wrote A and who wrote B: Bradley-Terry strengths with ties, their
95 % intervals, wins, ties and losses; and beside them strengths with the length of answers held apart.
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "leaderboard",
        help="rank the systems of a compare run",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run_directory", metavar="DIR", help="the directory of a compare run")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Rank and print."""
    from ..models.base import to_json
    from ..results.directory import open_run
    from ..results.leaderboard import leaderboard_of
    from ..results.leaderboard_report import leaderboard_document, leaderboard_json

    opened = open_run(args.run_directory)
    board = leaderboard_of(opened)
    if args.format == "json":
        write_out(to_json(leaderboard_json(board, opened.name), indent=True).decode(), args.output)
        return 0
    write_document(leaderboard_document(board, opened.name), args.format, args.output, 160)
    return 0
