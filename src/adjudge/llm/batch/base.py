"""What a provider's batch API must offer, and the helpers that both providers share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import orjson

from ...models import Failure
from ..client import Bounds
from ..retry import Answered, Endpoint, Refused

# What came of one request of a batch.
Outcome = Answered | Refused | Failure

# Batch files are large: they may take an hour while they move, and their size is bounded by what a batch may hold.
FILE_BOUNDS = Bounds(total=3600.0, idle=300.0, reply_bytes=2**30)


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """How batches are made. `ledger` is the file that records what was submitted; one process at a time may use it.

    A batch is submitted when it is full, or when no request was added for `idle` seconds.
    """

    ledger: Path
    idle: float = 3.0
    poll: float = 20.0
    longest_poll: float = 300.0
    most_requests: int = 10_000
    most_bytes: int = 100_000_000


@dataclass(frozen=True, slots=True)
class EndedBatch:
    """A batch that has ended, and where its results are. `queue_full`: it was not accepted, so nothing is paid."""

    results: tuple[str, ...]
    failure: Failure | None = None
    queue_full: bool = False


@dataclass(frozen=True, slots=True)
class LostBatch:
    """What is known of a batch whose id never reached us."""

    tag: str
    requests: int
    since: float
    known_ids: frozenset[str]


class BatchApi(Protocol):
    """One provider's batch API. A `Failure` may be retried; a `Refused` may not."""

    most_requests: int
    most_bytes: int
    # Whether `find` can recognize our batches by their tag, or only by their contents.
    has_tags: bool

    def line(self, key: str, body: bytes) -> bytes:
        """One request, with exactly the bytes of a single call."""
        ...

    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        """Submit a batch and return its id. After a `Failure` the batch may exist all the same."""
        ...

    async def find(self, lost: LostBatch) -> list[str] | Refused | Failure:
        """The ids of batches that may be the lost one."""
        ...

    async def look(self, batch: str) -> EndedBatch | Refused | Failure | None:
        """The batch if it has ended, None if not."""
        ...

    async def results(self, ended: EndedBatch) -> dict[str, Outcome] | Refused | Failure:
        """The outcome of each request, by its key."""
        ...


def is_json(content: bytes) -> bool:
    """Whether this looks like a JSON object."""
    return content.lstrip().startswith(b"{")


async def get_object(
    endpoint: Endpoint, headers: Mapping[str, str], params: Mapping[str, str] | None = None
) -> dict[str, Any] | Refused | Failure:
    """GET a JSON object."""
    return read_object(await endpoint.get(params or {}, headers, is_json), endpoint)


def read_object(reply: Outcome, endpoint: Endpoint) -> dict[str, Any] | Refused | Failure:
    """A reply's JSON object."""
    if not isinstance(reply, Answered):
        return reply
    try:
        data: dict[str, Any] = orjson.loads(reply.body)
    except orjson.JSONDecodeError as error:
        return Failure(reason="server_error", message=f"{endpoint.url}: not JSON: {error}", judge=endpoint.judge)
    return data


def result_lines(content: bytes) -> Iterator[dict[str, Any]]:
    """The objects of a results file; other lines are skipped, and their requests count as unanswered."""
    for line in content.splitlines():
        try:
            item = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(item, dict) and "custom_id" in item:
            yield item


def failed_request(status: int, message: str, endpoint: Endpoint) -> Outcome:
    """A request that was answered with this status, as a single call would report it."""
    if status == 429:
        return Failure(reason="rate_limited", message=f"{endpoint.url}: HTTP 429: {message}", judge=endpoint.judge)
    if status >= 500 or status == 200:
        return Failure(reason="server_error", message=f"{endpoint.url}: HTTP {status}: {message}", judge=endpoint.judge)
    return Refused(status, message, 1)
