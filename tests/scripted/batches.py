"""The batch APIs of OpenAI and Anthropic, as the scripted provider speaks them. Each question is answered as its script
says; how long a batch takes, what expires, and where the server falls silent is the test's to set.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web
from scripted.replies import Request

Answer = Callable[[Request, web.Request], Awaitable[web.StreamResponse]]
CHAT = "/v1/chat/completions"


@dataclass
class Batch:
    """A batch as the server keeps it."""

    number: str
    questions: list[tuple[str, bytes]]
    metadata: dict[str, str]
    created: datetime
    polls_left: int
    ended: bool = False
    files: dict[str, str] = field(default_factory=dict)
    results: bytes = b""
    status: str = "in_progress"
    errors: list[dict[str, Any]] = field(default_factory=list)


class ScriptedBatches:
    """`silent_at` is a step (`before upload`, `after create`, …) at which it falls silent, as `silent` tells."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.made: list[Batch] = []
        self.uploads: dict[str, bytes] = {}
        self.polls = 1
        self.silent_at: str | None = None
        self.silent = asyncio.Event()
        self.fails_at: dict[str, list[int]] = {}
        self.expires: Callable[[Request], bool] = lambda request: False
        self.garbles: Callable[[Request], bool] = lambda request: False
        self.invalid: dict[str, Any] | None = None
        self.room = 10**9  # questions in all batches that are not done; one that does not fit in fails as a whole
        self.turned_away: list[Batch] = []

    def add_routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{file}/content", self._content)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{batch}", self._look)
        app.router.add_post("/v1/messages/batches", self._create_messages)
        app.router.add_get("/v1/messages/batches", self._list_messages)
        app.router.add_get("/v1/messages/batches/{batch}", self._look_messages)
        app.router.add_get("/v1/messages/batches/{batch}/results", self._message_results)

    async def _step(self, name: str) -> None:
        """A step of the way: the place to fail (with the statuses given) or to fall silent for good."""
        if self.silent_at == name:
            self.silent.set()
            await asyncio.sleep(3600)
        if self.fails_at.get(name):
            status = self.fails_at[name].pop(0)
            text = json.dumps({"error": {"message": f"trouble {name}"}})
            raise _status(status)(text=text, content_type="application/json")

    def _find(self, raw: web.Request) -> Batch:
        for batch in self.made:
            if batch.number == raw.match_info["batch"]:
                return batch
        raise web.HTTPNotFound(text='{"error": {"message": "no such batch"}}', content_type="application/json")

    # -- OpenAI -------------------------------------------------------------------------------------------------------

    async def _upload(self, raw: web.Request) -> web.Response:
        await self._step("before upload")
        form = await raw.post()
        assert form["purpose"] == "batch"
        file = form["file"]
        assert isinstance(file, web.FileField)
        assert file.filename.endswith(".jsonl")
        name = f"file-{len(self.uploads)}"
        with file.file:
            self.uploads[name] = file.file.read()
        await self._step("after upload")
        return web.json_response({"id": name, "object": "file", "purpose": "batch", "filename": file.filename})

    async def _create(self, raw: web.Request) -> web.Response:
        await self._step("before create")
        data = await raw.json()
        assert (data["endpoint"], data["completion_window"]) == (CHAT, "24h")
        questions = []
        for line in self.uploads[data["input_file_id"]].splitlines():
            item = json.loads(line)
            assert (item["method"], item["url"]) == ("POST", CHAT)
            questions.append((item["custom_id"], line[line.index(b'"body":') + 7 : -1]))
        batch = self._make("batch", questions, data.get("metadata") or {})
        await self._step("after create")
        return web.json_response(self._shown(batch))

    async def _list(self, raw: web.Request) -> web.Response:
        await self._step("list")
        newest = [self._shown(batch) for batch in reversed(self.made)]
        return web.json_response(self._page(newest, raw.query.get("after"), int(raw.query.get("limit", "20"))))

    async def _look(self, raw: web.Request) -> web.Response:
        await self._step("before poll")
        batch = self._find(raw)
        await self._go_on(batch, raw, CHAT)
        return web.json_response(self._shown(batch))

    async def _content(self, raw: web.Request) -> web.Response:
        await self._step("before results")
        return web.Response(body=self.uploads[raw.match_info["file"]], content_type="application/octet-stream")

    def _shown(self, batch: Batch) -> dict[str, Any]:
        return {
            "id": batch.number,
            "object": "batch",
            "endpoint": CHAT,
            "status": batch.status,
            "created_at": int(batch.created.timestamp()),
            "metadata": batch.metadata,
            "errors": {"object": "list", "data": batch.errors} if batch.errors else None,
            "output_file_id": batch.files.get("output"),
            "error_file_id": batch.files.get("error"),
        }

    # -- Anthropic ----------------------------------------------------------------------------------------------------

    async def _create_messages(self, raw: web.Request) -> web.Response:
        await self._step("before create")
        body = await raw.read()
        questions = []
        for item in json.loads(body)["requests"]:
            params = json.dumps(item["params"], ensure_ascii=False, separators=(",", ":")).encode()
            assert params in body
            questions.append((item["custom_id"], params))
        batch = self._make("msgbatch", questions, {})
        await self._step("after create")
        return web.json_response(self._shown_message(batch, raw))

    async def _list_messages(self, raw: web.Request) -> web.Response:
        await self._step("list")
        newest = [self._shown_message(batch, raw) for batch in reversed(self.made)]
        return web.json_response(self._page(newest, raw.query.get("after_id"), int(raw.query.get("limit", "20"))))

    async def _look_messages(self, raw: web.Request) -> web.Response:
        await self._step("before poll")
        batch = self._find(raw)
        await self._go_on(batch, raw, "/v1/messages")
        return web.json_response(self._shown_message(batch, raw))

    async def _message_results(self, raw: web.Request) -> web.Response:
        await self._step("before results")
        return web.Response(body=self._find(raw).results, content_type="application/x-jsonl")

    def _shown_message(self, batch: Batch, raw: web.Request) -> dict[str, Any]:
        total = len(batch.questions)
        return {
            "id": batch.number,
            "type": "message_batch",
            "processing_status": "ended" if batch.ended else "in_progress",
            "created_at": batch.created.isoformat().replace("+00:00", "Z"),
            "request_counts": {
                "processing": 0 if batch.ended else total,
                "succeeded": total if batch.ended else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "results_url": f"{raw.url.origin()}/v1/messages/batches/{batch.number}/results" if batch.ended else None,
        }

    # -- both ---------------------------------------------------------------------------------------------------------

    def _make(self, kind: str, questions: list[tuple[str, bytes]], metadata: dict[str, str]) -> Batch:
        keys = [key for key, _ in questions]
        assert len(set(keys)) == len(keys) > 0
        assert all(1 <= len(key) <= 64 and key.isalnum() for key in keys)
        batch = Batch(f"{kind}_{len(self.made)}", questions, metadata, datetime.now(UTC), self.polls)
        inside = sum(len(each.questions) for each in self.made if not each.ended)
        if inside + len(questions) > self.room:
            batch.ended, batch.status, batch.errors = True, "failed", [_no_room(self.room)]
            self.turned_away.append(batch)
        self.made.append(batch)
        return batch

    async def _go_on(self, batch: Batch, raw: web.Request, path: str) -> None:
        """One poll on; after the last one everything is answered, in an order of its own."""
        if batch.ended:
            return
        if self.invalid is not None:
            batch.ended, batch.status, batch.errors = True, "failed", [self.invalid]
            return
        batch.polls_left -= 1
        if batch.polls_left > 0:
            return
        batch.ended, batch.status = True, "completed"
        good, bad = [], []
        for key, body in reversed(batch.questions):
            request = Request(path, body, {})
            if self.expires(request):
                batch.status = "expired"
                bad.append(_expired(key, path))
                continue
            if self.garbles(request):
                good.append({"custom_id": key, "response": "x", "result": "x"})
                continue
            response = await self._answer(request, raw)
            assert isinstance(response, web.Response)
            assert isinstance(response.body, bytes)
            (good if response.status == 200 else bad).append(_item(key, path, response.status, response.body))
        if path == CHAT:
            for name, items in (("output", good), ("error", bad)):
                if items:
                    file = batch.files[name] = f"file-{name}-{batch.number}"
                    self.uploads[file] = _lines(items)
        else:
            batch.results = _lines([*bad, *good])

    def _page(self, newest: list[dict[str, Any]], after: str | None, limit: int) -> dict[str, Any]:
        start = next((at + 1 for at, shown in enumerate(newest) if shown["id"] == after), 0)
        page = newest[start : start + limit]
        return {
            "object": "list",
            "data": page,
            "first_id": page[0]["id"] if page else None,
            "last_id": page[-1]["id"] if page else None,
            "has_more": start + limit < len(newest),
        }


def _item(key: str, path: str, status: int, body: bytes) -> dict[str, Any]:
    data = json.loads(body)
    if path == CHAT:
        return {"id": "batch_req", "custom_id": key, "response": {"status_code": status, "body": data}, "error": None}
    if status == 200:
        return {"custom_id": key, "result": {"type": "succeeded", "message": data}}
    names = {
        400: "invalid_request_error",
        401: "authentication_error",
        429: "rate_limit_error",
        529: "overloaded_error",
    }
    error = {"type": names.get(status, "api_error"), "message": data["error"]["message"]}
    return {"custom_id": key, "result": {"type": "errored", "error": {"type": "error", "error": error}}}


def _expired(key: str, path: str) -> dict[str, Any]:
    if path == CHAT:
        message = "This request could not be executed before the completion window expired."
        return {
            "id": "batch_req",
            "custom_id": key,
            "response": None,
            "error": {"code": "batch_expired", "message": message},
        }
    return {"custom_id": key, "result": {"type": "expired"}}


def _no_room(limit: int) -> dict[str, Any]:
    message = (
        f"Enqueued token limit reached for gpt-4o in organization org-x. Limit: {limit:,} enqueued tokens. "
        "Please try again once some in_progress batches have been completed."
    )
    return {"code": "token_limit_exceeded", "message": message, "line": None, "param": None}


def _lines(items: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode()


def _status(status: int) -> type[web.HTTPException]:
    kinds = {
        400: web.HTTPBadRequest,
        401: web.HTTPUnauthorized,
        429: web.HTTPTooManyRequests,
        500: web.HTTPInternalServerError,
        502: web.HTTPBadGateway,
        503: web.HTTPServiceUnavailable,
    }
    return kinds[status]
