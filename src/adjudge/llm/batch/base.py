"""The providers' batch APIs: requests are submitted together, and their results come as lines in any order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

import orjson

from ...models import Failure, Reason
from .. import anthropic, openai
from ..base import Delivery, Sent
from ..client import Bounds
from ..http import refusal_as_failure
from ..retry import Endpoint, Refused, error_message, shortened
from .ledger import Submission

# What came of one request of a batch.
Outcome = Delivery | Refused | Failure

# Batch files are large: they may take an hour while they move, and their size is bounded by what a batch may hold.
FILE_BOUNDS = Bounds(total=3600.0, idle=300.0, reply_bytes=2**30)


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """How batches are made. `ledger` is the folder that records what was submitted; one process at a time may use it.

    A batch is submitted when it is full, or when no request was added for `idle` seconds.
    """

    ledger: Path
    idle: float = 3.0
    poll: float = 20.0
    longest_poll: float = 300.0
    most_requests: int = 10_000
    most_bytes: int = 100_000_000


class BatchError(Exception):
    """The provider did not answer; `refused`: it would not, however often it is asked."""

    def __init__(self, failure: Failure, refused: bool = False) -> None:
        self.failure, self.refused = failure, refused
        super().__init__(failure.message)


class BatchResults(NamedTuple):
    """The outcomes of a batch; a request that is not among them has no answer for the reason in `otherwise`.

    `queue_full`: it was not accepted, so nothing is paid.
    """

    batch: str
    outcomes: Mapping[str, Outcome]
    otherwise: Failure
    queue_full: bool = False

    def of(self, sent: Mapping[str, Sent]) -> dict[str, Outcome]:
        """The outcome of each of these requests; a reply knows its batch and the parameters that were really sent."""
        found = {key: self.outcomes.get(key, self.otherwise) for key in sent}
        return {
            key: replace(outcome, sent={**sent[key], "batch": self.batch}) if isinstance(outcome, Delivery) else outcome
            for key, outcome in found.items()
        }


class BatchApi(ABC):
    """One provider's batch API. What it cannot say for now, or at all, is a `BatchError`."""

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
        """One request, with exactly the bytes of a single call."""

    @abstractmethod
    async def submit(self, lines: Sequence[bytes], tag: str) -> str:
        """Submit a batch and return its id. After an error that is no refusal the batch may exist all the same."""

    @abstractmethod
    async def find(self, lost: Submission, known_ids: Collection[str]) -> list[str]:
        """The ids of batches that may be this one, whose id never reached us."""

    @abstractmethod
    async def results(self, batch: str) -> BatchResults | None:
        """The results if the batch has ended, None if not."""

    @abstractmethod
    def _outcome(self, item: Mapping[str, Any]) -> Outcome:
        """What one line of the results says."""

    async def _lines(self, *urls: str) -> dict[str, Outcome]:
        """The outcome of each request, by its key; lines that cannot be read count as unanswered."""
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
        """All batches at this provider, the newest first."""
        params = {"limit": "100"}
        more = True
        while more:
            page = await self._get(self._batches, params)
            for batch in page["data"]:
                yield batch
            if more := bool(page["data"] and page.get("has_more")):
                params[cursor] = str(page["data"][-1]["id"])

    async def _create(self, endpoint: Endpoint, body: bytes, headers: Mapping[str, str]) -> str:
        """POST, and return the id of what was made."""
        return str(self._object(await endpoint.ask(headers, _is_json, body, bounds=FILE_BOUNDS))["id"])

    async def _create_once(self, body: bytes) -> str:
        """Make a batch in a single attempt: sent twice, it would be two batches, and both would be paid."""
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
        """A request that was answered with this status, as a single call would report it."""
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


# -- OpenAI -----------------------------------------------------------------------------------------------------------
# A file of requests is uploaded, a batch is made of it, and its results are files again. A batch carries a tag of ours,
# by which it is found if its id never reached us.

_TAG = "adjudge"
_ENDPOINT = "/v1/chat/completions"
_DONE = frozenset({"completed", "expired", "cancelled", "failed"})
_OPENAI_CLOCK_SKEW, _ANTHROPIC_CLOCK_SKEW = 3600.0, 300.0
# Errors that may not occur again on another day or with fewer batches at a time.
_QUEUE_FULL = "token_limit_exceeded"
_TEMPORARY: dict[str, Reason] = {_QUEUE_FULL: "rate_limited", "batch_expired": "timeout"}
_STATUS_REASONS: dict[str, Reason] = {"expired": "timeout", "cancelled": "server_error"}


