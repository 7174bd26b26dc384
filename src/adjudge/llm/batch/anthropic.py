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
from ..retry import Answered, Endpoint, Refused
from .base import (
    FILE_BOUNDS,
    EndedBatch,
    LostBatch,
    Outcome,
    failed_request,
    get_object,
    is_json,
    read_object,
    result_lines,
)

_PAGE = 100
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


class AnthropicBatches:
    """Batches of one Claude model."""

    most_requests = 100_000
    most_bytes = 240_000_000  # the limit is 256 MB
    has_tags = False

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str]) -> None:
        self._endpoint = endpoint
        self._url = f"{endpoint.url}/batches"
        self._headers = dict(headers)
        self._bare = {name: value for name, value in headers.items() if name.lower() != "content-type"}

    def line(self, key: str, body: bytes) -> bytes:
        return f'{{"custom_id":"{key}","params":'.encode() + body + b"}"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        # A single attempt: sent twice, it would be two batches, and both would be paid.
        endpoint = self._endpoint.at(self._url, attempts=1)
        body = b'{"requests":[' + b",".join(lines) + b"]}"
        made = read_object(await endpoint.post(body, self._headers, is_json, FILE_BOUNDS), endpoint)
        return str(made["id"]) if isinstance(made, dict) else made

    async def find(self, lost: LostBatch) -> list[str] | Refused | Failure:
        params = {"limit": str(_PAGE)}
        found: list[str] = []
        while True:
            page = await get_object(self._endpoint.at(self._url), self._bare, params)
            if not isinstance(page, dict):
                return page
            for batch in page["data"]:
                if datetime.fromisoformat(batch["created_at"]).timestamp() < lost.since - _CLOCK_SKEW:
                    return found
                requests = sum((batch.get("request_counts") or {}).values())
                if requests == lost.requests and str(batch["id"]) not in lost.known_ids:
                    found.append(str(batch["id"]))
            if not page["data"] or not page.get("has_more"):
                return found
            params["after_id"] = str(page.get("last_id") or page["data"][-1]["id"])

    async def look(self, batch: str) -> EndedBatch | Refused | Failure | None:
        data = await get_object(self._endpoint.at(f"{self._url}/{batch}"), self._bare)
        if not isinstance(data, dict):
            return data
        if data.get("processing_status") != "ended":
            return None
        # The provider names the URL of the results, but the key goes to no other host than the one configured.
        url = str(data.get("results_url") or "")
        ours = urlsplit(url)[:2] == urlsplit(self._url)[:2]
        return EndedBatch((url if ours else f"{self._url}/{batch}/results",))

    async def results(self, ended: EndedBatch) -> dict[str, Outcome] | Refused | Failure:
        outcomes: dict[str, Outcome] = {}
        for url in ended.results:
            reply = await self._endpoint.at(url).get({}, self._bare, lambda content: True, FILE_BOUNDS)
            if not isinstance(reply, Answered):
                return reply
            for item in result_lines(reply.body):
                outcomes[str(item["custom_id"])] = self._outcome(item.get("result") or {})
        return outcomes

    def _outcome(self, result: Mapping[str, Any]) -> Outcome:
        kind = str(result.get("type"))
        if kind == "succeeded":
            body = orjson.dumps(result["message"])
            return Answered(body, 1) if is_reply(body) else failed_request(200, "not a message", self._endpoint)
        if kind == "errored":
            error = result.get("error") or {}
            error = error.get("error") or error
            return failed_request(
                _STATUS.get(str(error.get("type")), 500), str(error.get("message"))[:300], self._endpoint
            )
        reason, message = _UNANSWERED.get(kind, ("server_error", f"the batch reports only {kind!r}"))
        return Failure(reason=reason, message=f"{self._endpoint.url}: {message}", judge=self._endpoint.judge)
