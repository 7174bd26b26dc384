"""`adjudge run`: many cases, continued wherever they were left."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import user_path
from .asking import Warnings, add_asking_arguments, add_command, check_folders, journal_place, option, settings_from
from .run_messages import progress_of, raise_budget, spent_of, tell, tell_before, tell_end, tell_suspects

if TYPE_CHECKING:
    from ..runs.directory import RunDirectory
    from ..runs.execute import Ended
    from ..runs.plan import RunOptions, Settings
    from ..runs.state import RunState

_DESCRIPTION = """\
Judge many cases. INPUT is a JSONL, CSV, TSV or Parquet file, a folder of transcripts or case files, or - for standard
input. Everything the run makes is in DIR: its cases, the journal, verdicts.jsonl and failures.jsonl as they come,
and a summary. A run that was stopped, by Ctrl-C or by a power cut, continues with --resume; nothing is paid twice.
"""
_EPILOG = """\
Beside --resume:
  changed and kept      --budget --rate --concurrency --batch --poll --engine --ray-address --workers
  for this call only    --limit --retry-failed --skip-case --dry-run --quiet --json-progress
  as the run was begun  all others; a value that differs is refused

examples:
  adjudge run compare pairs.jsonl --run out --judge openai:gpt-5.1 --budget 5
  adjudge run compare arena.csv --run out --map task=question a=output_1 b=output_2
  adjudge run dialogue transcripts/ --run talks
  adjudge run --resume out
