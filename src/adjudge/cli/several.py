"""Commands made of several runs: `adjudge bench` judges labelled sets, `adjudge probe` cases and changed copies.

All runs are created and their calls estimated before the first call is paid, and they share one budget. They also share
a journal, so a question that occurs in two of them is paid for once. The same command continues them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine import run_sync
from ..errors import InputError
from ..files import user_path
from ..inputs.rows import BadRow, Row, Rows, open_rows
from ..judges.at_hand import EMBEDDED, named
from ..protocols.base import Protocol, names, protocol_of
from ..protocols.rubrics import load, rubric_for, shipped
from ..protocols.settings import Settings
from ..rendering.wording import many
from ..results.run import open_run
from ..rubric import Rubric
from ..runs.create import check_trust, create
from ..runs.directory import RunDirectory
from ..runs.estimate import Estimate, estimate
from ..runs.execute import check_can_be_asked
from ..runs.plan import RunOptions
from ..runs.state import RunState, load_state
from .common import Messages, check_folders
from .outputs import choose_format, write_report
from .run import execute_until_stopped, notify, saved_options

if TYPE_CHECKING:
    from ..agreement.benchmark import LabelledSet

_JOURNAL = "journal.db"
_ORDER = 0  # seed of the shuffle: the first cases are a random sample, the same in every run


# -- bench ------------------------------------------------------------------------------------------------------------


def run_bench(args: argparse.Namespace) -> int:
    """Judge the open cases and print the table; exit 1 if a case has no verdict."""
    if args.limit is not None and args.limit < 1:
        raise InputError("--limit", str(args.limit), "1 or more is allowed")
    check_folders(args)
    chosen = choose_format(args.format, args.output, piped="text")  # refused before anything is paid
    judges = list(dict.fromkeys(named(*(args.judge or [EMBEDDED]))))
    rubrics = _rubrics(args.rubric)
    given = user_path(args.sets)
    if not given.is_dir():
        raise InputError("DIR", f"{given}: folder not found", "a folder with files of labelled cases")
    # SciPy takes seconds to load, so import it only when there is something to measure.
    from ..agreement.benchmark import Benchmark, find_sets, has_column, measure_set
    from ..reports.judges import benchmark_document

    sets, left_out = find_sets(given)
    if args.group and not any(has_column(each, args.group) for each in sets):
        raise InputError("--group", f"{given}: no set has a column {args.group!r:.60}", "a column that no judge sees")
    folder = user_path(args.directory).absolute()
    planned = [_planned(each, judge, folder, rubrics, args) for each in sets for judge in judges]
    code = _judge_several(planned, args, str(folder / _JOURNAL), args.limit)
    if args.dry_run:
        return code
    results = [
        measure_set(each, {judge: open_run(_place(folder, each, judge)) for judge in judges}, args.votes, args.group)
        for each in sets
    ]
    benchmark = Benchmark(sets=tuple(results), left_out=left_out)
    write_report(chosen, args.output, lambda: benchmark, lambda: benchmark_document(benchmark))
    return code


def _rubrics(paths: Sequence[str]) -> dict[str, Rubric]:
    """Return the rubric of each protocol with labelled sets: the given one, or else the shipped one."""
    known = [name for name in names() if protocol_of(name).measured.sets]
    found: dict[str, Rubric] = {}
    for rubric in map(load, paths):
        if rubric.protocol not in known or rubric.protocol in found:
            allowed = f"at most {' and '.join(f'one for {name}' for name in known)}"
            raise InputError("--rubric", f"{rubric.name}: its protocol is {rubric.protocol}", allowed)
        found[rubric.protocol] = rubric
    return {name: found.get(name) or shipped(name) for name in known}


def _planned(
    labelled: LabelledSet, judge: str, folder: Path, rubrics: Mapping[str, Rubric], args: argparse.Namespace
) -> _PlannedRun:
    kind = protocol_of(labelled.protocol).settings
    given: dict[str, Any] = {name: getattr(args, name) for name, one in kind.described().items() if one.bench}
    given |= dict.fromkeys(kind.named("judge"), judge)
    settings = kind(**given, rubric=rubrics[labelled.protocol])
    rows = open_rows(str(labelled.path), labelled.protocol, settings.rubric)
    return _PlannedRun(f"{labelled.name}, {judge}", _place(folder, labelled, judge), settings, rows, str(labelled.path))


def _place(folder: Path, labelled: LabelledSet, judge: str) -> Path:
    """Return the folder of a judge's run over a set. If the judge's name is no valid folder name, a hash is added."""
    plain = re.sub(r"[^\w.-]+", "-", judge).strip("-.")[:60]
    return folder / labelled.name / (plain if plain == judge else f"{plain}-{blake2b(judge.encode()).hexdigest()[:6]}")


# -- probe ------------------------------------------------------------------------------------------------------------


def run_probe(args: argparse.Namespace) -> int:
    """Judge the cases and their changed copies, and print what changed; exit 1 if a case has no verdict."""
    if args.n < 1:
        raise InputError("--n", str(args.n), "1 or more is allowed")
    check_folders(args)
    chosen = choose_format(args.format, args.output, piped="text")  # refused before anything is paid
    folder = user_path(args.directory).absolute()
    protocol, settings, rows, journal = _source(args, folder)
    assert protocol.probes is not None
    from ..reports.run.conduct import conduct_sentence
    from ..results.conduct import conduct_of
    from ..results.database import opened

    probes, judge = protocol.probes(), getattr(settings, settings.named("judge")[0])
    drawn = probes.draw(rows, args.n, args.seed)
    if not drawn:
        raise InputError("INPUT", f"{args.input}: contains no {protocol.noun}", "at least one is needed")
    if args.group and not any(args.group in row.extra for row in drawn):
        raise InputError("--group", f"{args.input}: no column {args.group!r:.60}", "a column that no judge sees")
    planned = [
        _PlannedRun(name, folder / name, settings, Rows(iter(made)), args.input)
        for name, made in probes.copies(drawn, args.probes, args.seed, args.group).items()
    ]
    code = _judge_several(planned, args, journal, None)
    if args.dry_run:
        return code
    measured = probes.measure({each.name: open_run(each.folder) for each in planned}, len(drawn))
    results = [each for each in measured if each.probe in args.probes]
    with opened(open_run(folder / probes.original)) as database:
        conduct = conduct_of(database)
    report = {
        "judge": judge,
        "cases": len(drawn),
        "conduct": {"sentence": conduct_sentence(conduct), **conduct.as_json()},
        "probes": [each.model_dump() for each in results],
    }
    write_report(chosen, args.output, lambda: report, lambda: probes.document(judge, len(drawn), results, conduct))
    return code


def _source(args: argparse.Namespace, folder: Path) -> tuple[Protocol, Settings[Any], Iterable[Row | BadRow], str]:
    """Return the protocol, settings, cases and journal. A run as INPUT provides them; --judge and --rubric win."""
    known = [protocol for protocol in map(protocol_of, names()) if protocol.probes]
    if not RunDirectory(args.input).exists:
        protocol = known[0]
        judge: dict[str, Any] = dict.fromkeys(protocol.settings.named("judge"), args.judge or "embedded")
        settings = protocol.settings(**judge, rubric=rubric_for(protocol.name, args.rubric))
        return protocol, settings, open_rows(args.input, protocol.name, settings.rubric), str(folder / _JOURNAL)
    run = open_run(args.input, "INPUT")
    directory = RunDirectory(args.input)
    check_trust(directory, args.trust)
    settings = directory.plan().opened()
    if run.protocol.probes is None:
        nouns = " and ".join(f"{protocol.noun}s" for protocol in known)
        raise InputError("INPUT", f"{args.input}: a {run.protocol.name} run", f"probes are for {nouns}")
    changed = dict.fromkeys(settings.named("judge"), args.judge) if args.judge else {}
    settings = replace(settings, **changed, rubric=rubric_for(run.protocol.name, args.rubric or settings.rubric))
    return run.protocol, settings, run.protocol.probes().rows_of(run), directory.journal(directory.read())


# -- several runs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PlannedRun:
    """One of several runs: its name in messages, its folder, its settings and its cases."""

    name: str
    folder: Path
    settings: Settings[Any]
    rows: Rows
    source: str


def _judge_several(planned: Sequence[_PlannedRun], args: argparse.Namespace, journal: str, limit: int | None) -> int:
    """Create or continue all runs; return 0 if every requested case has a verdict, 1 if not, 130 after Ctrl-C."""
    args.given = {name for name in ("concurrency", "rate", "budget") if getattr(args, name) is not None}
    options = RunOptions.of({}, saved_options(args))
    with ExitStack() as locks, Messages(partial(notify, args)):
        states: list[RunState] = []
        for each in planned:
            directory = RunDirectory(each.folder)
            locks.enter_context(directory.locked())
            create(
                directory, each.settings, each.rows, source=each.source, journal=journal,
                shuffle=_ORDER, skip_bad=True, options=options,
            )  # fmt: skip
            check_trust(directory, args.trust)
            states.append(load_state(directory, limit=limit))
        expected = [run_sync(partial(estimate, state)) for state in states]
        if not args.quiet or args.dry_run:
            notify(args, _what_is_left(states, expected))
        if args.dry_run:
            return 0
        for one, state in zip(expected, states, strict=True):
            if state.open:
                check_can_be_asked(one, options)
        over = f"stopped by the budget of ${options.budget}; the same command with a higher --budget continues"
        code = 0
        for each, state in zip(planned, states, strict=True):
            if not state.open:
                state.measure_conduct()
                state.write_summary()
                continue
            if not args.quiet:
                notify(args, f"{each.name}: {state.open:,} to judge")
            own = options
            if options.budget is not None:
                left = options.budget - sum((one.tally.paid for one in states), Decimal(0))
                if left <= 0:
                    notify(args, over, "stopped")
                    return 1
                own = replace(options, budget=left + state.tally.paid)
            ended = run_sync(partial(execute_until_stopped, args, state, own))
            if ended.why in ("interrupted", "budget"):
                asked = "stopped as asked; the same command continues"
                notify(args, over if ended.why == "budget" else asked, "stopped")
                return 130 if ended.why == "interrupted" else 1
            if ended.why:
                notify(args, f"{each.name}: stopped ({ended.why}): {ended.detail}", "stopped")
                code = 1
        # Rows that cannot be judged are listed in the report and do not make the command fail.
        failed = any(state.tally.failures > state.config["input"]["bad"] for state in states)
        return 1 if failed else code


def _what_is_left(states: Sequence[RunState], expected: Sequence[Estimate]) -> str:
    """Describe how many cases are left in all runs, and what they may cost."""
    text = f"{many(len(states), 'run')}, {many(sum(state.open for state in states), 'case')} to judge"
    if calls := sum(each.calls for each in expected):
        unpriced = sorted({name for each in expected for name in each.unpriced})
        cost = sum((each.cost for each in expected if each.cost is not None), Decimal(0))
        text += f", about {many(calls, 'call')}, about ${cost:,.2f} at published prices"
        text += f" (none is published for {', '.join(unpriced)})" if unpriced else ""
    if paid := sum(each.paid_calls for each in expected):
        text += f"; about {paid:,} more are already paid"
    return text
