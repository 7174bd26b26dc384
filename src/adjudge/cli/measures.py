"""The commands that measure runs: `agree`, `calibrate` and `annotators` hold them against people, `diff` against
another run, and `leaderboard` the systems of one against each other."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import user_path
from .asking import FORMATS, add_command, option, say
from .outputs import choose_format, write_document, write_out, write_pieces, write_report

if TYPE_CHECKING:
    from ..agreement.report.build import AgreementReport

_AGREE = """\
How far the judge of a run agrees with people. Read it from the top: consistency (the judge against itself), agreement
(beside a constant, the longer answer, the first position, and one person against the others), bias; then where judge
and people differ, and what corrects it. Every figure has a 95 % interval. Labels come from `adjudge label`, else from
the input's label column, or from where --labels says. Exit code 1: a figure is below its --fail-under.
"""
_AGREE_EXAMPLES = """\
examples:
  adjudge agree DIR
  adjudge agree DIR --labels people.csv -o agreement.html
  adjudge agree DIR --against other-judge
  adjudge agree DIR --earlier last-week --earlier yesterday
  adjudge agree DIR --fail-under kappa=0.6
"""
_CALIBRATE = """\
Learn from labelled cases of a run a map from its judge's scores to those of people (isotonic or ordinal, whichever errs
less on held-out cases), and weights of criteria, shown beside the rubric's own. With -o the run's rubric is saved with
the map in it: verdicts of the same judge by that rubric then carry a calibrated number beside the exact ones.
"""
_CALIBRATE_EXAMPLES = """\
examples:
  adjudge calibrate DIR
  adjudge calibrate DIR --labels people.csv -o calibrated.yaml
  adjudge run compare new.jsonl --run DIR2 --judge openai:gpt-5.1 --rubric calibrated.yaml
