"""The pages of a run beside its results: the list of its cases, a case, and its settings with files and downloads.

Code that reads results is imported on first use, because it needs an extra that may not be installed.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from fastapi import APIRouter, HTTPException, Request, Response

from ...errors import NotFoundError
from ...protocols.base import protocol_of
from ...rendering.wording import dollars, many
from ...runs.hosted_run import HostedRun, RunStatus
from ..callers import CallerOf
from ..common import StateOf
from ..run_results import open_results
from ..runs import RunOf
from . import verdict
from .case_labels import about_case
from .common import page
from .run_tabs import name_of, run_tabs

if TYPE_CHECKING:
    from .run_cases import CaseQuery

router = APIRouter(include_in_schema=False)

_EXPORTS = {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet", "html": "HTML report", "markdown": "Markdown"}


def exports_of(run: HostedRun, asked: CaseQuery) -> list[tuple[str, str]]:
    """Return the downloads of these cases, by name and address."""
    return [(label, f"/runs/{run.run_id}/export{asked.tail(format=form)}") for form, label in _EXPORTS.items()]


def moment(time: str | float) -> str:
    """Format a time in UTC for people, from ISO 8601 text or from seconds since the epoch."""
    known = datetime.fromtimestamp(time, UTC) if isinstance(time, float) else datetime.fromisoformat(time)
    return f"{known.day} {known:%b %Y, %H:%M}"


# -- cases ------------------------------------------------------------------------------------------------------------


@router.get("/runs/{run_id}/cases")
@router.get("/runs/{run_id}/cases.json")
async def show_cases(run: RunOf, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """List the cases of a run that have an outcome, filtered and sorted by the address."""
    from .run_cases import asked_for, list_cases

    status = await asyncio.to_thread(run.status)
    tabs = await asyncio.to_thread(run_tabs, state, caller, run, "cases", status)
    context: dict[str, Any] = {"run_id": run.run_id, "name": name_of(status), "state": status.state}
    if status.open == status.cases:
        return page(request, "run_cases", {**context, "cases": None, "exports": [], "read": ""}, tabs=tabs)
    asked = asked_for(request.query_params)
    async with state.reading:
        opened, cases = await asyncio.to_thread(list_cases, run, asked)
    context |= {"cases": cases, "exports": exports_of(run, asked), "read": moment(opened.kept.made)}
    more = {"view": opened.view, "lines": cases["lines"], "heads": cases["heads"], "files": ""}
    return page(request, "run_cases", context, tabs=tabs, nothing="No case matches.", **more)


@router.get("/runs/{run_id}/cases/{name}")
async def show_case(run: RunOf, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show the verdict of a case in any format that verdicts have, or why the case has none."""
    number, dot, form = name.partition(".")
    if not number.isdecimal() or len(number) > 9:
        raise HTTPException(404)
    from .run_cases import asked_for, find_case

    asked = asked_for(request.query_params)
    async with state.reading:
        try:
            verdict_id, failed, nav = await asyncio.to_thread(find_case, run, int(number), asked)
        except NotFoundError:
            if not run.marker.exists():
                raise
            # It may have been judged a moment ago.
            await asyncio.to_thread(open_results, run, fresh=True)
            verdict_id, failed, nav = await asyncio.to_thread(find_case, run, int(number), asked)
    status = await asyncio.to_thread(run.status)
    if not form:
        nav["tabs"] = await asyncio.to_thread(run_tabs, state, caller, run, "cases", status)
        nav["about"] = await asyncio.to_thread(about_case, run, caller, int(number), nav.pop("row"))
    if verdict_id is not None:
        request.state.case_nav = nav
        return await verdict.show(f"{verdict_id}{dot}{form}", request, state, caller)
    if form not in ("", "json"):
        raise HTTPException(404)
    return await asyncio.to_thread(page, request, "case_failed", failed, home=nav, about=nav.get("about"))


# -- settings ---------------------------------------------------------------------------------------------------------


class SettingsPage(TypedDict):
    """How a run was made and what it took, in groups of names and values, and its files, with their sizes."""

    run_id: str
    name: str
    state: str
    rubric: str
    groups: list[tuple[str, list[tuple[str, str]]]]
    files: list[tuple[str, str]]
    exports: list[tuple[str, str]]
    judges: list[str]
    may_act: bool


@router.get("/runs/{run_id}/settings")
@router.get("/runs/{run_id}/settings.json")
def show_settings(run: RunOf, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show how a run was made, what it took and where it is kept, with its downloads."""
    status = run.status()
    exports: list[tuple[str, str]] = []
    if status.open < status.cases:
        from .run_cases import asked_for

        exports = exports_of(run, asked_for({}))
    context = SettingsPage(
        run_id=run.run_id,
        name=name_of(status),
        state=status.state,
        rubric=status.rubric,
        groups=[("How it is judged", _judging(run, status)), ("What it took", _spent(run, status))],
        files=list(_files(run.directory.path)),
        exports=exports,
        judges=status.judges,
        may_act=caller.may("reviewer"),
    )
    return page(request, "run_settings", context, tabs=run_tabs(state, caller, run, "settings", status))


def _judging(run: HostedRun, status: RunStatus) -> list[tuple[str, str]]:
    """Return the run's settings, those of its protocol included. The rubric has a link of its own."""
    stored, known = run.directory.plan().settings, protocol_of(status.protocol).settings.described()
    own = [(name.replace("_", " "), stored.get(name)) for name, each in known.items() if each.help]
    return [
        ("Judges what", protocol_of(status.protocol).form.many),
        ("Judge", ", ".join(status.judges)),
        ("Input file", status.source),
        ("Budget", f"${status.budget}" if status.budget else "none"),
        ("Calls a minute", "no limit" if status.rate is None else f"{status.rate:g}"),
        ("Calls at the same time", f"{status.concurrency:,}"),
        *((label[:1].upper() + label[1:], _words(value)) for label, value in own if value not in status.judges),
    ]


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _spent(run: HostedRun, status: RunStatus) -> list[tuple[str, str]]:
    unknown = f", and {many(status.cases_without_a_price, 'case')} of unknown price"
    cost = dollars(Decimal(status.cost_usd)) + (unknown if status.cases_without_a_price else "")
    return [
        ("Started by", run.owner or "nobody signed in"),
        ("Created", f"{moment(status.created)} UTC"),
        ("Cases", f"{status.verdicts:,} with a verdict, {status.failures:,} failed, {status.open:,} open"),
        ("Calls", f"{status.calls:,}" if status.calls else "none"),
        ("Tokens", f"{status.input_tokens:,} read, {status.output_tokens:,} written"),
        ("Cost", f"{cost}; {dollars(Decimal(status.paid_usd))} of it paid for this run" if status.calls else "none"),
    ]


def _files(folder: Path) -> list[tuple[str, str]]:
    """Return the files and folders of a run with their sizes. Who labelled is not in their names."""
    found = []
    for entry in sorted(folder.iterdir()):
        inside = [each for each in entry.rglob("*") if each.is_file()] if entry.is_dir() else [entry]
        try:
            size = _size(sum(each.stat().st_size for each in inside))
        except FileNotFoundError:  # of a run in progress: its files are replaced
            continue
        found.append(
            (f"{entry.name}/", f"{many(len(inside), 'file')}, {size}") if entry.is_dir() else (entry.name, size)
        )
    return found


def _size(count: int) -> str:
    if count < 1000:
        return many(count, "byte")
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"
