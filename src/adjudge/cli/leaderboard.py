"""`adjudge leaderboard`: which system writes the better answers, by a compare run over several of them."""

from __future__ import annotations

import argparse
from typing import Any

from .asking import add_command
from .outputs import write_document, write_out

_DESCRIPTION = """\
Rank the systems of a compare run whose rows name who wrote A and who wrote B: Bradley-Terry strengths with ties, their
95 % intervals, wins, ties and losses; and beside them strengths with the length of answers held constant. Comparisons
that the judge did not decide count neither as wins nor as ties.
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "leaderboard", run, "rank the systems of a compare run", _DESCRIPTION)
    parser.add_argument("run_directory", metavar="DIR", help="the directory of a compare run")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")


def run(args: argparse.Namespace) -> int:
    """Rank and print."""
    from ..results import require_extra

    require_extra("adjudge leaderboard")
    from ..models.base import to_json
    from ..reports.run.leaderboard import leaderboard_document, leaderboard_json
    from ..results.database import opened
    from ..results.leaderboard import leaderboard_of
    from ..results.run import open_run

    run = open_run(args.run_directory)
    with opened(run) as database:
        board = leaderboard_of(database)
    if args.format == "json":
        write_out(to_json(leaderboard_json(board, run.name), indent=True).decode(), args.output)
    else:
        write_document(leaderboard_document(board, run.name), args.format, args.output)
    return 0
