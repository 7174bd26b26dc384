"""A run's results, read from its cached table: `/api/runs/{run_id}/rows` and `/export`, and the data for pages.

Messages of providers are replaced by our own words, also in the verdicts. A view of the whole run is stored beside the
table, and a short summary for lists (`StoredSummary`) in a separate file.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, StringConstraints, TypeAdapter, ValidationError
from starlette.background import BackgroundTask

from ..errors import InputError, SetupError
from ..files import replacing
from ..models.base import to_json
from ..protocols.base import Protocol
from ..runs.hosted_run import HostedRun, as_setup_error
from .common import ERRORS, FAILED_ONE, PUBLIC_MESSAGES, StateOf, in_our_words, read_cursor
from .runs import RunOf

if TYPE_CHECKING:
    from ..reports.run.view import RunView
    from ..results.cached_table import CachedTable
    from ..results.database import Database
    from ..results.run import Run

router = APIRouter(tags=["runs"], responses=ERRORS)
_SUMMARY = Path("kept", "glance.json")  # beside the table
_MOST_SYSTEMS = 100
SAMPLE = 200  # keys of cases
_MOST_NAME = 80  # characters of a download's name
_CONDITIONS = {
    "winner": "r.winner = ?",
    "outcome": "case r.status when 'verdict' then {outcome} else 'failed' end = ?",
    "won_by": "(r.decided and case r.winner when 'A' then r.system_a when 'B' then r.system_b end = ?)",
    "order_flipped": "r.order_consistent = not ?",
    "failed": "(r.status <> 'verdict') = ?",
    "undecided": "r.decided = not ?",
    "undecided_by": "r.undecided_by = ?",
    "differs": "(r.agrees = not ? and not ({undecided}))",
    "positions": "r.position in (select unnest(string_split(?, ','))::BIGINT)",
    "q": "r.position in (select position from {schema}.cases where contains(texts, lower(?)))",
}
# The columns that some filters are for, which not every protocol has.
_COLUMNS = {
    "winner": {"winner"},
    "won_by": {"winner", "decided"},
    "order_flipped": {"order_consistent"},
    "undecided": {"decided"},
    "undecided_by": {"undecided_by"},
}
Format = Literal["jsonl", "csv", "parquet", "html", "markdown"]
_TYPES: dict[Format, tuple[str, str]] = {
    "jsonl": ("application/x-ndjson", "jsonl"),
    "csv": ("text/csv; charset=utf-8", "csv"),
    "parquet": ("application/vnd.apache.parquet", "parquet"),
    "html": ("application/zip", "zip"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
}

# -- rows and exports -------------------------------------------------------------------------------------------------


class Filters(BaseModel):
    """Conditions that a row must meet, all of them."""

    winner: Literal["A", "B", "tie"] | None = None
    outcome: str | None = Field(
        None,
        max_length=20,
        description="The outcome of the case: `A`, `B`, `tie`, `undecided`, `invalid`, a dialogue's step such "
        "as `80`, or `failed`.",
    )
    won_by: str | None = Field(None, max_length=500, description="The system whose answer won a decided comparison.")
    order_flipped: bool | None = Field(None, description="Whether the two orders name different winners.")
    failed: bool | None = Field(None, description="Whether there is no verdict.")
    undecided: bool | None = Field(None, description="Whether the judge was too unsure to decide.")
    undecided_by: str | None = Field(
        None,
        max_length=500,
        description="What kept the judge from deciding, in the words of the column `undecided_by`.",
    )
    differs: bool | None = Field(
        None, description="Whether the verdict differs from the human label. Undecided ones are left out."
    )
    positions: str | None = Field(
        None,
        max_length=4000,
        pattern=r"^[0-9]{1,9}(,[0-9]{1,9})*$",
        description="The positions of cases in the input, from 0, with commas: only these.",
    )
    q: Annotated[str, StringConstraints(strip_whitespace=True)] | None = Field(
        None, max_length=200, description="Text contained in the case's id or texts, ignoring upper and lower case."
    )

    def condition(self, protocol: Protocol, schema: str) -> tuple[str, list[Any]]:
        """Return the SQL condition on a row `r`, and the values of its parameters."""
        asked, known = self._asked(), filters_of(protocol)
        if unknown := next((name for name in asked if name not in known), None):
            raise InputError(unknown, f"a {protocol.name} has none", f"one of {', '.join(known)}")
        outcome = protocol.table.outcome
        known_sql = {"outcome": outcome.sql, "undecided": outcome.undecided, "schema": schema}
        parts = [_CONDITIONS[name].format_map(known_sql) for name in asked]
        return " and ".join(parts) or "true", list(asked.values())

    def described(self) -> str:
        """Describe the conditions in words."""
        return ", ".join(f"{name} is {orjson.dumps(value).decode()}" for name, value in self._asked().items())

    def _asked(self) -> dict[str, Any]:
        asked = self.model_dump(include=set(Filters.model_fields))
        return {name: value for name, value in asked.items() if value not in (None, "")}


def filters_of(protocol: Protocol) -> list[str]:
    """Return the filters of which a protocol has the column."""
    columns = {column.name for column in protocol.table.columns}
    return [name for name in _CONDITIONS if _COLUMNS.get(name, set()) <= columns]


class RowQuery(Filters):
    """Conditions on the rows, and which page of them to return."""

    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = Field(None, max_length=200, description="`next` of the previous page; omit it for the first.")


class ExportQuery(Filters):
    """Conditions on the rows, and the file format."""

    format: Format


class RowPage(BaseModel):
    """Cases with an outcome, as flat rows in the order of the input."""

    rows: list[dict[str, Any]] = Field(description="The columns of `adjudge show`.")
    next: str | None = Field(None, description="The cursor of the next page; null on the last.")


@router.get("/api/runs/{run_id}/rows", summary="A run's results, row by row", response_model=RowPage)
async def list_rows(run: RunOf, state: StateOf, wanted: Annotated[RowQuery, Query()]) -> Response:
    """List results as flat rows. While a run is in progress, they may be some seconds old."""
    after = read_cursor(wanted.cursor, "[0-9]{1,9}")

    def page() -> bytes:
        with wanted_rows(run, wanted, after, wanted.limit + 1) as database:
            rows = list(database.rows())
        more = str(rows[wanted.limit - 1]["position"]) if len(rows) > wanted.limit else None
        return to_json({"rows": rows[: wanted.limit], "next": more})

    async with state.reading:
        return Response(await asyncio.to_thread(page), media_type="application/json")


@router.get(
    "/api/runs/{run_id}/export",
    summary="A run's results as a file",
    response_class=FileResponse,
    responses={
        200: {
            "description": "As `adjudge export` writes it; HTML as a ZIP file with the report and its pages.",
            "content": {kind.partition(";")[0]: {} for kind, _ in _TYPES.values()},
        },
    },
)
@router.get("/runs/{run_id}/export", include_in_schema=False)
async def export_run(run: RunOf, state: StateOf, wanted: Annotated[ExportQuery, Query()]) -> FileResponse:
    """Return the matching rows as a file. The filters are the same as for rows."""
    kind, suffix = _TYPES[wanted.format]
    with ExitStack() as unless_sent:
        path = Path(unless_sent.enter_context(tempfile.TemporaryDirectory())) / f"{run.run_id}.{suffix}"
        async with state.reading:
            await asyncio.to_thread(_export, run, wanted, path)
        sent = BackgroundTask(unless_sent.pop_all().close)
    return FileResponse(path, media_type=kind, filename=f"{file_name(run)}.{suffix}", background=sent)


def file_name(run: HostedRun) -> str:
    """Return a name for downloads: the run's own, as far as every file system allows it, or else its id."""
    kept = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]+', " ", run.status().name)
    return " ".join(kept.split()).strip(". ")[:_MOST_NAME].strip() or run.run_id


