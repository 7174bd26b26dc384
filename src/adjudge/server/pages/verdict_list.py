"""The page of the verdicts that the caller asked for one by one, the newest first, found by words of the case."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Annotated, TypedDict
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from ...engine import verdict_of
from ...journal.base import ListedVerdict
from ...protocols.base import protocol_of
from ...rendering.escaping import beginning
from ...reports import view_of
from ..callers import Caller, CallerOf
from ..common import Cursor, State, StateOf, in_our_words, read_cursor
from ..verdicts import verdicts_before
from ..visibility import VisibleVerdicts
from .common import page

router = APIRouter(include_in_schema=False)
_A_PAGE = 20
_LOOKED_AT = 1_000  # verdicts that are read for one page, including those of others and of runs
_OPENING = 200


class RecentVerdict(TypedDict):
    """A verdict in the list, with the first words of its case."""

    verdict_id: str
    protocol: str
    headline: str
    opening: str
    judge: str


class VerdictsPage(TypedDict):
    """A page of verdicts. It may be short, even empty, if few match; `next` is the cursor of the next one."""

    verdicts: list[RecentVerdict]
    q: str
    first: bool
    next: str | None
    next_address: str | None


@router.get("/verdicts")
@router.get("/verdicts.json")
def recent(
    request: Request,
    caller: CallerOf,
    state: StateOf,
    q: Annotated[str, Query(max_length=200)] = "",
    cursor: Cursor = None,
) -> Response:
    """List the verdicts that the caller asked for one by one. Those of a run are in the run's list of cases."""
    before = read_cursor(cursor, "[0-9]{1,18}")
    words, mine = q.casefold().split(), _asked_for(state, caller)
    found: list[RecentVerdict] = []
    looked_at, last = 0, 0
    for kept in islice(verdicts_before(state, None if before is None else int(before)), _LOOKED_AT):
        looked_at, last = looked_at + 1, kept.number
        if mine(kept) and (line := _line(kept, words)):
            found.append(line)
            if len(found) == _A_PAGE:
                break
    more = str(last) if len(found) == _A_PAGE or looked_at == _LOOKED_AT else None
    kept_words = {"q": q} if q else {}
    address = more and "/verdicts?" + urlencode({**kept_words, "cursor": more})
    context = VerdictsPage(verdicts=found, q=q, first=before is None, next=more, next_address=address)
    return page(request, "verdicts", context)


def _asked_for(state: State, caller: Caller) -> Callable[[ListedVerdict], bool]:
    """Return whether the caller asked for a verdict, and may see it. On an open service, which knows nobody, these are
    the verdicts of no run."""
    if caller.name is None or caller.tokens is None:
        return lambda kept: not kept.runs
    given, visible = caller.tokens.given(caller.name), VisibleVerdicts(state, caller)
    return lambda kept: kept.verdict_id in given and visible.sees(kept.verdict_id, kept.runs)


def _line(kept: ListedVerdict, words: list[str]) -> RecentVerdict | None:
    """Return the line of a verdict; None if it has not all the words, or if its protocol is not installed any more."""
    try:
        verdict = verdict_of(kept.inputs, in_our_words(kept.verdict))
    except KeyError:
        return None
    protocol = protocol_of(verdict.protocol)
    shown, headline = protocol.labelling.show(verdict.case), view_of(verdict).headline
    texts = [*(text for _, text in shown.before), *(shown.answers or ())]
    searched = "\n".join((headline, verdict.protocol, verdict.provenance.judge, *texts)).casefold()
    if not all(word in searched for word in words):
        return None
    first, _, second = verdict.provenance.judge.partition(", ")  # one for each role
    return RecentVerdict(
        verdict_id=kept.verdict_id,
        protocol=verdict.protocol,
        headline=headline,
        opening=beginning(protocol.opening(shown), _OPENING),
        judge=first if first == second else verdict.provenance.judge,
    )
