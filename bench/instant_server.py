"""A server that answers every chat completion with the same reply after a delay, with as little CPU as possible.

Run as `python bench/instant_server.py REPLY.json DELAY[~SPREAD] [NAME=REPLY.json …]`; it prints its port. The delay is
in seconds; with a spread it is log-normal with that median, drawn from a fixed seed. A request under `/NAME/v1/…` gets
the reply of that name. `/stats` returns how often and when each name was requested, and resets the counts.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)


class Connection(asyncio.Protocol):
    """Keeps one connection open and answers its requests in order; subclasses define the answer in `respond`."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self.buffer, 0, end)
            size = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < size:
                return
            begin = self.buffer.index(b" ") + 1
            path = self.buffer[begin : self.buffer.index(b" ", begin)]
            body = self.buffer[end + 4 : size]
            self.buffer = self.buffer[size:]
            self.respond(path, body)

    def respond(self, path: bytes, body: bytes) -> None:
        raise NotImplementedError

    def say(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)


def answer_of(content: bytes, status: str = "200 OK", more: str = "") -> bytes:
    """Build a whole HTTP response; `more` holds further header lines."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n{more}\r\n"
    return head.encode() + content


class Count:
    """The number and bytes of requests, and the times of the first request and the last answer (monotonic clock)."""

    def __init__(self) -> None:
        self.requests = self.bytes = 0
        self.first = self.last = 0.0


class Instant(Connection):
    """Sends the same reply to every request under the same name."""

    def __init__(self, replies: Mapping[bytes, bytes], delay: Callable[[], float], counts: dict[bytes, Count]) -> None:
        self.replies, self.delay, self.counts = replies, delay, counts

    def respond(self, path: bytes, body: bytes) -> None:
        name = path.split(b"/", 2)[1]
        if name == b"stats":
            told = {name.decode(): vars(count) for name, count in self.counts.items()}
            self.counts.clear()
            self.say(answer_of(json.dumps(told).encode()))
            return
        if name not in self.replies:
            name = b""
        count = self.counts.get(name)
        if count is None:
            count = self.counts[name] = Count()
            count.first = time.monotonic()
        count.requests += 1
        count.bytes += len(body)
        asyncio.get_running_loop().call_later(self.delay(), self.answer, name, count)

    def answer(self, name: bytes, count: Count) -> None:
        self.say(self.replies[name])
        count.last = time.monotonic()


async def listen(factory: Any) -> None:
    """Print the port, then serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    named = {"": sys.argv[1], **dict(pair.split("=", 1) for pair in sys.argv[3:])}
    replies = {name.encode(): answer_of(Path(path).read_bytes()) for name, path in named.items()}
    counts: dict[bytes, Count] = {}
    median, _, spread = sys.argv[2].partition("~")
    draw = random.Random(0)

    def delay() -> float:
        return float(median) * math.exp(draw.gauss(0, float(spread or 0)))

    with suppress(KeyboardInterrupt):
        asyncio.run(listen(lambda: Instant(replies, delay, counts)))


if __name__ == "__main__":
    main()
