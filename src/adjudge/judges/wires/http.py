"""One POST that is tried again when that can help: 429, 5xx, time-outs and broken connections, bounded and jittered.

Nothing here knows a provider. A 4xx other than 429 is the caller's to understand: it comes back as `Refused`.
With a `pace`, all who ask the same provider keep in step, and to be pushed back does not count as an attempt.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...errors import SetupError
from ...verdicts import Failure, Reason
from .connection import ConnectTimeoutError, SilenceError, Timeouts
from .connections import Connections
from .limits import retry_after
from .pacing import Pace

IsReply = Callable[[bytes], bool]

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
# A 429 of another kind: there is no money left, and waiting brings none.
_NO_CREDIT = b"insufficient_quota"


@dataclass(frozen=True, slots=True)
class Retries:
    """How long and how often to try."""

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
    """The provider will not take the request as it is."""

    status: int
    message: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """An attempt that came to nothing. `pushes_back`: the provider has too much to do; where it says so itself, that
    `counts` as no attempt. `hopeless`: asking again never helps.
    """

    reason: Reason
    message: str
    wait: float | None = None
    pushes_back: bool = False
    counts: bool = True
    hopeless: bool = False


class _Request(NamedTuple):
    """What is sent at every attempt, how long each may take, and what counts as a reply."""

    method: str
    headers: Mapping[str, str]
    body: bytes
    params: Mapping[str, str] | None
    timeouts: Timeouts
    is_reply: IsReply


@dataclass(slots=True)
class Poster:
    """Posts to one URL over one connection pool, opened at first use; `needs` says what must be set up before that."""

    url: str
    judge: str
    retries: Retries = field(default_factory=Retries)
    needs: SetupError | None = None
    pace: Pace | None = None
    _sessions: dict[asyncio.AbstractEventLoop, Connections] = field(default_factory=dict)
    _timeouts: Timeouts = field(init=False)

    def __post_init__(self) -> None:
        self._timeouts = Timeouts(self.retries.connect_timeout, self.retries.timeout)

    def at(self, url: str, *, attempts: int | None = None) -> Poster:
        """The same server at another address, over the same connections, without the pace of single calls."""
        retries = self.retries if attempts is None else replace(self.retries, attempts=attempts)
        return Poster(url, self.judge, retries, self.needs, None, self._sessions)

    async def post(
        self, body: bytes, headers: Mapping[str, str], is_reply: IsReply, timeouts: Timeouts | None = None
    ) -> Answered | Refused | Failure:
        """The reply; what is none (a gateway's page, an error in disguise) is tried again, and never stored."""
        return await self._ask(_Request("POST", headers, body, None, timeouts or self._timeouts, is_reply))

    async def get(
        self,
        params: Mapping[str, str],
        headers: Mapping[str, str],
        is_reply: IsReply,
        timeouts: Timeouts | None = None,
    ) -> Answered | Refused | Failure:
        """The same for a GET, as search services and batches want it."""
        return await self._ask(_Request("GET", headers, b"", params, timeouts or self._timeouts, is_reply))

    async def _ask(self, request: _Request) -> Answered | Refused | Failure:
        if self.needs is not None:
            raise self.needs
        session = self._sessions.get(asyncio.get_running_loop()) or self._open()
        if self.pace is not None:
            return await self._paced(self.pace, session, request)
        trouble = Trouble("connection", "never tried")
        for attempt in range(1, self.retries.attempts + 1):
            outcome = await self._attempt(session, request, attempt)
            if not isinstance(outcome, Trouble):
                return outcome
            trouble = outcome
            if trouble.wait is not None and trouble.wait > self.retries.longest_wait:
                return self._failure(trouble, attempt)
            if attempt < self.retries.attempts:
                await asyncio.sleep(self._pause(attempt, trouble.wait))
        return self._failure(trouble, self.retries.attempts)

    async def _paced(self, pace: Pace, session: Connections, request: _Request) -> Answered | Refused | Failure:
        """The same in step with all others who ask this provider: to be pushed back is no failed attempt."""
        turn = pace.turn()
        sent = failed = 0
        while True:
            broken = await pace.enter(turn)
            if broken is not None:
                message = f"{self.url}: {broken.message}; left alone until it had time to recover"
                return Failure(reason=broken.reason, message=message, judge=self.judge)
            sent += 1
            try:
                outcome = await self._attempt(session, request, sent)
                if not isinstance(outcome, Trouble):
                    pace.answered(turn)
                    return outcome
                failed += outcome.counts
                again = failed < self.retries.attempts and not turn.probes
                longest_wait = self.retries.longest_wait
                if outcome.pushes_back:
                    again = pace.pushed_back(turn, outcome.wait) and again
                    longest_wait = pace.patience
                too_long = outcome.wait is not None and outcome.wait > longest_wait
                if not again or too_long or outcome.hopeless:
                    for_all = outcome.hopeless or (too_long and outcome.pushes_back)
                    pace.failed(turn, outcome.reason, outcome.message, at_once=for_all)
                    return self._failure(outcome, sent)
            finally:
                pace.leave(turn)
            if outcome.counts:
                await asyncio.sleep(self._pause(failed, outcome.wait))

    async def _attempt(self, session: Connections, request: _Request, attempt: int) -> Answered | Refused | Trouble:
        try:
            # A redirect is not followed: the case and the key go to the server that was named and to no other.
            status, told, content = await session.request(
                request.method,
                self.url,
                request.headers,
                request.body,
                params=request.params,
                timeouts=request.timeouts,
            )
        except ConnectTimeoutError:
            return Trouble("timeout", f"no connection within {request.timeouts.connect:g} s")
        except SilenceError:
            return Trouble("timeout", f"nothing was sent or received for {request.timeouts.silence:g} s")
        except TimeoutError:
            return Trouble("timeout", f"no reply within {request.timeouts.whole:g} s")
        except OSError as error:
            return Trouble("connection", f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
        if self.pace is not None:
            self.pace.heed(told, len(request.body) + len(content))
        if status == 200 and request.is_reply(content):
            return Answered(content, attempt)
        message = error_message(content)
        if 300 <= status < 400:
            message = f"redirects to {told.get('location', 'nowhere')}"
        if 300 <= status < 500 and status not in _RETRIED:
            return Refused(status, message, attempt)
        wait = retry_after(told)
        return Trouble(
            "rate_limited" if status == 429 else "server_error",
            f"HTTP {status}: {message}",
            wait,
            pushes_back=status in (429, 503, 529),
            # A 503 that names no time may as well be a server that is gone.
            counts=status not in (429, 529) and not (status == 503 and wait is not None),
            hopeless=status == 429 and _NO_CREDIT in content,
        )

    def _pause(self, attempt: int, asked: float | None) -> float:
        growing = min(self.retries.first_wait * 2.0 ** (attempt - 1), self.retries.longest_wait)
        jittered = growing * random.uniform(0.5, 1.0)
        # What the server asks for is a minimum; the jitter on top keeps a thousand callers from coming back at once.
        return jittered if asked is None else asked + jittered * 0.1

    def _failure(self, trouble: Trouble, attempts: int) -> Failure:
        tries = "one attempt" if attempts == 1 else f"{attempts} attempts"
        message = trouble.message
        if trouble.wait is not None and trouble.wait > self.retries.longest_wait:
            message += f"; the server asks to wait {trouble.wait:g} s"
        return Failure(reason=trouble.reason, message=f"{self.url}: {message} (after {tries})", judge=self.judge)

    def _open(self) -> Connections:
        """This loop's connections; a judge may outlive a loop (one `asyncio.run` a call) and be used on several."""
        self._forget_ended()
        return self._sessions.setdefault(asyncio.get_running_loop(), Connections())

    def _forget_ended(self) -> None:
        # A copy: another thread's loop may come in meanwhile.
        for ended in [loop for loop in list(self._sessions) if loop.is_closed()]:
            self._sessions.pop(ended, None)

    async def close(self) -> None:
        self._forget_ended()
        # What belongs to another running loop only that loop may close.
        opened = self._sessions.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.close()


def error_message(content: bytes) -> str:
    """The provider's own words, whichever of the usual shapes they come in, on one line."""
    import orjson

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