"""
# These decide the verdicts: a resumed run cannot be given others.
_FIXED = (
    "protocol", "input", "map", "input_format", "skip_bad", "shuffle", "judge", "evaluator", "critic", "one_order",
    "search", "languages", "rubric", "seed", "sample", "temperature", "max_tokens", "recheck_attempts",
    "journal",
)  # fmt: skip
_OF_ONE_PROTOCOL = {
    "one_order": "compare", "search": "compare", "evaluator": "dialogue", "critic": "dialogue", "languages": "review",
}  # fmt: skip
# These are kept with the run; what is given replaces what was kept.
_KEPT = ("budget", "rate", "concurrency", "batch", "poll", "engine", "ray_address", "workers")


def register(commands: Any) -> None:
    """Add the command."""
    about = "judge many cases: resumable, within a budget, on this machine or a cluster"
    parser = add_command(commands, "run", run, about, _DESCRIPTION, _EPILOG)
    parser.add_argument("protocol", nargs="?", choices=("compare", "dialogue", "review"), help="what to do with a case")
    option(parser, "input INPUT", "a file, a folder, or - for standard input", nargs="?")
    group = parser.add_argument_group("the run")
    option(group, "--run DIR", "where the run is kept; made if it is not there", dest="directory")
    option(group, "--resume DIR", "continue this run; needs no INPUT")
    option(group, "--trust", "your keys may go to the judge and journal of a run that others made")
    option(group, "--retry-failed", "try failed cases again, whatever made them fail")
    about = "count these cases as failures; for cases that end the process"
    option(group, "--skip-case ID", about, nargs="+", action="extend")
    option(group, "--dry-run", "say how many cases, calls and dollars, and stop there")
    group = parser.add_argument_group("reading INPUT")
    about = "where fields are read from: task=question a=output_1 …"
    option(group, "--map FIELD=COLUMN", about, nargs="+", action="extend")
    option(group, "--input-format FORMAT", "jsonl, csv, tsv, parquet, … if the name does not tell")
    option(group, "--skip-bad", "count rows that cannot be read as failures, and continue")
    option(group, "--shuffle SEED", "in an order drawn from this seed", type=int)
    option(group, "--limit N", "only the first N cases for now; resume for the rest")
    group = parser.add_argument_group("judging")
    option(group, "--judge JUDGE", "see `adjudge judges` (default: embedded)", default="embedded")
    option(group, "--one-order", "compare: judge once, not in both orders: half the cost")
    option(group, "--search SERVICE", "compare: look facts up")
    option(group, "--evaluator JUDGE", "dialogue: scores; default: --judge")
    option(group, "--critic JUDGE", "dialogue: challenges the scores; default: --judge")
    option(group, "--languages CODES", "review: the languages in scope, such as en,es")
    add_asking_arguments(group, "PROTOCOL")
    option(group, "--journal WHERE", "a file or postgresql://… (default: DIR/journal.db)", type=journal_place)
    group = parser.add_argument_group("limits and engine, kept with the run")
    add_bounds(group)
    about = "through the provider's batch API: half price, within a day"
    group.add_argument("--batch", action=argparse.BooleanOptionalAction, help=about)
    option(group, "--poll S", "seconds between polls (default: 20)", type=float, default=20.0)
    group.add_argument("--engine", choices=("local", "ray"), default="local", help="default: local")
    option(group, "--ray-address ADDRESS", "ray://HOST:PORT; default: a cluster on this machine")
    option(group, "--workers N", "processes of the embedded judge (default: one a core for many cases)")
    add_progress(parser)
    # An option counts as given if it is on the command line, whatever its value: so it has no value unless it is.
    options = [action for action in parser._actions if action.option_strings and action.dest != "help"]
    defaults = {action.dest: action.default for action in options}
    for action in options:
        action.default = argparse.SUPPRESS
    parser.set_defaults(defaults=defaults)


def add_progress(parser: argparse.ArgumentParser) -> None:
    """How much is said while cases are judged."""
    shown = parser.add_argument_group("progress").add_mutually_exclusive_group()
    option(shown, "--quiet", "print only warnings and errors")
    option(shown, "--json-progress", "JSON lines on standard error, one a second")


def add_bounds(group: Any) -> None:
    """What bounds the calls and the dollars."""
    option(group, "--concurrency N", "calls in flight to each provider (default: 20)", default=20)
    option(group, "--rate R/min", "calls a minute at most, for each provider: 600 or 600/min; none lifts it")
    about = "stop when this much is spent, over all resumes; calls in flight may pass it; none lifts it"
    option(group, "--budget USD", about)


def run(args: argparse.Namespace) -> int:
    """Begin or continue; exit 0 when every case asked for has a verdict, 1 if not, 130 after Ctrl-C."""
    from ..runs.directory import RunDirectory
    from ..runs.trust import check_trust

    found = vars(args)
    given = {name for name in (*args.defaults, "protocol", "input") if found.get(name) is not None}
    args = argparse.Namespace(**{**args.defaults, **found, "given": given})
    needed = {"PROTOCOL": args.protocol, "INPUT": args.input, "--run DIR": args.directory}
    missing = [name for name, value in needed.items() if value is None]
    if args.resume is None and missing:
        allowed = "adjudge run PROTOCOL INPUT --run DIR, or adjudge run --resume DIR"
        raise InputError(" and ".join(missing), "missing", allowed)
    if args.resume is not None and args.directory is not None:
        raise InputError("--run", "cannot be combined with --resume", "give one of them")
    if args.limit is not None and args.limit < 1:
        raise InputError("--limit", str(args.limit), "1 or more is allowed")
    check_folders(args)
    directory = RunDirectory(args.resume or args.directory)
    if args.resume is not None:
        _refuse_changes(args, directory.read())
    kept = kept_options(args)
    with directory.locked(), Warnings(lambda text: tell(args, text, "warning")):
        if args.resume is None:
            _create(args, directory, kept)
        check_trust(directory, args.trust)
        return _continue(args, directory, kept)


def _refuse_changes(args: argparse.Namespace, known: Mapping[str, Any]) -> None:
    """Beside --resume, what decides the verdicts must be what the run has."""
    protocol = args.protocol or known["protocol"]
    for name in _FIXED:
        if name not in args.given:
            continue
        option = {"protocol": "PROTOCOL", "input": "INPUT"}.get(name, "--" + name.replace("_", "-"))
        now, before = _fixed(args, name, protocol), known.get("given", {}).get(name)
        if now != before:
            if name == "rubric":
                found = "is not the one that the run was begun with"
            elif now is True or before in (None, {}):
                found = "the run was begun without it"
            else:
                found = f"{_shown(now)}, but the run was begun with {_shown(before)}"
            raise InputError(option, found, "a run keeps what it was begun with; begin another one with --run")


def _shown(value: Any) -> str:
    """An option's value as it is given on the command line."""
    return " ".join(f"{field}={column}" for field, column in value.items()) if isinstance(value, dict) else str(value)


def _fixed(args: argparse.Namespace, name: str, protocol: str) -> Any:
    """An option that decides the verdicts, in a form in which two that mean the same are equal."""
    from ..engine import rubric_for
    from ..runs.create import journal_name

    value = getattr(args, name)
    if name == "input":
        return value if value == "-" else str(user_path(value).resolve())
    if name == "map":
        return _mapping(value)
    if name == "rubric":
        return rubric_for(protocol, value).source
    if name == "journal":
        return journal_name(value)
    if name in ("evaluator", "critic"):
        return value or args.judge
    return value


