"""What every request passes first: for whom it was meant, which page sent it, and how long its body may take.

Every answer leaves with the headers that keep browsers from framing it, guessing its type or loading foreign scripts.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_SECONDS = 60.0
MAX_HEADER_BYTES = 16_384
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    # Not no-referrer: with that, browsers send "Origin: null" from our own forms too.
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_HOST = re.compile(r"\[([0-9a-f:.%]+)\](?::\d*)?|([^\s:\[\]/@]+)(?::\d*)?")


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), body_seconds: float = BODY_SECONDS) -> None:
        self._app = app
        self._hosts = {name.lower().strip("[]") for name in (*LOOPBACK_NAMES, *hosts)}
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if scope["path"].startswith("/api/"):
                    headers["cache-control"] = "no-store"
                elif not scope["path"].startswith("/static/"):
                    headers.setdefault("cache-control", "private, no-cache")
            await send(message)

        if refusal := self._refusal(scope):
            await refusal(scope, receive, send_with_headers)
        else:
            await self._app(scope, self._timely(receive), send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if size + sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
            said = f"headers: more than {MAX_HEADER_BYTES:,} bytes with the path; at most so many are allowed"
            return JSONResponse({"error": said}, 431)
        headers = Headers(scope=scope)
        hosts = [host.lower() for host in headers.getlist("host")]
        named = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        # A page whose name was made to lead here (DNS rebinding) comes under that name. The address that the
        # connection came to is no name.
        reached_at = scope["server"][0] if scope.get("server") else None
        if named is None or (named[1] or named[2]) not in self._hosts | {reached_at}:
            found = hosts[0][:200] if hosts else ""
            said = f"host: {found!r} is not a name of this service; adjudge serve --allow-host NAME adds one"
            return JSONResponse({"error": said}, 421)
        origins = [origin.lower() for origin in headers.getlist("origin")]
        if any(origin not in (f"http://{hosts[0]}", f"https://{hosts[0]}") for origin in origins):
            said = f"origin: {origins[0][:200]!r} is another site; requests from its pages are refused"
            return JSONResponse({"error": said}, 403)
        return None

    def _timely(self, receive: Receive) -> Receive:
        """The same body, given up when it is not complete in time."""
        deadline = asyncio.get_running_loop().time() + self._body_seconds
        complete = False

        async def receive_in_time() -> Message:
            nonlocal complete
            if complete:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                said = f"body: not complete after {self._body_seconds:g} s"
                raise HTTPException(408, said, {"connection": "close"}) from None
            complete = not message.get("more_body", False)
            return message

        return receive_in_time
