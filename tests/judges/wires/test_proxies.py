"""Calls through a proxy: a real one, as small as can be, between the client and a real server."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trustme
from scripted.raw_server import OK, Bytes

from adjudge.errors import SetupError
from adjudge.judges.wires.connections import Connections
from adjudge.judges.wires.proxies import Proxy, proxy_for

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


class Passing(Bytes):
    """A proxy that takes every host for the server behind it; `answer` is what it says to CONNECT."""

    def __init__(self, server: Bytes, answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n") -> None:
        super().__init__()
        self.server, self.answer = server, answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.requests.append(head)
        behind, there = await asyncio.open_connection("127.0.0.1", int(self.server.url.split(":")[2].split("/")[0]))
        try:
            if head.startswith(b"CONNECT"):
                writer.write(self.answer)
            else:
                there.write(head)
            await asyncio.gather(_pump(reader, there), _pump(behind, writer))
        finally:
            there.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        sink.write(data)
        await sink.drain()
    sink.close()


@asynccontextmanager
async def both(server: Bytes, proxy: Passing, security: ssl.SSLContext | None = None) -> AsyncIterator[Connections]:
    async with server.running(security), proxy.running() as opened:
        yield opened


def address(proxy: Bytes, user: str = "") -> str:
    return f"http://{user}{proxy.url.split('/')[2]}"


async def test_a_plain_call_tells_the_proxy_the_whole_address(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Bytes(OK, OK)
    proxy = Passing(server)
    async with both(server, proxy) as opened:
        monkeypatch.setenv("http_proxy", address(proxy, "me:secret@"))
        for _ in range(2):
            assert (await opened.request("POST", "http://judge.example:8080/v1?x=1", {}, b"q")).content == b"fine"
    assert proxy.requests[0].startswith(
        b"POST http://judge.example:8080/v1?x=1 HTTP/1.1\r\nhost: judge.example:8080\r\n"
    )
    assert b"\r\nproxy-authorization: Basic bWU6c2VjcmV0\r\n" in proxy.requests[0]
    assert (proxy.accepted, len(server.requests)) == (1, 2)


async def test_a_secure_call_goes_through_a_tunnel_that_the_proxy_cannot_look_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    authority = trustme.CA()
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
    security = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("judge.example").configure_cert(security)
    server = Bytes(OK, OK)
    proxy = Passing(server)
    async with both(server, proxy, security) as opened:
        monkeypatch.setenv("HTTPS_PROXY", address(proxy, "me:secret@"))
        for _ in range(2):
            reply = await opened.request(
                "POST", "https://judge.example/v1", {"authorization": "Bearer k"}, b"q" * 99_000
            )
            assert reply.content == b"fine"
    connect = b"CONNECT judge.example:443 HTTP/1.1\r\nhost: judge.example:443\r\n"
    assert proxy.requests == [connect + b"proxy-authorization: Basic bWU6c2VjcmV0\r\n\r\n"]
    assert server.requests[0].startswith(b"POST /v1 HTTP/1.1\r\nhost: judge.example\r\n")
    assert all(b"proxy-authorization" not in request for request in server.requests)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "407 Proxy Authentication Required"),
        (b"HTTP/1.1 503 No\r\n\r\n", "503 No"),
        (b"x" * 20_000, "does not come to an end"),
        (b"nonsense\r\n\r\n", "nonsense"),
    ],
)
async def test_a_proxy_that_does_not_let_through_is_named(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, says: str
) -> None:
    server = Bytes()
    proxy = Passing(server, answer)
    async with both(server, proxy) as opened:
        monkeypatch.setenv("https_proxy", address(proxy))
        with pytest.raises(ConnectionError, match=f"the proxy 127.0.0.1:.*{says}"):
            await opened.request("GET", "https://judge.example/", {})


@pytest.mark.parametrize(
    ("variables", "host", "secure", "expected"),
    [
        ({}, "judge.example", True, None),
        ({"https_proxy": "http://p:8080"}, "judge.example", True, Proxy("p", 8080, False, "")),
        ({"HTTPS_PROXY": "p:8080"}, "judge.example", True, Proxy("p", 8080, False, "")),
        ({"https_proxy": "https://p"}, "judge.example", True, Proxy("p", 443, True, "")),
        ({"all_proxy": "http://p"}, "judge.example", True, Proxy("p", 80, False, "")),
        ({"https_proxy": "http://p"}, "judge.example", False, None),
        ({"http_proxy": "http://p"}, "judge.example", False, Proxy("p", 80, False, "")),
        ({"https_proxy": "http://p", "no_proxy": "judge.example"}, "judge.example", True, None),
        ({"https_proxy": "http://p", "no_proxy": ".example"}, "judge.example", True, None),
        (
            {"https_proxy": "http://p", "no_proxy": "judge.example:444"},
            "judge.example",
            True,
            Proxy("p", 80, False, ""),
        ),
        ({"https_proxy": "http://p", "no_proxy": "*"}, "judge.example", True, None),
        ({"https_proxy": "http://p"}, "localhost", True, None),
        ({"https_proxy": "http://p"}, "127.0.0.1", True, None),
        ({"https_proxy": "http://p"}, "::1", True, None),
        ({"https_proxy": "http://p"}, "0:0:0:0:0:0:0:1", True, None),
        ({"https_proxy": "http://p"}, "::ffff:127.0.0.1", True, None),
        ({"https_proxy": "http://p"}, "0.0.0.0", True, None),
        ({"https_proxy": "http://p"}, "::", True, None),
        ({"https_proxy": "http://p"}, "model.localhost", True, None),
        ({"https_proxy": "http://p"}, "LOCALHOST.", True, None),
        ({"https_proxy": "http://p"}, "10.0.0.1", True, Proxy("p", 80, False, "")),
        ({"https_proxy": "http://p"}, socket.gethostname(), True, None),
        ({"https_proxy": ""}, "judge.example", True, None),
    ],
)
def test_the_environment_names_the_proxy_and_its_exceptions(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], host: str, secure: bool, expected: Proxy | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(host, 443, secure=secure) == expected


@pytest.mark.parametrize("url", ["socks5://p:1080", "http://", "http://p:x", "ftp://p"])
def test_a_proxy_that_cannot_be_used_is_said_without_its_password(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("https_proxy", url.replace("://", "://me:secret@"))
    with pytest.raises(SetupError, match="http://host:port or https://host:port is needed") as refused:
        proxy_for("judge.example", 443, secure=True)
    assert "secret" not in str(refused.value)
    assert url.partition("//")[0] in str(refused.value)
