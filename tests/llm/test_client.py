"""The HTTP client against real local servers, most of which send exactly the bytes they are told to."""

from __future__ import annotations

import asyncio
import gc
import gzip
import socket
import zlib

import pytest
from clock import clock
from scripted.raw_server import OK, Bytes, packed

from adjudge.errors import SetupError
from adjudge.llm.client import Bounds, Client, RequestError
from adjudge.version import __version__


def chunked(*parts, head=b""):
    return (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
        + head
        + b"\r\n"
        + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
        + b"0\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        (OK, b"fine"), (chunked(b"fi", b"ne"), b"fine"), (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, b"fine"),
        (packed(gzip.compress(b"fine"), "gzip"), b"fine"), (packed(zlib.compress(b"fine"), "deflate"), b"fine"),
        (packed(zlib.compress(b"fine", wbits=-15), "deflate"), b"fine"), (packed(b"fine", "identity"), b"fine"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
    ids=["length", "chunks", "continue", "gzip", "deflate", "raw deflate", "identity", "nothing"],
)  # fmt: skip
async def test_a_reply_is_read_in_any_form_and_its_connection_is_reused(sent, content):
    server = Bytes(sent, OK)
    async with server.running() as client:
        assert (await client.request("POST", server.url, {}, b"q")).content == content
        assert (await client.request("POST", server.url, {}, b"q")).content == b"fine"
    assert server.accepted == 1


async def test_the_request_has_the_given_headers_and_few_of_its_own():
    server = Bytes(OK, OK)
    async with server.running() as client:
        await client.request("POST", server.url, {"authorization": "Bearer k"}, "é".encode())
        await client.request("GET", server.url + "/caf\u00e9?a=1 2", {}, params={"q": "x&y"})
    (line, *headers), (line_2, *headers_2) = [request.split(b"\r\n") for request in server.requests]
    common = {
        b"host: " + server.url.split("/")[2].encode(),
        f"user-agent: adjudge/{__version__}".encode(),
        b"accept: */*",
        b"accept-encoding: identity",
    }
    assert line == b"POST /v1/chat HTTP/1.1"
    lower = {header.lower() for header in headers[:-2]}
    assert lower == common | {b"authorization: bearer k", b"content-length: 2"}
    assert headers[-2:] == [b"", "é".encode()]
    assert line_2 in (
        b"GET /v1/chat/caf%C3%A9?a=1+2&q=x%26y HTTP/1.1",
        b"GET /v1/chat/caf%C3%A9?a=1%202&q=x%26y HTTP/1.1",
    )
    assert {header.lower() for header in headers_2[:-2]} == common


@pytest.mark.parametrize("user", ["me:a%20b@", "me@", ":a%20b@"])
async def test_a_name_or_password_in_the_address_is_refused_and_not_shown(user):
    server = Bytes(OK)
    async with server.running() as client:
        with pytest.raises(SetupError, match="without user and password") as refused:
            await client.request("GET", server.url.replace("//", f"//{user}"), {})
    assert user not in str(refused.value)
    assert server.requests == []


async def test_header_names_are_case_insensitive():
    server = Bytes(b"HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n")
    async with server.running() as client:
        reply = await client.request("GET", server.url, {})
    assert (reply.status, reply.headers.get("retry-after")) == (429, "3")


@pytest.mark.parametrize("value", ["a\r\nevil: 1", "a\nb", "a\rb", "a\0b", "a\udcffb"])
async def test_a_header_of_several_lines_is_refused_without_showing_the_secret(value):
    with pytest.raises(SetupError, match="authorization") as refused:
        await Client().request("GET", "http://127.0.0.1:1/", {"authorization": value})
    assert value not in str(refused.value)


@pytest.mark.parametrize("url", ["ftp://x/", "http://", "x", "http://a:b/", "http://[::1/", "http://a\0b/"])
async def test_what_is_not_an_address_is_refused(url):
    with pytest.raises(SetupError, match="not the address of a web server"):
        await Client().request("GET", url, {})


# -- keep-alive -------------------------------------------------------------------------------------------------------


async def test_connections_are_reused_and_not_more_than_needed():
    server = Bytes(*[OK] * 60)
    async with server.running() as client:
        for _ in range(3):
            replies = await asyncio.gather(*(client.request("POST", server.url, {}, b"q") for _ in range(20)))
            assert [reply.content for reply in replies] == [b"fine"] * 20
    assert server.accepted == 20


@pytest.mark.parametrize(
    "last",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine",
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfine",
        OK + OK.replace(b"fine", b"evil"),
    ],
    ids=["close", "HTTP/1.0", "two replies"],
)
async def test_after_such_a_reply_a_connection_is_not_reused(last):
    server = Bytes(last, OK)
    async with server.running() as client:
        for _ in range(2):
            assert (await client.request("GET", server.url, {})).content == b"fine"
    assert server.accepted == 2