class OpenAIBatches(BatchApi):
    """Batches of one model."""

    most_requests = 50_000
    most_bytes = 190_000_000  # the limit is 200 MB
    has_tags = True

    @property
    def _files(self) -> str:
        return self.endpoint.url.removesuffix("/chat/completions") + "/files"

    @property
    def _batches(self) -> str:
        return self.endpoint.url.removesuffix("/chat/completions") + "/batches"

    def line(self, key: str, body: bytes) -> bytes:
        head = f'{{"custom_id":"{key}","method":"POST","url":"{_ENDPOINT}","body":'
        return head.encode() + body + b"}\n"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str:
        boundary = f"adjudge-{tag}"
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        form = b"".join([head.encode(), *lines, f"\r\n--{boundary}--\r\n".encode()])
        headers = {**self._bare, "content-type": f"multipart/form-data; boundary={boundary}"}
        file = await self._create(self.endpoint.at(self._files), form, headers)
        body = {"input_file_id": file, "endpoint": _ENDPOINT, "completion_window": "24h", "metadata": {_TAG: tag}}
        return await self._create_once(orjson.dumps(body))

    async def find(self, lost: Submission, known_ids: Collection[str]) -> list[str]:
        async for batch in self._pages("after"):
            if (batch.get("metadata") or {}).get(_TAG) == lost.tag:
                return [str(batch["id"])]
            if float(batch["created_at"]) < lost.prepared_at - _OPENAI_CLOCK_SKEW:
                break
        return []

    async def results(self, batch: str) -> BatchResults | None:
        data = await self._get(f"{self._batches}/{batch}")
        status = str(data.get("status"))
        if status not in _DONE:
            return None
        files = [
            f"{self._files}/{data[name]}/content" for name in ("output_file_id", "error_file_id") if data.get(name)
        ]
        errors = (data.get("errors") or {}).get("data") or [{}]
        codes = [str(error.get("code")) for error in errors]
        failure = self._unanswered(batch)
        if status != "completed":
            reason = _TEMPORARY.get(codes[0], _STATUS_REASONS.get(status, "rejected"))
            said = shortened(str(errors[0].get("message") or f"the batch is {status}"))
            failure = self._unanswered(batch, reason, said)
        return BatchResults(batch, await self._lines(*files), failure, not files and _QUEUE_FULL in codes)

    def _outcome(self, item: Mapping[str, Any]) -> Outcome:
        response = item.get("response")
        if not response:
            error = item.get("error") or {}
            message = shortened(str(error.get("message") or error.get("code") or "no answer"))
            return self._failure(_TEMPORARY.get(str(error.get("code")), "server_error"), message)
        body = orjson.dumps(response.get("body"))
        status = int(response.get("status_code") or 0)
        if status == 200 and openai.is_reply(body):
            return Delivery(body, 1)
        return self._failed_request(status, error_message(body))


# -- Anthropic --------------------------------------------------------------------------------------------------------
# Requests are submitted as one body. A batch cannot carry a tag: one whose id never reached us is recognized by the
# keys in its results. So we wait until it has ended, and if it turns out not to be ours, we submit ours then.

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_UNANSWERED: dict[str, tuple[Reason, str]] = {
    "expired": ("timeout", "the batch expired before it was answered"),
    "canceled": ("server_error", "the batch was cancelled before it was answered"),
}


class AnthropicBatches(BatchApi):
    """Batches of one Claude model."""

    most_requests = 100_000
    most_bytes = 240_000_000  # the limit is 256 MB
    has_tags = False

    @property
    def _batches(self) -> str:
        return f"{self.endpoint.url}/batches"

    def line(self, key: str, body: bytes) -> bytes:
        return f'{{"custom_id":"{key}","params":'.encode() + body + b"}"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str:
        return await self._create_once(b'{"requests":[' + b",".join(lines) + b"]}")

    async def find(self, lost: Submission, known_ids: Collection[str]) -> list[str]:
        found: list[str] = []
        async for batch in self._pages("after_id"):
            if datetime.fromisoformat(batch["created_at"]).timestamp() < lost.prepared_at - _ANTHROPIC_CLOCK_SKEW:
                break
            requests = sum((batch.get("request_counts") or {}).values())
            if requests == lost.requests and str(batch["id"]) not in known_ids:
                found.append(str(batch["id"]))
        return found

    async def results(self, batch: str) -> BatchResults | None:
        data = await self._get(f"{self._batches}/{batch}")
        if data.get("processing_status") != "ended":
            return None
        # The provider names the URL of the results, but the key goes to no other host than the one configured.
        url = str(data.get("results_url") or "")
        ours = urlsplit(url)[:2] == urlsplit(self._batches)[:2]
        outcomes = await self._lines(url if ours else f"{self._batches}/{batch}/results")
        return BatchResults(batch, outcomes, self._unanswered(batch))

    def _outcome(self, item: Mapping[str, Any]) -> Outcome:
        result = item.get("result") or {}
        kind = str(result.get("type"))
        if kind == "succeeded":
            body = orjson.dumps(result["message"])
            return Delivery(body, 1) if anthropic.is_reply(body) else self._failed_request(200, "not a message")
        if kind == "errored":
            error = result.get("error") or {}
            error = error.get("error") or error
            return self._failed_request(_STATUS.get(str(error.get("type")), 500), shortened(str(error.get("message"))))
        return self._failure(*_UNANSWERED.get(kind, ("server_error", f"the batch reports only {kind!r}")))
