"""`adjudge compare`, `dialogue` and `review`: judge the given cases and print their verdicts and failures.

A terminal shows a spinner in the meantime.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..engine import Engine, open_engine, run_sync
from ..errors import AdjudgeError, InputError
from ..inputs.delimited import id_in_cell
from ..inputs.json import parse_object
from ..llm.providers import PROVIDERS
from ..models.base import to_json
from ..models.common import Failure
from ..protocols.compare.case import Comparison
from ..protocols.compare.reading import FIELDS, WANTED, comparison_from, weights_from
from ..protocols.compare.settings import CompareSettings
from ..protocols.compare.verdict import ComparisonVerdict
from ..protocols.dialogue.settings import DialogueSettings
from ..protocols.dialogue.transcript import read_dialogues
from ..protocols.review.reading import read_reviews
from ..protocols.review.settings import ReviewSettings
from ..protocols.review.tags import head_of
from ..protocols.settings import Settings
from ..rendering.escaping import markdown
from ..reports import error_report
from ..rubric import Rubric
from ..text.findings import ATTEMPTS
from .asking import Warnings, check_folders, read_cases, read_text, say, say_failure, settings_from
from .interactive import ask_for_pieces
from .outputs import choose_format, rendered, write_out

_AT_ONCE = 16


def run_compare(args: argparse.Namespace) -> int:
    """Judge a comparison and print the verdict or the failure."""
    check_folders(args)
    settings = settings_from(CompareSettings, args)
    case = _read_case(args, settings.rubric)
    chosen = choose_format(args.format, args.output)
    (verdict,) = _judge_and_show(args, settings, [case], chosen, [{}], ["the judgment"])
    return 1 if verdict is None else _say_more(args, verdict)


def run_dialogue(args: argparse.Namespace) -> int:
    """Judge dialogues, print the results in the file's order, and report failures."""
    check_folders(args)
    settings = settings_from(DialogueSettings, args)
    # An empty id is passed on and refused like any other invalid id.
    given_id = id_in_cell(args.id) if args.id else args.id
    raw, place = read_cases(args.file, "a dialogue is needed")
    with Warnings():
        cases = read_dialogues(raw, place, first_id=given_id)
    if args.id is not None and len(cases) > 1:
        raise InputError("--id", f"{place} has {len(cases)} dialogues", "an id is allowed only for a file with one")
    chosen = choose_format(args.format, args.output)
    ids = [{"dialogue_id": case.dialogue_id} for case in cases]
    titles = [f"dialogue {case.dialogue_id}" for case in cases]
    verdicts = _judge_and_show(args, settings, cases, chosen, ids, titles)
    return _say_how_many(args, verdicts, "judged", tell_id=chosen == "json")


def run_review(args: argparse.Namespace) -> int:
    """Judge reviews from a file, or one review entered piece by piece, and print the results."""
    if args.interactive and args.file is not None:
        raise InputError("--interactive", "given together with a file", "one of the two is allowed")
    if not args.interactive and args.file is None:
        raise InputError("FILE", "missing", "a file, - for standard input, or --interactive")
    if args.draft is not None and not args.interactive:
        raise InputError("--draft", "given without --interactive", "use adjudge review --interactive --draft ID")
    check_folders(args)
    settings = settings_from(ReviewSettings, args)
    chosen = choose_format(args.format, args.output, piped="tags")
    if args.interactive:
        case = ask_for_pieces(settings.rubric, args.journal, args.draft)
        if case is None:
            return 0
        cases = [case]
    else:
        raw, place = read_cases(args.file, "a review is needed")
        cases = read_reviews(raw, place, settings.rubric)
    # If there are several reviews, each result is named by the review's own id, or else by its position.
    alone = len(cases) == 1
    names = [case.review_id if alone or case.review_id is not None else at for at, case in enumerate(cases, start=1)]
    titles = ["the review"] if alone else [f"review {number}" for number in range(1, len(cases) + 1)]
    ids = [{} if name is None else {"review_id": name} for name in names]
    verdicts = _judge_and_show(args, settings, cases, chosen, ids, titles)
    return _say_how_many(args, verdicts, "reviewed", tell_id=chosen == "tags")


# -- results of the cases ---------------------------------------------------------------------------------------------