async def test_bytes_that_come_without_a_request_never_become_a_reply():
    class Chatty(Bytes):
        async def serve(self, reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK)
            await replied.wait()
            writer.write(OK.replace(b"fine", b"evil"))
            said_more.set()
            await reader.read()

    replied, said_more = asyncio.Event(), asyncio.Event()
    server = Chatty()
    async with server.running() as client:
        for _ in range(2):
            assert (await client.request("GET", server.url, {})).content == b"fine"
            replied.set()
            await said_more.wait()
            await asyncio.sleep(0.05)
    assert server.accepted == 2


async def test_a_connection_that_the_server_has_closed_is_not_reused():
    class Brief(Bytes):
        async def serve(self, reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK)
            writer.close()
            await writer.wait_closed()
            closed.set()

    closed = asyncio.Event()
    server = Brief()
    async with server.running() as client:
        await client.request("POST", server.url, {})
        await closed.wait()
        await asyncio.sleep(0.05)
        await client.request("POST", server.url, {})
    assert server.accepted == 2


async def test_the_connection_of_a_cancelled_request_is_not_reused():
    asked = asyncio.Event()

    class Late(Bytes):
        async def serve(self, reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            if self.accepted == 1:
                asked.set()
                await asyncio.sleep(0.1)
            writer.write(OK.replace(b"fine", b"late") if self.accepted == 1 else OK)
            await writer.drain()

    server = Late()
    async with server.running() as client:
        request = asyncio.create_task(client.request("GET", server.url, {}))
        await asked.wait()
        request.cancel()
        await asyncio.gather(request, return_exceptions=True)
        await asyncio.sleep(0.2)
        assert (await client.request("GET", server.url, {})).content == b"fine"
    assert server.accepted == 2


async def test_closing_ends_requests_in_flight():
    reached = asyncio.Event()

    class Silent(Bytes):
        async def serve(self, reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            reached.set()
            await asyncio.Event().wait()

    server = Silent()
    async with server.running() as client:
        asked = asyncio.create_task(client.request("GET", server.url, {}, bounds=Bounds(total=600)))
        await reached.wait()
        await client.close()
        with pytest.raises(RequestError):
            await asyncio.wait_for(asked, 60)


# -- broken servers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (b"", "closed the connection"), (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nfine", "incomplete"),
        (chunked(b"fi", b"ne")[:-9], "incomplete"), (b"SMTP ready\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000 + b"\r\ncontent-length: 0\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 70_000 + b"content-length: 0\r\n\r\n", "not HTTP"),
        (packed(b"not packed", "gzip"), "decompressed"),
    ],
    ids=["nothing", "half a reply", "half of the chunks", "another protocol", "a long header", "many headers", "gzip"],
)  # fmt: skip
async def test_a_broken_reply_is_an_error_that_says_why(sent, says):
    class Then(Bytes):
        async def serve(self, reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(sent)

    server = Then()
    async with server.running() as client:
        with pytest.raises(RequestError, match=says):
            await client.request("GET", server.url, {})


async def test_nobody_there_is_a_refused_connection():
    server = Bytes()
    async with server.running():
        url = server.url
    client = Client()
    with pytest.raises(RequestError, match="connection refused"):
        await client.request("GET", url, {})
    await client.close()


# -- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_no_connection_in_time_is_a_time_out_of_its_own():
    # A server that never speaks TLS: the connection is never complete.
    server = Bytes(5.0)
    client = Client()
    async with server.running():
        with pytest.raises(RequestError, match=r"no connection within 0\.05 s"):
            await client.request("GET", server.url.replace("http", "https"), {}, bounds=Bounds(connect=0.05))
        await client.close()


async def test_the_complete_reply_must_be_there_in_time():
    server = Bytes(0.5, OK)
    async with server.running() as client:
        with pytest.raises(RequestError, match=r"no reply within 0\.05 s"):
            await client.request("GET", server.url, {}, bounds=Bounds(total=0.05))


@pytest.mark.fake_clock
@pytest.mark.parametrize(("pause", "arrives"), [(10, True), (70, False)])
async def test_an_idle_time_out_ends_a_request_only_if_nothing_moves(pause, arrives):
    class Slow(Bytes):
        async def serve(self, reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n")
            for letter in b"patience":
                writer.write(bytes([letter]))
                for _ in range(50):  # until it has been read
                    await asyncio.sleep(0)
                clock().advance(pause)

    server = Slow()
    async with server.running() as client:
        asked = client.request("GET", server.url, {}, bounds=Bounds(idle=60))
        if arrives:
            assert (await asked).content == b"patience"
        else:
            with pytest.raises(RequestError, match="no reply within"):
                await asked


SIZE = 12_000_000


class SlowReader(Bytes):
    """Reads an upload a little at a time, and takes ten seconds for each of the first twenty pieces.

    The last ones it reads without a pause: the client has handed them over, and waits for the reply.
    """

    async def serve(self, reader, writer):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        await reader.readuntil(b"\r\n\r\n")
        left, pieces = SIZE, 0
        while left:
            left -= len(await reader.read(65536))
            pieces += 1
            if pieces <= 20:
                clock().advance(10)
        writer.write(OK)


@pytest.mark.fake_clock
async def test_a_large_upload_may_take_long_while_it_moves():
    server = SlowReader()
    async with server.running() as client:
        began = clock().time()
        reply = await client.request("POST", server.url, {}, b"x" * SIZE, bounds=Bounds(idle=60))
        assert reply.content == b"fine"
        assert clock().time() - began == 200


SMALL = Bounds(reply_bytes=2**20)
MEGABYTES = b"x" * (20 * 2**20)


@pytest.mark.parametrize(
    "sent",
    [
        lambda: packed(MEGABYTES, "identity"), lambda: chunked(MEGABYTES),
        lambda: packed(gzip.compress(MEGABYTES), "gzip"),
        lambda: chunked(gzip.compress(MEGABYTES), head=b"content-encoding: gzip\r\n"),
        lambda: packed(zlib.compress(MEGABYTES), "deflate"),
        lambda: packed(gzip.compress(gzip.compress(MEGABYTES)) + b"\0" * 2**21, "gzip"),
    ],
    ids=["length", "chunks", "gzip", "gzip in chunks", "deflate", "packed bytes"],
)  # fmt: skip
async def test_a_reply_beyond_the_limit_is_not_read(sent):
    server = Bytes(sent(), OK)
    async with server.running() as client:
        with pytest.raises(RequestError, match="larger than 1 MB"):
            await client.request("GET", server.url, {}, bounds=SMALL)
        assert (await client.request("GET", server.url, {}, bounds=SMALL)).content == b"fine"
    assert server.accepted == 2


async def test_a_doubly_compressed_reply_is_unpacked_once_or_refused():
    twice = gzip.compress(gzip.compress(MEGABYTES))
    server = Bytes(packed(twice, "gzip"), packed(twice, "gzip, gzip"))
    async with server.running() as client:
        reply = await client.request("GET", server.url, {}, bounds=SMALL)
        assert len(reply.content) < 2**20
        with pytest.raises(RequestError, match="compressed more than once"):
            await client.request("GET", server.url, {}, bounds=SMALL)


async def test_a_reply_up_to_the_limit_is_read():
    server = Bytes(packed(gzip.compress(b"x" * 2**20), "gzip"))
    async with server.running() as client:
        assert len((await client.request("GET", server.url, {}, bounds=SMALL)).content) == 2**20


# -- event loops ------------------------------------------------------------------------------------------------------


def test_a_client_outlives_its_event_loops_and_first_requests_share_a_session():
    client = Client()

    async def ask(at_once):
        server = Bytes(*[OK] * at_once)
        async with server.running() as unused:
            del unused
            replies = await asyncio.gather(*(client.request("GET", server.url, {}) for _ in range(at_once)))
            return {reply.content for reply in replies}

    assert asyncio.run(ask(1)) == {b"fine"}
    assert asyncio.run(ask(3)) == {b"fine"}
    asyncio.run(client.close())
    assert not client._sessions
    gc.collect()  # a session that nobody closed warns here
