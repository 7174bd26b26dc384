"""`/api/runs/{run_id}/rows` and `/export`: what came of a run, with filters, as `adjudge show` and `export` have it."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ..models.base import to_json
from ..runs.hosted_run import HostedRun
from .common import StateOf, cursor_of, read_cursor
from .run_results import Filters, wanted_rows
from .runs import ERRORS, RunOf

router = APIRouter(tags=["runs"])
_CHUNK = 2**16
_FILE = {"type": "string", "format": "binary"}


class RowPage(BaseModel):
    """Cases that have an outcome, in the order of the input, as flat rows."""

    rows: list[dict[str, Any]] = Field(description="The columns of `adjudge show`.")
    next: str | None = Field(None, description="The cursor of the next page; null on the last.")


Format = Literal["jsonl", "csv", "parquet", "html", "markdown"]
_TYPES: dict[Format, tuple[str, str]] = {
    "jsonl": ("application/x-ndjson", "jsonl"),
    "csv": ("text/csv; charset=utf-8", "csv"),
    "parquet": ("application/vnd.apache.parquet", "parquet"),
    "html": ("application/zip", "zip"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
}


class RowQuery(Filters):
    """Which rows, and which page of them."""

    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = Field(None, max_length=200, description="`next` of the page before; none: the first page.")


class ExportQuery(Filters):
    """Which rows, in which form."""

    format: Format


@router.get("/api/runs/{run_id}/rows", summary="A run's results, row by row", response_model=RowPage, responses=ERRORS)
async def list_rows(run: RunOf, state: StateOf, wanted: Annotated[RowQuery, Query()]) -> Response:
    """A run that is still going is read as far as it is, or was some seconds ago."""
    after = read_cursor(wanted.cursor, "[0-9]{1,9}")

    def page() -> bytes:
        with wanted_rows(run, wanted, after, wanted.limit + 1) as database:
            rows = list(database.rows())
        more = cursor_of(rows[wanted.limit - 1]["position"]) if len(rows) > wanted.limit else None
        return to_json({"rows": rows[: wanted.limit], "next": more})

    async with state.reading:
        return Response(await asyncio.to_thread(page), media_type="application/json")


@router.get(
    "/api/runs/{run_id}/export",
    summary="A run's results as a file",
    response_class=StreamingResponse,
    responses={
        **ERRORS,
        200: {
            "description": "As `adjudge export` writes it; HTML as a ZIP file with the report and its pages.",
            "content": {kind.partition(";")[0]: {"schema": _FILE} for kind, _ in _TYPES.values()},
        },
    },
)
@router.get("/runs/{run_id}/export", include_in_schema=False)
async def export_run(run: RunOf, state: StateOf, wanted: Annotated[ExportQuery, Query()]) -> StreamingResponse:
    """The same filters as for rows."""
    async with state.reading:
        file = await asyncio.to_thread(_exported, run, wanted)
    kind, suffix = _TYPES[wanted.format]
    headers = {"content-disposition": f'attachment; filename="{run.run_id}.{suffix}"'}
    return StreamingResponse(_chunks(file), media_type=kind, headers=headers)


def _exported(run: HostedRun, wanted: ExportQuery) -> BinaryIO:
    from ..reports.run.html import write_html
    from ..reports.run.markdown import write_markdown
    from ..results.exporting import write_csv, write_jsonl, write_parquet

    file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by whoever sends it)
    with tempfile.TemporaryDirectory() as name, wanted_rows(run, wanted) as database:
        path = Path(name) / "report.html"
        if wanted.format == "html":
            write_html(database, path)
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for each in sorted(Path(name).rglob("*")):
                    if each.is_file():
                        archive.write(each, each.relative_to(name))
        elif wanted.format == "parquet":
            write_parquet(database, path)
            with path.open("rb") as made:
                shutil.copyfileobj(made, file)
        else:
            {"csv": write_csv, "jsonl": write_jsonl, "markdown": write_markdown}[wanted.format](database, file)
    file.seek(0)
    return file


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk
