"""What a provider's batch API must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import orjson

from ...models import Failure, Reason
from ..client import Bounds
from ..retry import Answered, Endpoint, Refused
from .ledger import Submission

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
    """A batch that has ended, and the URLs of its results. `queue_full`: it was not accepted, so nothing is paid."""

    results: tuple[str, ...]
    failure: Failure | None = None
    queue_full: bool = False


class BatchApi(ABC):
    """One provider's batch API. A `Failure` may be retried; a `Refused` may not."""

    most_requests: ClassVar[int]
    most_bytes: ClassVar[int]
    # Whether `find` can recognize our batches by their tag, or only by their contents.
    has_tags: ClassVar[bool]

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str]) -> None:
        self.endpoint = endpoint
        self._headers = headers
        self._bare = {name: value for name, value in headers.items() if name.lower() != "content-type"}

    @abstractmethod
    def line(self, key: str, body: bytes) -> bytes:
        """One request, with exactly the bytes of a single call."""

    @abstractmethod
    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        """Submit a batch and return its id. After a `Failure` the batch may exist all the same."""

    @abstractmethod
    async def find(self, lost: Submission, known_ids: frozenset[str]) -> list[str] | Refused | Failure:
        """The ids of batches that may be this one, whose id never reached us."""

    @abstractmethod
    async def look(self, batch: str) -> EndedBatch | Refused | Failure | None:
        """The batch if it has ended, None if not."""

    @abstractmethod
    def outcome(self, item: Mapping[str, Any]) -> Outcome:
        """What one line of the results says."""

    async def results(self, ended: EndedBatch) -> dict[str, Outcome] | Refused | Failure:
        """The outcome of each request, by its key; lines that cannot be read count as unanswered."""
        outcomes: dict[str, Outcome] = {}
        for url in ended.results:
            reply = await self.endpoint.at(url).get({}, self._bare, lambda content: True, FILE_BOUNDS)
            if not isinstance(reply, Answered):
                return reply
            for line in reply.body.splitlines():
                with suppress(ValueError, LookupError, TypeError, AttributeError):
                    item = orjson.loads(line)
                    outcomes[str(item["custom_id"])] = self.outcome(item)
        return outcomes

    async def _get(self, url: str, params: Mapping[str, str] | None = None) -> dict[str, Any] | Refused | Failure:
        """GET a JSON object."""
        return self._object(await self.endpoint.at(url).get(params or {}, self._bare, _is_json))

    async def _pages(self, url: str, cursor: str) -> AsyncIterator[dict[str, Any] | Refused | Failure]:
        """All batches at this provider, the newest first; or, as the last, why there are no more."""
        params = {"limit": "100"}
        while True:
            page = await self._get(url, params)
            if not isinstance(page, dict):
                yield page
                return
            for batch in page["data"]:
                yield batch
            if not page["data"] or not page.get("has_more"):
                return
            params[cursor] = str(page["data"][-1]["id"])

    async def _create(self, endpoint: Endpoint, body: bytes, headers: Mapping[str, str]) -> str | Refused | Failure:
        """POST, and return the id of what was made."""
        made = self._object(await endpoint.post(body, headers, _is_json, FILE_BOUNDS))
        return str(made["id"]) if isinstance(made, dict) else made

    def _object(self, reply: Outcome) -> dict[str, Any] | Refused | Failure:
        if not isinstance(reply, Answered):
            return reply
        try:
            data: dict[str, Any] = orjson.loads(reply.body)
        except orjson.JSONDecodeError as error:
            return self._failure("server_error", f"not JSON: {error}")
        return data

    def _failure(self, reason: Reason, message: str) -> Failure:
        return Failure(reason=reason, message=f"{self.endpoint.url}: {message}", judge=self.endpoint.judge)

    def _failed_request(self, status: int, message: str) -> Outcome:
        """A request that was answered with this status, as a single call would report it."""
        if status == 429:
            return self._failure("rate_limited", f"HTTP 429: {message}")
        if status >= 500 or status == 200:
            return self._failure("server_error", f"HTTP {status}: {message}")
        return Refused(status, message, 1)


def _is_json(content: bytes) -> bool:
    return content.lstrip().startswith(b"{")
