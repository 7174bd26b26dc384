"""Checks every request before the routes: its host and origin headers, how long the client may take, and how much of
all bodies is held at once.

Every response gets the headers that keep browsers from framing it, guessing its type or loading foreign scripts.
uvicorn limits the pause between requests; its `limit_concurrency` would let idle connections keep others out.
Starlette's TrustedHostMiddleware answers 400 in plain text, and does not allow whatever address was connected to.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

import uvicorn
from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

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
# Less than 1,024, the usual limit of open files per process.
MAX_CONNECTIONS = 800
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\nconnection: close\r\n\r\n"
    b'{"error": "the service has as many connections as it takes; try again later"}'
)


# The bytes of all bodies of requests that are not answered yet. The beginning of a body does not count: small requests
# are answered even if others use up the limit, and what they hold is limited by the number of connections.
MAX_HELD_BYTES = 64_000_000
_NOT_COUNTED = 65_536
_RETRY_SECONDS = 5


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._held = 0
        self._hosts = {name.lower().strip("[]") for name in (*LOOPBACK_NAMES, *hosts)}

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

        received = 0

        def held() -> int:
            return max(0, received - _NOT_COUNTED)

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            before = held()
            received += len(message.get("body", b""))
            self._held += held() - before
            if held() > before and self._held > MAX_HELD_BYTES:
                full = "the service holds as many requests as it takes; try again later"
                raise HTTPException(503, full, {"retry-after": str(_RETRY_SECONDS)})
            return message

        if refusal := self._refusal(scope):
            await refusal(scope, receive, send_with_headers)
            return
        try:
            await self._app(scope, receive_counted, send_with_headers)
        finally:
            self._held -= held()

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if size + sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
            message = f"headers: more than {MAX_HEADER_BYTES:,} bytes, including the path; this is the limit"
            return JSONResponse({"error": message}, 431)
        headers = Headers(scope=scope)
        hosts = [host.lower() for host in headers.getlist("host")]
        named = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        # With DNS rebinding, a foreign page points its own host name at us, so only known names are allowed. The
        # address that the client connected to cannot be faked this way, so it is allowed too.
        reached_at = scope["server"][0] if scope.get("server") else None
        if named is None or (named[1] or named[2]) not in self._hosts | {reached_at}:
            found = hosts[0][:200] if hosts else ""
            message = f"host: {found!r} is not a name of this service; adjudge serve --allow-host NAME adds one"
            return JSONResponse({"error": message}, 421)
        origins = [origin.lower() for origin in headers.getlist("origin")]
        if any(origin not in (f"http://{hosts[0]}", f"https://{hosts[0]}") for origin in origins):
            message = f"origin: {origins[0][:200]!r} is another site; requests from its pages are refused"
            return JSONResponse({"error": message}, 403)
        return None


# -- connections -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Limits for clients: seconds to send a request's head, seconds to read a response, and open connections."""

    head: float = 15.0
    reading: float = 60.0
    connections: int = MAX_CONNECTIONS


def server_for(
    app: ASGIApp,
    host: str,
    port: int,
    patience: ClientLimits | None = None,
    ready: Callable[[str], None] = lambda address: None,
    on_exit: Callable[[], None] = lambda: None,
) -> uvicorn.Server:
    """Build the server; `ready` is called with its address once it listens.

    `on_exit` is called at shutdown to end endless responses (event streams), because the server waits for all.
    """
    limits = patience or ClientLimits()

    class Protocol(_BoundedProtocol):
        patience = limits
        waiting: ClassVar[dict[_BoundedProtocol, None]] = {}

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                host, port = self.servers[0].sockets[0].getsockname()[:2]
                # A server that listens on every address is reachable at the loopback address.
                host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
                ready(f"http://{f'[{host}]' if ':' in host else host}:{port}/")

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            on_exit()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Protocol,
        ws="none",
        log_level="info",
        server_header=False,
        # Otherwise uvicorn believes what everybody on this machine says about the address of a request.
        proxy_headers="FORWARDED_ALLOW_IPS" in os.environ,
    )
    return Server(config)


class _BoundedProtocol(H11Protocol):
    """A connection with time limits. If there are too many, the one that has waited longest for a request is closed."""

    patience: ClientLimits
    waiting: ClassVar[dict[_BoundedProtocol, None]]  # those without a complete request, the longest waiting first
    _head_timer: asyncio.TimerHandle | None = None
    _reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Start the reading timer for any unread data, however little it is.
        transport.set_write_buffer_limits(0)
        if len(self.connections) > self.patience.connections:
            # A client that opens connections and sends no request must not keep others out.
            slowest = next((one for one in self.waiting if not one.transport.get_write_buffer_size()), None)
            if slowest is None:
                transport.write(_FULL)
                transport.close()
                return
            del self.waiting[slowest]
            slowest.transport.abort()
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._stop_waiting_if_asked()
        if self.cycle is None or self.cycle.response_complete:
            # Part of a head, or the rest of a body that is not read.
            self._await_head()
        elif self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_timer = self.loop.call_later(self.patience.reading, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reading_timer is not None:
            self._reading_timer.cancel()

    def on_response_complete(self) -> None:
        if not self.transport.is_closing():
            self.waiting[self] = None
        super().on_response_complete()
        self._stop_waiting_if_asked()

    def connection_lost(self, exc: Exception | None) -> None:
        self.waiting.pop(self, None)
        for timer in (self._head_timer, self._reading_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _stop_waiting_if_asked(self) -> None:
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self.waiting.pop(self, None)

    def _await_head(self) -> None:
        self.waiting.setdefault(self)
        # Never restart a running timer: a client that sends one byte at a time must not get more time.
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.patience.head, self.transport.abort)
