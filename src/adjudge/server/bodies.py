"""The body of a request: read up to a limit, and a large one parsed on a thread, so that others are still answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import Request

from ..errors import InputError, TooLargeError
from ..inputs.json import parse_object

T = TypeVar("T")

MAX_BODY_BYTES = 16_000_000
_LARGE = 100_000  # parsed within a few milliseconds


async def read_body(request: Request) -> bytes:
    """The body, given up as soon as it is too large."""
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise InputError("content-encoding", repr(packed[:80]), "send the body as it is, not compressed")
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise TooLargeError(
                "body", f"more than {MAX_BODY_BYTES:,} bytes", f"at most {MAX_BODY_BYTES:,} are allowed"
            )
        chunks.append(chunk)
    return b"".join(chunks)


async def read_case(request: Request, read: Callable[[bytes], T]) -> T:
    """What `read` makes of the body; of a large one on a thread."""
    body = await read_body(request)
    return await asyncio.to_thread(read, body) if len(body) > _LARGE else read(body)


async def read_object(request: Request, wanted: str, *, optional: bool = False) -> dict[str, Any]:
    """The JSON object in the body; `wanted` says which fields it should have. An empty one may be `optional`."""

    def read(body: bytes) -> dict[str, Any]:
        return {} if optional and not body.strip() else parse_object(body, "body", wanted)

    return await read_case(request, read)
