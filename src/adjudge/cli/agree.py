"""`adjudge agree`: how far the judge of a run agrees with people, where not, and what would correct it."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .asking import add_draws_argument, add_labels_arguments, check_draws, say
from .outputs import FORMATS, choose_format, write_document, write_out

if TYPE_CHECKING:
    from ..agreement.report.build import AgreementReport

_DESCRIPTION = """\
How far the judge of a run agrees with people. Read it from the top: consistency (the judge against itself), agreement
(beside a constant, the longer answer, the first position, and one person against the others), bias; then where judge
and people differ, and what corrects it. Every figure has a 95 % interval. Labels come from `adjudge label`, else from
the input's label column, or from where --labels says. Exit code 1: a figure is below its --fail-under.
"""
_EPILOG = """\
examples:
  adjudge agree DIR
  adjudge agree DIR --labels people.csv -o agreement.html
  adjudge agree DIR --against other-judge
  adjudge agree DIR --earlier last-week --earlier yesterday
  adjudge agree DIR --fail-under kappa=0.6
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "agree",
        help="how far the judge of a run agrees with people",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run_directory", metavar="DIR", help="a run directory")
    add_labels_arguments(parser)
    parser.add_argument(
        "--against", metavar="RUN", help="score another run of the same cases by the same labels, beside this one"
    )
    parser.add_argument(
        "--earlier", action="append", default=[], metavar="RUN", help="an earlier run, for the change since; repeatable"
    )
    parser.add_argument(
        "--own",
        action="append",
        default=[],
        metavar="SYSTEM",
        help="a system of the judge's own, for self-preference (default: one called as its model); repeatable",
    )
    parser.add_argument(
        "--fail-under",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="exit with 1 if this figure is below the value, or has none: kappa=0.6; repeatable",
    )
    parser.add_argument(
        "--limit", type=int, default=10, metavar="N", help="list so many disagreements (default: 10), with all formats"
    )
    add_draws_argument(parser)
    parser.add_argument("--format", choices=FORMATS, help="default: text, or what the name of the file says")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, show, and hold figures to their floors."""
    from ..results import require_extra

    require_extra("adjudge agree")
    chosen = choose_format(args.format, args.output, piped="text")
    floors = dict(map(_floor, args.fail_under))
    if args.limit < 0:
        raise InputError("--limit", str(args.limit), "0 or more is allowed")
    check_draws(args)
    from ..results.run import open_run

    opened = open_run(args.run_directory)
    other = None if args.against is None else open_run(args.against, "--against")
    earlier = [open_run(each, "--earlier") for each in args.earlier]
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.report.build import build_report
    from ..models.base import to_json
    from ..reports.agreement.view import agreement_document

    report = build_report(
        opened,
        args.labels,
        annotators=args.annotator,
        other=other,
        earlier=earlier,
        own_sources=args.own,
        limit=args.limit,
        draws=args.draws,
    )
    failed = _held(report, floors)  # a name that is not there is refused before anything is written
    if chosen == "json":
        write_out(to_json(report, indent=True).decode(), args.output)
    else:
        write_document(agreement_document(report, opened.rubric), chosen, args.output)
    for message in failed:
        say(message)
    return 1 if failed else 0


def _floor(given: str) -> tuple[str, float]:
    name, equals, value = given.partition("=")
    try:
        floor = float(value) if equals else math.nan
    except ValueError:
        floor = math.nan
    if not math.isfinite(floor):
        raise InputError("--fail-under", f"{given!r:.60}", "a figure and its least value are needed: kappa=0.6")
    return name.strip(), floor


def _held(report: AgreementReport, floors: dict[str, float]) -> list[str]:
    """What is said of figures below their floors. The figure itself counts, not its interval, which is said beside."""
    from ..agreement.report.build import floor_figures

    known = floor_figures(report)
    failed = []
    for name, floor in floors.items():
        if name not in known:
            raise InputError("--fail-under", f"{name!r:.60} is no figure of this report", f"one of {', '.join(known)}")
        figure = known[name]
        if figure.value is None:
            failed.append(f"{name} has no value: {figure.reason}; at least {floor:g} is needed")
        elif figure.value < floor:
            bounds = (
                "no interval" if figure.interval is None else "95 % interval {:.3f} to {:.3f}".format(*figure.interval)
            )
            failed.append(f"{name} is {figure.value:.3f} ({bounds}), below {floor:g}")
    return failed
