"""What a request's body may cost: its size by form, memory to decode it, and what all bodies together may hold."""

from __future__ import annotations

import select
import socket
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as some
from server.run_pages import FORM
from server.test_connections import all_of, health, serving

from adjudge.errors import InputError
from adjudge.server.bodies import MAX_BODY_BYTES, form_fields
from adjudge.server.guard import MAX_HELD_BYTES, ClientLimits

_ESCAPED = b"%41" * 400_000
SENT = {**FORM, "content-type": "application/x-www-form-urlencoded"}


@given(some.lists(some.tuples(some.text(max_size=20), some.text(max_size=20)), max_size=5))
def test_a_form_is_decoded_as_browsers_encode_it(fields):
    sent = urlencode(fields).encode()
    assert form_fields(sent) == parse_qsl(sent.decode(), keep_blank_values=True, errors="strict") == fields


@pytest.mark.parametrize(
    "sent", [b"a=%", b"a=%4", b"a=%zz", b"a=%%41", b"a=%\nx", b"a=%\r\n41", b"a=%ff", b"%=1", b"a\n=1"]
)
def test_what_is_not_a_form_is_refused(sent):
    with pytest.raises(InputError, match="body: "):
        form_fields(sent)


def test_raw_characters_of_a_value_are_kept():
    assert form_fields(b"a=x=y+z&&b&=c") == [("a", "x=y z"), ("b", ""), ("", "c")]


def test_decoding_a_form_takes_memory_in_proportion_to_its_size():
    forms = (b"name=" + _ESCAPED, b"name=" + b"=" * len(_ESCAPED), b"name=" + b"a%41" * 300_000)
    tracemalloc.start()
    try:
        for sent in forms:
            tracemalloc.reset_peak()
            form_fields(sent)
            assert tracemalloc.get_traced_memory()[1] < 10 * len(sent)
    finally:
        tracemalloc.stop()


# What a form may hold is decided by what its page asks for; only a case to judge or an upload may be large.
_LARGE = "/judge/compare", "/runs/new"
_FORMS = {
    "/sign-in": 16_384,
    "/runs/r1/label": 16_384,
    "/runs/r1/label/1": 65_536,
    "/people": 16_384,
    "/people/password": 16_384,
    "/rubrics/new/edit": 1_216_384,
    "/runs/new/r1": 65_536,
    **dict.fromkeys(_LARGE, MAX_BODY_BYTES),
}


@pytest.mark.parametrize("path", _FORMS)
def test_a_form_that_is_too_large_is_refused(client, path):
    headers = {**SENT, "accept": "*/*"}
    answer = client.post(path, content=b"x=" + b"y" * (_FORMS[path] - 1), headers=headers)
    assert (answer.status_code, f"at most {_FORMS[path]:,} are allowed" in answer.text) == (413, True), answer.text
    # Without a length it is read as far as it is allowed to go.
    answer = client.post(path, content=iter([b"x=", *[b"y" * 65_536] * (_FORMS[path] // 65_536 + 1)]), headers=headers)
    assert answer.status_code == 413


def test_a_form_with_a_file_that_is_too_large_is_refused(client):
    part = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'
    headers = {**FORM, "accept": "*/*", "content-type": "multipart/form-data; boundary=x"}
    for path in ("/runs/new", "/api/runs"):
        answer = client.post(path, content=iter([part, *[b"y" * 1_000_000] * 16]), headers=headers)
        assert (answer.status_code, f"at most {MAX_BODY_BYTES:,} are allowed" in answer.text) == (413, True)


def test_a_form_with_a_file_is_parsed_in_linear_time_whatever_is_in_it(client):
    def seconds(size):
        """How long it takes to parse a form of this size with each of these contents, in all."""
        taken = []
        for content in (b"\r\n--", b"\r", b"-", b"\r\n--y\r\n\r\n"):
            part = b'--yy\r\ncontent-disposition: form-data; name="note"\r\n\r\n'
            body = part + content * (size // len(content)) + b"\r\n--yy--\r\n"
            begun = time.process_time()
            client.post("/api/runs", content=body, headers={"content-type": "multipart/form-data; boundary=yy"})
            taken.append(time.process_time() - begun)
        return sum(taken)

    assert seconds(8_000_000) < 40 * max(seconds(800_000), 0.05)


def _send(connection: socket.socket, content: bytes) -> None:
    with suppress(OSError):  # it is answered and closed before all is sent
        connection.sendall(content)


def test_bodies_together_hold_no_more_than_a_limit_and_small_requests_pass(tmp_path: Path) -> None:
    large = 15_900_000
    head = b"POST /api/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % (large + 1)
    with serving(tmp_path, ClientLimits()) as connect:
        unfinished = [connect() for _ in range(MAX_HELD_BYTES // large + 2)]
        for connection in unfinished:
            connection.settimeout(600)
        sending = [Thread(target=_send, args=(connection, head + b" " * large)) for connection in unfinished]
        for thread in sending:
            thread.start()
        # Those that fit are read, and their rest is awaited; the others are answered at once.
        (refused, *_), _, _ = select.select(unfinished, [], [], 600)
        said = refused.recv(65_536)
        assert b"HTTP/1.1 503 " in said and b"retry-after: 5" in said, said
        small = connect()
        small.sendall(
            b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\ncontent-length: 6\r\nconnection: close\r\n\r\nname=a"
        )
        assert b" 403 " in all_of(small).partition(b"\r\n")[0]
        assert b'"status":"ok"' in health(connect)
        for connection, thread in zip(unfinished, sending, strict=True):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()
        # What they held is free again, as soon as the service has noticed.
        for _ in range(600):
            whole = connect()
            _send(whole, head.replace(b"%d" % (large + 1), b"%d" % large) + b" " * large)
            if b" 503 " not in (status := whole.recv(65_536).partition(b"\r\n")[0]):
                break
            time.sleep(0.1)
        assert b" 400 " in status
