"""A provider that does what a test tells it: a real server on 127.0.0.1 that speaks OpenAI's and Anthropic's formats.

It keeps the exact bytes of every request. `python -m scripted.provider --port 8000 --delay 0.05` runs it by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from aiohttp import web
from scripted.batches import ScriptedBatches
from scripted.replies import Request, correct_reply, envelope

Behaviour = Callable[[Request, web.Request], Awaitable[web.StreamResponse]]
Script = Sequence[Behaviour] | Callable[[Request], Behaviour]


# -- behaviours -------------------------------------------------------------------------------------------------------


def says(content: Any, finish: str = "stop") -> Behaviour:
    """A reply with this content: an object, or text as it is."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)

    async def behave(request: Request, _: web.Request) -> web.StreamResponse:
        return web.json_response(envelope(request, text, finish))

    return behave


def judges(
    score: Callable[[str], Any] | None = None, change: Callable[[dict[str, Any]], Any] | None = None
) -> Behaviour:
    """A correct reply, with `change` to make it less so: it may alter the object or return another one."""

    async def behave(request: Request, raw: web.Request) -> web.StreamResponse:
        reply = json.loads(json.dumps(correct_reply(request, score)))
        if change is not None:
            reply = change(reply) or reply
        return await says(reply)(request, raw)

    return behave


def refuses(why: str = "I will not judge this.") -> Behaviour:
    """The model declines."""

    async def behave(request: Request, _: web.Request) -> web.StreamResponse:
        return web.json_response(envelope(request, "", refusal=why))

    return behave


def is_cut_off(content: str = '{"criteria": {') -> Behaviour:
    """The reply ends at the token limit."""
    return says(content, finish="length")


def fails(status: int, message: str = "something went wrong", **headers: str) -> Behaviour:
    """An error in the provider's usual shape; `retry_after="1"` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def behave(_: Request, raw: web.Request) -> web.StreamResponse:
        return web.json_response({"error": {"message": message, "type": "error"}}, status=status, headers=named)

    return behave


def shows_a_page(status: int = 200) -> Behaviour:
    """Some gateway answers in the provider's place."""

    async def behave(_: Request, raw: web.Request) -> web.StreamResponse:
        return web.Response(text="<html><body>Please log in</body></html>", content_type="text/html", status=status)

    return behave


def redirects_to(address: str, status: int = 307) -> Behaviour:
    async def behave(_: Request, raw: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers={"Location": address})

    return behave


def waits(seconds: float, then: Behaviour | None = None) -> Behaviour:
    """Slow, then as told."""

    async def behave(request: Request, raw: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await (then or judges())(request, raw)

    return behave


def after(event: asyncio.Event, then: Behaviour | None = None) -> Behaviour:
    """Nothing until the event, then as told."""

    async def behave(request: Request, raw: web.Request) -> web.StreamResponse:
        await event.wait()
        return await (then or judges())(request, raw)

    return behave


def tells(behaviour: Behaviour, **headers: str) -> Behaviour:
    """As told, with these headers: `x_ratelimit_remaining_requests="3"`."""

    async def behave(request: Request, raw: web.Request) -> web.StreamResponse:
        response = await behaviour(request, raw)
        response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
        return response

    return behave


def resets(after: bytes | None = None) -> Behaviour:
    """The connection breaks: before any reply, or in the middle of the body after these bytes of it."""

    async def behave(_: Request, raw: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100000", "Content-Type": "application/json"})
        if after is not None:
            await response.prepare(raw)
            await response.write(after)
        transport = raw.transport
        if transport is not None:
            # Linger 0 makes it a true reset (RST), not a polite end.
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        return response

    return behave


# -- the server -------------------------------------------------------------------------------------------------------


class ScriptedProvider:
    """Follows a script: one behaviour a request, or a function that chooses. Without a script it judges correctly."""

    def __init__(self, script: Script | None = None) -> None:
        self.script: Script = script if script is not None else (lambda request: judges())
        self.requests: list[Request] = []
        self.url = ""
        self.batches = ScriptedBatches(self._answer)
        self._runner: web.AppRunner | None = None

    @property
    def calls(self) -> int:
        return len(self.requests)

    @property
    def chat_url(self) -> str:
        return f"{self.url}/v1/chat/completions"

    @property
    def messages_url(self) -> str:
        return f"{self.url}/v1/messages"

    async def start(self, port: int = 0) -> None:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._handle)
        app.router.add_post("/v1/messages", self._handle)
        self.batches.add_routes(app)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> ScriptedProvider:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _handle(self, raw: web.Request) -> web.StreamResponse:
        return await self._answer(Request(raw.path, await raw.read(), dict(raw.headers)), raw)

    async def _answer(self, request: Request, raw: web.Request) -> web.StreamResponse:
        number = len(self.requests)
        self.requests.append(request)
        if callable(self.script):
            return await self.script(request)(request, raw)
        if number >= len(self.script):
            return await fails(418, f"the script has {len(self.script)} parts, this is request {number + 1}")(
                request, raw
            )
        return await self.script[number](request, raw)


async def serve(port: int, delay: float) -> None:
    """Judge correctly, after a delay, until somebody ends it."""

    def behave(_: Request) -> Behaviour:
        return waits(delay) if delay else judges()

    provider = ScriptedProvider(behave)
    await provider.start(port)
    print(provider.url, flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await provider.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description="A provider for tests and benchmarks.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0)
    given = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(given.port, given.delay))


if __name__ == "__main__":
    main()
