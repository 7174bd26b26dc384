"""Anthropic's Message Batches: requests are handed in as one body, results come as lines in any order.

A batch has no room for a tag. One whose number was never heard is known by its questions, and those can only be read
from its results: so it is waited for, and if it is another's after all, ours is handed in then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import orjson

from ....verdicts import Failure, Reason
from ..anthropic import is_reply
from ..http import Answered, Poster, Refused
from .base import PATIENT, Ended, Outcome, Wanted, failed, get_object, is_json, lines_of, read_object

_PAGE = 100
_CLOCKS_DIFFER = 300.0
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
    most_bytes = 240_000_000  # of 256 MB, to be sure
    tags = False

    def __init__(self, poster: Poster, headers: Mapping[str, str]) -> None:
        self._poster = poster
        self._url = f"{poster.url}/batches"
        self._headers = dict(headers)
        self._bare = {name: value for name, value in headers.items() if name.lower() != "content-type"}

    def line(self, key: str, body: bytes) -> bytes:
        return f'{{"custom_id":"{key}","params":'.encode() + body + b"}"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        # Once: the same request twice would be two batches, and both would be paid.
        poster = self._poster.at(self._url, attempts=1)
        body = b'{"requests":[' + b",".join(lines) + b"]}"
        made = read_object(await poster.post(body, self._headers, is_json, PATIENT), poster)
        return str(made["id"]) if isinstance(made, dict) else made

    async def find(self, wanted: Wanted) -> list[str] | Refused | Failure:
        params = {"limit": str(_PAGE)}
        found: list[str] = []
        while True:
            page = await get_object(self._poster.at(self._url), self._bare, params)
            if not isinstance(page, dict):
                return page
            for batch in page["data"]:
                if datetime.fromisoformat(batch["created_at"]).timestamp() < wanted.since - _CLOCKS_DIFFER:
                    return found
                questions = sum((batch.get("request_counts") or {}).values())
                if questions == wanted.questions and str(batch["id"]) not in wanted.known:
                    found.append(str(batch["id"]))
            if not page["data"] or not page.get("has_more"):
                return found
            params["after_id"] = str(page.get("last_id") or page["data"][-1]["id"])

    async def look(self, batch: str) -> Ended | Refused | Failure | None:
        data = await get_object(self._poster.at(f"{self._url}/{batch}"), self._bare)
        if not isinstance(data, dict):
            return data
        if data.get("processing_status") != "ended":
            return None
        # Where the results are is the provider's to say; but the key goes to no other host than the one named.
        url = str(data.get("results_url") or "")
        ours = urlsplit(url)[:2] == urlsplit(self._url)[:2]
        return Ended((url if ours else f"{self._url}/{batch}/results",))

    async def results(self, ended: Ended) -> dict[str, Outcome] | Refused | Failure:
        outcomes: dict[str, Outcome] = {}
        for url in ended.results:
            reply = await self._poster.at(url).get({}, self._bare, lambda content: True, PATIENT)
            if not isinstance(reply, Answered):
                return reply
            for item in lines_of(reply.body):
                outcomes[str(item["custom_id"])] = self._outcome(item.get("result") or {})
        return outcomes

    def _outcome(self, result: Mapping[str, Any]) -> Outcome:
        kind = str(result.get("type"))
        if kind == "succeeded":
            body = orjson.dumps(result["message"])
            return Answered(body, 1) if is_reply(body) else failed(200, "not a message", self._poster)
        if kind == "errored":
            error = result.get("error") or {}
            error = error.get("error") or error
            return failed(_STATUS.get(str(error.get("type")), 500), str(error.get("message"))[:300], self._poster)
        reason, message = _UNANSWERED.get(kind, ("server_error", f"the batch says only {kind!r}"))
        return Failure(reason=reason, message=f"{self._poster.url}: {message}", judge=self._poster.judge)
