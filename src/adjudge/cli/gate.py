"""`adjudge gate`: decides whether a run is good enough; and the gate at the end of `adjudge run --fail-if`.

SciPy takes seconds to load, so code that uses it is imported only when there is something to decide.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..agreement.gates.conditions import GateCondition, needs_labels, read_conditions
from ..errors import InputError, plain_reason
from ..files import user_path
from ..results.run import open_run
from .common import check_folders, say
from .outputs import write_document, write_out, write_report

if TYPE_CHECKING:
    from ..agreement.gates.gate import GateReport


def run_gate(args: argparse.Namespace) -> int:
    """Decide the conditions on a run and print the answer; exit 1 if it fails, 3 if it is unsure and may not be."""
    check_folders(args)
    run = open_run(args.run_directory)
    baseline = None if args.against is None else open_run(args.against, "--against")
    conditions = read_conditions(args.fail_if, run.protocol, run.rubric, against=baseline is not None)
    if (args.labels or args.annotator) and not needs_labels(conditions, run.protocol):
        raise InputError("--labels" if args.labels else "--annotator", "no condition is on agreement with labels")
    from ..agreement.gates.gate import gate_of
    from ..reports.gates import gate_document

    report = gate_of(
        run, conditions, baseline=baseline, unsure=args.unsure, group=args.group, labels=args.labels,
        annotators=args.annotator,
    )  # fmt: skip
    _print(lambda: write_report(args.format, args.output, lambda: report, lambda: gate_document(report)))
    return _finish(args, report, say, printed=args.format == "text" and args.output in (None, "-"))


def conditions_of(folder: Path, given: Sequence[str]) -> tuple[GateCondition, ...]:
    """Read the conditions of a gate on the run in a folder, and check that it has labels if one needs them."""
    if not given:
        return ()
    run = open_run(folder)
    conditions = read_conditions(given, run.protocol, run.rubric)
    if needs_labels(conditions, run.protocol):
        from ..agreement.labels.sources import load_labels

        load_labels(run)
    return conditions


def gate_after_run(
    args: argparse.Namespace, folder: Path, conditions: Sequence[GateCondition], tell: Callable[[str], None]
) -> int:
    """Decide the conditions on a run that has just ended, and print the answer unless `args` ask for quiet."""
    from ..agreement.gates.gate import gate_of
    from ..reports.gates import gate_document

    report = gate_of(open_run(folder), conditions, unsure=args.unsure)
    if not args.quiet:
        _print(lambda: write_document(gate_document(report), "text", None))
    return _finish(args, report, tell, printed=not (args.quiet or args.json_progress))


def _print(write: Callable[[], None]) -> None:
    """Print the answer after what was printed before it. A reader who has left (`| head`) does not change the exit code
    of a gate."""
    try:
        sys.stdout.flush()
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _finish(args: argparse.Namespace, report: GateReport, tell: Callable[[str], None], *, printed: bool) -> int:
    """Write the other forms of the answer, say what does not pass if no text was `printed`; return the exit code."""
    from ..agreement.gates.deciding import FAILS, PASSES
    from ..rendering.document import as_markdown
    from ..reports.gates import gate_document, gate_junit, gate_sentence

    if args.junit:
        write_out(gate_junit(report), args.junit)
    if args.summary:
        try:
            with user_path(args.summary).open("a", encoding="utf-8") as file:
                file.write(as_markdown(gate_document(report)) + "\n")
        except OSError as error:
            raise InputError("--summary", f"{args.summary}: {plain_reason(error)}", "choose a writable path") from None
    for each in report.decisions:
        if each.answer != PASSES and not printed:
            warning = "" if each.answer == FAILS or report.unsure == "fail" else "warning: "
            tell(f"{warning}{gate_sentence(each)}")
    return report.exit_code
