"""What a provider's batch API must do for us, whichever it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import orjson

from ....verdicts import Failure
from ..connection import Timeouts
from ..http import Answered, Poster, Refused

# What came of one question of a batch.
Outcome = Answered | Refused | Failure

# Files are large: what counts is that something still moves.
PATIENT = Timeouts(connect=15.0, whole=None, silence=300.0)


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """How batches are made. `ledger` is the file that knows what was handed in; it belongs to one process at a time.

    A batch is closed when it is full, or when no new question came for `idle` seconds.
    """

    ledger: Path
    idle: float = 3.0
    poll: float = 20.0
    longest_poll: float = 300.0
    most_requests: int = 10_000
    most_bytes: int = 100_000_000


@dataclass(frozen=True, slots=True)
class Ended:
    """A batch that goes on no longer, and where its results are; with `no_room` it was never begun."""

    results: tuple[str, ...]
    failure: Failure | None = None
    no_room: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a batch can be found again whose number was never heard."""

    tag: str
    questions: int
    since: float
    known: frozenset[str]


class BatchApi(Protocol):
    """One provider's batch API. What it brings back as a `Failure` may be asked for again; a `Refused` may not."""

    most_requests: int
    most_bytes: int
    # Can `find` tell our batches from others by their tag, or only by what is in them?
    tags: bool

    def line(self, key: str, body: bytes) -> bytes:
        """One question, with the very bytes that a single call would send."""
        ...

    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        """Hand them in: the batch's number. After a `Failure` it may be there all the same."""
        ...

    async def find(self, wanted: Wanted) -> list[str] | Refused | Failure:
        """Batches that may be the one."""
        ...

    async def look(self, batch: str) -> Ended | Refused | Failure | None:
        """Is it done? None: not yet."""
        ...

    async def results(self, ended: Ended) -> dict[str, Outcome] | Refused | Failure:
        """What came of each question, by its key."""
        ...


def is_json(content: bytes) -> bool:
    """Is this a provider's object?"""
    return content.lstrip().startswith(b"{")


async def get_object(
    poster: Poster, headers: Mapping[str, str], params: Mapping[str, str] | None = None
) -> dict[str, Any] | Refused | Failure:
    """An object of the provider's."""
    return read_object(await poster.get(params or {}, headers, is_json), poster)


def read_object(reply: Outcome, poster: Poster) -> dict[str, Any] | Refused | Failure:
    """A reply's JSON object."""
    if not isinstance(reply, Answered):
        return reply
    try:
        data: dict[str, Any] = orjson.loads(reply.body)
    except orjson.JSONDecodeError as error:
        return Failure(reason="server_error", message=f"{poster.url}: no JSON: {error}", judge=poster.judge)
    return data


def lines_of(content: bytes) -> Iterator[dict[str, Any]]:
    """The objects of a file of results; a line that is none answers nothing."""
    for line in content.splitlines():
        try:
            item = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(item, dict) and "custom_id" in item:
            yield item


def failed(status: int, message: str, poster: Poster) -> Outcome:
    """An answer with an error's status, as a single call would have had it."""
    if status == 429:
        return Failure(reason="rate_limited", message=f"{poster.url}: HTTP 429: {message}", judge=poster.judge)
    if status >= 500 or status == 200:
        return Failure(reason="server_error", message=f"{poster.url}: HTTP {status}: {message}", judge=poster.judge)
    return Refused(status, message, 1)
