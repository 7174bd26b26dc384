"""The HTTP client when things go wrong, and over TLS."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable

import pytest
import trustme
from scripted.raw_server import OK, Bytes, packed

from adjudge.judges.wires.connections import BrokenReplyError, Connections, ConnectTimeoutError, Timeouts


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        ([], "closed the connection"),
        ([b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nfine"], "closed the connection"),
        ([b"SMTP ready\r\n\r\n"], "no HTTP"),
        ([b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000 + b"\r\ncontent-length: 0\r\n\r\n"], "no HTTP"),
        ([packed(b"not packed", "gzip")], "cannot be unpacked"),
        ([packed(b"fine", "br")], "cannot be unpacked"),
    ],
    ids=["nothing", "half a reply", "another protocol", "an endless head", "bad gzip", "unknown packing"],
)
async def test_a_broken_reply_is_an_error_that_says_why(pieces: list[bytes], says: str) -> None:
    class Then(Bytes):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"".join(pieces))

    server = Then()
    async with server.running() as opened:
        with pytest.raises(BrokenReplyError, match=says):
            await opened.request("GET", server.url, {})


async def test_nobody_there_is_a_refused_connection() -> None:
    server = Bytes()
    async with server.running():
        url = server.url
    with pytest.raises(ConnectionRefusedError):
        await Connections().request("GET", url, {})


async def test_no_connection_in_time_is_said_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", never)
    with pytest.raises(ConnectTimeoutError):
        await Connections().request("GET", "http://127.0.0.1:9/", {}, timeouts=Timeouts(connect=0.02))


async def test_the_whole_reply_must_be_there_in_time() -> None:
    server = Bytes(0.5, OK)
    async with server.running() as opened:
        with pytest.raises(TimeoutError):
            await opened.request("GET", server.url, {}, timeouts=Timeouts(whole=0.05))


@pytest.mark.parametrize(("pause", "arrives"), [(0.04, True), (0.5, False)])
async def test_silence_ends_a_request_only_if_nothing_moves(pause: float, arrives: bool) -> None:
    class Slow(Bytes):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n")
            for letter in b"patience":
                writer.write(bytes([letter]))
                await writer.drain()
                await asyncio.sleep(pause)

    server = Slow()
    patient = Timeouts(whole=None, silence=0.15)
    async with server.running() as opened:
        asked = opened.request("GET", server.url, {}, timeouts=patient)
        if arrives:
            assert (await asked).content == b"patience"
        else:
            with pytest.raises(TimeoutError):
                await asked


async def test_closing_ends_what_is_under_way() -> None:
    server = Bytes(5.0, OK)
    async with server.running() as opened:
        asked = asyncio.create_task(opened.request("GET", server.url, {}))
        await asyncio.sleep(0.03)
        await opened.close()
        with pytest.raises(BrokenReplyError):
            await asked


# -- over TLS ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


Trust = Callable[[trustme.CA], None]


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> Trust:
    def trust(known: trustme.CA) -> None:
        made = ssl.create_default_context()
        known.configure_trust(made)
        monkeypatch.setattr(ssl, "create_default_context", lambda: made)

    return trust


def secured(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


async def test_calls_go_over_tls_and_share_its_connections(authority: trustme.CA, trusted: Trust) -> None:
    trusted(authority)
    server = Bytes(*[OK] * 3)
    async with server.running(secured(authority, "127.0.0.1")) as opened:
        for _ in range(3):
            assert (await opened.request("POST", server.url, {}, b"q" * 300_000)).content == b"fine"
    assert server.accepted == 1


@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_a_certificate_for_another_name_is_refused(authority: trustme.CA, trusted: Trust) -> None:
    trusted(authority)
    server = Bytes(OK)
    async with server.running(secured(authority, "elsewhere.example")) as opened:
        with pytest.raises(ssl.SSLCertVerificationError):
            await opened.request("GET", server.url, {})
    assert not server.requests


@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_a_certificate_that_nobody_vouches_for_is_refused(authority: trustme.CA) -> None:
    server = Bytes(OK)
    async with server.running(secured(authority, "127.0.0.1")) as opened:
        with pytest.raises(ssl.SSLCertVerificationError):
            await opened.request("GET", server.url, {})
    assert not server.requests
