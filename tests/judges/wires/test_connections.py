"""The HTTP client against a server that sends exactly the bytes it is told to."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest
from scripted.raw_server import OK, Bytes, packed

from adjudge.errors import SetupError
from adjudge.judges.wires import connections as connections_module
from adjudge.judges.wires.connections import Connections


def chunked(*parts: bytes) -> bytes:
    return (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
        + b"0\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        (OK, b"fine"),
        (chunked(b"fi", b"ne"), b"fine"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, b"fine"),
        (b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + OK, b"fine"),
        (packed(gzip.compress(b"fine"), "gzip"), b"fine"),
        (packed(zlib.compress(b"fine"), "deflate"), b"fine"),
        (packed(zlib.compress(b"fine", wbits=-15), "deflate"), b"fine"),
        (packed(b"fine", "identity"), b"fine"),
        (packed(b"fine", "utf-8"), b"fine"),
        (packed(b"", "gzip"), b""),
        (b"HTTP/1.1 200 OK\ncontent-length: 4\n\nfine", b"fine"),
        (b"HTTP/1.1 200 OK\r\nx-a: one\r\n two\r\ncontent-length: 4\r\n\r\nfine", b"fine"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
    ids=[
        *("length", "chunks", "continue", "hints", "gzip", "deflate", "raw deflate", "identity", "no packing at all"),
        *("nothing packed", "bare line ends", "a folded header", "nothing"),
    ],
)
async def test_a_reply_is_read_in_whatever_form_it_comes(sent: bytes, content: bytes) -> None:
    server = Bytes(sent, OK)
    async with server.running() as opened:
        assert (await opened.request("POST", server.url, {}, b"q")).content == content
        assert (await opened.request("POST", server.url, {}, b"q")).content == b"fine"
    assert server.accepted == 1


@pytest.mark.parametrize("cut", range(1, len(chunked(b"fi", b"ne"))))
async def test_a_reply_may_come_in_any_pieces(cut: int) -> None:
    whole = chunked(b"fi", b"ne")

    class Halves(Bytes):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            for half in (whole[:cut], whole[cut:]):
                writer.write(half)
                await writer.drain()
                await asyncio.sleep(0.001)

    server = Halves()
    async with server.running() as opened:
        assert (await opened.request("GET", server.url, {})).content == b"fine"


async def test_a_reply_without_a_length_ends_with_the_connection() -> None:
    class Ends(Bytes):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n\r\nfi")
            await writer.drain()
            writer.write(b"ne")
            await writer.drain()

    server = Ends()
    async with server.running() as opened:
        assert (await opened.request("GET", server.url, {})).content == b"fine"


async def test_the_request_is_what_was_asked_for_byte_by_byte() -> None:
    server = Bytes(OK, OK)
    async with server.running() as opened:
        await opened.request("POST", server.url, {"authorization": "Bearer k"}, "é".encode())
        await opened.request("GET", server.url + "/caf\u00e9?a=1 2", {}, params={"q": "x&y"})
    first, second = server.requests
    version = connections_module.__version__
    host = server.url.split("/")[2]
    common = f"host: {host}\r\nuser-agent: adjudge/{version}\r\naccept: */*\r\naccept-encoding: identity\r\n"
    posted = f"POST /v1/chat HTTP/1.1\r\n{common}authorization: Bearer k\r\ncontent-length: 2\r\n\r\né"
    assert first == posted.encode()
    assert second == f"GET /v1/chat/caf%C3%A9?a=1%202&q=x%26y HTTP/1.1\r\n{common}\r\n".encode()


async def test_a_name_and_password_in_the_address_become_a_header() -> None:
    server = Bytes(OK, OK)
    async with server.running() as opened:
        await opened.request("GET", server.url.replace("//", "//me:a%20b@"), {})
        await opened.request("GET", server.url.replace("//", "//me:a%20b@"), {"Authorization": "Bearer key"})
    assert b"\r\nauthorization: Basic bWU6YSBi\r\n" in server.requests[0]
    assert server.requests[1].lower().count(b"authorization:") == 1


async def test_headers_are_found_by_their_lower_case_names_and_repeated_ones_are_joined() -> None:
    server = Bytes(b"HTTP/1.1 429 No\r\nRetry-After: 3\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n")
    async with server.running() as opened:
        reply = await opened.request("GET", server.url, {})
    assert (reply.status, dict(reply.headers)) == (429, {"retry-after": "3", "x-a": "1, 2", "content-length": "0"})


@pytest.mark.parametrize("value", ["a\r\nevil: 1", "a\nb", "a\rb", "a\0b", "a\udcffb"])
async def test_a_header_of_several_lines_is_refused_without_telling_the_secret(value: str) -> None:
    with pytest.raises(SetupError, match="authorization") as refused:
        await Connections().request("GET", "http://127.0.0.1:1/", {"authorization": value})
    assert value not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["ftp://x/", "http://", "x", "http://a:b/", "http://a..b/", "http://[::1/", "http://a\0b/"]
)
async def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SetupError, match="no address of a web server"):
        await Connections().request("GET", url, {})


# -- connections are kept, and never mixed up -------------------------------------------------------------------------


async def test_connections_are_used_again_and_not_more_than_needed() -> None:
    server = Bytes(*[OK] * 60)
    async with server.running() as opened:
        for _ in range(3):
            replies = await asyncio.gather(*(opened.request("POST", server.url, {}, b"q") for _ in range(20)))
            assert [reply.content for reply in replies] == [b"fine"] * 20
    assert server.accepted == 20


@pytest.mark.parametrize(
    "last",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine",
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfine",
        OK + OK.replace(b"fine", b"evil"),
        OK + b"HTTP/1.1 200 OK\r\ncontent-le",
    ],
    ids=["close", "old", "two replies", "one and a half"],
)
async def test_after_such_a_reply_a_connection_is_not_used_again(last: bytes) -> None:
    server = Bytes(last, OK)
    async with server.running() as opened:
        for _ in range(2):
            assert (await opened.request("GET", server.url, {})).content == b"fine"
    assert server.accepted == 2


async def test_bytes_that_nobody_asked_for_never_become_a_reply() -> None:
    class Chatty(Bytes):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK)
            await asyncio.sleep(0.02)
            writer.write(OK.replace(b"fine", b"evil"))
            await asyncio.sleep(0.05)

    server = Chatty()
    async with server.running() as opened:
        for _ in range(2):
            assert (await opened.request("GET", server.url, {})).content == b"fine"
            await asyncio.sleep(0.04)
    assert server.accepted == 2


async def test_a_connection_that_was_idle_for_long_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections_module, "_IDLE_SECONDS", 0.01)
    server = Bytes(OK, OK)
    async with server.running() as opened:
        await opened.request("GET", server.url, {})
        await asyncio.sleep(0.03)
        await opened.request("GET", server.url, {})
    assert server.accepted == 2


async def test_one_that_the_server_closed_meanwhile_is_not_used() -> None:
    class Brief(Bytes):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK)
            await writer.drain()

    server = Brief()
    async with server.running() as opened:
        await opened.request("GET", server.url, {})
        await asyncio.sleep(0.02)
        await opened.request("GET", server.url, {})
    assert server.accepted == 2


async def test_who_stops_waiting_takes_the_connection_along() -> None:
    server = Bytes(0.1, OK.replace(b"fine", b"late"), OK)
    async with server.running() as opened:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await opened.request("GET", server.url, {})
        await asyncio.sleep(0.15)
        assert (await opened.request("GET", server.url, {})).content == b"fine"
    assert server.accepted == 2
