"""A POST that is sent again with the same `Idempotency-Key` gets the first response again, and is judged only once.

Responses are stored for a day in the journal's database, with separate keys for each caller. The response to a failed
request is not stored, so that the request can be sent again. A stored response is returned in place of the route's
function, after the dependencies that check the caller's role and access to the run.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

import orjson
from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

from ..errors import InputError
from ..journal import call_key
from ..journal.base import Journal, StoredAnswer
from .bodies import read_body
from .callers import known_caller

KEPT_SECONDS = 86_400.0
KEY = re.compile(r"[\x21-\x7e]{1,200}")
# What is stored under the key of the current request, and whether for the same request; None if nothing is.
_ANSWERED: ContextVar[tuple[StoredAnswer, bool] | None] = ContextVar("answered", default=None)
_HEADERS = ("content-type", "x-verdict-id", "location")
PARAMETER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
    "description": "The same key with the same request gives the same answer, for a day.",
}


class Idempotent(APIRoute):
    """A route whose POST requests may have an `Idempotency-Key` header."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        if "POST" in (more.get("methods") or ()):
            extra = dict(more.get("openapi_extra") or {})
            more["openapi_extra"] = {**extra, "parameters": [*extra.get("parameters", ()), PARAMETER]}
        super().__init__(path, _unless_answered(endpoint), **more)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_once(request: Request) -> Response:
            key = request.headers.get("idempotency-key")
            caller = await known_caller(request) if key is not None and request.method == "POST" else None
            if key is None or caller is None:
                return await handle(request)
            if not KEY.fullmatch(key):
                raise InputError("Idempotency-Key", repr(key[:80]), "1 to 200 visible ASCII characters")
            # Set the body that Starlette caches, because the handler reads it again.
            request._body = await read_body(request)
            journal: Journal = request.app.state.adjudge.engine.journal
            digest, answer_id = _digest(request), call_key({"answer_of": caller.name, "key": key})
            # If several such requests arrive at once, in any process, handle one; the others wait for its response.
            async with journal.claim(answer_id):
                oldest, kept = time.time() - KEPT_SECONDS, journal.get_answer(answer_id)
                if kept is not None and kept.at >= oldest:
                    _ANSWERED.set((kept, kept.request == digest))
                    return await handle(request)
                answer = await handle(request)
                if 200 <= answer.status_code < 300:
                    headers = {name: answer.headers[name] for name in _HEADERS if name in answer.headers}
                    head = orjson.dumps({"status": answer.status_code, "headers": headers}).decode()
                    answered = StoredAnswer(time.time(), digest, head, bytes(answer.body))
                    await journal.put_answer(answer_id, answered, oldest)
                return answer

        return handle_once


def _unless_answered(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the function of a route: it is not called if the request has been answered before."""

    @wraps(endpoint)
    async def answer(*args: Any, **kwargs: Any) -> Any:
        if (answered := _ANSWERED.get()) is None:
            return await endpoint(*args, **kwargs)
        kept, same = answered
        if not same:
            raise HTTPException(409, "Idempotency-Key: was used with another request; give this one another key")
        head = orjson.loads(kept.head)
        return Response(kept.body, head["status"], {**head["headers"], "idempotent-replayed": "true"})

    return answer if iscoroutinefunction(endpoint) else endpoint


def _digest(request: Request) -> str:
    """Hash all parts of a request that determine its response."""
    kind, _, boundary = request.headers.get("content-type", "").partition("boundary=")
    parts = [request.url.path, request.url.query, kind, request.headers.get("accept", "")]
    # Clients choose a new random boundary for every request.
    body = request._body.replace(boundary.strip('"').encode("latin-1"), b"") if boundary else request._body
    return hashlib.sha256(orjson.dumps(parts) + body).hexdigest()