def _export(run: HostedRun, wanted: ExportQuery, path: Path) -> None:
    from ..reports.run.export import write_html, write_markdown
    from ..results.exporting import write_csv, write_jsonl, write_parquet

    with wanted_rows(run, wanted) as database:
        if wanted.format == "html":
            pages = path.with_name("pages")
            pages.mkdir()
            write_html(database, pages / "report.html")
            shutil.make_archive(str(path.with_suffix("")), "zip", pages)
        elif wanted.format == "parquet":
            write_parquet(database, path)
        else:
            with path.open("wb") as file:
                {"csv": write_csv, "jsonl": write_jsonl, "markdown": write_markdown}[wanted.format](database, file)


@contextmanager
def wanted_rows(
    run: HostedRun, wanted: Filters, after: str | None = None, most: int | None = None
) -> Iterator[Database]:
    """Open a database with the rows that match; with `after` only later positions, with `most` at most that many."""
    from ..results.cached_table import chosen_rows, reading

    opened = open_results(run)
    with reading(opened.run, opened.kept, alone=most is None) as database:
        where, given = wanted.condition(opened.run.protocol, database.schema)
        if after is not None:
            where, given = f"{where} and r.position > ?", [*given, int(after)]
        if where == "true" and most is None:
            yield database
        else:
            yield chosen_rows(database, where, given, wanted.described(), most)


