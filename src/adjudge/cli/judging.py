"""`adjudge <protocol>`: judges the given cases and prints their verdicts and failures.

A terminal shows a spinner in the meantime.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..engine import Engine, open_engine, run_sync
from ..errors import AdjudgeError, InputError
from ..inputs.arguments import read_cases
from ..inputs.json import parse_object
from ..models.base import to_json
from ..models.common import Failure
from ..protocols.base import Protocol, protocol_of
from ..protocols.command import Given, GivenCase
from ..protocols.settings import Settings
from ..reports import error_report
from .common import check_folders, is_quiet, note, note_judge_at_hand, remark, say, say_failure, settings_from
from .outputs import choose_format, rendered, write_out

_AT_ONCE = 16


def run_cases(args: argparse.Namespace) -> int:
    """Judge the given cases, print the results in their order, and report failures."""
    check_folders(args)
    protocol = protocol_of(args.protocol)
    settings, command = settings_from(protocol.settings, args), protocol.command
    chosen = choose_format(args.format, args.output, piped=command.piped[0])
    given = Given(options=vars(args), rubric=settings.rubric, journal=args.journal, say=say)
    cases = command.read(given) if command.read is not None else _cases_of_file(protocol, given)
    if not cases:  # the person has left before the case was complete
        return 0
    verdicts = _judge_and_show(args, protocol, settings, cases, chosen)
    failed = verdicts.count(None)
    _say_what_came_out(args, settings, verdicts, chosen)
    strict = command.strict if args.strict else None
    codes = {0} if strict is None else {0, *(strict.code(verdict) for verdict in verdicts if verdict is not None)}
    return 1 if failed or 1 in codes else max(codes)


def _say_what_came_out(args: argparse.Namespace, settings: Settings[Any], verdicts: Sequence[Any], chosen: str) -> None:
    """Say where the verdicts are, and what to do about them."""
    command = protocol_of(settings.protocol).command
    judged = [verdict for verdict in verdicts if verdict is not None]
    is_file = args.output and args.output != "-"
    if command.result is not None:
        for verdict in judged if is_file else ():
            remark(f"{args.output}: {command.result(verdict)}, verdict {verdict.verdict_id}")
    elif is_file:
        remark(f"{args.output}: {len(judged)} {command.done}, {len(verdicts) - len(judged)} failed")
    elif chosen == command.without_id and len(verdicts) == len(judged) == 1:
        note(f"verdict {judged[0].verdict_id}")
    advised = [advice for verdict in judged if (advice := command.advice(verdict))]
    for advice in advised:
        note(advice)
    if not any("--judge" in advice for advice in advised):
        note_judge_at_hand(settings.judges)


def _cases_of_file(protocol: Protocol, given: Given) -> list[GivenCase]:
    """Read the cases of FILE: by the protocol's own reader of texts, or one JSON object."""
    reading = protocol.reading
    raw, place = read_cases(given.options["file"], f"a {protocol.noun} is needed")
    if reading.from_text is not None:
        cases = [*reading.from_text(raw, place, given.rubric)]
    else:
        cases = [reading.from_object(parse_object(raw, place, reading.wanted), given.rubric)]
    if len(cases) == 1:
        return [GivenCase(cases[0], f"the {protocol.noun}")]
    return [GivenCase(case, f"{protocol.noun} {number}") for number, case in enumerate(cases, start=1)]


# -- results of the cases ---------------------------------------------------------------------------------------------


def _judge_and_show(
    args: argparse.Namespace, protocol: Protocol, settings: Settings[Any], cases: Sequence[GivenCase], chosen: str
) -> list[Any]:
    """Judge the cases, print the results in order and report failures; return the verdicts, None for a failure."""
    alone, command = len(cases) == 1, protocol.command
    if chosen == "html" and not alone:
        found = f"html for {len(cases)} {protocol.noun}s"
        raise InputError("--format", found, "html shows only one; use another format")
    pieces, verdicts = [], []

    def show(verdict: Any, at: int) -> str:
        if chosen != "json":
            return rendered(verdict, chosen, args.output)
        return to_json(command.named(verdict, cases[at].ids).document, indent=alone).decode()

    outcomes = judge_cases([each.case for each in cases], settings, args.journal, show)
    for each, (outcome, shown) in zip(cases, outcomes, strict=True):
        why = ""
        if isinstance(outcome, Failure):
            say_failure(outcome, each.title)
            report = {**each.ids, **error_report(outcome).model_dump()}
            shown = to_json(report, indent=alone).decode() if chosen == "json" else ""
            why = f"{outcome.reason}: {outcome.message}"
        if chosen != "json" and not alone:
            lines = command.head(each.ids, chosen, why) + shown.rstrip("\n")
            shown = lines and lines + ("\n\n" if shown else "\n")
        pieces.append(shown)
        verdicts.append(None if isinstance(outcome, Failure) else outcome)
    if written := "".join(pieces):
        write_out(written, args.output)
    return verdicts


# -- judging -----------------------------------------------------------------------------------------------------------


def judge_cases(
    cases: Sequence[Any], settings: Settings[Any], journal: str | None, show: Callable[[Any, int], str]
) -> list[tuple[Any, str]]:
    """Judge the cases concurrently and return each verdict with its rendered text, or the failure, in order.

    If a case raises an unexpected error, or its verdict cannot be rendered, only that case fails.
    """

    async def work() -> list[tuple[Any, str]]:
        limit = asyncio.Semaphore(_AT_ONCE)
        async with open_engine(journal) as engine:
            _open_judges(engine, settings)
            with _waiting(len(cases)) as count_one:

                async def one(at: int, case: Any) -> tuple[Any, str]:
                    async with limit:
                        try:
                            outcome = await engine.judge(case, settings)
                            return outcome, "" if isinstance(outcome, Failure) else show(outcome, at)
                        except AdjudgeError:
                            raise
                        except Exception as error:
                            return crashed(error, settings.judges[0]), ""
                        finally:
                            count_one()

                return list(await asyncio.gather(*(one(at, case) for at, case in enumerate(cases))))

    return run_sync(work)


def crashed(error: Exception, judge: str) -> Failure:
    """Turn an error in our own code into the failure of one case, with the line that raised it."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{where.filename.rpartition('/')[2]}, line {where.lineno}"
    message = f"unexpected error in adjudge ({type(error).__name__}: {error}; {place}); please report it"
    return Failure(reason="crashed", message=message, judge=judge)


def _open_judges(engine: Engine, settings: Settings[Any]) -> None:
    """Open all judges before the first case, so that an unknown one is reported under the option that named it."""
    named = settings.named("judge") if len(set(settings.judges)) > 1 else ("judge",)
    for name, spec in zip(named, settings.judges, strict=False):
        try:
            engine.open_judge(spec, settings)
            engine.open_searchers(settings)
        except InputError as error:
            raise error.renamed({"judge": f"--{name}"}) from None


@contextmanager
def _waiting(cases: int) -> Iterator[Callable[[], None]]:
    """Show a spinner with the elapsed time if standard error is a terminal. Call the yielded function per case done."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda: None
        return
    # These imports take 60 ms, and only a terminal needs them.
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    count = (MofNCompleteColumn(),) if cases > 1 else ()
    columns = (SpinnerColumn(), TextColumn("judging"), *count, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=cases)
        yield lambda: progress.advance(task)
