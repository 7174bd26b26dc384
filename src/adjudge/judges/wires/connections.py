"""HTTP/1.1 over connections that are kept open: what a call to a model needs and nothing more.

Every judgment goes through here, so it is made of a protocol, a parser in C and a pool; a client that can do all of
HTTP takes three times as long. Redirects are not followed and cookies are not kept.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeVar
from urllib.parse import quote, unquote, urlencode, urlsplit

import httptools

from ...errors import SetupError
from ...version import __version__
from .proxies import Proxy, Tunnel, proxy_for

P = TypeVar("P", bound=asyncio.Protocol)

_IDLE_SECONDS = 15.0  # servers close what is idle for longer, and a request may cross that on its way
_MOST_HEADER_BYTES = 64 * 1024
_GIVEN_IN_PATHS = "/%:@!$&'()*+,;=~"
_NOT_IN_HEADERS = frozenset("\r\n\0")


class ConnectTimeoutError(TimeoutError):
    """There was no connection in time."""


class BrokenReplyError(ConnectionError):
    """The server hung up, or what it sent is no HTTP."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds until a connection stands, until the whole reply is there, and how long nothing at all may move."""

    connect: float = 15.0
    whole: float | None = 300.0
    silence: float | None = None


class Response(NamedTuple):
    """A whole reply; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class _Place(NamedTuple):
    """Where connections go to; those to the same place are exchangeable."""

    host: str
    port: int
    secure: bool


class _Address(NamedTuple):
    """A URL taken apart: its place, the path with the query, and the head lines that follow from it."""

    place: _Place
    target: str
    head: str
    host: str


@lru_cache(maxsize=256)
def _address(url: str) -> _Address:
    try:
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        usual = 443 if secure else 80
        place = _Place(parts.hostname or "", parts.port or usual, secure)
        host = f"[{place.host}]" if ":" in place.host else place.host.encode("idna").decode()
    except ValueError as error:
        raise SetupError(f"{url[:200]}: no address of a web server: {error}") from None
    if not host or parts.scheme not in ("http", "https"):
        raise SetupError(f"{url[:200]}: no address of a web server; http://… or https://… is needed")
    host += "" if place.port == usual else f":{place.port}"
    head = f"host: {host}\r\nuser-agent: adjudge/{__version__}\r\naccept: */*\r\naccept-encoding: identity\r\n"
    if parts.username is not None:
        named = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        head += f"authorization: Basic {b64encode(named).decode()}\r\n"
    target = quote(parts.path or "/", safe=_GIVEN_IN_PATHS)
    if parts.query:
        target += "?" + quote(parts.query, safe=_GIVEN_IN_PATHS + "?")
    return _Address(place, target, head, host)


class _Connection(asyncio.Protocol):
    """One connection; it has at most one request under way."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.idle_since = 0.0
        self.proxy: Proxy | None = None
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._parser = httptools.HttpResponseParser(self)
        self._waiting: asyncio.Future[Response] | None = None
        self._begin()

    def _begin(self) -> None:
        self._headers: dict[str, str] = {}
        self._header_bytes = 0
        self._parts: list[bytes] = []
        self._until_closed = False

    @property
    def usable(self) -> bool:
        """Can another request go over it?"""
        return not self.transport.is_closing() and not self.transport.get_write_buffer_size()

    async def ask(self, request: bytes, timeouts: Timeouts) -> Response:
        """Send a request, and wait for the whole reply."""
        waiting: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._waiting = waiting
        self.transport.write(request)
        limit = timeouts.silence if timeouts.whole is None else timeouts.whole
        watch = None if limit is None else _Watch(self, waiting, limit, whole=timeouts.whole is not None)
        try:
            return await waiting
        except BaseException:
            # A reply that comes later would be taken for the next request's.
            self.transport.abort()
            raise
        finally:
            self._waiting = None
            if watch is not None:
                watch.end()

    @property
    def moved(self) -> tuple[int, int]:
        """Something that changes while anything is still sent or received."""
        return self.transport.get_write_buffer_size(), len(self._parts)

    # -- what the transport tells -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self._waiting is None or self._waiting.done():
            self.transport.abort()  # nobody asked
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(BrokenReplyError(f"the reply is no HTTP: {error}"))

    def connection_lost(self, error: Exception | None) -> None:
        if self._until_closed and error is None:
            self._complete(False)
        self._fail(error or BrokenReplyError("the server closed the connection before its reply was complete"))
        if not self.lost.done():
            self.lost.set_result(None)

    # -- what the parser tells ----------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        if self._waiting is None or self._waiting.done():
            self.transport.abort()  # more than was asked for: what follows can be no reply of ours

    def on_header(self, name: bytes, value: bytes) -> None:
        key, text = name.decode("latin-1").lower(), value.decode("utf-8", "replace")
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > _MOST_HEADER_BYTES:
            raise ValueError("its head is too long")
        self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        self._until_closed = "content-length" not in self._headers and "transfer-encoding" not in self._headers

    def on_body(self, body: bytes) -> None:
        self._parts.append(body)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:
            self._begin()  # "continue", or "early hints": the reply itself follows
        else:
            self._complete(self._parser.should_keep_alive())

    # -- the end ------------------------------------------------------------------------------------------------------

    def _complete(self, keep: bool) -> None:
        status, headers, content = self._parser.get_status_code(), self._headers, b"".join(self._parts)
        self._begin()
        if not keep:
            self.transport.close()
        if "content-encoding" in headers:
            try:
                content = _unpacked(content, headers["content-encoding"])
            except (zlib.error, ValueError) as error:
                self._fail(BrokenReplyError(f"the reply cannot be unpacked: {error}"))
                return
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(Response(status, headers, content))

    def _fail(self, error: Exception) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)


