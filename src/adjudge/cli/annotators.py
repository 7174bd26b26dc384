"""`adjudge annotators`: report cards of the people whose ratings were reviewed."""

from __future__ import annotations

import argparse
from typing import Any

from .asking import add_draws_argument, check_draws
from .outputs import FORMATS, choose_format, write_document, write_out

_DESCRIPTION = """\
How the people whose ratings were reviewed fare: how often each is corrected in which dimension (few ratings are drawn
towards everybody's rate), whether too lenient or too harsh, which dimensions they confuse, whether they change over
time, how far they agree with others, and the two or three lessons that would save most corrections. Who rated a case,
and when, are columns of the run's input. A correction is the judge's: see `adjudge label` on how to measure the judge.
"""
_EPILOG = """\
examples:
  adjudge annotators DIR
  adjudge annotators january february --annotator worker -o cards.html
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "annotators",
        help="report cards of the people whose ratings were reviewed",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run_directories", nargs="+", metavar="DIR", help="directories of review runs")
    parser.add_argument(
        "--annotator", metavar="COLUMN", help="the input's column that says who rated (default: annotator, rater, …)"
    )
    parser.add_argument(
        "--time", metavar="COLUMN", help="the input's column that says when (default: time, timestamp, …)"
    )
    add_draws_argument(parser)
    parser.add_argument(
        "--format", choices=FORMATS, help="default: text on a terminal, json when piped, or by -o's suffix"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Make the cards and print them."""
    from ..results import require_extra

    chosen = choose_format(args.format, args.output)
    check_draws(args)
    require_extra("adjudge annotators", "agreement")
    from ..results.run import open_run

    opened = [open_run(path) for path in args.run_directories]
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.annotators.report import annotator_report
    from ..models.base import to_json
    from ..reports.annotators.view import annotators_document, annotators_html, annotators_json

    report = annotator_report(opened, args.annotator, args.time, args.draws)
    if chosen == "json":
        write_out(to_json(annotators_json(report), indent=True).decode(), args.output)
    elif chosen == "html":
        write_out(annotators_html(report), args.output)
    else:
        write_document(annotators_document(report), chosen, args.output)
    return 0
