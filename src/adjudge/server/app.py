"""The application: what it holds open, which routes it has, and the one shape every error takes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ..engine import CompareSettings, DialogueSettings, ReviewSettings, open_engine
from ..errors import AdjudgeError, InputError, JournalError, NotJournalledError, SetupError, TooLargeError
from ..version import __version__
from . import dialogue, evaluate, review
from .common import State, StateOf

_STATIC = Path(__file__).parent / "static"
_STATUS: tuple[tuple[type[AdjudgeError], int], ...] = (
    (TooLargeError, 413),
    (InputError, 400),
    (SetupError, 503),
    (NotJournalledError, 404),
    (JournalError, 503),
    (AdjudgeError, 500),
)


class Health(BaseModel):
    """The service's own state; it asks no judge."""

    status: Literal["ok"]
    version: str
    judge: str
    rubric: str


def create_app(
    settings: CompareSettings, *, allowed_judges: tuple[str, ...] = (), journal: str | Path | None = None
) -> FastAPI:
    """The service with these settings; requests may name one of the allowed judges, and no other."""
    engine = open_engine(journal)
    # A judge that cannot be named is found out now, not at the first request.
    engine.judge(settings.judge, settings)
    for spec in allowed_judges:
        try:
            engine.judge(spec, settings)
        except InputError as error:
            raise error.renamed({"judge": "allowed_judges"}) from None
    engine.searcher(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with engine:
            yield

    app = FastAPI(
        title="adjudge",
        version=__version__,
        summary="Judges what AI systems say, and shows why.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    talking = DialogueSettings(evaluator=settings.judge, critic=settings.judge)
    allowed = frozenset({settings.judge, "embedded", *allowed_judges})
    app.state.adjudge = State(engine, settings, talking, ReviewSettings(judge=settings.judge), allowed)
    for routes in (evaluate, dialogue, review):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.add_exception_handler(AdjudgeError, _adjudge_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected_error)
    app.middleware("http")(_same_origin_only)

    @app.get("/api/health", tags=["service"], summary="Is the service up?")
    async def health(state: StateOf) -> Health:
        """Answers as long as the service runs and its journal is open."""
        return Health(
            status="ok", version=__version__, judge=state.compare.judge, rubric=state.compare.rubric.reference
        )

    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(_STATIC / "docs.html")

    @app.get("/", include_in_schema=False)
    async def root() -> RedirectResponse:
        return RedirectResponse("/docs")

    return app


async def _adjudge_error(request: Request, error: Exception) -> JSONResponse:
    status = next(code for kind, code in _STATUS if isinstance(error, kind))
    # A field's name may hold half a surrogate pair, which no answer can.
    said = str(error).encode("utf-8", "replace").decode()
    return JSONResponse({"error": said}, status)


async def _unexpected_error(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse(
        {"error": f"{request.url.path}: unexpected error in adjudge; the service's log has the details"}, 500
    )


async def _same_origin_only(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """A page of another site must not spend this service's money through a visitor's browser."""
    origin = request.headers.get("origin")
    if request.method not in ("GET", "HEAD") and origin and urlsplit(origin).netloc != request.headers.get("host"):
        return JSONResponse(
            {"error": f"origin: {origin[:200]!r} is another site; requests from its pages are refused"}, 403
        )
    return await call_next(request)


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    said = str(error.detail)
    if error.status_code == HTTPStatus.NOT_FOUND:
        said = f"{request.url.path}: not found; the API is described at /docs"
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        said = f"{request.url.path}: {request.method} is not allowed; the API is described at /docs"
    return JSONResponse({"error": said}, error.status_code, error.headers)
