"""Judges the case of a verdict again with another judge, and shows two verdicts on one case side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypedDict

from fastapi import APIRouter, Request, Response

from ...errors import InputError
from ...models.common import Failure
from ...models.verdict import Verdict
from ...protocols.base import protocol_of
from ...rendering.wording import MINUS, shown
from ...reports import error_report, view_of
from ..callers import CallerOf, MayJudge
from ..common import State, StateOf, failed_status, public_failure
from ..verdicts import find_settings, find_verdict
from .common import FieldsOf, lead_to, page, status_of

router = APIRouter(include_in_schema=False)
_SMALLEST = Decimal("0.0001")  # change that is written in figures


class AgainPage(TypedDict):
    """The form to judge a case again, with the judges that the service allows besides the one it was judged by."""

    verdict_id: str
    headline: str
    judge: str
    judges: list[str]
    error: str


@router.get("/verdicts/{verdict_id}/again")
def ask(caller: MayJudge, verdict_id: str, request: Request, state: StateOf) -> Response:
    """Show the form to judge the case of a verdict again."""
    verdict, _ = find_verdict(verdict_id, request, state, caller)
    return _form(request, verdict, _others(state, verdict, find_settings(verdict_id, request, state, caller)))


@router.post("/verdicts/{verdict_id}/again")
async def judge_again(
    caller: MayJudge, fields: FieldsOf, verdict_id: str, request: Request, state: StateOf
) -> Response:
    """Judge the case of a verdict with another judge, by the same rubric and settings."""
    verdict, _ = await asyncio.to_thread(find_verdict, verdict_id, request, state, caller)
    own, stored = state.own[verdict.protocol], find_settings(verdict_id, request, state, caller)
    judges, others, chosen = own.named("judge"), _others(state, verdict, stored), fields.get("judge", "")
    # Only what a request may ask for: a verdict of the command line may have been made with more.
    same: dict[str, Any] = {name: stored[name] for name in own.requested() if name in stored}
    try:
        if chosen not in others:
            allowed = f"one of {', '.join(others)}" if others else "this service allows no other"
            raise InputError("judge", f"{chosen[:80]!r} is not another judge of this service", allowed)
        settings = replace(own, **{**same, **dict.fromkeys(judges, chosen), "rubric": verdict.rubric})
        outcome = await caller.judge(state.engine, verdict.case, settings)
    except InputError as error:
        return await asyncio.to_thread(_form, request, verdict, others, str(error), status_of(error))
    if isinstance(outcome, Failure):
        message = error_report(public_failure(outcome)).error
        return await asyncio.to_thread(_form, request, verdict, others, message, failed_status(outcome))
    return lead_to(request, f"/verdicts/{verdict_id}/beside/{outcome.verdict_id}")


def _others(state: State, verdict: Verdict, stored: Mapping[str, Any]) -> list[str]:
    """Return the judges of this service, except one that gave all of the verdict."""
    own = state.own[verdict.protocol]
    before = {stored[name] for name in own.named("judge")}
    return [judge for judge in state.judges(own.judges[0]) if {judge} != before]


def _form(request: Request, verdict: Verdict, judges: list[str], error: str = "", status: int = 200) -> Response:
    context = AgainPage(
        verdict_id=verdict.verdict_id,
        headline=view_of(verdict).headline,
        judge=_named_once(verdict.provenance.judge),
        judges=judges,
        error=error,
    )
    return page(request, "judged_again", context, status)


def _named_once(judge: str) -> str:
    """Return the judge's name, given twice if one judge has both roles of a dialogue."""
    names = judge.split(", ")
    half = len(names) // 2
    return ", ".join(names[:half]) if half and names[:half] == names[half:] else judge


# -- side by side -----------------------------------------------------------------------------------------------------


class OneOfTwo(TypedDict):
    """One of two verdicts that are side by side."""

    verdict_id: str
    headline: str
    judge: str
    rubric: str
    cost_usd: str | None


class ScoreOfTwo(TypedDict):
    """A score by both verdicts, as text. Empty: it was not assessed. `change` is the second less the first."""

    name: str
    first: str
    second: str
    change: str
    differs: bool


class BesidePage(TypedDict):
    """Two verdicts on one case, with every score of both. `differing` counts those of the scores given by both."""

    protocol: str
    opening: str
    verdicts: list[OneOfTwo]
    same_headline: bool
    scores: list[ScoreOfTwo]
    differing: int
    given_by_both: int


@router.get("/verdicts/{verdict_id}/beside/{other}")
def beside(verdict_id: str, other: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show two verdicts on one case side by side, and what differs."""
    both = (verdict_id, other.removesuffix(".json"))
    first, second = (find_verdict(each, request, state, caller)[0] for each in both)
    if first.protocol != second.protocol or first.case != second.case:
        raise InputError("verdicts", "they judge different cases", "two verdicts on one case are allowed")
    shown, scores = [_one(each) for each in (first, second)], list(_scores(first, second))
    texts = protocol_of(first.protocol).labelling.show(first.case).before
    context = BesidePage(
        protocol=first.protocol,
        opening=" ".join(next((text for _, text in texts), "")[:300].split()),
        verdicts=shown,
        same_headline=shown[0]["headline"] == shown[1]["headline"],
        scores=scores,
        differing=sum(bool(each["change"]) for each in scores),
        given_by_both=sum(bool(each["first"] and each["second"]) for each in scores),
    )
    return page(request, "verdicts_beside", context)


def _one(verdict: Verdict) -> OneOfTwo:
    return OneOfTwo(
        verdict_id=verdict.verdict_id,
        headline=view_of(verdict).headline,
        judge=_named_once(verdict.provenance.judge),
        rubric=verdict.provenance.rubric.partition("#")[0],
        cost_usd=None if verdict.cost_usd is None else format(verdict.cost_usd, "f"),
    )


def _scores(first: Verdict, second: Verdict) -> Iterator[ScoreOfTwo]:
    """Yield the scores of the protocol's table, those of the criteria first."""
    table = protocol_of(first.protocol).table
    names = {each.key: each.name for verdict in (second, first) for each in verdict.rubric.criteria}
    headings = {each.name: each.heading for each in table.listed}
    keys = dict.fromkeys((*table.criteria(first), *table.criteria(second)))
    for column in (*(one for key in keys for one in table.of_criterion(key, names.get(key, key), key)), *table.columns):
        if column.score and column.name not in table.derived:
            yield _score(headings.get(column.name, column.meaning), column.of(first), column.of(second))


def _score(name: str, first: Any, second: Any) -> ScoreOfTwo:
    change = "" if None in (first, second) or first == second else _signed(second - first)
    return ScoreOfTwo(
        name=name[:1].upper() + name[1:],
        first=_text(first),
        second=_text(second),
        change=change,
        differs=bool(change),
    )


def _signed(change: Any) -> str:
    """Write a change with its sign and as many decimals as scores have."""
    if abs(change) < _SMALLEST:
        return f"less than {_SMALLEST:f}"
    return f"{change:+.4f}".rstrip("0").rstrip(".").replace("-", MINUS)


def _text(score: Any) -> str:
    return "" if score is None else shown(float(score))
