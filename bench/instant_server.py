"""A server that answers every chat completion with the same reply after a fixed delay, at as little CPU as Python can.

Run as `python bench/instant_server.py REPLY.json DELAY_SECONDS`; it prints its port. The other end of a benchmark.
"""

from __future__ import annotations

import asyncio
import re
import sys
from contextlib import suppress
from pathlib import Path

_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)


class Connection(asyncio.Protocol):
    """Keeps one connection alive and answers its requests in order."""

    def __init__(self, reply: bytes, delay: float) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(reply)}\r\n\r\n"
        self.reply, self.delay = head.encode() + reply, delay
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self.buffer, 0, end)
            size = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < size:
                return
            self.buffer = self.buffer[size:]
            asyncio.get_running_loop().call_later(self.delay, self.answer)

    def answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(self.reply)


async def serve(reply: bytes, delay: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(reply, delay), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(Path(sys.argv[1]).read_bytes(), float(sys.argv[2])))
