"""`adjudge label`: shows a person cases of a run one by one, blind, and keeps what they say of each."""

from __future__ import annotations

import argparse
import io
import shlex
import shutil
import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ..arithmetic import to_decimal
from ..errors import InputError
from ..results import require_extra
from .asking import add_command, option, say

if TYPE_CHECKING:
    from ..agreement.labels.files import HumanLabel
    from ..agreement.labels.sampling import Pick
    from ..results.run import Run

_DESCRIPTION = """\
Label cases of a run, to see later how far its judge agrees with people. Some cases are drawn at random, for honest
figures; the others are those where the judge disagrees with itself or hardly decides. Everybody gets the same cases.
You see neither verdict nor source, and which answer stands first is shuffled. Each label is kept at once in
DIR/labels/NAME.jsonl; the same command continues at the first open case. From a pipe, one answer a line is read.
"""
_EPILOG = """\
examples:
  adjudge label DIR --n 60
  adjudge label DIR --annotator ann
  adjudge label DIR --list
  adjudge label DIR --change egg-3
"""


def register(commands: Any) -> None:
    """Add the command."""
    about = "label cases of a run, to see how far its judge agrees with people"
    parser = add_command(commands, "label", "label.run", about, _DESCRIPTION, _EPILOG)
    option(parser, "run_directory DIR", "a run directory")
    option(parser, "--annotator NAME", "who labels (default: your user name)")
    option(parser, "--n N", "how many cases (default: 60, or as many as were picked); more can be added")
    option(parser, "--seed N", "seed of what is drawn (default: 0); kept with the run")
    option(parser, "--random-share S", "the share drawn at random, 0 to 1 (default: 0.5); kept with the run")
    option(parser, "--separate", "cases for this annotator alone, which nobody else gets")
    option(parser, "--criteria", "dialogue and review: rate each criterion too, not only the whole")
    what = parser.add_mutually_exclusive_group()
    option(what, "--list", "show this annotator's labels")
    option(what, "--change ID", "label these cases again; the new label counts", nargs="+")


def run(args: argparse.Namespace) -> int:
    """Label until all is done or the person quits."""
    from ..agreement.labels.files import LabelFile, annotator_name
    from ..agreement.labels.sampling import MAX_PICKS, select_cases
    from ..results.run import Reader, open_run
    from .labelling import LabelSession

    annotator = annotator_name(args.annotator)
    if args.n is not None and not 1 <= args.n <= MAX_PICKS:
        raise InputError("--n", str(args.n), f"1 to {MAX_PICKS:,}")
    share = _share(args.random_share)
    opened = open_run(args.run_directory)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may not have all characters
    if args.list:
        return _list(opened, annotator)
    if args.criteria and opened.protocol == "compare":
        raise InputError("--criteria", "this run compares answers", "it is for dialogue and review runs")
    require_extra("adjudge label")
    owner = annotator if args.separate else None
    selection = select_cases(opened, args.n, seed=args.seed, random_share=share, annotator=owner)
    queue = selection.of(owner)[: args.n]
    if args.n is not None and len(queue) < args.n:
        say(f"only {len(queue)} cases can be picked: the others have no verdict, are copies, or are somebody else's")
    with LabelFile(opened, annotator) as file, Reader(opened) as reader:
        if file.torn:
            say(f"{file.path}: the last line was cut off when it was written, and is left out")
        session = LabelSession(opened, selection, queue, file, reader, criteria=args.criteria)
        todo = _changed(args.change, queue) if args.change else [pick for pick in queue if session.is_open(pick)]
        resume = ["adjudge", "label", args.run_directory]
        resume += ["--annotator", annotator] if args.annotator else []
        resume += ["--separate"] if args.separate else []
        return session.run(todo, shlex.join(resume))


def _share(given: str | None) -> Decimal | None:
    share = to_decimal(given)
    if given is not None and (share is None or not 0 <= share <= 1):
        raise InputError("--random-share", f"{given!r:.40}", "a number from 0 to 1")
    return share


def _changed(ids: Sequence[str], queue: Sequence[Pick]) -> list[Pick]:
    for name in ids:
        if not any(pick.case == name for pick in queue):
            allowed = "one of those that were picked: see --list; --n picks more"
            raise InputError("--change", f"{name!r:.60} is not among the cases to label", allowed)
    return [pick for pick in queue if pick.case in ids]


def _list(opened: Run, annotator: str) -> int:
    from ..agreement.labels.files import read_label_file
    from ..agreement.labels.sampling import FOLDER
    from ..reports.document import grid_text

    path = opened.folder / FOLDER / f"{annotator}.jsonl"
    if not path.exists():
        people = ", ".join(sorted(other.stem for other in path.parent.glob("*.jsonl"))) or "nobody yet"
        raise InputError("--annotator", f"no labels by {annotator}", f"labels are there by: {people}")
    labels = {label.position: label for label in read_label_file(path)[0]}
    rows = [
        [label.case, _told(label), "flagged" if label.flagged else "", label.note, label.time]
        for label in labels.values()
    ]
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None
    sys.stdout.write(grid_text(["case", "label", "flag", "note", "time"], rows, (), width))
    return 0


def _told(label: HumanLabel) -> str:
    if label.value is None:
        told = "skipped" if label.skipped else "open"
    else:
        told = f"{label.value}, and {len(label.criteria)} criteria" if label.criteria else str(label.value)
    return f"{told}, after the verdict was seen" if label.unblinded else told
