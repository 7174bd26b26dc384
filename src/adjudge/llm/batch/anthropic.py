"""Anthropic's batch API: all requests are submitted in one body.

A batch cannot carry a tag, so a batch whose id never reached us is recognized by the keys in its results. We wait until
it has ended, and if it turns out not to be ours, we submit ours then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import orjson

from ...models.common import Reason
from ..anthropic import is_reply
from ..base import Delivery
from ..retry import shortened
from .base import BatchApi, BatchResults, Outcome
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
    def _batches(self) -> str:
        return f"{self.endpoint.url}/batches"

    def line(self, key: str, body: bytes) -> bytes:
        return f'{{"custom_id":"{key}","params":'.encode() + body + b"}"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str:
        return await self._create_once(b'{"requests":[' + b",".join(lines) + b"]}")

    async def find(self, lost: Submission, known_ids: Collection[str]) -> list[str]:
        found: list[str] = []
        async for batch in self._pages("after_id"):
            if datetime.fromisoformat(batch["created_at"]).timestamp() < lost.prepared_at - _CLOCK_SKEW:
                break
            requests = sum((batch.get("request_counts") or {}).values())
            if requests == lost.requests and str(batch["id"]) not in known_ids:
                found.append(str(batch["id"]))
        return found

    async def results(self, batch: str) -> BatchResults | None:
        data = await self._get(f"{self._batches}/{batch}")
        if data.get("processing_status") != "ended":
            return None
        # The provider names the URL of the results, but we send the key only to the configured host.
        url = str(data.get("results_url") or "")
        ours = urlsplit(url)[:2] == urlsplit(self._batches)[:2]
        outcomes = await self._lines(url if ours else f"{self._batches}/{batch}/results")
        return BatchResults(batch, outcomes, self._unanswered(batch))

    def _outcome(self, item: Mapping[str, Any]) -> Outcome:
        result = item.get("result") or {}
        kind = str(result.get("type"))
        if kind == "succeeded":
            body = orjson.dumps(result["message"])
            return Delivery(body, 1) if is_reply(body) else self._failed_request(200, "not a message")
        if kind == "errored":
            error = result.get("error") or {}
            error = error.get("error") or error
            return self._failed_request(_STATUS.get(str(error.get("type")), 500), shortened(str(error.get("message"))))
        return self._failure(*_UNANSWERED.get(kind, ("server_error", f"the batch reports only {kind!r}")))
