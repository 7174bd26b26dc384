"""The proxy that the environment names (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`), and the way through it.

This machine itself is never asked for through a proxy: a local model stays local.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from ...errors import SetupError
from .heads import basic, host_name

_PORTS = {"http": 80, "https": 443}
_LONGEST_ANSWER = 16 * 1024


class Proxy(NamedTuple):
    """A proxy, and the head line that says who asks it."""

    host: str
    port: int
    secure: bool
    authorization: str


def proxy_for(host: str, port: int, *, secure: bool) -> Proxy | None:
    """The proxy through which this place is reached; None: straight."""
    if not any(name.lower().endswith("_proxy") for name in os.environ) or _is_here(host):
        return None
    # It reads the variables as all of Python does, exceptions included; most have none of them, and need not load it.
    from urllib.request import getproxies_environment, proxy_bypass

    named = getproxies_environment()
    url = named.get("https" if secure else "http") or named.get("all")
    if not url or proxy_bypass(f"{host}:{port}"):
        return None
    return _read(url)


def _is_here(host: str) -> bool:
    """Is it this machine, by whichever of its names?"""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost") or name == socket.gethostname().lower():
        return True
    from ipaddress import IPv6Address, ip_address

    try:
        address = ip_address(name)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_unspecified


def _read(url: str) -> Proxy:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        parts, port = urlsplit("none://"), 0
    if not parts.hostname or parts.scheme not in _PORTS:
        shown = re.sub("//.*@", "//", url)[:100]
        raise SetupError(f"the proxy {shown!r} of the environment: http://host:port or https://host:port is needed")
    authorization = f"proxy-authorization: {known}\r\n" if (known := basic(parts)) else ""
    return Proxy(parts.hostname, port, parts.scheme == "https", authorization)


class Tunnel(asyncio.Protocol):
    """Asks a proxy to pass everything on to a host, and waits until it says that it will."""

    transport: asyncio.Transport

    def __init__(self, proxy: Proxy, host: str, port: int) -> None:
        self._proxy = proxy
        to = f"{host_name(host)}:{port}"
        self._request = f"CONNECT {to} HTTP/1.1\r\nhost: {to}\r\n{proxy.authorization}\r\n".encode()
        self._answer = b""
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._answer += data
        if self.open.done():
            return
        if b"\r\n\r\n" in self._answer:
            status = self._answer.split(b"\r\n", 1)[0].decode("latin-1")[:80]
            if status.split(" ")[1:2] == ["200"]:
                self.open.set_result(None)
            else:
                self._fail(f"answered {status!r}")
        elif len(self._answer) > _LONGEST_ANSWER:
            self._fail("does not come to an end")

    def connection_lost(self, error: Exception | None) -> None:
        if not self.open.done():
            self._fail("hung up")

    def _fail(self, why: str) -> None:
        self.open.set_exception(ConnectionError(f"the proxy {self._proxy.host}:{self._proxy.port} {why}"))
        self.transport.abort()
