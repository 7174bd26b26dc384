"""Builds the FastAPI application: its resources, its routes, and the one JSON format of all errors."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from .. import errors
from ..computing import in_a_process
from ..engine import open_engine
from ..files import user_path
from ..journal import data_folder, default_place, is_server
from ..protocols import registry
from ..protocols.base import protocol_of
from ..protocols.service import Service
from ..protocols.settings import Settings
from ..rendering.escaping import one_line
from ..runs.hosting import HostedRuns
from ..version import __version__
from . import rubrics, run_results, runs, verdicts
from .audit import AuditLog
from .bodies import BODY_SECONDS
from .callers import Callers, SessionStore, known_caller
from .common import ERRORS, State, StateOf, invalid
from .database import open_database
from .guard import HEADERS, Guard
from .judging import router_of
from .pages import ROUTES
from .pages.common import error_page, lead_to, wants_html
from .pages.demo import DemoNotice, ShippedRun, add_people, begin_runs, judge_examples
from .pages.people import requested_page
from .run_results import close_results, prepare
from .users import TokenStore, UserStore

_log = logging.getLogger(__name__)
_STATIC = Path(__file__).parent / "static"
_STYLES = Path(__file__).parents[1] / "rendering" / "templates"
# Status and public message. Internal errors may name files, variables and addresses, so their text is only logged.
_ANSWERS: tuple[tuple[type[errors.AdjudgeError], int, str], ...] = (
    (errors.TooLargeError, 413, ""),
    (errors.InputError, 400, ""),
    (errors.NotFoundError, 404, ""),
    (errors.ConflictError, 409, ""),
    (errors.NotJournalledError, 404, ""),
    (errors.SetupError, 503, "something is not set up on this service"),
    (errors.JournalError, 503, "the journal cannot be used at the moment"),
    (errors.AdjudgeError, 500, "unexpected error in adjudge"),
)


class Health(BaseModel):
    """The service's own state; no judge is called. Judge and rubric are left out if a token is needed and missing."""

    status: Literal["ok"]
    version: str
    judge: str | None = None
    rubric: str | None = None


