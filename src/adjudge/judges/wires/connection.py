"""One connection to a server: a request goes out, and the whole reply comes in.

httptools parses; here is what becomes of the pieces, and how long they may take.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import httptools

from .proxies import Proxy

_MOST_HEADER_BYTES = 64 * 1024
_PIECE = 256 * 1024
_EARLY = 0.001  # seconds: a timer may be a little before its time


class ConnectTimeoutError(TimeoutError):
    """There was no connection in time."""


class SilenceError(TimeoutError):
    """Nothing was sent or received for too long."""


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


class Connection(asyncio.Protocol):
    """One connection; it has at most one request under way."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.idle_since = 0.0
        self.proxy: Proxy | None = None
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._parser = httptools.HttpResponseParser(self)
        # Whatever a server's lines end with, they can be read; nobody stands between it and us who reads otherwise.
        self._parser.set_dangerous_leniencies(lenient_headers=True, lenient_optional_cr_before_lf=True)
        self._waiting: asyncio.Future[Response] | None = None
        self._room: asyncio.Future[None] | None = None
        self._given_up = False
        self._watch = _Watch(self)
        self.moves = 0
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
        limit = timeouts.silence if timeouts.whole is None else timeouts.whole
        if limit is not None:
            self._watch.begin(waiting, limit, whole=timeouts.whole is not None)
        try:
            if len(request) <= _PIECE:
                self.transport.write(request)
            else:
                await self._send(request, waiting)
            return await waiting
        except BaseException:
            # A reply that comes later would be taken for the next request's.
            self.give_up()
            raise
        finally:
            self._waiting = None
            self._watch.end()

    async def _send(self, request: bytes, waiting: asyncio.Future[Response]) -> None:
        """Send piece by piece, as they are taken, so that it can be seen whether anything moves."""
        pieces = memoryview(request)
        for at in range(0, len(pieces), _PIECE):
            if self._room is not None:
                await asyncio.wait((self._room, waiting), return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                return  # an answer before the end, or none any more
            self.transport.write(pieces[at : at + _PIECE])
            self.moves += 1

    def give_up(self) -> None:
        """End it at once; what is under way on it has failed."""
        self._given_up = True
        self.transport.abort()

    # -- what the transport tells -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def pause_writing(self) -> None:
        self._room = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None

    def data_received(self, data: bytes) -> None:
        self.moves += 1
        if self._waiting is None or self._waiting.done():
            self.transport.abort()  # nobody asked
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(BrokenReplyError("the server wants to speak another protocol"))
        except httptools.HttpParserError as error:
            self._fail(BrokenReplyError(f"the reply is no HTTP: {error.__context__ or error}"))

    def connection_lost(self, error: Exception | None) -> None:
        self.resume_writing()
        self._watch.close()
        if self._until_closed and error is None and not self._given_up:
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
            except zlib.error as error:
                self._fail(BrokenReplyError(f"the reply cannot be unpacked: {error}"))
                return
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(Response(status, headers, content))

    def _fail(self, error: Exception) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)


class _Watch:
    """Ends a request that takes too long as a whole, or in which nothing moves.

    Its timer outlives the request, which nearly always ends long before it: one that finds a later request goes on
    until that one is due. So a connection sets a timer every few minutes, and not for each of a thousand requests.
    """

    __slots__ = ("_connection", "_due", "_limit", "_loop", "_seen", "_timer", "_waiting", "_whole")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Future[Response] | None = None

    def begin(self, waiting: asyncio.Future[Response], limit: float, *, whole: bool) -> None:
        self._waiting, self._limit, self._whole = waiting, limit, whole
        self._seen: object = None
        self._due = self._loop.time() + limit
        if self._timer is None or self._timer.when() > self._due:
            self._set()

    def _set(self) -> None:
        self.close()
        self._timer = self._loop.call_at(self._due, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._waiting is None or self._waiting.done():
            return
        now, moved = self._loop.time(), None if self._whole else self._connection.moves
        if self._due - now > _EARLY:
            self._set()
        elif moved != self._seen:
            self._seen, self._due = moved, now + self._limit
            self._set()
        else:
            self._waiting.set_exception(TimeoutError() if self._whole else SilenceError())

    def end(self) -> None:
        self._waiting = None

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _unpacked(content: bytes, encoding: str) -> bytes:
    """The content as it was before it was packed; a name that is no way of packing changes nothing."""
    for name in reversed(encoding.lower().split(",")):
        if content and name.strip() in ("gzip", "x-gzip", "deflate"):
            # Its beginning tells which of two ways it was; the third, which has no beginning, is tried last.
            try:
                content = zlib.decompress(content, wbits=zlib.MAX_WBITS | 32)
            except zlib.error:
                content = zlib.decompress(content, wbits=-zlib.MAX_WBITS)
    return content
