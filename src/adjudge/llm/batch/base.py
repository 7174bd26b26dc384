"""The interface to a provider's batch API: requests are submitted together; results come as lines in any order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import orjson

from ...models.common import Failure, Reason
from ..base import Delivery, Sent
from ..client import Bounds
from ..http import refusal_as_failure
from ..retry import Endpoint, Refused
from .ledger import Submission

# The outcome of one request of a batch.
Outcome = Delivery | Refused | Failure

# Batch files are large: a transfer may take an hour as long as data arrives. The size limit is what a batch may hold.
FILE_BOUNDS = Bounds(total=3600.0, idle=300.0, reply_bytes=2**30)


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """How batches are built. `ledger` is the folder that records submissions; only one process at a time may use it.

    A batch is submitted when it is full, or when no request was added for `idle` seconds.
    """

    ledger: Path
    idle: float = 3.0
    poll: float = 20.0
    longest_poll: float = 300.0
    most_requests: int = 10_000
    most_bytes: int = 100_000_000


class BatchError(Exception):
    """A request to the batch API failed; `refused` means that repeating it does not help."""

    def __init__(self, failure: Failure, refused: bool = False) -> None:
        self.failure, self.refused = failure, refused
        super().__init__(failure.message)


class BatchResults(NamedTuple):
    """The outcomes of a batch by key; `otherwise` is the failure of each request that is not among them.

    `queue_full` means that the batch was not accepted, so nothing is paid.
    """

    batch: str
    outcomes: Mapping[str, Outcome]
    otherwise: Failure
    queue_full: bool = False

    def of(self, sent: Mapping[str, Sent]) -> dict[str, Outcome]:
        """Return the outcome of each of these requests. Replies get the batch's id and the parameters actually sent."""
        found = {key: self.outcomes.get(key, self.otherwise) for key in sent}
        return {
            key: replace(outcome, sent={**sent[key], "batch": self.batch}) if isinstance(outcome, Delivery) else outcome
            for key, outcome in found.items()
        }


class BatchApi(ABC):
    """One provider's batch API. Its methods raise `BatchError` if the provider refuses or gives no usable answer."""

    most_requests: ClassVar[int]
    most_bytes: ClassVar[int]
    # Whether `find` can recognize our batches by their tag, or only by their contents.
    has_tags: ClassVar[bool]

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str]) -> None:
        self.endpoint = endpoint
        self._headers = headers
        self._bare = {name: value for name, value in headers.items() if name.lower() != "content-type"}

    @property
    @abstractmethod
    def _batches(self) -> str:
        """The URL of all batches."""

    @abstractmethod
    def line(self, key: str, body: bytes) -> bytes:
        """Build one request's line, which contains exactly the bytes of a single call."""

    @abstractmethod
    async def submit(self, lines: Sequence[bytes], tag: str) -> str:
        """Submit a batch and return its id. After an error other than a refusal the batch may exist all the same."""

    @abstractmethod
    async def find(self, lost: Submission, known_ids: Collection[str]) -> list[str]:
        """Return the ids of batches that may be this submission, whose id never reached us."""

    @abstractmethod
    async def results(self, batch: str) -> BatchResults | None:
        """Return the results if the batch has ended, None if not."""

    @abstractmethod
    def _outcome(self, item: Mapping[str, Any]) -> Outcome:
        """Convert one parsed line of the results to an outcome."""

    async def _lines(self, *urls: str) -> dict[str, Outcome]:
        """Return each request's outcome by its key. Lines that cannot be read are skipped, so count as unanswered."""
        outcomes: dict[str, Outcome] = {}
        for url in urls:
            reply = await self.endpoint.at(url).ask(self._bare, lambda content: True, bounds=FILE_BOUNDS)
            for line in self._answered(reply).body.splitlines():
                with suppress(ValueError, LookupError, TypeError, AttributeError):
                    item = orjson.loads(line)
                    outcomes[str(item["custom_id"])] = self._outcome(item)
        return outcomes

    async def _get(self, url: str, params: Mapping[str, str] | None = None) -> dict[str, Any]:
        """GET a JSON object."""
        return self._object(await self.endpoint.at(url).ask(self._bare, _is_json, params=params))

    async def _pages(self, cursor: str) -> AsyncIterator[dict[str, Any]]:
        """Yield all batches at this provider, newest first."""
        params = {"limit": "100"}
        more = True
        while more:
            page = await self._get(self._batches, params)
            for batch in page["data"]:
                yield batch
            if more := bool(page["data"] and page.get("has_more")):
                params[cursor] = str(page["data"][-1]["id"])

    async def _create(self, endpoint: Endpoint, body: bytes, headers: Mapping[str, str]) -> str:
        """POST, and return the id of the created object."""
        return str(self._object(await endpoint.ask(headers, _is_json, body, bounds=FILE_BOUNDS))["id"])

    async def _create_once(self, body: bytes) -> str:
        """Create a batch in a single attempt: a retry could create a second batch, and both would be paid."""
        return await self._create(self.endpoint.at(self._batches, attempts=1), body, self._headers)

    def _object(self, reply: Outcome) -> dict[str, Any]:
        try:
            data: dict[str, Any] = orjson.loads(self._answered(reply).body)
        except orjson.JSONDecodeError as error:
            raise BatchError(self._failure("server_error", f"not JSON: {error}")) from None
        return data

    def _answered(self, reply: Outcome) -> Delivery:
        if isinstance(reply, Refused):
            raise BatchError(refusal_as_failure(reply, self.endpoint), refused=True)
        if isinstance(reply, Failure):
            raise BatchError(reply)
        return reply

    def _failure(self, reason: Reason, message: str) -> Failure:
        return Failure(reason=reason, message=f"{self.endpoint.url}: {message}", judge=self.endpoint.judge)

    def _failed_request(self, status: int, message: str) -> Outcome:
        """Convert a request's error status to the outcome that a single call would have."""
        if status == 429:
            return self._failure("rate_limited", f"HTTP 429: {message}")
        if status >= 500 or status == 200:
            return self._failure("server_error", f"HTTP {status}: {message}")
        return Refused(status, message, 1)

    def _unanswered(self, batch: str, reason: Reason = "server_error", why: str | None = None) -> Failure:
        message = f"batch {batch} has no answer to this request" if why is None else f"batch {batch}: {why}"
        return Failure(reason=reason, message=message, judge=self.endpoint.judge)


def _is_json(content: bytes) -> bool:
    return content.lstrip().startswith(b"{")
