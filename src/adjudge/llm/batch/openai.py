"""OpenAI's Batch API: a file of requests is uploaded, a batch is made of it, and its results are files again.

A batch carries a tag of ours, by which it is found if its id never reached us.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ...models import Failure, Reason
from ..openai import is_reply
from ..retry import Answered, Endpoint, Refused, error_message
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

_TAG = "adjudge"
_ENDPOINT = "/v1/chat/completions"
_DONE = frozenset({"completed", "expired", "cancelled", "failed"})
_PAGE = 100
_CLOCK_SKEW = 3600.0
# Errors that may not occur again on another day or with fewer batches at a time.
_QUEUE_FULL = "token_limit_exceeded"
_TEMPORARY: dict[str, Reason] = {_QUEUE_FULL: "rate_limited", "batch_expired": "timeout"}


class OpenAIBatches:
    """Batches of one model."""

    most_requests = 50_000
    most_bytes = 190_000_000  # the limit is 200 MB
    has_tags = True

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str]) -> None:
        self._endpoint = endpoint
        self._base = endpoint.url.removesuffix("/chat/completions")
        self._headers = dict(headers)
        self._bare = {name: value for name, value in headers.items() if name.lower() != "content-type"}

    def line(self, key: str, body: bytes) -> bytes:
        head = f'{{"custom_id":"{key}","method":"POST","url":"{_ENDPOINT}","body":'
        return head.encode() + body + b"}\n"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        file = await self._upload(lines, tag)
        if not isinstance(file, str):
            return file
        body = {
            "input_file_id": file,
            "endpoint": _ENDPOINT,
            "completion_window": "24h",
            "metadata": {_TAG: tag},
        }
        # A single attempt: sent twice, it would be two batches, and both would be paid.
        endpoint = self._endpoint.at(f"{self._base}/batches", attempts=1)
        made = read_object(await endpoint.post(orjson.dumps(body), self._headers, is_json), endpoint)
        return str(made["id"]) if isinstance(made, dict) else made

    async def _upload(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        boundary = f"adjudge-{tag}"
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n',
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.jsonl"\r\n',
            "Content-Type: application/jsonl\r\n\r\n",
        ]
        form = b"".join([*(part.encode() for part in parts), *lines, f"\r\n--{boundary}--\r\n".encode()])
        headers = {**self._bare, "content-type": f"multipart/form-data; boundary={boundary}"}
        endpoint = self._endpoint.at(f"{self._base}/files")
        made = read_object(await endpoint.post(form, headers, is_json, FILE_BOUNDS), endpoint)
        return str(made["id"]) if isinstance(made, dict) else made

    async def find(self, lost: LostBatch) -> list[str] | Refused | Failure:
        params = {"limit": str(_PAGE)}
        endpoint = self._endpoint.at(f"{self._base}/batches")
        while True:
            page = await get_object(endpoint, self._bare, params)
            if not isinstance(page, dict):
                return page
            batches = page["data"]
            for batch in batches:
                if (batch.get("metadata") or {}).get(_TAG) == lost.tag:
                    return [str(batch["id"])]
            if not batches or not page.get("has_more"):
                return []
            if float(batches[-1]["created_at"]) < lost.since - _CLOCK_SKEW:
                return []
            params["after"] = str(batches[-1]["id"])

    async def look(self, batch: str) -> EndedBatch | Refused | Failure | None:
        data = await get_object(self._endpoint.at(f"{self._base}/batches/{batch}"), self._bare)
        if not isinstance(data, dict):
            return data
        status = data.get("status")
        if status not in _DONE:
            return None
        files = tuple(str(data[name]) for name in ("output_file_id", "error_file_id") if data.get(name))
        codes = {str(error.get("code")) for error in _errors(data)}
        return EndedBatch(files, self._why(str(status), data), queue_full=not files and _QUEUE_FULL in codes)

    def _why(self, status: str, data: Mapping[str, Any]) -> Failure | None:
        """Why requests of this batch may have no answer."""
        if status == "completed":
            return None
        errors = _errors(data) or [{}]
        reason: Reason = {"expired": "timeout", "cancelled": "server_error"}.get(status, "rejected")  # type: ignore[assignment]
        reason = _TEMPORARY.get(str(errors[0].get("code")), reason)
        said = str(errors[0].get("message") or f"the batch is {status}")[:300]
        return Failure(reason=reason, message=f"batch {data.get('id')}: {said}", judge=self._endpoint.judge)

    async def results(self, ended: EndedBatch) -> dict[str, Outcome] | Refused | Failure:
        outcomes: dict[str, Outcome] = {}
        for file in ended.results:
            endpoint = self._endpoint.at(f"{self._base}/files/{file}/content")
            reply = await endpoint.get({}, self._bare, lambda content: True, FILE_BOUNDS)
            if not isinstance(reply, Answered):
                return reply
            for item in result_lines(reply.body):
                outcomes[str(item["custom_id"])] = self._outcome(item)
        return outcomes

    def _outcome(self, item: Mapping[str, Any]) -> Outcome:
        response, error = item.get("response"), item.get("error")
        if not response:
            error = error or {}
            reason = _TEMPORARY.get(str(error.get("code")), "server_error")
            message = str(error.get("message") or error.get("code") or "no answer")[:300]
            return Failure(reason=reason, message=f"{self._endpoint.url}: {message}", judge=self._endpoint.judge)
        body = orjson.dumps(response.get("body"))
        status = int(response.get("status_code") or 0)
        if status == 200 and is_reply(body):
            return Answered(body, 1)
        return failed_request(status, error_message(body), self._endpoint)


def _errors(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return (data.get("errors") or {}).get("data") or []
