"""`adjudge calibrate`: learns from labels how a judge's scores relate to people's, and keeps it with the rubric."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import user_path
from .asking import add_labels_arguments, say
from .outputs import write_document, write_out

_DESCRIPTION = """\
Learn from labelled cases of a run a map from its judge's scores to those of people (isotonic or ordinal, whichever errs
less on held-out cases), and weights of criteria, shown beside the rubric's own. With -o the run's rubric is saved with
the map in it: verdicts of the same judge by that rubric then carry a calibrated number beside the exact ones.
"""
_EPILOG = """\
examples:
  adjudge calibrate DIR
  adjudge calibrate DIR --labels people.csv -o calibrated.yaml
  adjudge run compare new.jsonl --run DIR2 --judge openai:gpt-5.1 --rubric calibrated.yaml
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "calibrate",
        help="map a judge's scores to those of people, and keep the map with the rubric",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run_directory", metavar="DIR", help="the directory of a run whose cases people labelled")
    add_labels_arguments(parser)
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    parser.add_argument("-o", "--output", metavar="RUBRIC.yaml", help="save the run's rubric with the map in it")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Learn, print, and save."""
    from ..results import require_extra

    if args.output is not None and Path(args.output).suffix.lower() not in (".yaml", ".yml"):
        allowed = "a rubric, such as mine.yaml; --format json prints the calibration as data"
        raise InputError("--output", args.output, allowed)
    require_extra("adjudge calibrate", "agreement")
    from ..results.run import open_run

    opened = open_run(args.run_directory)
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.labels.sources import load_labels
    from ..agreement.report.remedies import calibrate_run
    from ..models.base import to_json
    from ..reports.judges import calibration_document, calibration_json
    from ..results.files import new_file
    from ..rubric import calibrated_source

    report = calibrate_run(opened, load_labels(opened, args.labels, args.annotator))
    if args.format == "json":
        write_out(to_json(calibration_json(report), indent=True).decode(), None)
    else:
        write_document(calibration_document(report), args.format, None)
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
