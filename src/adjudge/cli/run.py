"""`adjudge run`: judges many cases, and continues a run that was stopped."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from ..agreement.gates.conditions import GateCondition, read_conditions
from ..engine import run_sync
from ..errors import InputError
from ..files import user_path
from ..inputs.rows import open_rows
from ..protocols.base import names, protocol_of
from ..protocols.rubrics import rubric_for
from ..protocols.settings import Settings
from ..redaction import redact
from ..rendering.escaping import one_line
from ..rendering.wording import many
from ..runs.create import check_trust, create, journal_name
from ..runs.directory import OWN_JOURNAL, RunDirectory
from ..runs.estimate import Estimate, estimate
from ..runs.execute import Halt, check_can_be_asked, execute, has_open_batches, resume_command, skip_cases
from ..runs.plan import Plan, RunOptions
from ..runs.progress import JsonProgress, LiveProgress, PlainProgress, Progress, agreement, money, ordered
from ..runs.state import RunState, load_state
from .common import Messages, check_folders, note_judge_at_hand, say, settings_from
from .gate import conditions_of, gate_after_run

# Beside the settings, these options affect the verdicts, so a resumed run cannot change them.
_FIXED = ("protocol", "input", "map", "input_format", "skip_bad", "shuffle", "journal")
# These options are saved with the run; a value given on resume replaces the saved one.
_SAVED = tuple(each.name for each in fields(RunOptions))
_STOPPED = {"interrupted": "stopped as asked", "unreachable": "stopped because no call succeeds"}


def run(args: argparse.Namespace) -> int:
    """Begin or continue a run; exit 0 if every requested case has a verdict, 1 if not, 130 after Ctrl-C. A gate may
    turn 0 into 1 if it fails, or into 3 if it is unsure."""
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
    saved = saved_options(args)
    with directory.locked(), Messages(partial(notify, args)):
        if args.resume is None:
            _create(args, directory, saved)
        check_trust(directory, args.trust)
        return _continue(args, directory, saved)


def _settings_of_all() -> dict[str, None]:
    """Return the names of all protocols' settings, each once."""
    each = (field.name for name in names() for field in fields(protocol_of(name).settings))
    return dict.fromkeys(name for name in each if name != "attempt")


def _refuse_changes(args: argparse.Namespace, config: Mapping[str, Any]) -> None:
    """Check that options given with --resume that affect the verdicts are those the run was begun with."""
    protocol = args.protocol or config["protocol"]
    for name in (*_FIXED, *_settings_of_all()):
        if name not in args.given:
            continue
        option = {"protocol": "PROTOCOL", "input": "INPUT"}.get(name, "--" + name.replace("_", "-"))
        now, before = _fixed(args, name, protocol), config.get("given", {}).get(name)
        if now != before:
            if name == "rubric":
                found = "is not the one that the run was begun with"
            elif now is True or before in (None, {}):
                found = "the run was begun without it"
            else:
                found = f"the run was begun with {before}"
            raise InputError(option, found, "this cannot change within a run; start another one with --run")


def _fixed(args: argparse.Namespace, name: str, protocol: str) -> Any:
    """Return an option that affects the verdicts in a normal form, so that equivalent values are equal."""
    value = getattr(args, name)
    if name == "input":
        return value if value == "-" else str(user_path(value).resolve())
    if name == "map":
        return _mapping(value)
    if name == "rubric":
        return rubric_for(protocol, value).source
    if name == "journal":
        return journal_name(value)
    if any(name in protocol_of(one).settings.named("judge") for one in names()):
        return value or args.judge
    return value


def _create(args: argparse.Namespace, directory: RunDirectory, saved: Mapping[str, Any]) -> None:
    settings, options = _settings(args), RunOptions.of({}, saved)
    options.check(Plan.of("", settings), args.journal or str(directory.path / OWN_JOURNAL))
    read_conditions(args.fail_if, protocol_of(args.protocol), settings.rubric)
    rows = open_rows(args.input, args.protocol, settings.rubric, _mapping(args.map), format=args.input_format)
    given = {name: _fixed(args, name, args.protocol) for name in (*_FIXED, *_settings_of_all())}
    spooled = create(
        directory, settings, rows, source=args.input, journal=args.journal, shuffle=args.shuffle,
        skip_bad=args.skip_bad, options=options, given=given,
    )  # fmt: skip
    read = ", ".join(f"{field} from {column}" for field, column in spooled.mapping.items() if field != column)
    if read and not args.quiet:
        notify(args, f"reading {read}")
    if spooled.bad and not args.quiet:
        notify(args, f"{many(spooled.bad, 'row')} cannot be judged and count as failures")


