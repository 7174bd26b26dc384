"""`adjudge run`: many cases, carried on wherever they were left."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import shlex
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from .asking import add_asking_arguments, asking_of, say

if TYPE_CHECKING:
    from ..runs.directory import RunDirectory
    from ..runs.estimating import Estimate
    from ..runs.plan import Manner, Settings
    from ..runs.progress import Progress
    from ..runs.running import Ended, Stand

_DESCRIPTION = """\
Judge many cases. INPUT is a JSONL, CSV, TSV or Parquet file, a folder of transcripts or case files, or - for standard
input. Everything the run makes stands in DIR: its cases, the journal, verdicts.jsonl and failures.jsonl as they come,
and a summary. A run that was stopped, by Ctrl-C or by a power cut, goes on with --resume; nothing is paid twice.
"""
_EPILOG = """\
examples:
  adjudge run compare pairs.jsonl --run out --judge openai:gpt-5.1 --budget 5
  adjudge run compare arena.csv --run out --map task=question a=output_1 b=output_2
  adjudge run dialogue transcripts/ --run talks
  adjudge run --resume out
"""
# What a run is made of; a resumed one cannot be given another.
_SETTLED = {
    "protocol": "a protocol",
    "input": "INPUT",
    "directory": "--run",
    **{name: "--" + name.replace("_", "-") for name in (
        "map", "input_format", "skip_bad", "shuffle", "judge", "one_order", "search", "evaluator", "critic",
        "languages", "rubric", "seed", "sample", "temperature", "max_tokens",
    )},
}  # fmt: skip
_HALTED = {
    "interrupted": "stopped as asked",
    "budget": "the budget is used up",
    "unreachable": "the provider cannot be reached, or refuses every call; the last failures say why",
}


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="judge many cases: resumable, within a budget, on all cores or a cluster",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("protocol", nargs="?", choices=("compare", "dialogue", "review"), help="what to do with a case")
    parser.add_argument("input", nargs="?", metavar="INPUT", help="a file, a folder, or - for standard input")
    where = parser.add_argument_group("the run")
    where.add_argument("--run", dest="directory", metavar="DIR", help="where the run is kept; made if it is not there")
    where.add_argument("--resume", metavar="DIR", help="go on with this run; needs no INPUT")
    where.add_argument("--retry-failed", action="store_true", help="try failed cases again, whatever made them fail")
    where.add_argument("--dry-run", action="store_true", help="say how many cases, calls and dollars, and stop there")
    _add_reading(parser.add_argument_group("reading INPUT"))
    _add_judging(parser.add_argument_group("judging"))
    _add_manner(parser.add_argument_group("pace and money"))
    shown = parser.add_argument_group("progress").add_mutually_exclusive_group()
    shown.add_argument("--quiet", action="store_true", help="say nothing unless something is wrong")
    shown.add_argument("--json-progress", action="store_true", help="JSON lines on standard error, one a second")
    parser.set_defaults(run=run, default_of=parser.get_default)


def _add_reading(group: Any) -> None:
    group.add_argument(
        "--map", nargs="+", metavar="FIELD=COLUMN", help="where fields are read from: task=question a=output_1 …"
    )
    group.add_argument("--input-format", metavar="FORMAT", help="jsonl, csv, tsv, parquet, … if the name does not tell")
    group.add_argument("--skip-bad", action="store_true", help="count rows that cannot be read as failures, and go on")
    group.add_argument("--shuffle", type=int, metavar="SEED", help="in an order drawn from this seed")
    group.add_argument("--limit", type=int, metavar="N", help="only the first N cases for now; resume for the rest")


def _add_judging(group: Any) -> None:
    group.add_argument("--judge", default="embedded", metavar="JUDGE", help="see `adjudge judges` (default: embedded)")
    group.add_argument(
        "--one-order", action="store_true", help="compare: judge once, not in both orders: half the cost"
    )
    group.add_argument("--search", metavar="SERVICE", help="compare: look facts up")
    group.add_argument("--evaluator", metavar="JUDGE", help="dialogue: scores; default: --judge")
    group.add_argument("--critic", metavar="JUDGE", help="dialogue: challenges the scores; default: --judge")
    group.add_argument("--languages", metavar="CODES", help="review: the languages in scope, such as en,es")
    add_asking_arguments(group, "compare")
    group.add_argument("--journal", metavar="WHERE", help="a file or postgresql://… (default: DIR/journal.db)")


def _add_manner(group: Any) -> None:
    group.add_argument("--concurrency", type=int, default=20, metavar="N", help="calls at once (default: 20)")
    group.add_argument("--rate", metavar="R/min", help="calls a minute at most, for each provider: 600 or 600/min")
    group.add_argument("--budget", metavar="USD", help="stop before this is passed")
    group.add_argument(
        "--batch", action="store_true", help="through the provider's batch API: half price, within a day"
    )
    group.add_argument(
        "--poll", type=float, default=20.0, metavar="S", help="seconds between looks at a batch (default: 20)"
    )
    group.add_argument("--engine", choices=("local", "ray"), default="local", help="default: local")
    group.add_argument("--ray-address", metavar="ADDRESS", help="ray://HOST:PORT; default: a cluster on this machine")
    group.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one a core, if there is enough to do)"
    )


def run(args: argparse.Namespace) -> int:
    """Begin or go on; exit 0 when every case asked for has a verdict, 1 if not, 130 after Ctrl-C."""
    from ..errors import InputError
    from ..runs.running import run_directory

    if args.resume is not None:
        for name in _SETTLED:
            if getattr(args, name) != args.default_of(name):
                found = f"stands beside {_SETTLED[name]}"
                raise InputError("--resume", found, "a run keeps the one it was begun with; begin another for that")
    elif args.protocol is None or args.input is None or args.directory is None:
        raise InputError("run", "something is missing", "PROTOCOL INPUT --run DIR, or --resume DIR")
    if args.limit is not None and args.limit < 1:
        raise InputError("--limit", str(args.limit), "1 or more is allowed")
    manner = _manner(args)
    directory = run_directory(args.resume or args.directory)
    if args.resume is not None:
        directory.read()
    with directory.locked():
        if args.resume is None:
            _begin(args, directory)
        return _go_on(args, directory, manner)


def _begin(args: argparse.Namespace, directory: RunDirectory) -> None:
    from ..inputs.rows import open_rows
    from ..runs.running import begin

    settings = _settings(args)
    rows = open_rows(args.input, args.protocol, settings.rubric, _mapping(args.map), format=args.input_format)
    spooled = begin(
        directory, args.protocol, settings, rows, source=args.input, journal=args.journal, shuffle=args.shuffle,
        skip_bad=args.skip_bad,
    )  # fmt: skip
    if not args.quiet and spooled.mapping:
        read = ", ".join(f"{field} from {column}" for field, column in spooled.mapping.items() if field != column)
        if read:
            _tell(args, f"reading {read}")
    if spooled.bad and not args.quiet:
        _tell(args, f"{spooled.bad:,} rows cannot be judged and count as failures")


def _go_on(args: argparse.Namespace, directory: RunDirectory, manner: Manner) -> int:
    from ..engine import run_sync
    from ..errors import InputError
    from ..runs.running import check_can_be_asked, estimated, has_open_batches, look

    if not manner.batch and has_open_batches(directory):
        found = "batches were submitted and are not collected yet"
        raise InputError(str(directory.path), found, "go on with --batch, lest their questions are paid twice")
    stand = look(directory, limit=args.limit, retry=args.retry_failed, journal_at=args.journal)
    judged = run_sync(lambda: estimated(directory, stand))
    if not args.quiet or args.dry_run:
        _tell_before(args, stand, judged, manner)
    if args.dry_run:
        return 0
    if not stand.open:
        return _tell_end(args, directory, stand, None)
    check_can_be_asked(judged, manner)
    log, warnings = logging.getLogger("adjudge"), _Warnings(args)
    log.addHandler(warnings)
    try:
        ended = run_sync(lambda: _carry_out(args, directory, stand, manner))
    finally:
        log.removeHandler(warnings)
    return _tell_end(args, directory, stand, ended)


async def _carry_out(args: argparse.Namespace, directory: RunDirectory, stand: Stand, manner: Manner) -> Ended:
    from ..runs.running import carry_out
    from ..runs.workers import Halt

    halt = Halt()
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        if manner.batch:
            # A batch may take a day: it goes on without us.
            _tell(args, "submitted batches go on at the provider; a resumed run collects them")
        elif not halt.asked.is_set():
            _tell(args, "finishing what is in flight; Ctrl-C once more drops it (what was paid is kept)")
        if manner.batch or halt.asked.is_set():
            halt.now.set()
        halt.ask("interrupted")

    for name in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError):  # Windows; a thread that is not the main one
            loop.add_signal_handler(name, interrupted)
    return await carry_out(directory, stand, manner, _progress(args), halt, limit=args.limit)


def _tell_before(args: argparse.Namespace, stand: Stand, judged: Estimate, manner: Manner) -> None:
    cases = stand.known["input"]["cases"]
    done = stand.tally.verdicts + stand.tally.failures
    _tell(args, f"{cases:,} cases, {done:,} done, {stand.open:,} to do now; judge {', '.join(stand.plan.judges)}")
    if judged.calls or judged.paid_calls:
        about = f"about {judged.calls:,} calls, {judged.input_tokens:,} tokens in and {judged.output_tokens:,} out"
        paid = f"; about {judged.paid_calls:,} more are already paid" if judged.paid_calls else ""
        _tell(args, f"{about} (from a sample of {judged.sampled}){paid}")
        if judged.cost is None:
            _tell(args, "no price is published for this judge")
        else:
            missing = f", without {', '.join(judged.unpriced)}, for which none is published" if judged.unpriced else ""
            cost = judged.cost / 2 if manner.batch else judged.cost
            _tell(args, f"about ${cost:,.2f} at published prices{missing}")
    if manner.budget is not None:
        _tell(args, f"budget ${manner.budget}, of which ${stand.tally.paid:.4f} is spent")


def _tell_end(args: argparse.Namespace, directory: RunDirectory, stand: Stand, ended: Ended | None) -> int:
    from ..reports.escaping import one_line
    from ..runs.progress import agreement, money

    tally, why = stand.tally, ended.why if ended else ""
    if not args.quiet:
        answers = ", ".join(f"{answer} {count:,}" for answer, count in sorted(tally.answers.items()) if count)
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(tally.reasons.items()) if count)
        print(f"{tally.verdicts:,} verdicts" + (f": {answers}" if answers else ""))
        print(f"{tally.failures:,} failures" + (f": {reasons}" if reasons else ""))
        if tally.open:
            print(f"{tally.open:,} still open")
        if tally.calls:
            print(
                f"{tally.calls:,} calls, {tally.input_tokens:,} tokens in, {tally.output_tokens:,} out, {money(tally)}"
            )
        if tally.paid != tally.cost:
            print(f"${tally.paid:.4f} was paid by this run")
        if tally.labelled:
            print(agreement(tally))
        print(one_line(f"everything is in {directory.path}"))
    if why:
        text = f"{_HALTED.get(why, why)}; go on with: adjudge run --resume {shlex.quote(str(directory.path))}"
        if args.json_progress:
            _tell(args, text, "stopped")
        else:
            say(text)
    return 130 if why == "interrupted" else 1 if why or tally.failures else 0


def _progress(args: argparse.Namespace) -> Progress:
    from ..runs.progress import Json, Live, Plain, Quiet

    if args.quiet:
        return Quiet()
    if args.json_progress:
        return Json()
    return Live() if sys.stderr.isatty() else Plain()


def _manner(args: argparse.Namespace) -> Manner:
    from ..errors import InputError
    from ..runs.plan import Manner

    rate = budget = None
    if args.rate is not None:
        try:
            rate = float(args.rate.removesuffix("/min"))
        except ValueError:
            raise InputError("--rate", args.rate, "calls a minute, such as 600 or 600/min") from None
    if args.budget is not None:
        try:
            budget = Decimal(args.budget.removeprefix("$"))
        except InvalidOperation:
            raise InputError("--budget", args.budget, "dollars, such as 5 or 0.50") from None
    if args.engine == "ray":
        from ..runs.ray_cluster import check_installed

        check_installed()
    return Manner(args.concurrency, rate, budget, args.workers, args.batch, args.poll, args.engine, args.ray_address)


def _settings(args: argparse.Namespace) -> Settings:
    from ..engine import CompareSettings, DialogueSettings, ReviewSettings, rubric_for

    rubric, asking = rubric_for(args.protocol, args.rubric), asking_of(args)
    if args.protocol == "compare":
        return CompareSettings(judge=args.judge, rubric=rubric, one_order=args.one_order, search=args.search, **asking)
    if args.protocol == "dialogue":
        return DialogueSettings(
            evaluator=args.evaluator or args.judge, critic=args.critic or args.judge, rubric=rubric, **asking
        )
    languages = tuple(code.strip() for code in args.languages.split(",")) if args.languages else ()
    return ReviewSettings(judge=args.judge, rubric=rubric, languages=languages, **asking)


def _mapping(given: list[str] | None) -> Mapping[str, str]:
    from ..errors import InputError

    pairs = [piece.partition("=") for piece in given or ()]
    for field, equals, column in pairs:
        if not (field and equals and column):
            raise InputError("--map", f"{field}{equals}{column}", "FIELD=COLUMN, such as task=question")
    return {field: column for field, _, column in pairs}


def _tell(args: argparse.Namespace, text: str, event: str = "note") -> None:
    """One line on standard error, which with --json-progress holds JSON alone."""
    from ..reports.escaping import one_line

    line = one_line(text)
    if args.json_progress:
        line = json.dumps({"event": event, "message": line})
    print(line, file=sys.stderr, flush=True)


class _Warnings(logging.Handler):
    """Shows what is logged while a run goes on."""

    def __init__(self, args: argparse.Namespace) -> None:
        super().__init__(logging.WARNING)
        self._args = args

    def emit(self, record: logging.LogRecord) -> None:
        _tell(self._args, record.getMessage(), "warning")
