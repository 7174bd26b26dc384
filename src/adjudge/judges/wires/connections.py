"""HTTP/1.1 over connections that are kept open: what a call to a model needs and nothing more.

Every judgment goes through here, so it is made of a protocol, a parser in C and a pool; a client that can do all of
HTTP takes three times as long. Redirects are not followed and cookies are not kept.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from ...errors import SetupError
from ...version import __version__
from .addresses import Addresses
from .connection import Connection, ConnectTimeoutError, Response, Timeouts
from .heads import basic, header_lines, host_name
from .proxies import Proxy, Tunnel, proxy_for

P = TypeVar("P", bound=asyncio.Protocol)

_IDLE_SECONDS = 15.0  # servers close what is idle for longer, and a request may cross that on its way
_GIVEN_IN_PATHS = "/%:@!$&'()*+,;=~"


class _Place(NamedTuple):
    """Where connections go to; those to the same place are exchangeable."""

    host: str
    port: int
    secure: bool


class _Address(NamedTuple):
    """A URL taken apart: its place, the path with the query, the head lines that follow from it, and who asks."""

    place: _Place
    target: str
    head: str
    host: str
    user: str


@lru_cache(maxsize=256)
def _address(url: str) -> _Address:
    try:
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        usual = 443 if secure else 80
        place = _Place(parts.hostname or "", parts.port or usual, secure)
        host = host_name(place.host)
    except ValueError as error:
        raise SetupError(f"{url[:200]}: no address of a web server: {error}") from None
    if not host or parts.scheme not in ("http", "https"):
        raise SetupError(f"{url[:200]}: no address of a web server; http://… or https://… is needed")
    host += "" if place.port == usual else f":{place.port}"
    head = f"host: {host}\r\nuser-agent: adjudge/{__version__}\r\naccept: */*\r\naccept-encoding: identity\r\n"
    user = f"authorization: {known}\r\n" if (known := basic(parts)) else ""
    target = quote(parts.path or "/", safe=_GIVEN_IN_PATHS)
    if parts.query:
        target += "?" + quote(parts.query, safe=_GIVEN_IN_PATHS + "?")
    return _Address(place, target, head, host, user)


@dataclass(slots=True)
class Connections:
    """The open connections of one event loop."""

    _idle: dict[_Place, list[Connection]] = field(default_factory=dict)
    _all: set[Connection] = field(default_factory=set)
    _addresses: Addresses = field(default_factory=Addresses)
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
        place, target, head, host, user = _address(url)
        if params:
            target += ("&" if "?" in target else "?") + urlencode(params)
        try:
            lines = header_lines(headers)
        except ValueError as error:
            raise SetupError(f"{url}: {error}") from None
        if user and not any(name.lower() == "authorization" for name in headers):
            head += user
        length = f"content-length: {len(body)}\r\n" if body or method == "POST" else ""
        connection = self._take(place) or await self._open(place, timeouts.connect)
        if connection.proxy is not None and not place.secure:
            # To such a proxy the whole address is told, and who asks; for all others it is only a pipe.
            target, head = f"http://{host}{target}", head + connection.proxy.authorization
        try:
            request = f"{method} {target} HTTP/1.1\r\n{head}{lines}{length}\r\n".encode() + body
            return await connection.ask(request, timeouts)
        finally:
            self._give_back(place, connection)

    def _take(self, place: _Place) -> Connection | None:
        idle = self._idle.get(place)
        stale = asyncio.get_running_loop().time() - _IDLE_SECONDS
        while idle:
            connection = idle.pop()
            if connection.usable and connection.idle_since > stale:
                return connection
            connection.transport.abort()
        return None

    def _give_back(self, place: _Place, connection: Connection) -> None:
        if connection.usable:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.setdefault(place, []).append(connection)
        else:
            connection.transport.abort()

    async def _open(self, place: _Place, seconds: float) -> Connection:
        proxy = proxy_for(place.host, place.port, secure=place.secure)
        try:
            async with asyncio.timeout(seconds):
                if proxy is None:
                    connection = await self._connect(Connection, place)
                else:
                    connection = await self._connect_through(proxy, place)
        except TimeoutError:
            raise ConnectTimeoutError from None
        self._all.add(connection)
        connection.lost.add_done_callback(lambda _: self._all.discard(connection))
        return connection

    async def _connect(self, protocol: Callable[[], P], place: _Place) -> P:
        opened = await self._addresses.connect(place.host, place.port)
        try:
            _, connected = await asyncio.get_running_loop().create_connection(
                protocol,
                sock=opened,
                ssl=self._certificates() if place.secure else None,
                server_hostname=place.host if place.secure else None,
            )
        except BaseException:
            opened.close()
            raise
        return connected

    async def _connect_through(self, proxy: Proxy, place: _Place) -> Connection:
        where = _Place(proxy.host, proxy.port, proxy.secure)
        if not place.secure:
            connection = await self._connect(Connection, where)
            connection.proxy = proxy
            return connection
        tunnel = await self._connect(lambda: Tunnel(proxy, place.host, place.port), where)
        try:
            await tunnel.open
            connection = Connection()
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
            connection.give_up()
        await asyncio.gather(*(connection.lost for connection in self._all))
