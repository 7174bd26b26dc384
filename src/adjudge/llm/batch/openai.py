"""OpenAI's batch API: we upload a file of requests, create a batch from it, and download its results as files.

A batch carries our tag, by which we find it if its id never reached us.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import orjson

from ...models.common import Reason
from ..base import Delivery
from ..openai import is_reply
from ..retry import error_message, shortened
from .base import BatchApi, BatchResults, Outcome
from .ledger import Submission

_TAG = "adjudge"
_ENDPOINT = "/v1/chat/completions"
_DONE = frozenset({"completed", "expired", "cancelled", "failed"})
_CLOCK_SKEW = 3600.0
# Errors that may not happen again on another day or with fewer batches at a time.
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
            if float(batch["created_at"]) < lost.prepared_at - _CLOCK_SKEW:
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
            why = shortened(str(errors[0].get("message") or f"the batch is {status}"))
            failure = self._unanswered(batch, reason, why)
        return BatchResults(batch, await self._lines(*files), failure, not files and _QUEUE_FULL in codes)

    def _outcome(self, item: Mapping[str, Any]) -> Outcome:
        response = item.get("response")
        if not response:
            error = item.get("error") or {}
            message = shortened(str(error.get("message") or error.get("code") or "no answer"))
            return self._failure(_TEMPORARY.get(str(error.get("code")), "server_error"), message)
        body = orjson.dumps(response.get("body"))
        status = int(response.get("status_code") or 0)
        if status == 200 and is_reply(body):
            return Delivery(body, 1)
        return self._failed_request(status, error_message(body))
