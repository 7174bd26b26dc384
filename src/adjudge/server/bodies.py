"""What all judging routes share: reading a body, and the statuses a failed judgment has."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from ..errors import TooLargeError
from ..models import ErrorReport, Failure

MAX_BODY_BYTES = 16_000_000
_FAILED_STATUS = {"rate_limited": 503, "timeout": 504}

FAILURES: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorReport, "description": "The request names what is wrong and what is allowed."},
    413: {"model": ErrorReport, "description": "A text or the whole request is too large."},
    502: {"model": ErrorReport, "description": "The judgment failed; `failure` says why. It is never a score."},
    503: {"model": ErrorReport, "description": "A key is missing, or the provider's rate limit is reached."},
    504: {"model": ErrorReport, "description": "The judge did not answer in time."},
}


async def read_body(request: Request) -> bytes:
    """The body, given up as soon as it is too large."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise TooLargeError("body", f"more than {MAX_BODY_BYTES:,} bytes", "send less")
        chunks.append(chunk)
    return b"".join(chunks)


def failed_status(failure: Failure) -> int:
    """The HTTP status of a judgment that did not come about."""
    return _FAILED_STATUS.get(failure.reason, 502)
