"""The command `adjudge review`: a file of reviews, or one review that is entered piece by piece."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import InputError
from ...inputs.arguments import read_cases
from ...rendering.escaping import markdown
from ..command import Command, CommandArgument, Given, GivenCase
from .reading import read_reviews
from .tags import head_of

_DESCRIPTION = """\
Audit a person's ratings of two responses. Both are first rated blind, within limits set by checked facts; only then
are the person's ratings read, and each is kept, replaced, filled in or refused, with a changelog and feedback.
FILE holds the nine tagged slots (<PROMPT>, <RESPONSE1>, …, <ORIGINAL_LIKERT_AND_JUSTIFICATION>), JSON or JSONL with
their names, or CSV; - is standard input. One review gives one result; several give one after the other, each under
its review_id, id or task_id, or else its position.
With --interactive you enter the pieces one at a time, in any order; they are saved between runs.
"""
_PIECES = "piece by piece"


def _read(given: Given) -> list[GivenCase]:
    file, draft, interactive = (given.options[name] for name in ("file", "draft", "interactive"))
    if interactive and file is not None:
        raise InputError("--interactive", "given together with a file", "one of the two is allowed")
    if not interactive and file is None:
        raise InputError("FILE", "missing", "a file, - for standard input, or --interactive")
    if draft is not None and not interactive:
        raise InputError("--draft", "given without --interactive", "use adjudge review --interactive --draft ID")
    if interactive:
        from .interactive import ask_for_pieces

        case = ask_for_pieces(given.rubric, given.journal, draft, given.say)
        cases = [] if case is None else [case]
    else:
        raw, place = read_cases(file, "a review is needed")
        cases = read_reviews(raw, place, given.rubric)
    # If there are several reviews, each result is named by the review's own id, or else by its position.
    alone = len(cases) == 1
    names = [case.review_id if alone or case.review_id is not None else at for at, case in enumerate(cases, start=1)]
    return [
        GivenCase(case, "the review" if alone else f"review {number}", {} if name is None else {"review_id": name})
        for number, (case, name) in enumerate(zip(cases, names, strict=True), start=1)
    ]


def _head(ids: Mapping[str, int | str], chosen: str, failed: str) -> str:
    if chosen == "markdown":
        return head_of(markdown(str(ids["review_id"])), markdown(failed)) + "\n"
    return head_of(ids["review_id"], failed)


COMMAND = Command(
    description=_DESCRIPTION,
    arguments=(
        CommandArgument("file FILE", "a file with one or many reviews, or - for standard input"),
        CommandArgument("--interactive", "ask for the pieces, then judge", _PIECES),
        CommandArgument("--draft ID", "with --interactive: continue a draft", _PIECES),
    ),
    read=_read,
    piped=("tags", "tags (the five blocks)"),
    # A verdict is stored without the owner's id for the review.
    named=lambda verdict, ids: verdict.updated(**ids),
    head=_head,
    done="reviewed",
    without_id="tags",
)