"""
_ANNOTATORS = """\
How the people whose ratings were reviewed fare: how often each is corrected in which dimension (few ratings are drawn
towards everybody's rate), whether too lenient or too harsh, which dimensions they confuse, whether they change over
time, how far they agree with others, and the two or three lessons that would save most corrections. Who rated a case,
and when, are columns of the run's input. A correction is the judge's: see `adjudge label` on how to measure the judge.
"""
_ANNOTATORS_EXAMPLES = """\
examples:
  adjudge annotators DIR
  adjudge annotators january february --annotator worker -o cards.html
"""
_DIFF = """\
Compare two runs over the same cases (the same id and the same texts): which verdicts changed and by how much, which
failures are new or fixed, and whether the difference is more than chance would bring. Cases of the same texts under
several ids are copies: tests and intervals count them as one. A verdict that the judge did not decide is an outcome of
its own, and agrees with no label.
"""
_DIFF_EXAMPLES = """\
examples:
  adjudge diff monday tuesday
  adjudge diff small-judge large-judge --format markdown > change.md
"""
_LEADERBOARD = """\
Rank the systems of a compare run whose rows name who wrote A and who wrote B: Bradley-Terry strengths with ties, their
95 % intervals, wins, ties and losses; and beside them strengths with the length of answers held constant. Comparisons
that the judge did not decide count neither as wins nor as ties.
"""


def register(commands: Any) -> None:
    """Add the commands."""
    about = "how far the judge of a run agrees with people"
    parser = add_command(commands, "agree", "measures.run_agree", about, _AGREE, _AGREE_EXAMPLES, extras=())
    option(parser, "run_directory DIR", "a run directory")
    _add_labels(parser)
    option(parser, "--against RUN", "score another run of the same cases by the same labels, beside this one")
    _add_repeatable(parser, "--earlier RUN", "an earlier run, for the change since; repeatable")
    about = "a system of the judge's own, for self-preference (default: one called as its model); repeatable"
    _add_repeatable(parser, "--own SYSTEM", about)
    about = "exit with 1 if this figure is below the value, or has none: kappa=0.6; repeatable"
    _add_repeatable(parser, "--fail-under NAME=VALUE", about)
    option(parser, "--limit N", "list so many disagreements (default: 10), with all formats", default=10)
    _add_draws(parser)
    parser.add_argument("--format", choices=FORMATS, help="default: text, or what the name of the file says")
    option(parser, "-o --output FILE", "write here instead of printing")

    about = "map a judge's scores to those of people, and keep the map with the rubric"
    parser = add_command(
        commands, "calibrate", "measures.run_calibrate", about, _CALIBRATE, _CALIBRATE_EXAMPLES, ("agreement",)
    )
    option(parser, "run_directory DIR", "the directory of a run whose cases people labelled")
    _add_labels(parser)
    _add_text_format(parser)
    option(parser, "-o --output RUBRIC.yaml", "save the run's rubric with the map in it")

    about = "report cards of the people whose ratings were reviewed"
    parser = add_command(
        commands, "annotators", "measures.run_annotators", about, _ANNOTATORS, _ANNOTATORS_EXAMPLES, ("agreement",)
    )
    option(parser, "run_directories DIR", "directories of review runs", nargs="+")
    option(parser, "--annotator COLUMN", "the input's column that says who rated (default: annotator, rater, …)")
    option(parser, "--time COLUMN", "the input's column that says when (default: time, timestamp, …)")
    _add_draws(parser)
    about = "default: text on a terminal, json when piped, or by -o's suffix"
    parser.add_argument("--format", choices=FORMATS, help=about)
    option(parser, "-o --output FILE", "write here instead of printing")

    about = "what changed between two runs, and is it real"
    parser = add_command(commands, "diff", "measures.run_diff", about, _DIFF, _DIFF_EXAMPLES, extras=())
    option(parser, "run1 RUN1", "a run directory: before")
    option(parser, "run2 RUN2", "a run directory: after")
    _add_text_format(parser)
    option(parser, "--limit N", "list so many changed cases (default: 20; json lists all)", default=20)
    option(parser, "-o --output FILE", "write here instead of printing")

    about = "rank the systems of a compare run"
    parser = add_command(commands, "leaderboard", "measures.run_leaderboard", about, _LEADERBOARD, extras=())
    option(parser, "run_directory DIR", "the directory of a compare run")
    _add_text_format(parser)
    option(parser, "-o --output FILE", "write here instead of printing")


def _add_repeatable(parser: argparse.ArgumentParser, written: str, about: str) -> None:
    option(parser, written, about, action="append", default=[])


def _add_labels(parser: argparse.ArgumentParser) -> None:
    about = (
        "a file of labels, a folder of them, or columns of the run's input "
        "(default: those of `adjudge label`, else the input's label column)"
    )
    option(parser, "--labels FILE|COLUMN", about)
    _add_repeatable(parser, "--annotator NAME", "count this person's labels alone; repeatable")


def _add_draws(parser: argparse.ArgumentParser) -> None:
    about = "draws of every bootstrap (default: 999); fewer are quicker, and their intervals rougher"
    option(parser, "--draws N", about, default=999)


def _add_text_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")


def _check_numbers(args: argparse.Namespace) -> None:
    """Refuse fewer draws than an interval needs, and more than anybody waits for."""
    if getattr(args, "limit", 0) < 0:
        raise InputError("--limit", str(args.limit), "0 or more is allowed")
    if not 99 <= getattr(args, "draws", 999) <= 99_999:
        raise InputError("--draws", str(args.draws), "99 to 99,999")


# SciPy takes seconds to load: what uses it is imported only when there is something to measure.


def run_agree(args: argparse.Namespace) -> int:
    """Measure, show, and hold figures to their floors."""
    chosen = choose_format(args.format, args.output, piped="text")
    floors = dict(map(_floor, args.fail_under))
    _check_numbers(args)
    from ..results.run import open_run

    opened = open_run(args.run_directory)
    other = None if args.against is None else open_run(args.against, "--against")
    earlier = [open_run(each, "--earlier") for each in args.earlier]
    from ..agreement.report.build import build_report
    from ..reports.agreement.view import agreement_document

    report = build_report(
        opened, args.labels, annotators=args.annotator, other=other, earlier=earlier, own_sources=args.own,
        limit=args.limit, draws=args.draws,
    )  # fmt: skip
    failed = _held(report, floors)  # a name that is not there is refused before anything is written
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
            within = "95 % interval {:.3f} to {:.3f}".format(*figure.interval) if figure.interval else "no interval"
            failed.append(f"{name} is {figure.value:.3f} ({within}), below {floor:g}")
    return failed


def run_calibrate(args: argparse.Namespace) -> int:
    """Learn, print, and save."""
    if args.output is not None and Path(args.output).suffix.lower() not in (".yaml", ".yml"):
        allowed = "a rubric, such as mine.yaml; --format json prints the calibration as data"
        raise InputError("--output", args.output, allowed)
    from ..results.run import open_run

    opened = open_run(args.run_directory)
    from ..agreement.labels.sources import load_labels
    from ..agreement.report.remedies import calibrate_run
    from ..reports.calibration import calibration_document, calibration_json
    from ..results.files import new_file
    from ..rubric import calibrated_source

    report = calibrate_run(opened, load_labels(opened, args.labels, args.annotator))
    write_report(args.format, None, lambda: calibration_json(report), lambda: calibration_document(report))
    if args.output is None:
        return 0
    saved = report.saved()
    if saved is None:
        say(f"{args.output}: not written, as there is no map: {report.calibration.reason}")
        return 1
    with new_file(user_path(args.output)) as file:
        file.write(calibrated_source(opened.rubric, saved).encode())
    say(f"{args.output}: use it with --rubric and the judge {report.judge}")
    return 0


def run_annotators(args: argparse.Namespace) -> int:
    """Make the cards and print them."""
    chosen = choose_format(args.format, args.output)
    _check_numbers(args)
    from ..results.run import open_run

    opened = [open_run(path) for path in args.run_directories]
    from ..agreement.annotators.report import annotator_report
    from ..reports.annotators.view import annotators_document, annotators_html, annotators_json

    report = annotator_report(opened, args.annotator, args.time, args.draws)
    if chosen == "html":
        write_out(annotators_html(report), args.output)
    else:
        write_report(chosen, args.output, lambda: annotators_json(report), lambda: annotators_document(report))
    return 0


def run_diff(args: argparse.Namespace) -> int:
    """Compare and print."""
    from ..reports.run.diff import diff_document, diff_json
    from ..results.diff import diff_of
    from ..results.run import open_run

    _check_numbers(args)
    with diff_of(open_run(args.run1, "RUN1"), open_run(args.run2, "RUN2")) as found:
        if args.format == "json":
            write_pieces(diff_json(found), args.output)
        else:
            write_document(diff_document(found, args.limit), args.format, args.output)
    return 0


def run_leaderboard(args: argparse.Namespace) -> int:
    """Rank and print."""
    from ..reports.run.leaderboard import leaderboard_document, leaderboard_json
    from ..results.database import opened
    from ..results.leaderboard import leaderboard_of
    from ..results.run import open_run

    run = open_run(args.run_directory)
    with opened(run) as database:
        board = leaderboard_of(database)
    data, document = lambda: leaderboard_json(board, run.name), lambda: leaderboard_document(board, run.name)
    write_report(args.format, args.output, data, document)
    return 0
