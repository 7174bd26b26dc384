"""`adjudge review`: a person's side-by-side ratings, from a file or piece by piece."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from typing import TYPE_CHECKING, Any

from .asking import add_asking_arguments, asking_of, say, say_failure
from .inputs import add_journal_argument, read_bytes
from .outputs import FORMATS, ReviewFormat, choose_review_format, write_out

if TYPE_CHECKING:
    from ..engine import ReviewSettings
    from ..models import Failure, ReviewVerdict
    from ..models.cases import Review

_DESCRIPTION = """\
Audit a person's ratings of two responses: both are rated blind, facts bind the ratings, and only then the originals
are read: kept, replaced, filled in or refused, with a changelog and feedback.
FILE holds the nine tagged slots (<PROMPT>, <RESPONSE1>, …, <ORIGINAL_LIKERT_AND_JUSTIFICATION>), JSON or JSONL with
their names, or CSV; - is standard input. One review gives one result; several give one after the other, each under
its review_id, id or task_id, or else its position.
With --interactive the pieces come one at a time, in any order, and are kept between runs.
"""
_AT_A_TIME = 16


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "review",
        help="audit a person's side-by-side ratings",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="a file with one or many reviews, or -")
    pieces = parser.add_argument_group("piece by piece")
    pieces.add_argument("--interactive", action="store_true", help="ask for the pieces, and judge when they are there")
    pieces.add_argument("--draft", metavar="ID", help="with --interactive: go on with a draft")
    judging = parser.add_argument_group("judging")
    judging.add_argument("--judge", default="embedded", metavar="JUDGE", help="rates (default: embedded)")
    judging.add_argument("--languages", metavar="CODES", help="in scope, such as en,es; a task in none is invalid")
    add_asking_arguments(judging, "review")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=("tags", *FORMATS),
        help="default: text on a terminal, tags (the five blocks) when piped, or by -o's suffix",
    )
    output.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")
    add_journal_argument(output)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge, print in the file's order, say what failed."""
    from ..engine import ReviewSettings, run_sync
    from ..errors import InputError
    from ..inputs.review import read_reviews
    from ..models import Failure, ReviewVerdict
    from ..rubric import load, shipped

    if args.interactive == (args.file is not None):
        found = "FILE beside --interactive" if args.interactive else "missing"
        raise InputError("FILE", found, "a file, - for standard input, or --interactive")
    if args.draft is not None and not args.interactive:
        raise InputError("--draft", "without --interactive", "adjudge review --interactive --draft ID")
    settings = ReviewSettings(
        judge=args.judge,
        rubric=load(args.rubric, "review") if args.rubric else shipped("review"),
        languages=tuple(code.strip() for code in args.languages.split(",")) if args.languages else (),
        **asking_of(args),
    )
    chosen = choose_review_format(args.format, args.output)
    if args.interactive:
        from .review_interactive import ask_for_pieces

        case = ask_for_pieces(settings.rubric, args.journal, args.draft)
        if case is None:
            return 0
        cases = [case]
    else:
        place = "standard input" if args.file == "-" else args.file
        cases = read_reviews(read_bytes(args.file, "FILE"), place, settings.rubric)
    if chosen == "html" and len(cases) > 1:
        raise InputError("--format", f"html with {len(cases)} reviews", "html shows one review; use tags, json, …")
    outcomes = run_sync(lambda: _judge_all(cases, settings, args.journal))
    alone = len(cases) == 1
    pieces = []
    failed = 0
    for number, (case, outcome) in enumerate(zip(cases, outcomes, strict=True), start=1):
        # Of several, each has a name by which its result is found: its own, or its position.
        named = case if alone or case.review_id is not None else case.updated(review_id=number)
        what = "the review" if alone else f"review {number}"
        if not isinstance(outcome, Failure | Exception):
            try:
                pieces.append(_shown(named, outcome, chosen, args, alone=alone))
                continue
            except Exception as error:
                outcome = error
        failed += 1
        if isinstance(outcome, Failure):
            say_failure(outcome, what)
        else:
            say(f"{what}: {_ours(outcome)}: {outcome}")
        pieces.append(_shown_failed(named, outcome, chosen, alone=alone))
    if written := "".join(pieces):
        write_out(written, args.output)
    if args.output and args.output != "-":
        print(f"{args.output}: {len(cases) - failed} reviewed, {failed} failed", file=sys.stderr)
    elif alone and isinstance(outcomes[0], ReviewVerdict) and not failed and chosen == "tags":
        print(f"adjudge: verdict {outcomes[0].verdict_id}", file=sys.stderr)
    return 1 if failed else 0


async def _judge_all(
    cases: list[Review], settings: ReviewSettings, journal: str | None
) -> list[ReviewVerdict | Failure | Exception]:
    """What came of each review. One that breaks us is an error in its own place: the others are finished and paid."""
    from ..engine import open_engine
    from ..errors import AdjudgeError

    limit = asyncio.Semaphore(_AT_A_TIME)
    async with open_engine(journal) as engine:

        async def judge(case: Review) -> ReviewVerdict | Failure | Exception:
            async with limit:
                try:
                    # What its owner calls a review is no part of what is judged and kept.
                    return await engine.review(case.updated(review_id=None), settings)
                except AdjudgeError:
                    raise
                except Exception as error:
                    return error

        return list(await asyncio.gather(*map(judge, cases)))


def _shown(
    case: Review,
    outcome: ReviewVerdict,
    chosen: ReviewFormat,
    args: argparse.Namespace,
    *,
    alone: bool,
) -> str:
    from ..models.base import to_json
    from ..reports import render

    if chosen == "json":
        return to_json(outcome.updated(review_id=case.review_id), indent=alone).decode()
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    shown = render(outcome, chosen, colour=sys.stdout.isatty() and not args.output, width=width)
    return shown if alone else _head(case, chosen) + shown.rstrip("\n") + "\n\n"


def _shown_failed(case: Review, outcome: Failure | Exception, chosen: ReviewFormat, *, alone: bool) -> str:
    """What stands in the place of a result, so that those after it keep theirs."""
    from ..models import ErrorReport, Failure
    from ..models.base import to_json
    from ..reports import error_report

    if chosen == "json":
        said = error_report(outcome) if isinstance(outcome, Failure) else ErrorReport(error=_ours(outcome))
        named = {} if case.review_id is None else {"review_id": case.review_id}
        return to_json({**named, **said.model_dump()}, indent=alone).decode()
    if alone:
        return ""
    why = f"{outcome.reason}: {outcome.message}" if isinstance(outcome, Failure) else _ours(outcome)
    return _head(case, chosen, why) + "\n"


def _head(case: Review, chosen: ReviewFormat, failed: str = "") -> str:
    from ..reports.escaping import markdown
    from ..reports.review.tags import head_of

    assert case.review_id is not None
    if chosen == "markdown":
        return head_of(markdown(str(case.review_id)), markdown(failed)) + "\n"
    return head_of(case.review_id, failed)


def _ours(error: Exception) -> str:
    return f"an error of ours ({type(error).__name__})"
