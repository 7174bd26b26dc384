"""Requests that are retried when that can help: 429, 5xx, time-outs and broken connections, with jittered backoff.

Nothing here knows a provider's format. A 4xx that retrying cannot help is returned as `Refused`. With a `limiter`, all
callers of a provider keep its limits together, and a 429 does not count as an attempt.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import orjson

from ..errors import SetupError
from ..models import Failure, Reason
from .client import Bounds, Client, ConnectTimeoutError, IdleTimeoutError, OversizedReplyError
from .rate_headers import retry_after
from .rate_limiter import RateLimiter

IsReply = Callable[[bytes], bool]

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_NO_CREDIT = b"insufficient_quota"  # a 429 that no waiting helps


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to try, how long to wait between attempts, and how long each attempt may take."""

    attempts: int = 6
    first_wait: float = 0.5
    longest_wait: float = 60.0
    timeout: float = 300.0
    connect_timeout: float = 15.0


class Answered(NamedTuple):
    """A reply with status 200."""

    body: bytes
    attempts: int


class Refused(NamedTuple):
    """The server does not accept the request as it is."""

    status: int
    message: str
    attempts: int


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that brought no reply.

    `overloaded`: the server has too much to do; if it says so itself, a rate-limited call does not count the attempt.
    `final`: retrying this call never helps; `for_all`: nor would any other call succeed.
    """

    reason: Reason
    message: str
    wait: float | None = None
    overloaded: bool = False
    counts: bool = True
    final: bool = False
    for_all: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What every attempt sends, its bounds, and what counts as a reply."""

    method: str
    headers: Mapping[str, str]
    body: bytes
    params: Mapping[str, str] | None
    bounds: Bounds
    is_reply: IsReply


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
        """Another URL of the same server, over the same connections, without the rate limiter of single calls."""
        retries = self.retries if attempts is None else replace(self.retries, attempts=attempts)
        return Endpoint(url, self.judge, retries, self.needs, None, self.client)

    async def post(
        self, body: bytes, headers: Mapping[str, str], is_reply: IsReply, bounds: Bounds | None = None
    ) -> Answered | Refused | Failure:
        """POST. Status 200 with something else than a reply (a gateway's page, an error) is retried, never stored."""
        return await self._ask(Request("POST", headers, body, None, bounds or self._bounds(), is_reply))

    async def get(
        self, params: Mapping[str, str], headers: Mapping[str, str], is_reply: IsReply, bounds: Bounds | None = None
    ) -> Answered | Refused | Failure:
        """GET, with the same retries."""
        return await self._ask(Request("GET", headers, b"", params, bounds or self._bounds(), is_reply))

    async def close(self) -> None:
        await self.client.close()

    def _bounds(self) -> Bounds:
        return Bounds(self.retries.connect_timeout, self.retries.timeout)

    async def _ask(self, request: Request) -> Answered | Refused | Failure:
        if self.needs is not None:
            raise self.needs
        if self.limiter is not None:
            return await self._ask_limited(self.limiter, request)
        for attempt in range(1, self.retries.attempts + 1):
            outcome = await self._attempt(request, attempt)
            if not isinstance(outcome, FailedAttempt):
                return outcome
            too_long = outcome.wait is not None and outcome.wait > self.retries.longest_wait
            if attempt == self.retries.attempts or outcome.final or too_long:
                return self._failure(outcome, attempt)
            await asyncio.sleep(self._backoff(attempt, outcome.wait))
        raise AssertionError("there is at least one attempt")

    async def _ask_limited(self, limiter: RateLimiter, request: Request) -> Answered | Refused | Failure:
        ticket = limiter.ticket()
        sent = failed = 0
        while True:
            circuit = await limiter.acquire(ticket)
            if circuit is not None:
                message = f"{self.url}: {circuit.message}; not asked again until it has had time to recover"
                return Failure(reason=circuit.reason, message=message, judge=self.judge)
            sent += 1
            try:
                outcome = await self._attempt(request, sent)
                if not isinstance(outcome, FailedAttempt):
                    limiter.succeeded(ticket)
                    return outcome
                failed += outcome.counts
                retry = failed < self.retries.attempts and not ticket.probes and not outcome.final
                longest_wait = self.retries.longest_wait
                if outcome.overloaded:
                    retry = limiter.refused(ticket, outcome.wait) and retry
                    longest_wait = limiter.patience
                too_long = outcome.wait is not None and outcome.wait > longest_wait
                if too_long or not retry:
                    for_all = outcome.for_all or (too_long and outcome.overloaded)
                    limiter.failed(ticket, outcome.reason, outcome.message, for_all=for_all)
                    return self._failure(outcome, sent)
            finally:
                limiter.release(ticket)
            if outcome.counts:
                await asyncio.sleep(self._backoff(failed, outcome.wait))

    async def _attempt(self, request: Request, attempt: int) -> Answered | Refused | FailedAttempt:
        bounds = request.bounds
        try:
            status, headers, content = await self.client.request(
                request.method, self.url, request.headers, request.body, params=request.params, bounds=bounds
            )
        except ConnectTimeoutError:
            return FailedAttempt("timeout", f"no connection within {bounds.connect:g} s")
        except IdleTimeoutError:
            return FailedAttempt("timeout", f"nothing was sent or received for {bounds.idle:g} s")
        except TimeoutError:
            return FailedAttempt("timeout", f"no reply within {bounds.total:g} s")
        except OversizedReplyError as error:
            return FailedAttempt("malformed", str(error), final=True)
        except OSError as error:
            return FailedAttempt(
                "connection", f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            )
        if self.limiter is not None:
            self.limiter.read_headers(headers, len(request.body) + len(content))
        if status == 200 and request.is_reply(content):
            return Answered(content, attempt)
        message = error_message(content)
        if 300 <= status < 400:
            message = f"redirects to {headers.get('location', 'nowhere')}"
        if 300 <= status < 500 and status not in _RETRIED:
            return Refused(status, message, attempt)
        wait = retry_after(headers)
        no_credit = status == 429 and _NO_CREDIT in content
        return FailedAttempt(
            "rate_limited" if status == 429 else "server_error",
            f"HTTP {status}: {message}",
            wait,
            overloaded=status in (429, 503, 529),
            # A 503 without Retry-After may also come from a server that is gone.
            counts=status not in (429, 529) and not (status == 503 and wait is not None),
            final=no_credit,
            for_all=no_credit,
        )

    def _backoff(self, attempt: int, asked: float | None) -> float:
        longest = min(self.retries.first_wait * 2.0 ** (attempt - 1), self.retries.longest_wait)
        jittered = longest * random.uniform(0.5, 1.0)
        # What the server asks for is a minimum; the jitter on top keeps a thousand callers from returning at once.
        return jittered if asked is None else asked + jittered * 0.1

    def _failure(self, failed: FailedAttempt, attempts: int) -> Failure:
        tries = "one attempt" if attempts == 1 else f"{attempts} attempts"
        message = failed.message
        if failed.wait is not None and failed.wait > self.retries.longest_wait:
            message += f"; the server asks to wait {failed.wait:g} s"
        return Failure(reason=failed.reason, message=f"{self.url}: {message} (after {tries})", judge=self.judge)


def error_message(content: bytes) -> str:
    """The provider's error message, from any of the usual shapes, on one line."""
    try:
        data: Any = orjson.loads(content)
    except orjson.JSONDecodeError:
        text = content[:200].decode("utf-8", "replace")
    else:
        if isinstance(data, list) and data:
            data = data[0]
        error = data.get("error", data) if isinstance(data, dict) else data
        text = str(error.get("message") or error) if isinstance(error, dict) else str(error)
    return " ".join(text.split())[:300] or "no message"
