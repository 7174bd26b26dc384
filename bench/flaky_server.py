"""A server for the fault table: it misbehaves in one way at some requests, and then answers correctly."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from instant_server import Connection, answer_of
from overhead import reply_body

Misbehave = Callable[["Flaky"], None]


@dataclass
class Script:
    """How the server misbehaves and how many times, and counts of what it did. After that it answers correctly."""

    misbehave: Misbehave | None = None
    times: int = 4
    delay: float = 0.03
    asked: int = 0
    good: int = 0
    seen: set[bytes] = field(default_factory=set)


class Flaky(Connection):
    """Misbehaves at every other request until the script's number of times is reached."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def respond(self, path: bytes, body: bytes) -> None:
        script = self.script
        script.asked += 1
        if script.misbehave is not None and script.times and script.asked % 2:
            script.times -= 1
            script.misbehave(self)
            return
        asyncio.get_running_loop().call_later(script.delay, self.answer_well)

    def answer_well(self) -> None:
        if not self.transport.is_closing():
            self.script.good += 1
            self.say(answer_of(reply_body()))


@contextmanager
def serving(script: Script, security: ssl.SSLContext | None = None) -> Iterator[str]:
    """Run such a server and yield the name of a judge that uses it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    starting = asyncio.run_coroutine_threadsafe(_listen(loop, script, security), loop)
    try:
        yield f"http{'s' if security else ''}://127.0.0.1:{starting.result()}/v1#m"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _listen(loop: asyncio.AbstractEventLoop, script: Script, security: ssl.SSLContext | None) -> int:
    server = await loop.create_server(lambda: Flaky(script), "127.0.0.1", 0, ssl=security)
    return int(server.sockets[0].getsockname()[1])


def _reset(line: Flaky) -> None:
    plug = line.transport.get_extra_info("socket")
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.transport.abort()


def _break_off(line: Flaky) -> None:
    whole = answer_of(reply_body())
    line.say(whole[: len(whole) // 2])
    line.transport.close()


def _endless(line: Flaky) -> None:
    line.say(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")

    def more() -> None:
        if not line.transport.is_closing():
            line.say(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
            asyncio.get_running_loop().call_later(0.001, more)

    more()


def _bomb(line: Flaky) -> None:
    packed = gzip.compress(bytes(300_000_000), 1)
    line.say(answer_of(packed, more="Content-Encoding: gzip\r\n"))


def _says(change: Callable[[dict[str, object]], None]) -> Misbehave:
    completion = json.loads(reply_body())
    change(completion["choices"][0]["message"])
    answer = answer_of(json.dumps(completion).encode())

    def say(line: Flaky) -> None:
        line.script.good += 1  # counts as a reply, since it is paid for and stored
        line.say(answer)

    return say


def _cut(message: dict[str, object]) -> None:
    message["content"] = str(message["content"])[:1000]


def _refuse(message: dict[str, object]) -> None:
    message.update(content=None, refusal="I will not judge this.")


def _status(status: str, said: bytes, more: str = "") -> Misbehave:
    return lambda line: line.say(answer_of(said, status, more))


_ERROR = b'{"error":{"message":"the model is unwell","type":"server_error"}}'
NETWORK: dict[str, tuple[str, Misbehave]] = {
    "HTTP 500": ("4 requests answered with it", _status("500 Internal Server Error", _ERROR)),
    "HTTP 429, Retry-After": ("4 requests, 1 s each", _status("429 Too Many Requests", _ERROR, "Retry-After: 1\r\n")),
    "reset": ("4 connections reset", _reset),
    "broken-off reply": ("4 replies closed in the middle", _break_off),
    "malformed JSON": ("4 replies whose JSON ends early", _says(_cut)),
    "refusal": ("the model declines 4 times", _says(_refuse)),
    "endless body": ("4 replies that never end", _endless),
    "gzip bomb": ("4 replies that unpack to 300 MB", _bomb),
}
