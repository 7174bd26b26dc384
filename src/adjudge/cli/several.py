"""Several runs as one: all are created and their calls estimated before the first is paid, within one budget.

They share a journal, so that a question which stands in two of them is paid once, and the same command continues them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .asking import Warnings
from .outputs import FORMATS
from .run import add_bounds, add_progress, execute_until_stopped, kept_options
from .run_messages import tell

if TYPE_CHECKING:
    from ..inputs.rows import Rows
    from ..runs.estimate import Estimate
    from ..runs.plan import Settings
    from ..runs.state import RunState

JOURNAL = "journal.db"
_ORDER = 0  # the seed of the order of cases: the first of them are a random sample, the same in every run


@dataclass(frozen=True)
class PlannedRun:
    """One of several runs: its name in messages, its folder, and what is judged how."""

    name: str
    folder: Path
    settings: Settings
    rows: Rows
    source: str


def add_several_arguments(parser: argparse.ArgumentParser, folder: str) -> None:
    """Where the runs are kept, by default in this folder, what bounds them, how much they say, and the report."""
    parser.add_argument(
        "--run", dest="directory", default=folder, metavar="DIR", help=f"where the runs are kept (default: {folder})"
    )
    add_bounds(parser.add_argument_group("limits, over all runs together"))
    parser.add_argument(
        "--trust", action="store_true", help="your keys may go to the judges of runs in the folder that others made"
    )
    parser.add_argument("--dry-run", action="store_true", help="say how many cases, calls and dollars, and stop there")
    add_progress(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, help="default: text, or by -o's suffix")
    output.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")
    parser.set_defaults(concurrency=None)


def judge_several(planned: Sequence[PlannedRun], args: argparse.Namespace, journal: str, limit: int | None) -> int:
    """Create or continue all runs; 0 if every case asked for has a verdict, 1 if not, 130 after Ctrl-C."""
    from ..engine import run_sync
    from ..errors import InputError
    from ..runs.create import create
    from ..runs.directory import RunDirectory
    from ..runs.execute import check_can_be_asked, estimated
    from ..runs.plan import RunOptions
    from ..runs.state import load_state
    from ..runs.trust import check_trust

    args.given = {name for name in ("concurrency", "rate", "budget") if getattr(args, name) is not None}
    options = RunOptions.of({}, kept_options(args))
    with ExitStack() as locks, Warnings(lambda text: tell(args, text, "warning")):
        states: list[RunState] = []
        for each in planned:
            directory = RunDirectory(each.folder)
            locks.enter_context(directory.locked())
            create(
                directory, each.settings.protocol, each.settings, each.rows, source=each.source, journal=journal,
                shuffle=_ORDER, skip_bad=True, options=options,
            )  # fmt: skip
            check_trust(directory, args.trust)
            states.append(load_state(directory, limit=limit))
        try:
            expected = [run_sync(partial(estimated, state)) for state in states]
        except InputError as error:
            raise error.renamed({"judge": "--judge"}) from None
        if not args.quiet or args.dry_run:
            tell(args, _outlook(states, expected))
        if args.dry_run:
            return 0
        for one, state in zip(expected, states, strict=True):
            if state.open:
                check_can_be_asked(one, options)
        code = 0
        for each, state in zip(planned, states, strict=True):
            if not state.open:
                state.write_summary()
                continue
            if not args.quiet:
                tell(args, f"{each.name}: {state.open:,} to judge")
            own = options
            if options.budget is not None:
                left = options.budget - sum((one.tally.paid for one in states), Decimal(0))
                if left <= 0:
                    tell(args, _over(options.budget), "stopped")
                    return 1
                own = replace(options, budget=left + state.tally.paid)
            ended = run_sync(partial(execute_until_stopped, args, state, own))
            if ended.why in ("interrupted", "budget"):
                asked = "stopped as asked; the same command continues"
                tell(args, _over(options.budget) if ended.why == "budget" else asked, "stopped")
                return 130 if ended.why == "interrupted" else 1
            if ended.why:
                tell(args, f"{each.name}: stopped ({ended.why}): {ended.detail}", "stopped")
            code = 1 if ended.why else code
        # A row that can never be judged is told in the report, and nothing is wrong with the runs.
        failed = any(state.tally.failures > state.known["input"]["bad"] for state in states)
        return 1 if failed else code


def _outlook(states: Sequence[RunState], expected: Sequence[Estimate]) -> str:
    """How much is to do in all, and what it may cost."""
    from ..runs.progress import plural

    said = f"{plural(len(states), 'run')}, {plural(sum(state.open for state in states), 'case')} to judge"
    if calls := sum(each.calls for each in expected):
        said += f", about {plural(calls, 'call')}"
        unpriced = sorted({name for each in expected for name in each.unpriced})
        cost = sum((each.cost for each in expected if each.cost is not None), Decimal(0))
        said += f", about ${cost:,.2f} at published prices"
        said += f" (none is published for {', '.join(unpriced)})" if unpriced else ""
    if paid := sum(each.paid_calls for each in expected):
        said += f"; about {paid:,} more are already paid"
    return said


def _over(budget: Decimal | None) -> str:
    return f"stopped by the budget of ${budget}; the same command with a higher --budget continues"