def _continue(args: argparse.Namespace, directory: RunDirectory, saved: Mapping[str, Any]) -> int:
    config = directory.read()
    journal = args.journal or directory.journal(config)
    options = RunOptions.of(config.get("options", {}), saved)
    options.check(directory.plan(), journal)
    conditions = conditions_of(directory.path, args.fail_if)
    if not options.batch and has_open_batches(directory):
        found = "batches were submitted and are not collected yet"
        raise InputError(str(directory.path), found, "continue with --batch, or their calls will be paid for again")
    if args.skip_case:
        run_sync(lambda: skip_cases(directory, journal, args.skip_case))
    state = load_state(directory, limit=args.limit, retry=args.retry_failed, journal_at=args.journal)
    if state.suspects:
        more = f" and {len(state.suspects) - 10} more" if len(state.suspects) > 10 else ""
        died = f"the process died three times in a row while it judged {', '.join(state.suspects[:10])}{more}"
        notify(args, f"{died}; if a case is the cause, leave it out with --skip-case ID", "warning")
    expected = run_sync(lambda: estimate(state))
    if not args.quiet or args.dry_run:
        _print_estimate(args, state, expected, options)
    if args.dry_run:
        return 0
    if not state.open:
        state.measure_conduct()
        state.write_summary()
        return _decide(args, state, conditions, _print_end(args, state, options, None))
    check_can_be_asked(expected, options)
    limit, calls_left = options.limits(state.tally.sent)
    if state.tally.paid >= limit or calls_left == 0:
        notify(args, f"nothing was sent: {_spent_of(state, options)}; {_raise_budget(directory, options)}")
        return 1
    ended = run_sync(lambda: execute_until_stopped(args, state, options))
    return _decide(args, state, conditions, _print_end(args, state, options, ended))


def _decide(args: argparse.Namespace, state: RunState, conditions: Sequence[GateCondition], code: int) -> int:
    """Decide the gate, if there is one and something to decide it on; return the exit code. What makes a run exit with
    1 or 130 does so whatever the gate says."""
    if not conditions or code == 130 or not state.tally.verdicts + state.tally.failures:
        return code
    decided = gate_after_run(args, state.directory.path, conditions, lambda text: notify(args, text, "gate"))
    return code or decided


async def execute_until_stopped(args: argparse.Namespace, state: RunState, options: RunOptions) -> Halt:
    """Judge the open cases until all are done or the run is stopped, for example by Ctrl-C."""
    halt = Halt()
    loop = asyncio.get_running_loop()
    gc.set_threshold(10_000)  # at 700 the garbage collector scans what is in flight after every third case

    def interrupted() -> None:
        if options.batch:
            # A batch may take a day, so do not wait for it: it continues at the provider.
            notify(args, "submitted batches continue at the provider; a resumed run collects them")
        elif not halt.asked.is_set():
            notify(args, "finishing the calls in flight; Ctrl-C again drops them (replies already received are kept)")
        if options.batch or halt.asked.is_set():
            halt.now.set()
        halt.ask("interrupted")

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP and no handlers; nor does a thread that is not the main one.
        with suppress(AttributeError, NotImplementedError, RuntimeError):
            if signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:  # nohup ignores SIGHUP
                loop.add_signal_handler(getattr(signal, name), interrupted)
    kind = LiveProgress if sys.stderr.isatty() else PlainProgress
    shown = Progress() if args.quiet else JsonProgress() if args.json_progress else kind()
    await execute(state, options, shown, halt)
    return halt


