"""An HTTP client on aiohttp: one session per event loop, and every request is limited in time and in size.

Redirects are not followed and cookies are not kept, so the case and the key go only to the server that was named. This
machine is never reached through a proxy, so the requests to a local model stay local.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import SetupError
from ..models.common import Reason
from ..redaction import redact
from ..version import __version__

# aiohttp takes a tenth of a second to import, so only the first request imports it.
if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from yarl import URL

_KEEP_ALIVE_SECONDS = 15.0  # many servers close idle connections soon after
_HEADER_BYTES = 16 * 1024  # for one line or field; aiohttp limits their number
_LARGE = 256 * 1024  # bodies from this size on are sent in pieces
# Python represents bytes of an environment variable that are not valid text as lone surrogates.
_NOT_IN_A_LINE = re.compile(r"[\r\n\0\ud800-\udfff]")


@dataclass(eq=False)
class RequestError(Exception):
    """An attempt without a reply. `attempts` is its number; `wait` is how many seconds the server asks to wait.

    `overloaded`: the server is overloaded. `counts`: whether this attempt counts against the allowed number.
    `final`: retrying this call cannot help. `for_all`: no other call to this provider would succeed either.
    `local`: no server is running at this address of our own machine.
    """

    reason: Reason
    message: str
    wait: float | None = None
    overloaded: bool = False
    counts: bool = True
    final: bool = False
    for_all: bool = False
    local: bool = False
    attempts: int = 1

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits in seconds: to connect, for the whole reply, and between its parts; and in bytes, compressed or not."""

    connect: float = 15.0
    total: float = 300.0
    idle: float | None = None
    reply_bytes: int = 8 * 2**20


class Response(NamedTuple):
    """A complete reply; header names are case-insensitive."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(slots=True)
class Client:
    """The sessions of one caller, one per event loop, opened at its first request; and a cache of routes by URL."""

    _sessions: dict[asyncio.AbstractEventLoop, ClientSession] = field(default_factory=dict)
    _routes: dict[str, tuple[URL, URL | None, bool]] = field(default_factory=dict)

    async def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        params: Mapping[str, str] | None = None,
        bounds: Bounds = Bounds(),
    ) -> Response:
        """Send one request and read the complete reply."""
        import aiohttp

        for name, value in headers.items():
            if _NOT_IN_A_LINE.search(name + value):
                raise SetupError(f"{url}: {name[:40]!a}: a header, such as a key, must be one line of text")
        address, proxy, local = self._routes.get(url) or self._routes.setdefault(url, _route(url))
        session = await self._session()
        try:
            async with session.request(
                method,
                address,
                params=params,
                data=(BytesIO(body) if len(body) > _LARGE else body) or None,
                headers=headers,
                proxy=proxy,
                timeout=aiohttp.ClientTimeout(total=bounds.total, connect=bounds.connect, sock_read=bounds.idle),
                allow_redirects=False,
            ) as response:
                return Response(response.status, response.headers, await _read(response, bounds.reply_bytes))
        except aiohttp.InvalidURL:
            raise _no_address(url) from None
        except aiohttp.ClientHttpProxyError as error:
            where = f"{proxy.host}:{proxy.port}" if proxy is not None else ""
            raise RequestError("connection", f"the proxy {where} answered {error.status} {error.message}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise _no_reply(error, bounds, local) from None

    async def close(self) -> None:
        """Close the session of the running event loop; its requests in flight fail."""
        await self._close_ended(asyncio.get_running_loop())

    async def _session(self) -> ClientSession:
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None:
            # Store it before anything is awaited, so that concurrent first requests share it.
            session = self._sessions[loop] = _open_session()
            await self._close_ended()
        return session

    async def _close_ended(self, ending: asyncio.AbstractEventLoop | None = None) -> None:
        # A judge may outlive an event loop (one `asyncio.run` per call). Other threads may add sessions, so use a copy.
        for loop in list(self._sessions):
            if (loop is ending or loop.is_closed()) and (session := self._sessions.pop(loop, None)) is not None:
                await session.close()


def _open_session() -> ClientSession:
    import aiohttp

    class Connector(aiohttp.TCPConnector):
        """Never reuses a connection that received unrequested bytes: they would be taken for the next reply."""

        async def _get(self, key: Any, traces: Any) -> Any:
            connection: Any = await super()._get(key, traces)
            while connection is not None and connection.protocol.should_close:
                connection.close()
                connection = await super()._get(key, traces)
            return connection

    return aiohttp.ClientSession(
        # No limit here, because the rate limiter limits the number of connections.
        connector=Connector(limit=0, keepalive_timeout=_KEEP_ALIVE_SECONDS),
        headers={"user-agent": f"adjudge/{__version__}", "accept": "*/*", "accept-encoding": "identity"},
        skip_auto_headers=("content-type",),
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=_HEADER_BYTES,
        max_field_size=_HEADER_BYTES,
    )


async def _read(response: ClientResponse, limit: int) -> bytes:
    """Read the content. aiohttp decompresses it in pieces, so a small compressed reply cannot fill the memory."""
    if "," in response.headers.get("content-encoding", ""):
        raise RequestError("malformed", "the reply is compressed more than once", final=True)
    parts: list[bytes] = []
    size = response.content_length or 0
    if size <= limit:
        size = 0
        async for part in response.content.iter_any():
            size += len(part)
            if max(size, response.content.total_raw_bytes) > limit:
                break
            parts.append(part)
        else:
            return b"".join(parts)
    raise RequestError("malformed", f"the reply is larger than {limit // 2**20} MB", final=True)


def _no_reply(error: Exception, bounds: Bounds, local: bool) -> RequestError:
    """Build the error that says why no complete reply came, in the operating system's words where it has any."""
    import aiohttp

    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return RequestError("timeout", f"no connection within {bounds.connect:g} s")
    if isinstance(error, TimeoutError):
        return RequestError("timeout", f"no reply within {bounds.idle or bounds.total:g} s")
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return RequestError("connection", f"its certificate is not accepted: {error.certificate_error}")
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, socket.gaierror):
        return RequestError("connection", "unknown host", local=local)
    known = os.strerror(cause.errno).lower() if isinstance(cause, OSError) and cause.errno else ""
    if isinstance(error, aiohttp.ClientConnectorError):
        if isinstance(cause, ssl.SSLError):
            known = f"TLS failed: {str(cause.reason or 'no reason given').lower().replace('_', ' ')}"
        refused = isinstance(cause, ConnectionRefusedError)
        return RequestError("connection", known or "no connection", local=local and refused)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        found = "the server closed the connection before its reply was complete"
    elif isinstance(error, aiohttp.ClientPayloadError):
        found = "the reply is incomplete or cannot be decompressed"
    elif isinstance(error, aiohttp.ClientResponseError):
        found = f"the reply is not HTTP: {error.message}"
    else:
        found = f"the connection broke{known and f' ({known})'}"
    return RequestError("connection", found)


