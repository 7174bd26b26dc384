"""What `adjudge run` says: before it begins, while it goes on, and when it has ended."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import TYPE_CHECKING

from ..redaction import redact
from .asking import say

if TYPE_CHECKING:
    from ..runs.directory import RunDirectory
    from ..runs.estimate import Estimate
    from ..runs.execute import Ended
    from ..runs.plan import RunOptions
    from ..runs.progress import Progress
    from ..runs.state import RunState

_STOPPED = {
    "interrupted": "stopped as asked",
    "unreachable": "stopped, as no call succeeds",
}


def tell(args: argparse.Namespace, text: str, event: str = "note") -> None:
    """One line on standard error, which with --json-progress holds JSON alone."""
    from ..reports.escaping import one_line

    line = one_line(redact(text))
    if args.json_progress:
        line = json.dumps({"event": event, "message": line})
    print(line, file=sys.stderr, flush=True)


def tell_suspects(args: argparse.Namespace, suspects: tuple[str, ...]) -> None:
    """Name the cases that may end the process."""
    shown = ", ".join(suspects[:10]) + (f" and {len(suspects) - 10} more" if len(suspects) > 10 else "")
    text = f"the process died three times in a row while it judged {shown}"
    tell(args, f"{text}; if a case is the cause, leave it out with --skip-case ID", "warning")


def tell_before(args: argparse.Namespace, state: RunState, expected: Estimate, options: RunOptions) -> None:
    """How many cases are left, and what they may cost."""
    from ..runs.progress import plural

    done = state.tally.verdicts + state.tally.failures
    cases = plural(state.known["input"]["cases"], "case")
    tell(args, f"{cases}, {done:,} done, {state.open:,} to do now; judge {', '.join(state.plan.judges)}")
    if expected.calls or expected.paid_calls:
        tokens = f"{expected.input_tokens:,} tokens in and {expected.output_tokens:,} out"
        seen = state.tally.calls
        source = (
            f"from {plural(seen, 'call')} so far" if seen else f"from a sample of {plural(expected.sampled, 'case')}"
        )
        paid = f"; about {expected.paid_calls:,} more are already paid" if expected.paid_calls else ""
        about = "at most about" if state.plan.has_cascade else "about"
        tell(args, f"{about} {plural(expected.calls, 'call')}, {tokens} ({source}){paid}")
        if expected.cost is None:
            tell(args, "no price is published for this judge")
        else:
            unpriced = ", ".join(expected.unpriced)
            missing = f", without {unpriced}, for which none is published" if unpriced else ""
            cost = expected.cost / 2 if options.batch else expected.cost
            tell(args, f"{about} ${cost:,.2f} at published prices{missing}")
    if options.budget is not None:
        tell(args, spent_of(state, options))


def tell_end(args: argparse.Namespace, state: RunState, options: RunOptions, ended: Ended | None) -> int:
    """What came of the run, why it stopped if it did, and the exit code."""
    from ..reports.escaping import one_line
    from ..runs.execute import resume_command
    from ..runs.progress import agreement, money, ordered, plural

    tally, why = state.tally, ended.why if ended else ""
    if not args.quiet:
        answers = [f"{answer} {count:,}" for answer, count in ordered(tally.answers)]
        if tally.undecided:
            answers.append(f"undecided {tally.undecided:,} (the judge was not sure enough)")
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(tally.reasons.items()) if count)
        print(plural(tally.verdicts, "verdict") + (f": {', '.join(answers)}" if answers else ""))
        print(plural(tally.failures, "failure") + (f": {reasons}" if reasons else ""))
        if tally.open:
            print(f"{plural(tally.open, 'case')} still open")
        if tally.calls:
            tokens = f"{tally.input_tokens:,} tokens in, {tally.output_tokens:,} out"
            print(f"{plural(tally.calls, 'call')}, {tokens}, {money(tally)}")
        if tally.paid != tally.cost:
            less = tally.paid < tally.cost
            rest = "the other replies were stored before" if less else "also for replies that gave no verdict"
            print(f"${tally.paid:.4f} was paid by this run; {rest}")
        if tally.labelled:
            print(agreement(tally))
        where = shlex.quote(str(state.directory.path))
        print(one_line(f"everything is in {where}; see: adjudge show {where}, adjudge export {where} --format html"))
    if why:
        detail = ended.detail if ended else ""
        if why == "budget":
            text = f"stopped by the budget: {spent_of(state, options)}, and {detail}; {raise_budget(state.directory)}"
        else:
            said = f"{_STOPPED.get(why, why)}: {detail}" if detail else _STOPPED.get(why, why)
            text = f"{said}; continue with: {resume_command(state.directory)}"
        if args.json_progress:
            tell(args, text, "stopped")
        else:
            say(text)
    return 130 if why == "interrupted" else 1 if why or tally.failures else 0


def spent_of(state: RunState, options: RunOptions) -> str:
    """How much of the budget is spent."""
    return f"${state.tally.paid:.4f} is spent of a budget of ${options.budget}"


def raise_budget(directory: RunDirectory) -> str:
    """How to continue with more money."""
    from ..runs.execute import resume_command

    return f"continue with a higher one (none lifts it): {resume_command(directory)} --budget USD"


def progress_of(args: argparse.Namespace) -> Progress:
    """How the run shows where it is."""
    from ..runs.progress import Json, Live, Plain, Progress

    if args.quiet:
        return Progress()
    if args.json_progress:
        return Json()
    return Live() if sys.stderr.isatty() else Plain()
