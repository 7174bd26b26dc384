"""Retries requests when that can help: after 429, 5xx, timeouts and broken connections, with jittered backoff.

This module does not know the providers' formats. A 4xx that retrying cannot help is returned as `Refused`. All callers
of a provider share its rate limiter, and a refusal by an overloaded server does not count as an attempt.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import orjson

from ..errors import SetupError
from ..models.common import Failure
from ..redaction import redact, redact_reply
from .base import Delivery
from .client import Bounds, Client, RequestError
from .rate_limiter import RateLimiter, RateLimits, retry_after

T = TypeVar("T")
_log = logging.getLogger(__name__)

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_NO_CREDIT = b"insufficient_quota"  # a 429 that waiting does not help
_LOCAL_ATTEMPTS = 2  # a server on this machine that is not running is reported within a second


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to try, how long to wait between attempts, and how long each attempt may take."""

    attempts: int = 6
    first_wait: float = 0.5
    longest_wait: float = 60.0
    timeout: float = 300.0
    connect_timeout: float = 15.0


class Refused(NamedTuple):
    """A response that rejects the request as it is."""

    status: int
    message: str
    attempts: int


async def with_retries(attempt: Callable[[int], Awaitable[T]], retries: Retries, limiter: RateLimiter) -> T:
    """Return the result of the first attempt that succeeds, or raise the last attempt's RequestError."""
    ticket = limiter.ticket()
    sent = failed = 0
    while True:
        circuit = await limiter.acquire(ticket)
        if circuit is not None:
            message = f"{circuit.message}; not called again until it has had time to recover"
            raise RequestError(circuit.reason, message, attempts=sent)
        sent += 1
        try:
            outcome = await attempt(sent)
            limiter.succeeded(ticket)
            return outcome
        except RequestError as error:
            failure = error
            error.message, error.attempts = redact(error.message), sent
            failed += error.counts or retries.attempts == 1
            allowed = min(retries.attempts, _LOCAL_ATTEMPTS) if error.local else retries.attempts
            retry = failed < allowed and not ticket.probes and not error.final
            longest_wait = retries.longest_wait
            if error.overloaded:
                retry = limiter.refused(ticket, error.wait, error.message) and retry
                longest_wait = limiter.patience
            too_long = error.wait is not None and error.wait > longest_wait
            if too_long or not retry:
                for_all = error.for_all or (too_long and error.overloaded)
                limiter.failed(ticket, error.reason, error.message, for_all=for_all)
                if too_long:
                    error.message += f"; the server asks to wait {error.wait:g} s"
                raise
        finally:
            limiter.release(ticket)
        _log.info("attempt %d failed: %.120s; trying again", sent, failure.message)
        if failure.counts:
            limiter.retrying += 1
            try:
                await asyncio.sleep(_backoff(retries, failed, failure.wait))
            finally:
                limiter.retrying -= 1


def limiter_of_one_call(retries: Retries) -> RateLimiter:
    """Build a limiter for a call that shares no limits with others."""
    return RateLimiter(RateLimits(first_wait=retries.first_wait, patience=retries.longest_wait))


def _backoff(retries: Retries, attempt: int, asked: float | None) -> float:
    longest = min(retries.first_wait * 2.0 ** (attempt - 1), retries.longest_wait)
    jittered = longest * random.uniform(0.5, 1.0)
    # The wait that the server asks for is a minimum. The added jitter keeps a thousand callers from returning at once.
    return jittered if asked is None else asked + jittered * 0.1


@dataclass(slots=True)
class Endpoint:
    """One URL, asked on behalf of `judge`; `needs` is what must be set up before the first request."""

    url: str
    judge: str
    retries: Retries = field(default_factory=Retries)
    needs: SetupError | None = None
    limiter: RateLimiter | None = None
    client: Client = field(default_factory=Client)

    def at(self, url: str, *, attempts: int | None = None) -> Endpoint:
        """Return an endpoint for another URL of the same server, with the same connections but without rate limiter."""
        retries = self.retries if attempts is None else replace(self.retries, attempts=attempts)
        return Endpoint(url, self.judge, retries, self.needs, client=self.client)

    async def ask(
        self,
        headers: Mapping[str, str],
        is_reply: Callable[[bytes], bool],
        body: bytes | None = None,
        *,
        params: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
    ) -> Delivery | Refused | Failure:
        """POST a body, or GET. Retry status 200 if the content is not a reply, such as a gateway's page or an error."""
        if self.needs is not None:
            raise self.needs
        within = bounds or Bounds(self.retries.connect_timeout, self.retries.timeout)
        limiter = self.limiter or limiter_of_one_call(self.retries)

        async def attempt(number: int) -> Delivery | Refused:
            began = time.monotonic()
            status, received, content = await self.client.request(
                "GET" if body is None else "POST", self.url, headers, body or b"", params=params, bounds=within
            )
            took = time.monotonic() - began
            _log.info("%s: attempt %d: HTTP %d after %.2f s, %d bytes", self.url, number, status, took, len(content))
            limiter.read_headers(received, len(body or b"") + len(content))
            if status == 200 and is_reply(content):
                return Delivery(content, number)
            return _refused(status, received, content, number)

        try:
            return await with_retries(attempt, self.retries, limiter)
        except RequestError as error:
            tries = {0: "", 1: " (after one attempt)"}.get(error.attempts, f" (after {error.attempts} attempts)")
            message = f"{self.url}: {error.message}{tries}"
            if error.local:
                where = self.url.removesuffix("/chat/completions")
                message = f"{where}: nothing answers there ({error.message}); is the server running?"
            return Failure(reason=error.reason, message=message, judge=self.judge)

    async def close(self) -> None:
        await self.client.close()


def _refused(status: int, headers: Mapping[str, str], content: bytes, attempt: int) -> Refused:
    """Return a refusal for a response that retrying cannot change, or raise RequestError for one to retry."""
    message = error_message(content)
    if 300 <= status < 400:
        message = redact(f"redirects to {headers.get('location', 'nowhere')}")
    if 300 <= status < 500 and status not in _RETRIED:
        return Refused(status, message, attempt)
    wait = retry_after(headers)
    no_credit = status == 429 and _NO_CREDIT in content
    raise RequestError(
        "rate_limited" if status == 429 else "server_error",
        f"HTTP {status}: {message}",
        wait,
        overloaded=status in (429, 503, 529),
        # A 503 without Retry-After may also mean that the server behind a gateway is gone.
        counts=status not in (429, 529) and not (status == 503 and wait is not None),
        final=no_credit,
        for_all=no_credit,
    )


def error_message(content: bytes) -> str:
    """Return the provider's error message on one line, from any of the usual JSON shapes or from text."""
    content = redact_reply(content)
    try:
        data: Any = orjson.loads(content)
    except orjson.JSONDecodeError:
        text = content[:20_000].decode("utf-8", "replace")
    else:
        if isinstance(data, list) and data:
            data = data[0]
        error = data.get("error", data) if isinstance(data, dict) else data
        text = str(error.get("message") or error) if isinstance(error, dict) else str(error)
    return shortened(text) or "no message"


def shortened(text: str) -> str:
    """Return a text on one line of at most 300 characters. Redact before cutting: half a key is not recognized."""
    return redact(" ".join(text.split()))[:300]
