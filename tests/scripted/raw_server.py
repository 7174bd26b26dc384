"""A server that sends exactly the bytes it is told to, for what no well-behaved server does."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adjudge.llm.client import Client

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
            length = re.search(rb"(?i)content-length: (\d+)", head)
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
    async def running(self, security: ssl.SSLContext | None = None) -> AsyncIterator[Client]:
        tasks: list[asyncio.Task[None]] = []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks.append(asyncio.create_task(self._accept(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=security)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http{'s' if security else ''}://127.0.0.1:{port}/v1/chat"
        opened = Client()
        try:
            yield opened
        finally:
            await opened.close()
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)


def packed(content: bytes, encoding: str) -> bytes:
    """A reply whose content is said to be packed in this way."""
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content
