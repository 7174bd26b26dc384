"""Connections to a real server: half-open requests, slow bodies, unread answers, too many at once, aborted uploads."""

from __future__ import annotations

import json
import logging
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from server.people_samples import PeopleService
from starlette.types import ASGIApp, Receive, Scope, Send

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.audit import AuditLog
from adjudge.server.callers import form_code
from adjudge.server.guard import ClientLimits, server_for

CASE = json.dumps({"userTask": "Say hello.", "responseA": "Good morning to you.", "responseB": "Hey you."}).encode()
Connect = Callable[[], socket.socket]


def request(body: bytes = CASE, more: str = "", length: int | None = None) -> bytes:
    head = f"POST /api/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length or len(body)}\r\n{more}\r\n"
    return head.encode() + body


@contextmanager
def serving(
    tmp_path: Path, patience: ClientLimits, body_seconds: float = 60.0, app: ASGIApp | None = None
) -> Iterator[Connect]:
    app = app or create_app(CompareSettings(), journal=tmp_path / "journal.db", body_seconds=body_seconds)
    server = server_for(app, "127.0.0.1", 0, patience)
    server.config.timeout_keep_alive = 600  # what is closed sooner is closed by us
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    address = server.servers[0].sockets[0].getsockname()
    try:
        with ExitStack() as opened:

            def connect() -> socket.socket:
                return opened.enter_context(socket.create_connection(address, timeout=120))

            yield connect
    finally:
        server.should_exit = True
        thread.join()


def all_of(connection: socket.socket) -> bytes:
    """Everything until the other side closes."""
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    return received


