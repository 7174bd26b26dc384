"""`adjudge review`: a person's side-by-side ratings, from a file or piece by piece."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from .asking import (
    add_asking_arguments,
    add_command,
    add_judging_group,
    add_output_arguments,
    check_folders,
    read_cases,
    say_failure,
    settings_from,
)
from .outputs import FORMATS, choose_format, rendered, write_out

if TYPE_CHECKING:
    from ..models import Failure, ReviewVerdict
    from ..models.cases import Review

_DESCRIPTION = """\
Audit a person's ratings of two responses. Both are rated without looking at what was entered, and facts bind the
ratings; only then are the originals read: kept, replaced, filled in or refused, with a changelog and feedback.
FILE holds the nine tagged slots (<PROMPT>, <RESPONSE1>, …, <ORIGINAL_LIKERT_AND_JUSTIFICATION>), JSON or JSONL with
their names, or CSV; - is standard input. One review gives one result; several give one after the other, each under
its review_id, id or task_id, or else its position.
With --interactive the pieces come one at a time, in any order, and are kept between runs.
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "review", run, "audit a person's side-by-side ratings", _DESCRIPTION)
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="a file with one or many reviews, or - for standard input"
    )
    pieces = parser.add_argument_group("piece by piece")
    pieces.add_argument("--interactive", action="store_true", help="ask for the pieces, then judge")
    pieces.add_argument("--draft", metavar="ID", help="with --interactive: continue a draft")
    judging = add_judging_group(parser)
    judging.add_argument(
        "--languages", metavar="CODES", help="languages in scope, such as en,es; a task in another is invalid"
    )
    add_asking_arguments(judging, "review")
    add_output_arguments(parser, ("tags", *FORMATS))


def run(args: argparse.Namespace) -> int:
    """Judge, print in the file's order, say what failed."""
    from ..engine import ReviewSettings, codes_in
    from ..errors import InputError
    from ..inputs.review import read_reviews
    from ..models import Failure
    from .judging import crashed, judge_cases

    if args.interactive and args.file is not None:
        raise InputError("--interactive", "given together with a file", "one of the two is allowed")
    if not args.interactive and args.file is None:
        raise InputError("FILE", "missing", "a file, - for standard input, or --interactive")
    if args.draft is not None and not args.interactive:
        raise InputError("--draft", "given without --interactive", "adjudge review --interactive --draft ID")
    check_folders(args)
    settings = settings_from(ReviewSettings, args, judge=args.judge, languages=codes_in(args.languages))
    chosen = choose_format(args.format, args.output, piped="tags")
    if args.interactive:
        from .interactive import ask_for_pieces

        case = ask_for_pieces(settings.rubric, args.journal, args.draft)
        if case is None:
            return 0
        cases = [case]
    else:
        raw, place = read_cases(args.file, "a review is needed")
        cases = read_reviews(raw, place, settings.rubric)
    alone = len(cases) == 1
    if chosen == "html" and not alone:
        raise InputError(
            "--format", f"html for {len(cases)} reviews", "html shows one; tags, json, text or markdown do"
        )
    outcomes = judge_cases(cases, settings, args.journal, lambda engine, one: engine.review(one, settings))
    pieces, failed = [], 0
    for number, (case, outcome) in enumerate(zip(cases, outcomes, strict=True), start=1):
        # Of several, each has a name by which its result is found: its own, or its position.
        named = case if alone or case.review_id is not None else case.updated(review_id=number)
        if not isinstance(outcome, Failure):
            try:
                pieces.append(_shown(named, outcome, chosen, args.output, alone=alone))
                continue
            except Exception as error:
                # A verdict that cannot be shown must not take the others with it.
                outcome = crashed(error, settings.judge)
        failed += 1
        say_failure(outcome, "the review" if alone else f"review {number}")
        pieces.append(_shown_failed(named, outcome, chosen, alone=alone))
    if written := "".join(pieces):
        write_out(written, args.output)
    if args.output and args.output != "-":
        print(f"{args.output}: {len(cases) - failed} reviewed, {failed} failed", file=sys.stderr)
    elif alone and not failed and not isinstance(outcomes[0], Failure) and chosen == "tags":
        print(f"adjudge: verdict {outcomes[0].verdict_id}", file=sys.stderr)
    return 1 if failed else 0


def _shown(case: Review, outcome: ReviewVerdict, chosen: str, output: str | None, *, alone: bool) -> str:
    from ..models.base import to_json

    if chosen == "json":
        return to_json(outcome.updated(review_id=case.review_id), indent=alone).decode()
    shown = rendered(outcome, chosen, output)
    return shown if alone else _head(case, chosen) + shown.rstrip("\n") + "\n\n"


def _shown_failed(case: Review, failure: Failure, chosen: str, *, alone: bool) -> str:
    """What stands in the place of a result, so that those after it keep theirs."""
    from ..models.base import to_json
    from ..reports import error_report

    if chosen == "json":
        named = {} if case.review_id is None else {"review_id": case.review_id}
        return to_json({**named, **error_report(failure).model_dump()}, indent=alone).decode()
    return "" if alone else _head(case, chosen, f"{failure.reason}: {failure.message}") + "\n"


def _head(case: Review, chosen: str, failed: str = "") -> str:
    from ..reports.escaping import markdown
    from ..reports.review.tags import head_of

    assert case.review_id is not None
    if chosen == "markdown":
        return head_of(markdown(str(case.review_id)), markdown(failed)) + "\n"
    return head_of(case.review_id, failed)