def saved_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options given now that are saved with the run."""
    given = {name: getattr(args, name) for name in _SAVED if name in args.given}
    for name, number, allowed in (
        ("rate", lambda text: float(text.removesuffix("/min")), "calls a minute, such as 600 or 600/min, or none"),
        ("budget", lambda text: Decimal(text.removeprefix("$")), "dollars, such as 5 or 0.50, or none"),
        ("max_calls", int, "a whole number of calls, or none"),
    ):
        if name in given:
            try:
                given[name] = None if given[name] == "none" else number(given[name])
            except (ValueError, InvalidOperation):
                raise InputError("--" + name.replace("_", "-"), given[name], allowed) from None
    if given.get("engine") == "ray":
        from ..runs.ray import check_installed

        check_installed()
    return given


def _settings(args: argparse.Namespace) -> Settings[Any]:
    settings = protocol_of(args.protocol).settings
    known = {"judge", *(each.name for each in fields(settings))}
    for name in _settings_of_all():
        if name in args.given and name not in known:
            raise InputError("--" + name.replace("_", "-"), f"does not apply to {args.protocol}")
    return settings_from(settings, args)


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


# -- messages ----------------------------------------------------------------------------------------------------------


def notify(args: argparse.Namespace, text: str, event: str = "note") -> None:
    """Print one line on standard error, as JSON if --json-progress is given."""
    line = one_line(redact(text))
    if args.json_progress:
        line = json.dumps({"event": event, "message": line})
    with suppress(OSError):  # the terminal may be gone
        print(line, file=sys.stderr, flush=True)


def _print_estimate(args: argparse.Namespace, state: RunState, expected: Estimate, options: RunOptions) -> None:
    """Print how many cases are left, and what they may cost."""
    cases = many(state.config["input"]["cases"], "case")
    notify(args, f"{cases}, {state.tally.done:,} done, {state.open:,} to do now; judge {', '.join(state.plan.judges)}")
    if expected.calls or expected.paid_calls:
        tokens = f"{expected.input_tokens:,} tokens in and {expected.output_tokens:,} out"
        seen = state.tally.calls
        source = f"from {many(seen, 'call')} so far" if seen else f"from a sample of {many(expected.sampled, 'case')}"
        paid = f"; about {expected.paid_calls:,} more are already paid" if expected.paid_calls else ""
        about = "at most about" if state.plan.has_cascade else "about"
        notify(args, f"{about} {many(expected.calls, 'call')}, {tokens} ({source}){paid}")
        if expected.most_calls > expected.calls or (expected.calls and expected.seen.replies):
            most = many(expected.most_calls, "call")
            notify(args, f"up to {most} if every reply has to be repaired; {_repairs(expected)}")
        if expected.cost is None:
            notify(args, "no price is published for this judge")
        else:
            unpriced = ", ".join(expected.unpriced)
            missing = f", without {unpriced}, for which none is published" if unpriced else ""
            cost = expected.cost / 2 if options.batch else expected.cost
            notify(args, f"{about} ${cost:,.2f} at published prices{missing}")
    if spent := _spent_of(state, options):
        notify(args, spent)


def _repairs(expected: Estimate) -> str:
    """Say how often these judges' replies had to be repaired so far."""
    seen = expected.seen
    if not seen.replies:
        return "none of this judge is known yet, so none is counted"
    share, within = f"{100 * seen.repairs / seen.replies:.0f} %", ""
    if (ends := seen.repaired.interval) is not None:
        within = f"; 95 % interval {100 * ends[0]:.0f} to {100 * ends[1]:.0f} %"
    return (
        f"{seen.repairs:,} of {seen.replies:,} replies in this journal were ({share}{within}), and as many are counted"
    )


def _print_results(state: RunState) -> None:
    """Print what came out, and where it is."""
    tally = state.tally
    answers = [f"{answer} {count:,}" for answer, count in ordered(tally.answers)]
    if tally.undecided:
        why = protocol_of(state.plan.protocol).table.outcome.why_undecided
        answers.append(f"undecided {tally.undecided:,} ({why})")
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(tally.reasons.items()) if count)
    if state.conduct is not None:
        print(state.conduct["sentence"])
    print(many(tally.verdicts, "verdict") + (f": {', '.join(answers)}" if answers else ""))
    print(many(tally.failures, "failure") + (f": {reasons}" if reasons else ""))
    if tally.open:
        print(f"{many(tally.open, 'case')} still open")
    if tally.calls:
        tokens = f"{tally.input_tokens:,} tokens in, {tally.output_tokens:,} out"
        print(f"{many(tally.calls, 'call')}, {tokens}, {money(tally)}")
    if tally.paid != tally.cost:
        print(f"${tally.paid:.4f} was paid by this run; the other replies were already stored")
    if tally.labelled:
        print(agreement(tally))
    where = shlex.quote(str(state.directory.path))
    print(one_line(f"everything is in {where}; see: adjudge show {where}, adjudge export {where} --format html"))


def _print_end(args: argparse.Namespace, state: RunState, options: RunOptions, halt: Halt | None) -> int:
    """Print the results and why the run stopped, if it did; return the exit code."""
    tally, why = state.tally, halt.why if halt else ""
    if not args.quiet:
        with suppress(OSError):  # the terminal may be gone
            _print_results(state)
        if not args.json_progress:
            note_judge_at_hand(state.plan.judges)
    if why:
        detail = halt.detail if halt else ""
        if why == "budget":
            continuing = _raise_budget(state.directory, options)
            text = f"stopped by the budget: {_spent_of(state, options)}, and {detail}; {continuing}"
        else:
            reason = f"{_STOPPED.get(why, why)}: {detail}" if detail else _STOPPED.get(why, why)
            text = f"{reason}; continue with: {resume_command(state.directory)}"
        if args.json_progress:
            notify(args, text, "stopped")
        else:
            say(text)
    return 130 if why == "interrupted" else 1 if why or tally.failures else 0


def _spent_of(state: RunState, options: RunOptions) -> str:
    """Describe how much of the budget and of the allowed calls is spent; empty if there is no limit."""
    parts = [] if options.budget is None else [f"${state.tally.paid:.4f} is spent of a budget of ${options.budget}"]
    if options.max_calls is not None:
        parts.append(f"{state.tally.sent:,} of at most {many(options.max_calls, 'call')} were sent")
    return ", and ".join(parts)


def _raise_budget(directory: RunDirectory, options: RunOptions) -> str:
    """Describe how to continue with a higher limit."""
    given = {"--budget USD": options.budget, "--max-calls COUNT": options.max_calls}
    raised = " ".join(option for option, limit in given.items() if limit is not None)
    return f"continue with a higher one (none removes the limit): {resume_command(directory)} {raised}"
