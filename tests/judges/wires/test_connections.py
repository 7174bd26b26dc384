"""The HTTP client against a server that sends exactly the bytes it is told to."""

from __future__ import annotations

import asyncio
import gzip
import re
import ssl
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trustme

from adjudge.errors import SetupError
from adjudge.judges.wires import connections as connections_module
from adjudge.judges.wires.connections import BrokenReplyError, Connections, ConnectTimeoutError, Timeouts

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine"


class Bytes:
    """Answers each request with the next of some pieces; before a number it waits so many seconds."""

    def __init__(self, *pieces: bytes | float) -> None:
        self.pieces = list(pieces)
        self.requests: list[bytes] = []
        self.accepted = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection; some servers of this file do it in a way of their own."""
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            self.requests.append(head + await reader.readexactly(int(length[1]) if length else 0))
            while self.pieces:
                piece = self.pieces.pop(0)
                if isinstance(piece, bytes):
                    writer.write(piece)
                    await writer.drain()
                    break
                await asyncio.sleep(piece)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            await self.serve(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    @asynccontextmanager
    async def running(self, security: ssl.SSLContext | None = None) -> AsyncIterator[Connections]:
        tasks: list[asyncio.Task[None]] = []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks.append(asyncio.create_task(self._accept(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=security)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http{'s' if security else ''}://127.0.0.1:{port}/v1/chat"
        opened = Connections()
        try:
            yield opened
        finally:
            await opened.close()
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)


def chunked(*parts: bytes) -> bytes:
    return (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
        + b"0\r\n\r\n"
    )


def packed(content: bytes, encoding: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        (OK, b"fine"),
        (chunked(b"fi", b"ne"), b"fine"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, b"fine"),
        (b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + OK, b"fine"),
        (packed(gzip.compress(b"fine"), "gzip"), b"fine"),
        (packed(zlib.compress(b"fine"), "deflate"), b"fine"),
        (packed(b"fine", "identity"), b"fine"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
    ids=["length", "chunks", "continue", "hints", "gzip", "deflate", "identity", "nothing"],
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
    server = Bytes(OK)
    async with server.running() as opened:
        await opened.request("GET", server.url.replace("//", "//me:a%20b@"), {})
    assert b"\r\nauthorization: Basic bWU6YSBi\r\n" in server.requests[0]


async def test_headers_are_found_by_their_lower_case_names_and_repeated_ones_are_joined() -> None:
    server = Bytes(b"HTTP/1.1 429 No\r\nRetry-After: 3\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n")
    async with server.running() as opened:
        reply = await opened.request("GET", server.url, {})
    assert (reply.status, dict(reply.headers)) == (429, {"retry-after": "3", "x-a": "1, 2", "content-length": "0"})


@pytest.mark.parametrize("value", ["a\r\nevil: 1", "a\nb", "a\rb", "a\0b"])
async def test_a_header_of_several_lines_is_refused_without_telling_the_secret(value: str) -> None:
    with pytest.raises(SetupError, match="authorization") as refused:
        await Connections().request("GET", "http://127.0.0.1:1/", {"authorization": value})
    assert value not in str(refused.value)


@pytest.mark.parametrize("url", ["ftp://x/", "http://", "x", "http://a:b/", "http://a..b/", "http://[::1/"])
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


# -- what goes wrong --------------------------------------------------------------------------------------------------


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
