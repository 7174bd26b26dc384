"""The commands that measure runs: `agree`, `calibrate` and `annotators` compare them with people, `diff` with another
run, and `leaderboard` compares the systems in a run with each other.

SciPy takes seconds to load, so code that uses it is imported only when there is something to measure.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..files import user_path
from ..protocols.base import names, protocol_of
from ..protocols.rubrics import calibrated_source
from ..results.files import new_file
from ..results.run import open_run
from .common import note, say
from .outputs import choose_format, write_document, write_out, write_pieces, write_report

if TYPE_CHECKING:
    from ..agreement.report import AgreementReport


def _check_numbers(args: argparse.Namespace) -> None:
    """Check that --limit is not negative, and that --draws is enough for an interval and not too slow."""
    if getattr(args, "limit", 0) < 0:
        raise InputError("--limit", str(args.limit), "0 or more is allowed")
    if not 99 <= getattr(args, "draws", 999) <= 99_999:
        raise InputError("--draws", str(args.draws), "99 to 99,999")


def run_agree(args: argparse.Namespace) -> int:
    """Print the agreement report; exit 1 if a figure is below its --fail-under, or rests on too few cases."""
    chosen = choose_format(args.format, args.output, piped="text")
    floors = dict(map(_floor, args.fail_under))
    _check_numbers(args)
    opened = open_run(args.run_directory)
    other = None if args.against is None else open_run(args.against, "--against")
    earlier = [open_run(each, "--earlier") for each in args.earlier]
    from ..agreement.report import build_report
    from ..reports.agreement.view import agreement_document

    report = build_report(
        opened, args.labels, annotators=args.annotator, other=other, earlier=earlier, own_sources=args.own,
        group=args.group, by=args.by, limit=args.limit, draws=args.draws, margin=args.margin,
    )  # fmt: skip
    failed = _below_floors(report, floors)  # refuses unknown names before anything is written
    write_report(chosen, args.output, lambda: report, lambda: agreement_document(report, opened.rubric))
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
        raise InputError("--fail-under", f"{given!r:.60}", "a figure and its minimum are needed, such as kappa=0.6")
    return name.strip(), floor


def _below_floors(report: AgreementReport, floors: dict[str, float]) -> list[str]:
    """Return a message for each figure below its floor, or of too few cases for a headline. The figure itself is
    compared, not its interval."""
    from ..agreement.report import floor_figures
    from ..agreement.report.people import FEW_CASES
    from ..rendering.wording import many

    known = floor_figures(report)
    failed = []
    for name, floor in floors.items():
        if name not in known:
            raise InputError(
                "--fail-under", f"{name!r:.60} is not a figure of this report", f"one of {', '.join(known)}"
            )
        figure = known[name]
        if figure.value is None:
            failed.append(f"{name} has no value: {figure.reason}; at least {floor:g} is needed")
        elif figure.cases < FEW_CASES:
            failed.append(f"{name} rests on {many(figure.cases, 'case')}; at least {FEW_CASES} are needed")
        elif figure.value < floor:
            within = "95 % interval {:.3f} to {:.3f}".format(*figure.interval) if figure.interval else "no interval"
            failed.append(f"{name} is {figure.value:.3f} ({within}), below {floor:g}")
    return failed


def run_calibrate(args: argparse.Namespace) -> int:
    """Learn a calibration, print it, and save it; exit 1 if there is none to save."""
    if args.output is not None and Path(args.output).suffix.lower() not in (".yaml", ".yml"):
        allowed = "a YAML file is needed, such as mine.yaml; --format json prints the calibration as data"
        raise InputError("--output", args.output, allowed)
    opened = open_run(args.run_directory)
    from ..agreement.labels.sources import load_labels
    from ..agreement.report.remedies import calibrate_run
    from ..reports.judges import calibration_document, calibration_json

    report = calibrate_run(opened, load_labels(opened, args.labels, args.annotator), args.group)
    write_report(args.format, None, lambda: calibration_json(report), lambda: calibration_document(report))
    if args.output is None:
        return 0
    saved = report.saved()
    if saved is None:
        say(f"{args.output}: not written, as there is no map: {report.calibration.reason}")
        return 1
    with new_file(user_path(args.output)) as file:
        file.write(calibrated_source(opened.rubric, saved).encode())
    note(f"{args.output}: use it with --rubric and the judge {report.judge}")
    return 0


def run_annotators(args: argparse.Namespace) -> int:
    """Build the report cards and print them."""
    chosen = choose_format(args.format, args.output)
    _check_numbers(args)
    opened = [open_run(path) for path in args.run_directories]
    for run in opened:
        if run.protocol.cards is None:
            needed = " or ".join(name for name in names() if protocol_of(name).cards)
            raise InputError(str(run.folder), f"a {run.protocol.name} run", f"report cards need {needed} runs")
    assert opened[0].protocol.cards is not None
    cards = opened[0].protocol.cards()
    report = cards.report(opened, args.annotator, args.time, args.draws)
    if chosen == "html":
        write_out(cards.html(report), args.output)
    else:
        write_report(chosen, args.output, lambda: report, lambda: cards.document(report))
    return 0


def run_diff(args: argparse.Namespace) -> int:
    """Compare two runs and print what changed."""
    from ..reports.run.diff import diff_document, diff_json
    from ..results.diff import diff_of

    _check_numbers(args)
    with diff_of(open_run(args.run1, "RUN1"), open_run(args.run2, "RUN2")) as found:
        if args.format == "json":
            write_pieces(diff_json(found), args.output)
        else:
            write_document(diff_document(found, args.limit), args.format, args.output)
    return 0


def run_leaderboard(args: argparse.Namespace) -> int:
    """Rank the systems of a run and print the table."""
    from ..results.database import opened

    run = open_run(args.run_directory)
    if run.protocol.ranking is None:
        able = " or ".join(name for name in names() if protocol_of(name).ranking is not None)
        raise InputError(str(run.folder), f"a {run.protocol.name} run", f"a leaderboard needs a {able} run")
    ranking = run.protocol.ranking()
    with opened(run) as database:
        board = ranking.rank(database)
    write_report(
        args.format, args.output, lambda: ranking.data(board, run.name), lambda: ranking.document(board, run.name)
    )
    return 0