# -- the cached table, its view, and the summary for lists -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run, its cached table, and the view of it."""

    run: Run
    kept: CachedTable
    view: RunView


@dataclass(frozen=True, slots=True)
class StoredSummary:
    """The summary of a run in lists: its finding, the parts of its picture (tone, cases, words), and the figures for
    comparing runs over time.

    `agreement`: how many labelled cases were decided as labelled, of how many, and the interval of the share.
    `systems`: how many decided comparisons each won, tied and lost, and the interval of the share it won.
    `sample`: the lowest keys of its cases. Runs over the same cases have the same ones, however many cases there are.
    One more than `SAMPLE` is stored, which tells that there are more.
    """

    title: str
    sentence: str
    tone: str
    parts: tuple[tuple[str, int, str], ...]
    agreement: tuple[int, int, float, float] | None
    systems: dict[str, tuple[int, int, int, float, float]]
    sample: tuple[int, ...] = ()


def open_results(run: HostedRun, *, fresh: bool = False) -> OpenedRun:
    """Open the results of a run so far. While the run is in progress, they may be some seconds old, unless `fresh`."""
    from ..results.cached_table import cached_table
    from ..results.run import open_run

    with as_setup_error(run.run_id):
        opened = replace(open_run(run.directory.path), as_shown=in_our_words)
        kept = cached_table(opened, _describe, in_progress=not fresh and run.marker.exists())
    return OpenedRun(opened, kept, _views().validate_json(kept.description))


def stored_summary(run: HostedRun) -> StoredSummary | None:
    """Read the stored summary of a run; None if its table was never built."""
    with suppress(OSError, ValidationError):
        return TypeAdapter(StoredSummary).validate_json((run.directory.path / _SUMMARY).read_bytes())
    return None


def prepare(run: HostedRun) -> None:
    """Build the table, view and summary of a run that has ended, if the optional packages for it are installed."""
    with suppress(SetupError):
        open_results(run)


def close_results() -> None:
    """Close what was opened to read results."""
    from ..results.cached_table import close_shared

    close_shared()


@cache
def _views() -> TypeAdapter[RunView]:
    from ..reports.run.view import RunView

    return TypeAdapter(RunView)


def _describe(database: Database) -> bytes:
    from ..reports.run.view import view_run
    from ..results.columns import text

    public = " ".join(f"when {text(reason)} then {text(words)}" for reason, words in PUBLIC_MESSAGES.items())
    # A cascade's failure also says why earlier judges failed.
    who, why = (f"regexp_extract(message, {text(FAILED_ONE.pattern)}, {group}, 's')" for group in (1, 2))
    database.query(
        f"update {database.chosen} set message = "
        f"coalesce(case reason {public} end, {who} || ': ' || case {why} {public} end, message)"
    )
    view, summary, systems = view_run(database)
    found = summary.agreement
    keys = database.query(f"select distinct key from {database.schema}.cases order by key limit {SAMPLE + 1}")
    stored = StoredSummary(
        view.finding.title,
        view.finding.sentence,
        view.finding.tone,
        tuple((part.tone, part.cases, part.words) for part in view.found),
        None if found is None or not found.interval else (summary.agreeing, found.cases, *found.interval),
        {
            name: (*counts, *ends)
            for name, counts in list(systems.items())[:_MOST_SYSTEMS]
            if (ends := summary.share(counts[0], sum(counts)).interval)
        },
        tuple(key for (key,) in keys),
    )
    with replacing(database.run.folder / _SUMMARY) as file:
        file.write(orjson.dumps(stored))
    return orjson.dumps(view, default=str)
