"""Pages that show what changed between two runs and whether it may be chance, or follow a judge or system over runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any, TypedDict

from fastapi import APIRouter, Query, Request, Response

from ...errors import InputError
from ...protocols.base import names, protocol_of
from ...protocols.figures import Outcomes
from ...rendering.wording import percent, signed
from ...runs.hosted_run import HostedRun, RunStatus
from ..callers import Caller, CallerOf
from ..common import State, StateOf
from ..run_results import SAMPLE, StoredSummary, open_results, stored_summary
from ..visibility import find_run, listed_runs
from .common import page
from .run_tabs import name_of
from .runs import line_for

router = APIRouter(include_in_schema=False)

_MOST_RUNS = 200
_AT_A_TIME = 100
Number = Annotated[int, Query(alias="page", ge=1, le=1_000_000)]


class TwoRunsPage(TypedDict):
    """The runs to choose from, the two chosen ones, and what changed between them."""

    runs: list[dict[str, Any]]
    a: dict[str, Any] | None
    b: dict[str, Any] | None
    changes: dict[str, Any] | None


@router.get("/runs/compare")
@router.get("/runs/compare.json")
async def compare(
    request: Request, state: StateOf, caller: CallerOf, a: str = "", b: str = "", number: Number = 1
) -> Response:
    """Compare two runs by their ids; changes are described from `a` to `b`."""
    first, second = (find_run(state, caller, given) if given else None for given in (a, b))
    if first and second and first.run_id == second.run_id:
        place = "b" if request.url.path.endswith(".json") else "After"
        raise InputError(place, "the same run twice", "choose two different runs")

    def found() -> TwoRunsPage:
        before, after = (line_for(run, run.status()) if run else None for run in (first, second))
        some, lines = before or after, [line_for(*each) for each in _recent(state, caller)]
        fitting = [line for line in lines if not some or line["protocol"] == some["protocol"]]
        return TwoRunsPage(
            runs=[line for line in fitting if line["state"] != "ready"],
            a=before,
            b=after,
            changes=_changes(first, second, number) if first and second else None,
        )

    async with state.reading:
        context = await asyncio.to_thread(found)
    return page(request, "runs_compared", context, own_words=True)


def _changes(first: HostedRun, second: HostedRun, number: int) -> dict[str, Any]:
    """Describe what changed from one run to another: sentences, charts, tables, and a page of the changed cases."""
    from ...reports.run.diff import diff_document, diff_pictures, measured, moved_scores
    from ...results.diff import diff_of

    runs = [open_results(run) for run in (first, second)]
    kept = {each.run.folder: each.kept for each in runs}
    with diff_of(runs[0].run, runs[1].run, lambda *where: kept[where[2].folder].attached(*where)) as diff:
        pages = max((diff.changed + _AT_A_TIME - 1) // _AT_A_TIME, 1)
        number = min(number, pages)
        named = replace(diff, names=(name_of(first.status()), name_of(second.status())))
        document = diff_document(named, 0)
        cases = [
            {
                "case": each.case,
                "before": each.before,
                "after": each.after,
                "links": [
                    f"/runs/{run.run_id}/cases/{position}"
                    for run, position in zip((first, second), each.positions, strict=True)
                ],
                "scores": moved_scores(diff, each),
                "change": signed(each.change),
            }
            for each in diff.changes(_AT_A_TIME, (number - 1) * _AT_A_TIME)
        ]
        return {
            "lead": document.lead,
            "pictures": tuple(diff_pictures(named)),
            "sections": document.sections,
            "measured": measured(named),
            "cases": cases,
            "changed": diff.changed,
            "number": number,
            "pages": pages,
        }


class OverTimePage(TypedDict):
    """The results of one judge or system in runs of one protocol, oldest first, and what else can be chosen.

    `sampled` is the number of cases that were looked at to find runs with cases in common, if a run has more.
    """

    judges: list[str]
    systems: list[str]
    protocols: list[str]
    judge: str
    source: str
    protocol: str
    measure: str
    points: list[dict[str, Any]]
    sampled: int | None


@router.get("/runs/over-time")
@router.get("/runs/over-time.json")
def over_time(
    request: Request, state: StateOf, caller: CallerOf, judge: str = "", source: str = "", protocol: str = ""
) -> Response:
    """Show for each run how far a `judge` agrees with people, or how often the system named `source` wins.

    Shares of different protocols do not make one series: if `protocol` is not given, it is that of the latest run.
    """
    if judge and source:
        raise InputError("source", "given together with judge", "give one of them")
    if protocol and protocol not in names():
        raise InputError("protocol", f"there is none called {protocol!r:.60}", f"one of {', '.join(names())}")
    judges, systems = set[str](), set[str]()
    chosen: list[tuple[HostedRun, RunStatus, StoredSummary]] = []
    for run, status in reversed(_recent(state, caller)):
        if (summary := stored_summary(run)) is None:
            continue
        judges.update(status.judges)
        systems.update(summary.systems)
        if source in summary.systems if source else judge in status.judges:
            chosen.append((run, status, summary))
    protocols = {status.protocol for _, status, _ in chosen}
    if not protocol and chosen:
        protocol = chosen[-1][1].protocol
    outcome = protocol_of(protocol).table.outcome if protocol else None
    points: list[dict[str, Any]] = []
    samples: list[tuple[int, ...]] = []
    for run, status, summary in chosen:
        if outcome is not None and status.protocol == protocol:
            sample = set(summary.sample[:SAMPLE])
            # Only runs that have cases in common can be compared: take the newest of the earlier ones.
            earlier = next(
                (at for at in reversed(range(len(points))) if sample.intersection(samples[at][:SAMPLE])), None
            )
            since = {"before": "", "since": ""} if earlier is None else _link(points[earlier]["run"], run.run_id)
            points.append({"run": line_for(run, status), **_share(summary, source, outcome.of_system), **since})
            samples.append(summary.sample)
    share = outcome.system_share if outcome else Outcomes.system_share
    context = OverTimePage(
        judges=sorted(judges),
        systems=sorted(systems),
        protocols=sorted(protocols),
        judge=judge,
        source=source,
        protocol=protocol,
        measure=share if source else "As people labelled, of those decided",
        points=points,
        sampled=SAMPLE if any(len(keys) > SAMPLE for keys in samples) else None,
    )
    return page(request, "runs_over_time", context)


def _link(earlier: dict[str, Any], run_id: str) -> dict[str, str]:
    """Return the address that compares a run with an earlier one, and the name of that one."""
    return {"before": f"/runs/compare?a={earlier['run_id']}&b={run_id}", "since": earlier["name"]}


def _share(summary: StoredSummary, source: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the win share of a system in a run, or else its judge's agreement, with the interval and the counts."""
    if source:
        won, tied, lost, low, high = summary.systems[source]
        counts = zip((won, tied, lost), words, strict=True)
        share, of = won / (won + tied + lost), ", ".join(f"{count:,} {word}" for count, word in counts if word)
    elif summary.agreement is not None:
        right, among, low, high = summary.agreement
        share, of = right / among, f"{right:,} of {among:,} labelled and decided"
    else:
        return {"share": None, "low": 0.0, "high": 0.0, "said": "–", "of": ""}
    shown = f"{percent(share)} ({percent(low)} to {percent(high)})"
    return {"share": share, "low": low, "high": high, "said": shown, "of": of}


def _recent(state: State, caller: Caller) -> list[tuple[HostedRun, RunStatus]]:
    return list(islice(listed_runs(state, caller), _MOST_RUNS))
