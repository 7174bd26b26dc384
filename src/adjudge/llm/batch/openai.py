"""OpenAI's Batch API: a file of requests is uploaded, a batch is made of it, and its results are files again.

A batch carries a tag of ours, by which it is found if its id never reached us.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ...models import Failure, Reason
from ..openai import is_reply
from ..retry import Answered, Refused, error_message, shortened
from .base import BatchApi, EndedBatch, Outcome
from .ledger import Submission

_TAG = "adjudge"
_ENDPOINT = "/v1/chat/completions"
_DONE = frozenset({"completed", "expired", "cancelled", "failed"})
_CLOCK_SKEW = 3600.0
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
    def _base(self) -> str:
        return self.endpoint.url.removesuffix("/chat/completions")

    def line(self, key: str, body: bytes) -> bytes:
        head = f'{{"custom_id":"{key}","method":"POST","url":"{_ENDPOINT}","body":'
        return head.encode() + body + b"}\n"

    async def submit(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        file = await self._upload(lines, tag)
        if not isinstance(file, str):
            return file
        body = {"input_file_id": file, "endpoint": _ENDPOINT, "completion_window": "24h", "metadata": {_TAG: tag}}
        # A single attempt: sent twice, it would be two batches, and both would be paid.
        once = self.endpoint.at(f"{self._base}/batches", attempts=1)
        return await self._create(once, orjson.dumps(body), self._headers)

    async def _upload(self, lines: Sequence[bytes], tag: str) -> str | Refused | Failure:
        boundary = f"adjudge-{tag}"
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        form = b"".join([head.encode(), *lines, f"\r\n--{boundary}--\r\n".encode()])
        headers = {**self._bare, "content-type": f"multipart/form-data; boundary={boundary}"}
        return await self._create(self.endpoint.at(f"{self._base}/files"), form, headers)

    async def find(self, lost: Submission, known_ids: frozenset[str]) -> list[str] | Refused | Failure:
        async for batch in self._pages(f"{self._base}/batches", "after"):
            if not isinstance(batch, dict):
                return batch
            if (batch.get("metadata") or {}).get(_TAG) == lost.tag:
                return [str(batch["id"])]
            if float(batch["created_at"]) < lost.prepared_at - _CLOCK_SKEW:
                break
        return []

    async def look(self, batch: str) -> EndedBatch | Refused | Failure | None:
        data = await self._get(f"{self._base}/batches/{batch}")
        if not isinstance(data, dict):
            return data
        status = str(data.get("status"))
        if status not in _DONE:
            return None
        ids = [data[name] for name in ("output_file_id", "error_file_id") if data.get(name)]
        errors = (data.get("errors") or {}).get("data") or [{}]
        codes = [str(error.get("code")) for error in errors]
        failure = None
        if status != "completed":
            reason = _TEMPORARY.get(codes[0], _STATUS_REASONS.get(status, "rejected"))
            said = shortened(str(errors[0].get("message") or f"the batch is {status}"))
            failure = Failure(reason=reason, message=f"batch {batch}: {said}", judge=self.endpoint.judge)
        files = tuple(f"{self._base}/files/{file}/content" for file in ids)
        return EndedBatch(files, failure, queue_full=not files and _QUEUE_FULL in codes)

    def outcome(self, item: Mapping[str, Any]) -> Outcome:
        response = item.get("response")
        if not response:
            error = item.get("error") or {}
            message = shortened(str(error.get("message") or error.get("code") or "no answer"))
            return self._failure(_TEMPORARY.get(str(error.get("code")), "server_error"), message)
        body = orjson.dumps(response.get("body"))
        status = int(response.get("status_code") or 0)
        if status == 200 and is_reply(body):
            return Answered(body, 1)
        return self._failed_request(status, error_message(body))
