"""The HTTP client against real local servers, most of which send exactly the bytes they are told to."""

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

EVIL = OK.replace(b"fine", b"evil")


def chunked(*parts, head=b""):
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + head + b"\r\n" + chunks + b"0\r\n\r\n"


class Serving(Bytes):
    """Reads the head of one request, and then does with the connection what it is told: `(server, reader, writer)`."""

    def __init__(self, then):
        super().__init__()
        self.then = then

    async def serve(self, reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        await self.then(self, reader, writer)


async def get(client, server, bounds=Bounds()):
    return (await client.request("GET", server.url, {}, bounds=bounds)).content


REPLIES = {
    "length": OK, "chunks": chunked(b"fi", b"ne"), "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    "gzip": packed(gzip.compress(b"fine"), "gzip"), "deflate": packed(zlib.compress(b"fine"), "deflate"),
    "raw deflate": packed(zlib.compress(b"fine", wbits=-15), "deflate"), "identity": packed(b"fine", "identity"),
    "nothing": b"HTTP/1.1 204 No Content\r\n\r\n",
}  # fmt: skip


@pytest.mark.parametrize("form", REPLIES)
async def test_a_reply_is_read_in_any_form_and_its_connection_is_reused(form):
    server = Bytes(REPLIES[form], OK)
    async with server.running() as client:
        read = [(await client.request("POST", server.url, {}, b"q")).content for _ in range(2)]
    assert read == [b"" if form == "nothing" else b"fine", b"fine"] and server.accepted == 1


async def test_the_request_has_the_given_headers_and_few_of_its_own():
    server = Bytes(OK, OK)
    async with server.running() as client:
        await client.request("POST", server.url, {"authorization": "Bearer k"}, "é".encode())
        await client.request("GET", server.url + "/caf\u00e9?a=1 2", {}, params={"q": "x&y"})
    (line, *headers), (line_2, *headers_2) = [request.split(b"\r\n") for request in server.requests]
    host = server.url.split("/")[2]
    own = f"host: {host}|user-agent: adjudge/{__version__}|accept: */*|accept-encoding: identity".encode().split(b"|")
    assert line == b"POST /v1/chat HTTP/1.1" and headers[-2:] == [b"", "é".encode()]
    assert {header.lower() for header in headers[:-2]} == {*own, b"authorization: bearer k", b"content-length: 2"}
    assert line_2.replace(b"+", b"%20") == b"GET /v1/chat/caf%C3%A9?a=1%202&q=x%26y HTTP/1.1"
    assert {header.lower() for header in headers_2[:-2]} == {*own}


async def test_a_name_or_password_in_the_address_is_refused_and_not_shown():
    server = Bytes(OK)
    async with server.running() as client:
        for user in ("me:a%20b@", "me@", ":a%20b@"):
            with pytest.raises(SetupError, match="without user and password") as refused:
                await client.request("GET", server.url.replace("//", f"//{user}"), {})
            assert user not in str(refused.value) and server.requests == []


async def test_header_names_are_case_insensitive():
    server = Bytes(b"HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n")
    async with server.running() as client:
        reply = await client.request("GET", server.url, {})
    assert (reply.status, reply.headers.get("retry-after")) == (429, "3")


async def test_a_header_of_several_lines_is_refused_without_showing_the_secret_and_so_is_what_is_no_address():
    for value in ("a\r\nevil: 1", "a\nb", "a\rb", "a\0b", "a\udcffb"):
        with pytest.raises(SetupError, match="authorization") as refused:
            await Client().request("GET", "http://127.0.0.1:1/", {"authorization": value})
        assert value not in str(refused.value)
    for url in ("ftp://x/", "http://", "x", "http://a:b/", "http://[::1/", "http://a\0b/"):
        with pytest.raises(SetupError, match="not the address of a web server"):
            await Client().request("GET", url, {})


# -- keep-alive -------------------------------------------------------------------------------------------------------


async def test_connections_are_reused_and_not_more_than_needed():
    server = Bytes(*[OK] * 60)
    async with server.running() as client:
        for _ in range(3):
            assert await asyncio.gather(*(get(client, server) for _ in range(20))) == [b"fine"] * 20
    assert server.accepted == 20


@pytest.mark.parametrize("last", [
    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine",
    b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfine",
    OK + EVIL,
], ids=["close", "HTTP/1.0", "two replies"])  # fmt: skip
async def test_after_such_a_reply_a_connection_is_not_reused(last):
    server = Bytes(last, OK)
    async with server.running() as client:
        assert [await get(client, server) for _ in range(2)] == [b"fine"] * 2
    assert server.accepted == 2


async def test_bytes_that_come_without_a_request_never_become_a_reply():
    replied, said_more = asyncio.Event(), asyncio.Event()

    async def says_more(server, reader, writer):
        writer.write(OK)
        await replied.wait()
        writer.write(EVIL)
        said_more.set()
        await reader.read()

    server = Serving(says_more)
    async with server.running() as client:
        for _ in range(2):
            assert await get(client, server) == b"fine"
            replied.set()
            await said_more.wait()
            await asyncio.sleep(0.05)
    assert server.accepted == 2


async def test_a_connection_that_the_server_has_closed_is_not_reused():
    closed = asyncio.Event()

    async def closes(server, reader, writer):
        writer.write(OK)
        writer.close()
        await writer.wait_closed()
        closed.set()

    server = Serving(closes)
    async with server.running() as client:
        await client.request("POST", server.url, {})
        await closed.wait()
        await asyncio.sleep(0.05)
        await client.request("POST", server.url, {})
    assert server.accepted == 2


async def test_the_connection_of_a_cancelled_request_is_not_reused():
    asked = asyncio.Event()

    async def is_late_at_first(server, reader, writer):
        if server.accepted == 1:
            asked.set()
            await asyncio.sleep(0.1)
        writer.write(EVIL if server.accepted == 1 else OK)
        await writer.drain()

    server = Serving(is_late_at_first)
    async with server.running() as client:
        request = asyncio.create_task(get(client, server))
        await asked.wait()
        request.cancel()
        await asyncio.gather(request, return_exceptions=True)
        await asyncio.sleep(0.2)
        assert await get(client, server) == b"fine"
    assert server.accepted == 2


async def test_closing_ends_requests_in_flight():
    reached = asyncio.Event()

    async def is_silent(server, reader, writer):
        reached.set()
        await asyncio.Event().wait()

    server = Serving(is_silent)
    async with server.running() as client:
        asked = asyncio.create_task(get(client, server, Bounds(total=600)))
        await reached.wait()
        await client.close()
        with pytest.raises(RequestError):
            await asyncio.wait_for(asked, 60)


# -- broken servers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sent", "says"), [
    (b"", "closed the connection"), (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nfine", "incomplete"),
    (chunked(b"fi", b"ne")[:-9], "incomplete"), (b"SMTP ready\r\n\r\n", "not HTTP"),
    (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000 + b"\r\ncontent-length: 0\r\n\r\n", "not HTTP"),
    (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 70_000 + b"content-length: 0\r\n\r\n", "not HTTP"),
    (packed(b"not packed", "gzip"), "decompressed"),
], ids=["nothing", "half a reply", "half of the chunks", "another protocol", "a long header", "many headers", "gzip"],
)  # fmt: skip
async def test_a_broken_reply_is_an_error_that_says_why(sent, says):
    async def breaks(server, reader, writer):
        writer.write(sent)

    server = Serving(breaks)
    async with server.running() as client:
        with pytest.raises(RequestError, match=says):
            await get(client, server)