def _create(args: argparse.Namespace, directory: RunDirectory, kept: Mapping[str, Any]) -> None:
    from ..inputs.rows import open_rows
    from ..runs.create import create
    from ..runs.directory import OWN_JOURNAL
    from ..runs.plan import Plan, RunOptions
    from ..runs.progress import plural

    settings, options = _settings(args), RunOptions.of({}, kept)
    options.check(Plan.of("", args.protocol, settings), args.journal or str(directory.path / OWN_JOURNAL))
    rows = open_rows(args.input, args.protocol, settings.rubric, _mapping(args.map), format=args.input_format)
    spooled = create(
        directory, args.protocol, settings, rows, source=args.input, journal=args.journal, shuffle=args.shuffle,
        skip_bad=args.skip_bad, options=options, given={name: _fixed(args, name, args.protocol) for name in _FIXED},
    )  # fmt: skip
    read = ", ".join(f"{field} from {column}" for field, column in spooled.mapping.items() if field != column)
    if read and not args.quiet:
        tell(args, f"reading {read}")
    if spooled.bad and not args.quiet:
        tell(args, f"{plural(spooled.bad, 'row')} cannot be judged and count as failures")


def _continue(args: argparse.Namespace, directory: RunDirectory, kept: Mapping[str, Any]) -> int:
    from ..engine import run_sync
    from ..runs.execute import check_can_be_asked, estimated, has_open_batches, skip_cases
    from ..runs.plan import RunOptions
    from ..runs.state import load_state

    known = directory.read()
    journal = args.journal or directory.journal(known)
    options = RunOptions.of(known.get("options", {}), kept)
    options.check(directory.plan(), journal)
    if not options.batch and has_open_batches(directory):
        found = "batches were submitted and are not collected yet"
        raise InputError(str(directory.path), found, "continue with --batch, or their calls will be paid for again")
    if args.skip_case:
        run_sync(lambda: skip_cases(directory, journal, args.skip_case))
    state = load_state(directory, limit=args.limit, retry=args.retry_failed, journal_at=args.journal)
    if state.suspects:
        tell_suspects(args, state.suspects)
    try:
        expected = run_sync(lambda: estimated(state))
    except InputError as error:
        raise error.renamed({"judge": "--judge", "search": "--search"}) from None
    if not args.quiet or args.dry_run:
        tell_before(args, state, expected, options)
    if args.dry_run:
        return 0
    if not state.open:
        state.write_summary()
        return tell_end(args, state, options, None)
    check_can_be_asked(expected, options)
    if options.budget is not None and state.tally.paid >= options.budget:
        tell(args, f"nothing was sent: {spent_of(state, options)}; {raise_budget(directory)}")
        return 1
    ended = run_sync(lambda: execute_until_stopped(args, state, options))
    return tell_end(args, state, options, ended)


async def execute_until_stopped(args: argparse.Namespace, state: RunState, options: RunOptions) -> Ended:
    """Judge what is open, until it is done or somebody presses Ctrl-C."""
    from ..runs.execute import Halt, execute

    halt = Halt()
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        if options.batch:
            # A batch may take a day: it goes on without us.
            tell(args, "submitted batches continue at the provider; a resumed run collects them")
        elif not halt.asked.is_set():
            tell(args, "finishing the calls in flight; Ctrl-C once more drops them (replies that came are kept)")
        if options.batch or halt.asked.is_set():
            halt.now.set()
        halt.ask("interrupted")

    for name in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError):  # Windows; a thread that is not the main one
            loop.add_signal_handler(name, interrupted)
    return await execute(state, options, progress_of(args), halt)


def kept_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options given now that are kept with the run."""
    given = {name: getattr(args, name) for name in _KEPT if name in args.given}
    for name, number, allowed in (
        ("rate", lambda text: float(text.removesuffix("/min")), "calls a minute, such as 600 or 600/min, or none"),
        ("budget", lambda text: Decimal(text.removeprefix("$")), "dollars, such as 5 or 0.50, or none"),
    ):
        if name in given:
            try:
                given[name] = None if given[name] == "none" else number(given[name])
            except (ValueError, InvalidOperation):
                raise InputError(f"--{name}", given[name], allowed) from None
    if given.get("engine") == "ray":
        from ..runs.ray import check_installed

        check_installed()
    return given


def _settings(args: argparse.Namespace) -> Settings:
    from ..engine import SETTINGS

    for name, protocol in _OF_ONE_PROTOCOL.items():
        if name in args.given and args.protocol != protocol:
            raise InputError("--" + name.replace("_", "-"), f"is for {protocol}, not for {args.protocol}")
    return settings_from(SETTINGS[args.protocol], args)


def _mapping(given: list[str] | None) -> Mapping[str, str]:
    columns: dict[str, str] = {}
    for piece in given or ():
        field, _, column = piece.partition("=")
        if not field or not column:
            raise InputError("--map", piece, "FIELD=COLUMN, such as task=question")
        if field in columns:
            raise InputError(f"--map {field}", f"given as {columns[field]} and as {column}", "each field once")
        columns[field] = column
    return columns
