"""The HTTP client when things go wrong, and over TLS."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

import pytest
import trustme
from scripted.raw_server import OK, Bytes, packed

from adjudge.judges.wires.connection import BrokenReplyError, ConnectTimeoutError, SilenceError, Timeouts
from adjudge.judges.wires.connections import Connections


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        ([], "closed the connection"),
        ([b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nfine"], "closed the connection"),
        ([b"SMTP ready\r\n\r\n"], "no HTTP"),
        ([b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000 + b"\r\ncontent-length: 0\r\n\r\n"], "head is too long"),
        ([packed(b"not packed", "gzip")], "cannot be unpacked"),
        ([b"HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n"], "another protocol"),
    ],
    ids=["nothing", "half a reply", "another protocol", "an endless head", "bad gzip", "an upgrade"],
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

    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", never)
    with pytest.raises(ConnectTimeoutError):
        await Connections().request("GET", "http://127.0.0.1:9/", {}, timeouts=Timeouts(connect=0.02))


async def test_the_whole_reply_must_be_there_in_time() -> None:
    server = Bytes(0.5, OK)
    async with server.running() as opened:
        with pytest.raises(TimeoutError):
            await opened.request("GET", server.url, {}, timeouts=Timeouts(whole=0.05))


async def test_every_request_over_a_connection_has_its_own_time() -> None:
    class Later(Bytes):
        """The first reply comes at once, the second after a while, the third never."""

        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for pause in (0.0, 0.25, 60.0):
                await reader.readuntil(b"\r\n\r\n")
                await asyncio.sleep(pause)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    server = Later()
    async with server.running() as opened:
        assert (await opened.request("GET", server.url, {}, timeouts=Timeouts(whole=0.35))).content == b"ok"
        await asyncio.sleep(0.2)
        assert (await opened.request("GET", server.url, {}, timeouts=Timeouts(whole=0.35))).content == b"ok"
        asked = asyncio.get_running_loop().time()
        with pytest.raises(TimeoutError):
            await opened.request("GET", server.url, {}, timeouts=Timeouts(whole=0.05))
        assert asyncio.get_running_loop().time() - asked < 0.2


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


async def fails_when_closed(server: Bytes) -> None:
    async with server.running() as opened:
        asked = asyncio.create_task(opened.request("GET", server.url, {}))
        await asyncio.sleep(0.05)
        await opened.close()
        with pytest.raises(BrokenReplyError):
            await asked


async def test_closing_ends_what_is_under_way() -> None:
    await fails_when_closed(Bytes(5.0, OK))


async def test_half_a_reply_is_none_when_we_close() -> None:
    class Endless(Bytes):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b'HTTP/1.1 200 OK\r\n\r\n{"id": 1')
            await asyncio.sleep(5)

    await fails_when_closed(Endless())


# -- names and addresses ----------------------------------------------------------------------------------------------


async def test_many_who_ask_at_once_share_one_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Bytes(*[OK] * 60)
    looked_up = []

    async def slowly(host: str, port: int, **_: object) -> list[object]:
        looked_up.append(host)
        await asyncio.sleep(0.05)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    async with server.running() as opened:
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", slowly)
        url = server.url.replace("127.0.0.1", "judge.example")
        replies = await asyncio.gather(*(opened.request("GET", url, {}) for _ in range(60)))
    assert [reply.content for reply in replies] == [b"fine"] * 60
    assert looked_up == ["judge.example"]


async def test_a_look_up_that_failed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Bytes(OK)
    tries = []

    async def once_in_vain(host: str, port: int, **_: object) -> list[object]:
        tries.append(host)
        if len(tries) == 1:
            raise socket.gaierror(-3, "Temporary failure in name resolution")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    async with server.running() as opened:
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", once_in_vain)
        url = server.url.replace("127.0.0.1", "judge.example")
        with pytest.raises(OSError, match="name resolution"):
            await opened.request("GET", url, {})
        assert (await opened.request("GET", url, {})).content == b"fine"


@pytest.mark.parametrize("first", ["refuses", "never answers"])
async def test_an_address_that_leads_nowhere_is_passed_over(monkeypatch: pytest.MonkeyPatch, first: str) -> None:
    server = Bytes(OK)
    loop = asyncio.get_running_loop()
    connect = loop.sock_connect

    async def connecting(sock: socket.socket, address: tuple[str, int]) -> None:
        if address[0] == "127.0.0.2":
            if first == "refuses":
                raise ConnectionRefusedError(111, "refused")
            await asyncio.sleep(60)
        await connect(sock, address)

    async def two(host: str, port: int, **_: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ("127.0.0.2", "127.0.0.1")]

    async with server.running() as opened:
        monkeypatch.setattr(loop, "getaddrinfo", two)
        monkeypatch.setattr(loop, "sock_connect", connecting)
        url = server.url.replace("127.0.0.1", "judge.example")
        assert (await opened.request("GET", url, {})).content == b"fine"


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


SIZE = 6_000_000


class SlowReader(Bytes):
    """Takes an upload a little at a time; `stops`: and in the middle no more of it."""

    stops = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        await reader.readuntil(b"\r\n\r\n")
        left = SIZE
        while left:
            left -= len(await reader.read(65536))
            await asyncio.sleep(60 if self.stops and left < SIZE // 2 else 0.02)
        writer.write(OK)


@pytest.mark.parametrize("secure", [False, True])
async def test_a_large_upload_may_take_long_while_it_moves(
    secure: bool, authority: trustme.CA, trusted: Trust, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    connect = loop.sock_connect

    async def narrow(sock: socket.socket, address: tuple[str, int]) -> None:
        # What the system takes at once is out of sight: here it takes little.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        await connect(sock, address)

    monkeypatch.setattr(loop, "sock_connect", narrow)
    trusted(authority)
    server = SlowReader()
    patient = Timeouts(whole=None, silence=0.6)
    async with server.running(secured(authority, "127.0.0.1") if secure else None) as opened:
        began = loop.time()
        assert (await opened.request("POST", server.url, {}, b"x" * SIZE, timeouts=patient)).content == b"fine"
        assert loop.time() - began > 2 * 0.6
        await asyncio.sleep(0.05)  # the server closes after each
        server.stops = True
        with pytest.raises(SilenceError):
            await opened.request("POST", server.url, {}, b"x" * SIZE, timeouts=patient)
