"""Requests through a proxy: a real one, as small as can be, between the client and a real server."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
from scripted.raw_server import OK, Bytes
from yarl import URL

from adjudge.errors import SetupError
from adjudge.llm.client import RequestError, proxy_for

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


class Passing(Bytes):
    """A proxy that takes every host for the server behind it; `answer` is what it says to CONNECT."""

    def __init__(self, server, answer=b"HTTP/1.1 200 Connection established\r\n\r\n"):
        super().__init__()
        self.server, self.answer = server, answer

    async def serve(self, reader, writer):
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


async def _pump(source, sink):
    while data := await source.read(65536):
        sink.write(data)
        await sink.drain()
    sink.close()


@asynccontextmanager
async def both(server, proxy, security=None):
    async with server.running(security), proxy.running() as opened:
        yield opened


def address(proxy, user=""):
    return f"http://{user}{proxy.url.split('/')[2]}"


async def test_a_plain_request_names_the_whole_address_to_the_proxy(monkeypatch):
    server = Bytes(OK, OK)
    proxy = Passing(server)
    async with both(server, proxy) as client:
        monkeypatch.setenv("http_proxy", address(proxy, "me:secret@"))
        for _ in range(2):
            assert (await client.request("POST", "http://judge.example:8080/v1?x=1", {}, b"q")).content == b"fine"
    assert proxy.requests[0].startswith(b"POST http://judge.example:8080/v1?x=1 HTTP/1.1\r\n")
    assert b"\r\nhost: judge.example:8080\r\n" in proxy.requests[0].lower()
    assert b"\r\nproxy-authorization: basic bwu6c2vjcmv0\r\n" in proxy.requests[0].lower()
    assert (proxy.accepted, len(server.requests)) == (1, 2)


async def test_a_secure_request_goes_through_a_tunnel(monkeypatch, secured):
    server = Bytes(OK, OK)
    proxy = Passing(server)
    async with both(server, proxy, secured("judge.example")) as client:
        monkeypatch.setenv("HTTPS_PROXY", address(proxy, "me:secret@"))
        for _ in range(2):
            headers = {"authorization": "Bearer k"}
            assert (await client.request("POST", "https://judge.example/v1", headers, b"q" * 99_000)).content == b"fine"
    (connect,) = proxy.requests
    assert connect.startswith(b"CONNECT judge.example:443 HTTP/1.1\r\n")
    assert b"\r\nproxy-authorization: basic bwu6c2vjcmv0\r\n" in connect.lower()
    assert b"Bearer" not in connect
    assert server.requests[0].startswith(b"POST /v1 HTTP/1.1\r\n")
    assert all(b"proxy-authorization" not in request.lower() for request in server.requests)


@pytest.mark.parametrize(("answer", "says"), [
    (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "407 Proxy Authentication Required"),
    (b"HTTP/1.1 503 No\r\n\r\n", "503 No"),
    (b"nonsense\r\n\r\n", ""),
])  # fmt: skip
async def test_a_proxy_that_refuses_is_a_connection_error(monkeypatch, answer, says):
    server = Bytes()
    proxy = Passing(server, answer)
    async with both(server, proxy) as client:
        monkeypatch.setenv("https_proxy", address(proxy))
        with pytest.raises(RequestError, match=f"the proxy 127.0.0.1:.*{says}" if says else "not HTTP"):
            await client.request("GET", "https://judge.example/", {})


async def test_this_machine_is_reached_without_the_proxy(monkeypatch):
    server = Bytes(OK)
    proxy = Passing(server)
    async with both(server, proxy) as client:
        monkeypatch.setenv("http_proxy", address(proxy))
        assert (await client.request("GET", server.url, {})).content == b"fine"
    assert proxy.accepted == 0


P, THERE = {"https_proxy": "http://p"}, "https://judge.example"
HERE = ["localhost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "LOCALHOST.",
        "model.localhost", socket.gethostname()]  # fmt: skip


NAMED = [
    ({}, THERE, None), ({"https_proxy": "http://p:8080"}, THERE, "http://p:8080"), (P, "https://10.0.0.1", "http://p"),
    ({"HTTPS_PROXY": "p:8080"}, THERE, "http://p:8080"), ({"https_proxy": "https://p"}, THERE, "https://p"),
    ({"all_proxy": "http://p"}, THERE, "http://p"), (P, "http://judge.example", None),
    ({"https_proxy": ""}, THERE, None),
    ({"http_proxy": "http://p"}, "http://judge.example", "http://p"), (P | {"no_proxy": "judge.example"}, THERE, None),
    (P | {"no_proxy": ".example"}, THERE, None), (P | {"no_proxy": "judge.example:444"}, THERE, "http://p"),
    (P | {"no_proxy": "*"}, THERE, None), *((P, f"https://{host}", None) for host in HERE),
]  # fmt: skip


def test_the_environment_names_the_proxy_and_its_exceptions(monkeypatch):
    for variables, url, expected in NAMED:
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            assert proxy_for(URL(url)) == (URL(expected) if expected else None), (variables, url)


def test_a_proxy_that_cannot_be_used_is_said_without_its_password(monkeypatch):
    for url in ("socks5://p:1080", "http://", "http://p:x", "ftp://p"):
        monkeypatch.setenv("https_proxy", url.replace("://", "://me:secret@"))
        with pytest.raises(SetupError, match="http://host:port or https://host:port is needed") as refused:
            proxy_for(URL("https://judge.example/"))
        assert "secret" not in str(refused.value) and url.partition("//")[0] in str(refused.value)