class _Watch:
    """Ends a request that takes too long as a whole, or in which nothing moves."""

    __slots__ = ("_connection", "_limit", "_seen", "_timer", "_waiting", "_whole")

    def __init__(
        self, connection: _Connection, waiting: asyncio.Future[Response], limit: float, *, whole: bool
    ) -> None:
        self._connection, self._waiting, self._limit, self._whole = connection, waiting, limit, whole
        self._seen: object = None
        self._timer = waiting.get_loop().call_later(limit, self._look)

    def _look(self) -> None:
        moved = None if self._whole else self._connection.moved
        if moved != self._seen:
            self._seen = moved
            self._timer = self._waiting.get_loop().call_later(self._limit, self._look)
        elif not self._waiting.done():
            self._waiting.set_exception(TimeoutError())

    def end(self) -> None:
        self._timer.cancel()


@dataclass(slots=True)
class Connections:
    """The open connections of one event loop."""

    _idle: dict[_Place, list[_Connection]] = field(default_factory=dict)
    _all: set[_Connection] = field(default_factory=set)
    _security: ssl.SSLContext | None = None

    async def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        params: Mapping[str, str] | None = None,
        timeouts: Timeouts = Timeouts(),
    ) -> Response:
        """One request over an idle connection, or a new one."""
        place, target, head, host = _address(url)
        if params:
            target += ("&" if "?" in target else "?") + urlencode(params)
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        if lines.count("\n") != len(headers) or lines.count("\r") != len(headers) or "\0" in lines:
            raise SetupError(f"{url}: {_bad_header(headers)}: a header, such as a key, must be one line of text")
        length = f"content-length: {len(body)}\r\n" if body or method == "POST" else ""
        connection = self._take(place) or await self._open(place, timeouts.connect)
        if connection.proxy is not None and not place.secure:
            # To such a proxy the whole address is told, and who asks; for all others it is only a pipe.
            target, head = f"http://{host}{target}", head + connection.proxy.authorization
        request = f"{method} {target} HTTP/1.1\r\n{head}{lines}{length}\r\n".encode() + body
        try:
            return await connection.ask(request, timeouts)
        finally:
            self._give_back(place, connection)

    def _take(self, place: _Place) -> _Connection | None:
        idle = self._idle.get(place)
        stale = asyncio.get_running_loop().time() - _IDLE_SECONDS
        while idle:
            connection = idle.pop()
            if connection.usable and connection.idle_since > stale:
                return connection
            connection.transport.abort()
        return None

    def _give_back(self, place: _Place, connection: _Connection) -> None:
        if connection.usable:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.setdefault(place, []).append(connection)
        else:
            connection.transport.abort()

    async def _open(self, place: _Place, seconds: float) -> _Connection:
        proxy = proxy_for(place.host, place.port, secure=place.secure)
        try:
            async with asyncio.timeout(seconds):
                if proxy is None:
                    connection = await self._connect(_Connection, place)
                else:
                    connection = await self._connect_through(proxy, place)
        except TimeoutError:
            raise ConnectTimeoutError from None
        self._all.add(connection)
        connection.lost.add_done_callback(lambda _: self._all.discard(connection))
        return connection

    async def _connect(self, protocol: Callable[[], P], place: _Place) -> P:
        _, connected = await asyncio.get_running_loop().create_connection(
            protocol,
            place.host,
            place.port,
            ssl=self._certificates() if place.secure else None,
            happy_eyeballs_delay=0.25,
        )
        return connected

    async def _connect_through(self, proxy: Proxy, place: _Place) -> _Connection:
        where = _Place(proxy.host, proxy.port, proxy.secure)
        if not place.secure:
            connection = await self._connect(_Connection, where)
            connection.proxy = proxy
            return connection
        tunnel = await self._connect(lambda: Tunnel(proxy, place.host, place.port), where)
        try:
            await tunnel.open
            connection = _Connection()
            inner = await asyncio.get_running_loop().start_tls(
                tunnel.transport, connection, self._certificates(), server_hostname=place.host
            )
            assert inner is not None
            connection.connection_made(inner)
        except BaseException:
            tunnel.transport.abort()
            raise
        connection.proxy = proxy
        return connection

    def _certificates(self) -> ssl.SSLContext:
        if self._security is None:
            self._security = ssl.create_default_context()
            self._security.set_alpn_protocols(["http/1.1"])
        return self._security

    async def close(self) -> None:
        """Close all; what is under way on them fails."""
        self._idle.clear()
        for connection in self._all:
            connection.transport.abort()
        await asyncio.gather(*(connection.lost for connection in self._all))


def _unpacked(content: bytes, encoding: str) -> bytes:
    for name in reversed(encoding.lower().split(",")):
        if name.strip() in ("gzip", "x-gzip", "deflate"):
            # It is said to be packed in one of two ways; which, its beginning tells.
            content = zlib.decompress(content, wbits=zlib.MAX_WBITS | 32)
        elif name.strip() != "identity":
            raise ValueError(f"it is encoded as {name.strip()[:40]!r}, which was not asked for")
    return content


def _bad_header(headers: Mapping[str, str]) -> str:
    return next(name for name, value in headers.items() if _NOT_IN_HEADERS & set(name + value)) or "a header"