def _judge_and_show(
    args: argparse.Namespace,
    settings: Settings[Any],
    cases: Sequence[Any],
    chosen: str,
    ids: Sequence[Mapping[str, int | str]],
    titles: Sequence[str],
) -> list[Any]:
    """Judge the cases, print the results in order and report failures; return the verdicts, None for a failure.

    `ids` are the id fields of results in JSON, and `titles` the names of the cases in messages.
    """
    alone = len(cases) == 1
    if chosen == "html" and not alone:
        raise InputError(
            "--format", f"html for {len(cases)} {settings.protocol}s", "html shows only one; use another format"
        )
    pieces, verdicts = [], []

    def show(verdict: Any, at: int) -> str:
        if chosen != "json":
            return rendered(verdict, chosen, args.output)
        document = verdict.output if "dialogue_id" in ids[at] else verdict.updated(**ids[at]) if ids[at] else verdict
        return to_json(document, indent=alone).decode()

    outcomes = judge_cases(cases, settings, args.journal, show)
    for called, title, (outcome, shown) in zip(ids, titles, outcomes, strict=True):
        if isinstance(outcome, Failure):
            say_failure(outcome, title)
            report = {**called, **error_report(outcome).model_dump()}
            shown = to_json(report, indent=alone).decode() if chosen == "json" else ""
        if chosen != "json" and not alone:
            why = f"{outcome.reason}: {outcome.message}" if isinstance(outcome, Failure) else ""
            lines = _head(called, chosen, why) + shown.rstrip("\n")
            shown = lines and lines + ("\n\n" if shown else "\n")
        pieces.append(shown)
        verdicts.append(None if isinstance(outcome, Failure) else outcome)
    if written := "".join(pieces):
        write_out(written, args.output)
    return verdicts


def _head(called: Mapping[str, int | str], chosen: str, failed: str) -> str:
    """Return the heading of one of several reviews, also of a failed one; a dialogue's report has its own heading."""
    if "review_id" not in called:
        return ""
    if chosen == "markdown":
        return head_of(markdown(str(called["review_id"])), markdown(failed)) + "\n"
    return head_of(called["review_id"], failed)


def _say_how_many(args: argparse.Namespace, verdicts: Sequence[Any], done: str, *, tell_id: bool) -> int:
    """Print what was written to a file, or the id of a single verdict if its format omits it; return the exit code."""
    failed = verdicts.count(None)
    if args.output and args.output != "-":
        print(f"{args.output}: {len(verdicts) - failed} {done}, {failed} failed", file=sys.stderr)
    elif tell_id and len(verdicts) == 1 and not failed:
        print(f"adjudge: verdict {verdicts[0].verdict_id}", file=sys.stderr)
    return 1 if failed else 0


# -- one comparison ---------------------------------------------------------------------------------------------------


def _say_more(args: argparse.Namespace, verdict: ComparisonVerdict) -> int:
    """Print what was written to a file, and what to do if the judge did not decide; return the exit code."""
    if args.output and args.output != "-":
        result = f"winner {verdict.winner}" if verdict.decided else f"undecided, best guess {verdict.winner}"
        print(f"{args.output}: {result}, verdict {verdict.verdict_id}", file=sys.stderr)
    if verdict.recheck and verdict.recheck.changed:
        say(f"undecided: without the passages that try to steer the judge the outcome is {verdict.recheck.outcome}")
    elif not verdict.decided:
        steered = any(fact.name in ATTEMPTS for fact in verdict.facts)
        why = "a text tries to steer the judge" if steered else "this judge is not sure enough"
        ready = [f"--judge {name}:{each.example}" for name, each in PROVIDERS.items() if each.missing is None]
        how = " or ".join(ready[:2]) or "set a provider's key (`adjudge judges` names them) or name a server by its URL"
        say(f"undecided: {why}; a judge that reads the answers can decide: {how}")
    return 0


def _read_case(args: argparse.Namespace, rubric: Rubric) -> Comparison:
    """Read the case file and replace the pieces that were given as options."""
    given = {name: value for name in FIELDS if (value := getattr(args, name)) is not None}
    if args.case is None:
        allowed = "a case file, - for standard input, or all of --task, --a and --b"
        if missing := [name for name in ("task", "a", "b") if name not in given]:
            raise InputError(f"--{missing[0]}" if given else "CASE", "missing", allowed)
    if [args.case, *given.values()].count("-") > 1:
        raise InputError("-", "standard input is named twice", "once is allowed")
    data, file = {}, ""
    if args.case is not None:
        wanted = f"one JSON object with {WANTED} is needed"
        raw, file = read_cases(args.case, wanted)
        data = parse_object(raw, file, wanted)
    for name, value in given.items():
        for field in FIELDS[name]:
            data.pop(field, None)
        data[FIELDS[name][0]] = read_text(value, f"--{name}")
    try:
        if "weights" in given:
            data["weights"] = weights_from(data["weights"])
        return comparison_from(data, rubric)
    except InputError as error:
        options = {FIELDS[name][0]: f"--{name}" for name in given}
        if error.place.partition(".")[0] in options:
            raise error.renamed(options) from None
        raise type(error)(f"{file}: {error.place}", error.found, error.allowed) from None


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
    options = ("--evaluator", "--critic") if len(set(settings.judges)) > 1 else ("--judge",)
    for option, spec in zip(options, settings.judges, strict=False):
        try:
            engine.open_judge(spec, settings)
            engine.open_searchers(settings)
        except InputError as error:
            raise error.renamed({"judge": option}) from None


@contextmanager
def _waiting(cases: int) -> Iterator[Callable[[], None]]:
    """Show a spinner with the elapsed time if standard error is a terminal. Call the yielded function per case done."""
    if not sys.stderr.isatty():
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
