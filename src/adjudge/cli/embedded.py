"""`adjudge embedded`: fit the embedded judge to your own labels, and look at what a model holds."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..errors import InputError, plain_reason
from ..files import user_path
from .asking import add_command, check_folders, option, say
from .outputs import write_out

_DESCRIPTION = """\
Fit a model of the embedded judge to your own labels, and use it with --judge embedded:FILE.
LABELS is JSONL, a line a pair, with task, response_a, response_b and human (A, B or tie); at least 30 pairs.
Before the model is saved it is tried on tasks it has not seen (cross-validation by task). It should be right more
often than somebody who always chooses the longer answer.
"""


def register(commands: Any) -> None:
    """Add the command."""
    about = "The embedded judge's model: a weight for each of its measures, fitted to people's judgments."
    parser = add_command(commands, "embedded", None, "fit the embedded judge to your own labels", about)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    fit = add_command(actions, "fit", "embedded.run_fit", "fit a model to labelled pairs", _DESCRIPTION)
    option(fit, "labels LABELS", "a JSONL file")
    option(fit, "-o --output FILE", "default: embedded.json", default="embedded.json")
    option(fit, "--seed N", "seed of the cross-validation (default: 1)", default=1)
    option(fit, "--even-if-worse", "save it even if choosing the longer answer does as well")
    show = add_command(
        actions, "show", "embedded.run_show", "print a model's weights", "Print what each measure is worth."
    )
    option(show, "model FILE", "a fitted model (default: the shipped one)", nargs="?")


def run_fit(args: argparse.Namespace) -> int:
    """Cross-validate, say what came of it, and save."""
    from ..judges.embedded.fitting import cross_validate_samples, fit_samples, measure_rows, read_rows
    from ..judges.embedded.model import write_model

    check_folders(args)
    path = user_path(args.labels)
    try:
        rows = read_rows(path)
    except OSError as error:
        raise InputError(args.labels, plain_reason(error)) from None
    except UnicodeDecodeError as error:
        raise InputError(args.labels, f"invalid UTF-8 at byte {error.start}", "UTF-8 text is needed") from None
    samples = measure_rows(rows)
    tasks = len({sample.row.group for sample in samples})
    model = fit_samples(samples, args.seed, about={"labels": path.name, "pairs": len(samples), "seed": args.seed})
    held = cross_validate_samples(samples, args.seed)
    print(f"{held.pairs} pairs of {tasks} tasks; on tasks the model has not seen:", file=sys.stderr)
    for name, value in (
        ("right, ties included", held.three_classes),
        ("right where people named a winner", held.without_ties),
        ("right there if the longer one is chosen", held.longest),
        ("calibration error", held.calibration_error),
        ("decided", held.decided),
        ("right where it decides", held.right_when_decided),
    ):
        print(f"  {name:<40} {100 * value:5.1f} %", file=sys.stderr)
    if held.without_ties <= held.longest and not args.even_if_worse:
        say("not saved: choosing the longer answer does as well; --even-if-worse saves it anyway")
        return 1
    write_out(write_model(model), args.output)
    print(f"{args.output}: use it with --judge embedded:{args.output}", file=sys.stderr)
    return 0


def run_show(args: argparse.Namespace) -> int:
    """Weights by measure, the heaviest first."""
    from ..judges.embedded.measures import MEASURES
    from ..judges.embedded.model import load_model, read_model

    model = load_model() if args.model is None else read_model(user_path(args.model))
    print(f"decides from {model.decide:.2f} on")
    for measure, weight in sorted(model.weights.items(), key=lambda item: (-abs(item[1]), item[0])):
        print(f"  {weight:+.4f}  {MEASURES[measure].title} ({MEASURES[measure].criterion})")
    return 0