async def test_nobody_there_is_a_refused_connection():
    server, client = Bytes(), Client()
    async with server.running():
        pass
    with pytest.raises(RequestError, match="connection refused"):
        await get(client, server)
    await client.close()


# -- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_no_connection_in_time_is_a_time_out_of_its_own():
    # A server that never speaks TLS: the connection is never complete.
    server, client = Bytes(5.0), Client()
    async with server.running():
        server.url = server.url.replace("http", "https")
        with pytest.raises(RequestError, match=r"no connection within 0\.05 s"):
            await get(client, server, Bounds(connect=0.05))
        await client.close()


async def test_the_complete_reply_must_be_there_in_time():
    server = Bytes(0.5, OK)
    async with server.running() as client:
        with pytest.raises(RequestError, match=r"no reply within 0\.05 s"):
            await get(client, server, Bounds(total=0.05))


@pytest.mark.fake_clock
@pytest.mark.parametrize(("pause", "arrives"), [(10, True), (70, False)])
async def test_an_idle_time_out_ends_a_request_only_if_nothing_moves(pause, arrives):
    async def is_slow(server, reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n")
        for letter in b"patience":
            writer.write(bytes([letter]))
            for _ in range(50):  # until it has been read
                await asyncio.sleep(0)
            clock().advance(pause)

    server = Serving(is_slow)
    async with server.running() as client:
        asked = get(client, server, Bounds(idle=60))
        if arrives:
            assert await asked == b"patience"
        else:
            with pytest.raises(RequestError, match="no reply within"):
                await asked


SIZE = 12_000_000


@pytest.mark.fake_clock
async def test_a_large_upload_may_take_long_while_it_moves():
    class SlowReader(Bytes):
        """Reads a little at a time, and takes ten seconds for each of the first twenty pieces; the last ones it reads
        without a pause: the client has handed them over, and waits for the reply."""

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

    server = SlowReader()
    async with server.running() as client:
        began = clock().time()
        reply = await client.request("POST", server.url, {}, b"x" * SIZE, bounds=Bounds(idle=60))
        assert (reply.content, clock().time() - began) == (b"fine", 200)


SMALL = Bounds(reply_bytes=2**20)
MEGABYTES = b"x" * (20 * 2**20)
TOO_LARGE = {
    "length": lambda: packed(MEGABYTES, "identity"), "chunks": lambda: chunked(MEGABYTES),
    "gzip": lambda: packed(gzip.compress(MEGABYTES), "gzip"),
    "gzip in chunks": lambda: chunked(gzip.compress(MEGABYTES), head=b"content-encoding: gzip\r\n"),
    "deflate": lambda: packed(zlib.compress(MEGABYTES), "deflate"),
    "packed bytes": lambda: packed(gzip.compress(gzip.compress(MEGABYTES)) + b"\0" * 2**21, "gzip"),
}  # fmt: skip


@pytest.mark.parametrize("sent", TOO_LARGE.values(), ids=TOO_LARGE)
async def test_a_reply_beyond_the_limit_is_not_read(sent):
    server = Bytes(sent(), OK)
    async with server.running() as client:
        with pytest.raises(RequestError, match="larger than 1 MB"):
            await get(client, server, SMALL)
        assert await get(client, server, SMALL) == b"fine"
    assert server.accepted == 2


async def test_a_reply_up_to_the_limit_is_read_and_one_compressed_twice_is_unpacked_once_or_refused():
    twice = gzip.compress(gzip.compress(MEGABYTES))
    server = Bytes(packed(gzip.compress(b"x" * 2**20), "gzip"), packed(twice, "gzip"), packed(twice, "gzip, gzip"))
    async with server.running() as client:
        assert len(await get(client, server, SMALL)) == 2**20
        assert len(await get(client, server, SMALL)) < 2**20
        with pytest.raises(RequestError, match="compressed more than once"):
            await get(client, server, SMALL)


# -- event loops ------------------------------------------------------------------------------------------------------


def test_a_client_outlives_its_event_loops_and_first_requests_share_a_session():
    client = Client()

    async def ask(at_once):
        server = Bytes(*[OK] * at_once)
        async with server.running():
            return await asyncio.gather(*(get(client, server) for _ in range(at_once)))

    assert asyncio.run(ask(1)) == [b"fine"] and asyncio.run(ask(3)) == [b"fine"] * 3
    asyncio.run(client.close())
    assert not client._sessions
    gc.collect()  # a session that nobody closed warns here