def _route(url: str) -> tuple[URL, URL | None, bool]:
    """Return the parsed URL, the proxy for it, and whether it is on this machine. Raise SetupError for a bad URL."""
    from yarl import URL

    try:
        address = URL(url)
        if address.scheme not in ("http", "https") or not address.host or _NOT_IN_A_LINE.search(address.host):
            raise ValueError
        if address.user is not None or address.password is not None:
            raise ValueError
    except ValueError:
        raise _no_address(url) from None
    return address, proxy_for(address), _is_this_machine(address.host)


def _no_address(url: str) -> SetupError:
    needed = "http://… or https://… without user and password is needed"
    return SetupError(f"{redact(url)[:200]}: not the address of a web server; {needed}")


def proxy_for(address: URL) -> URL | None:
    """Return the proxy that the environment sets for this address (`https_proxy`, `all_proxy`, `no_proxy`, …), or None.

    aiohttp's `trust_env` would use a proxy even for this machine, ignore `all_proxy`, and send `~/.netrc` passwords.
    """
    if _is_this_machine(address.host or ""):
        return None
    from urllib.request import getproxies_environment, proxy_bypass

    from yarl import URL

    named = getproxies_environment()
    found = named.get(address.scheme) or named.get("all")
    if not found or proxy_bypass(f"{address.host}:{address.port}"):
        return None
    try:
        proxy = URL(found if "://" in found else f"http://{found}")
        if proxy.scheme not in ("http", "https") or not proxy.host or not proxy.port:
            raise ValueError
    except ValueError:
        shown = re.sub("//.*@", "//", found)[:100]
        needed = "http://host:port or https://host:port is needed"
        raise SetupError(f"the proxy {shown!r} from the environment: {needed}") from None
    return proxy


def _is_this_machine(host: str) -> bool:
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost") or name == socket.gethostname().lower():
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_unspecified