def create_app(
    settings: Settings[Any],
    *,
    allowed_judges: tuple[str, ...] = (),
    journal: str | Path | None = None,
    data: Path | None = None,
    tokens: TokenStore | None = None,
    token_required: bool = False,
    auth: bool = False,
    setup_code: str | None = None,
    clock: Callable[[], float] = time.time,
    hosts: Iterable[str] = (),
    body_seconds: float = BODY_SECONDS,
    demo: bool = False,
) -> FastAPI:
    """Build the service with these settings. Requests may name only the allowed judges.

    Other protocols than that of the settings have their usual settings, and the same judge.

    Runs and rubrics are stored in the folder `data`, by default `service` beside the journal's file or, if the journal
    is on a server, in the user's data folder. People, sessions and the audit log are stored in the database of
    `tokens`, by default `service.db` in that folder.

    Once a token exists, or with `token_required`, every caller needs one. With `auth`, people can also sign in, and who
    knows `setup_code` can make the first admin; `clock` decides when sessions expire. `hosts` are names of this service
    besides those of this machine. A request body must be complete within `body_seconds`. `demo` adds the shipped
    examples and runs at startup, and says so on every page.
    """
    place = default_place() if journal is None else journal
    engine = open_engine(place)
    # Fail now, not at the first request, if a judge is not valid.
    own_judge = settings.judges[0]
    engine.open_judge(own_judge, settings)
    for spec in allowed_judges:
        try:
            engine.open_judge(spec, settings)
        except errors.InputError as error:
            raise error.renamed({"judge": "allowed_judges"}) from None
    engine.open_searchers(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with in_a_process():
            async with engine:
                shown: list[ShippedRun] = []
                if demo:
                    app.state.examples = await judge_examples(engine)
                    shown = await begin_runs(app.state.adjudge)
                working = asyncio.create_task(hosted.work())
                app.state.people = asyncio.create_task(add_people(app.state.adjudge, shown))
                try:
                    yield
                finally:
                    app.state.people.cancel()
                    await hosted.close()
                    await working
        close_results()
        token_store.close()

    app = FastAPI(
        title="adjudge",
        version=__version__,
        summary="Judges what AI systems say, and shows why.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses=ERRORS,
    )
    services: dict[str, Service] = registry.services()
    protocols = [protocol_of(name) for name in services]
    own: dict[str, Settings[Any]] = {settings.protocol: settings}
    for each in protocols:
        judges: dict[str, Any] = dict.fromkeys(each.settings.named("judge"), own_judge)
        own.setdefault(each.name, each.settings(**judges))
    allowed = frozenset({own_judge, "embedded", *allowed_judges})
    where = str(place) if is_server(place) else str(user_path(place).resolve())
    folder = data or (data_folder() if is_server(place) else Path(where).parent) / "service"
    token_store = tokens or TokenStore(open_database(folder / "service.db"))
    database = token_store.database
    users, sessions = UserStore(database, clock), SessionStore(database, clock)
    callers = app.state.callers = Callers(token_store, users, sessions, token_required, auth, setup_code)
    hosted = HostedRuns(folder, where, callers.payer, after=prepare)
    app.state.adjudge = State(engine, settings, own, allowed, hosted, folder / "rubrics", AuditLog(database))
    app.state.examples, app.state.body_seconds = (), body_seconds
    own_routers = [router for each in protocols for router in services[each.name].routers or (router_of(each),)]
    for router in (*own_routers, *(module.router for module in (runs, run_results, verdicts, rubrics, *ROUTES))):
        # `include_router` would rebuild every route for each application, which delays the first response by 0.2 s.
        app.router.routes += router.routes
    for name, service in services.items():
        if service.static is not None:
            app.mount(f"/static/{name}", StaticFiles(directory=service.static), name=f"static of {name}")
    app.mount("/static/reports", StaticFiles(directory=_STYLES), name="styles")
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    for kind in (errors.AdjudgeError, HTTPException, RequestValidationError, ClientDisconnect):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(Exception, _unexpected_error)
    if demo:
        app.add_middleware(DemoNotice)
    app.add_middleware(Guard, hosts=tuple(hosts))

    @app.get("/api/health", tags=["service"], summary="Is the service up?", response_model_exclude_none=True)
    async def health(request: Request, state: StateOf) -> Health:
        """Respond as long as the service runs and its journal is open. No token is needed."""
        known = Health(status="ok", version=__version__)
        if await known_caller(request) is not None:
            known.judge, known.rubric = state.first.judges[0], state.first.rubric.reference
        return known

    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(_STATIC / "docs.html")

    return app


async def _refused(request: Request, error: Exception) -> Response:
    """Return an error as JSON, or as a page for a browser. A browser that is not signed in is sent to the sign-in."""
    status, message, headers = _public_error(request, error)
    if not wants_html(request):
        return JSONResponse({"error": message}, status, headers)
    if status == 401:
        return lead_to(request, f"/sign-in?{urlencode({'next': requested_page(request)})}")
    answer = error_page(message, status)
    answer.headers.update(headers or {})
    return answer


def _public_error(request: Request, error: Exception) -> tuple[int, str, Mapping[str, str] | None]:
    """Return the status, the public message and the headers of an error."""
    path = request.url.path
    if isinstance(error, ClientDisconnect):  # nobody reads this response, and the error is not ours
        return 400, "body: the connection was closed before the body was complete", None
    if isinstance(error, HTTPException):
        known = {
            404: f"{path}: not found; the API is described at /docs",
            405: f"{path}: {request.method} is not allowed; the API is described at /docs",
        }
        return error.status_code, known.get(error.status_code, str(error.detail)), error.headers
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        error = invalid(first["loc"][1:], first)
    status, message = next((code, message) for kind, code, message in _ANSWERS if isinstance(error, kind))
    if message:
        _log.error(one_line(f"{path}: {error}"))
        return status, f"{message}; the service's log has the details", None
    # A field's name may contain a lone surrogate, which cannot be encoded as UTF-8.
    return status, str(error).encode("utf-8", "replace").decode(), None


async def _unexpected_error(request: Request, error: Exception) -> JSONResponse:
    # The guard does not see this response, so add its headers here.
    message = f"{request.url.path}: unexpected error in adjudge; the service's log has the details"
    return JSONResponse({"error": message}, 500, HEADERS)
