"""Anthropic's Message Batches: requests are submitted as one body, results come as lines in any order.

A batch cannot carry a tag. One whose id never reached us is recognized by the keys in its results: so we wait until
it has ended, and if it turns out not to be ours, we submit ours then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import orjson

from ...models import Failure, Reason
from ..anthropic import is_reply
from ..retry import Answered, Refused, shortened
from .base import BatchApi, EndedBatch, Outcome
from .ledger import Submission

_CLOCK_SKEW = 300.0
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
    def _url(self) -> str:
        return f"{self.endpoint.url}/batches"

    def line(self, key: str, body: bytes) -> bytes:
        return f'{{"custom_id":"{key}","params":'.encode() + body + b"}"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        # A single attempt: sent twice, it would be two batches, and both would be paid.
        body = b'{"requests":[' + b",".join(lines) + b"]}"
        return await self._create(self.endpoint.at(self._url, attempts=1), body, self._headers)

    async def find(self, lost: Submission, known_ids: frozenset[str]) -> list[str] | Refused | Failure:
        found: list[str] = []
        async for batch in self._pages(self._url, "after_id"):
            if not isinstance(batch, dict):
                return batch
            if datetime.fromisoformat(batch["created_at"]).timestamp() < lost.prepared_at - _CLOCK_SKEW:
                break
            requests = sum((batch.get("request_counts") or {}).values())
            if requests == lost.requests and str(batch["id"]) not in known_ids:
                found.append(str(batch["id"]))
        return found

    async def look(self, batch: str) -> EndedBatch | Refused | Failure | None:
        data = await self._get(f"{self._url}/{batch}")
        if not isinstance(data, dict):
            return data
        if data.get("processing_status") != "ended":
            return None
        # The provider names the URL of the results, but the key goes to no other host than the one configured.
        url = str(data.get("results_url") or "")
        ours = urlsplit(url)[:2] == urlsplit(self._url)[:2]
        return EndedBatch((url if ours else f"{self._url}/{batch}/results",))

    def outcome(self, item: Mapping[str, Any]) -> Outcome:
        result = item.get("result") or {}
        kind = str(result.get("type"))
        if kind == "succeeded":
            body = orjson.dumps(result["message"])
            return Answered(body, 1) if is_reply(body) else self._failed_request(200, "not a message")
        if kind == "errored":
            error = result.get("error") or {}
            error = error.get("error") or error
            return self._failed_request(_STATUS.get(str(error.get("type")), 500), shortened(str(error.get("message"))))
        return self._failure(*_UNANSWERED.get(kind, ("server_error", f"the batch reports only {kind!r}")))