def health(connect: Connect) -> bytes:
    connection = connect()
    connection.sendall(b"GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    return all_of(connection)


def test_half_open_requests_do_not_stay(tmp_path: Path) -> None:
    with serving(tmp_path, ClientLimits(head=2), body_seconds=0.5) as connect:
        sent = [b"", b"P", b"POST /api/evaluate HTTP/1.1\r\nhost: loc", request()[:-5], request(b"", length=10)]
        half_open = []
        for piece in sent * 20:
            half_open.append((connect(), piece))
            half_open[-1][0].sendall(piece)
        answers = [all_of(connection) for connection, _ in half_open]
        assert b'"status":"ok"' in health(connect)
    for answer, (_, piece) in zip(answers, half_open, strict=True):
        assert (b"408" in answer.partition(b"\r\n")[0]) is (b"\r\n\r\n" in piece)
        if b"\r\n\r\n" in piece:
            assert b'{"error":"body: not complete after 0.5 s"}' in answer
            assert b"connection: close" in answer


UNREAD = b"POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n"


@pytest.mark.parametrize(
    ("begins", "answer"),
    [(b"", b""), (b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n", b"200 OK"), (UNREAD, b"404")],
    ids=["the first head", "the second head", "a body nobody waits for"],
)
def test_what_comes_byte_by_byte_gets_no_more_time(tmp_path: Path, begins: bytes, answer: bytes) -> None:
    # Enough for the first request on a busy machine.
    with serving(tmp_path, ClientLimits(head=1.5)) as connect:
        connection = connect()
        if begins:
            connection.sendall(begins)
            assert answer in connection.recv(65536)
        with pytest.raises(OSError):
            for _ in range(4000):
                connection.sendall(b"x")
                time.sleep(0.02)


def test_a_judgment_may_take_longer_than_the_head(tmp_path: Path) -> None:
    with serving(tmp_path, ClientLimits(head=1.5)) as connect:
        connection = connect()
        # The body is late, but within its own time.
        whole = request(more="connection: close\r\n")
        connection.sendall(whole[:-5])
        time.sleep(2)
        connection.sendall(whole[-5:])
        assert all_of(connection).startswith(b"HTTP/1.1 200")


def test_an_answer_that_nobody_reads_does_not_keep_the_connection(tmp_path: Path) -> None:
    with serving(tmp_path, ClientLimits(reading=0.3)) as connect:
        connection = connect()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        script = b"GET /static/vendor/swagger-ui/swagger-ui-bundle.js HTTP/1.1\r\nhost: localhost\r\n\r\n"
        connection.sendall(script * 40)
        with pytest.raises(OSError):
            for _ in range(2000):
                connection.sendall(script)
                time.sleep(0.05)
        assert b'"status":"ok"' in health(connect)


def test_connections_that_ask_nothing_make_way_for_one_that_does(tmp_path: Path) -> None:
    with serving(tmp_path, ClientLimits(connections=5)) as connect:
        half_open = [b"", b"G", request()[:-5], request(b"", length=10)]
        for number in range(40):
            connection = connect()
            connection.sendall(half_open[number % len(half_open)])
        assert b'"status":"ok"' in health(connect)


def test_an_idle_connection_makes_way_and_one_that_is_served_does_not(tmp_path: Path) -> None:
    # Long texts take the judge a while.
    long = {"userTask": "Say hello.", "responseA": "Good morning. " * 60_000, "responseB": "Hey you there. " * 60_000}
    with serving(tmp_path, ClientLimits(connections=2)) as connect:
        idle, served = connect(), connect()
        idle.sendall(b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert b"200 OK" in idle.recv(65536)
        served.sendall(request(json.dumps(long).encode(), "connection: close\r\n"))
        time.sleep(0.3)
        assert b'"status":"ok"' in health(connect)
        all_of(idle)  # comes to an end
        assert all_of(served).startswith(b"HTTP/1.1 200")


def test_more_requests_at_once_than_allowed_are_turned_away(tmp_path: Path) -> None:
    asked = threading.Semaphore(0)

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        asked.release()
        while (await receive())["type"] != "http.disconnect":
            pass

    with serving(tmp_path, ClientLimits(connections=2), app=never) as connect:
        held = [connect() for _ in range(2)]
        for connection in held:
            connection.sendall(request())
        assert asked.acquire(timeout=60) and asked.acquire(timeout=60)
        answer = health(connect)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 5" in answer


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "closed"])
def test_an_aborted_upload_leaves_no_traceback(tmp_path: Path, caplog: pytest.LogCaptureFixture, reset: bool) -> None:
    with caplog.at_level(logging.INFO), serving(tmp_path, ClientLimits()) as connect:
        for name in ("uvicorn.error", "uvicorn.access", "uvicorn"):
            logging.getLogger(name).addHandler(caplog.handler)
        for _ in range(5):
            connection = connect()
            connection.sendall(request()[:-10])
            time.sleep(0.05)
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        assert b'"status":"ok"' in health(connect)
    for name in ("uvicorn.error", "uvicorn.access", "uvicorn"):
        logging.getLogger(name).removeHandler(caplog.handler)
    assert "Traceback" not in caplog.text
    assert "ClientDisconnect" not in caplog.text
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert "/api/health" in caplog.text  # the log was listened to


def test_a_head_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path, ClientLimits()) as connect:
        connection = connect()
        connection.sendall(b"GET /api/health HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 200_000)
        assert all_of(connection).startswith(b"HTTP/1.1 400 ")
        assert b'"status":"ok"' in health(connect)


@pytest.mark.parametrize(
    ("trusted", "said", "noted"),
    [
        (None, "203.0.113.9", "127.0.0.1"),
        ("192.0.2.1", "203.0.113.9", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "2001:DB8::0:1", "2001:db8::1"),
        ("127.0.0.1", "rev-00000000000000000", "unknown"),
        ("127.0.0.1", "fe80::1%" + "x" * 9000, "fe80::1"),
    ],
)
def test_an_address_is_a_valid_one_from_a_configured_proxy(tmp_path, monkeypatch, trusted, said, noted):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    if trusted:
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    service = PeopleService(tmp_path)
    with serving(tmp_path, ClientLimits(), app=service.app) as connect:
        form = f"name=eve&password=wrong&sign_in={form_code('secret')}".encode()
        head = (
            "POST /sign-in HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\nconnection: close\r\n"
            "content-type: application/x-www-form-urlencoded\r\ncookie: adjudge-sign-in=secret\r\n"
            f"content-length: {len(form)}\r\nx-forwarded-for: {said}\r\n\r\n"
        )
        connection = connect()
        connection.sendall(head.encode() + form)
        assert b" 401 " in all_of(connection).partition(b"\r\n")[0]
    entries = AuditLog(service.database).entries()
    assert [(entry.action, entry.subject) for entry in entries] == [("session.refused", noted)]
