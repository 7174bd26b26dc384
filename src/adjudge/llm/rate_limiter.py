"""A rate limiter per provider and host, shared by all callers of an event loop.

It limits the calls in flight and adapts the limit: one more while replies come, half when the provider is overloaded
(429, 529, 503). If it asks one caller to wait, all callers wait. After repeated failures the circuit opens: callers
fail at once, so that a jury need not wait for a dead member, and one call at a time tests whether the provider is back.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..models.common import Reason

_NEVER = 10**9
_SLACK = 0.05  # seconds of lateness that the next call may catch up, since timers are not exact
_SMALLEST_GAP = 0.001
# With a daily limit nearly used up a run must not seem to hang: pause at most this long, then let the 429s decide.
_LONGEST_GAP, _LONGEST_HEADER_HOLD = 20.0, 60.0
_LONGEST_WAIT = 60.0
_MAX_OVERTAKEN = 12  # how often a call may be refused while others are answered
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")
_PART_SECONDS = (86400.0, 3600.0, 60.0, 1.0, 0.001)


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The settings of rate limiters, and the limiters made from them. `per_minute` limits requests to each provider.

    The circuit opens after `open_after` failed calls in a row; a jury uses this, because it can continue without a
    member. `max_unsaved` limits a judge's replies that are not yet in the journal and would be lost by a kill.
    """

    start: int = 16
    ceiling: int = 256
    per_minute: float | None = None
    open_after: int = 5
    max_unsaved: int | None = None
    first_wait: float = 0.5
    patience: float = 300.0  # how long one call may have to wait before it fails
    cool_down: float = 15.0  # until an open circuit is probed; doubled after every failed probe, up to eight times this
    _limiters: dict[tuple[str, str], RateLimiter] = field(default_factory=dict, init=False, repr=False, compare=False)
    _unsaved: dict[str, asyncio.Semaphore] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def for_single_cases(cls) -> RateLimits:
        """Return settings for a user who waits for one verdict: full concurrency, little patience, no open circuit."""
        return cls(start=256, patience=60.0, open_after=_NEVER)

    def limiter(self, provider: str, url: str) -> RateLimiter:
        """Return the limiter of this provider at this host."""
        return self._limiters.setdefault((provider, urlsplit(url).netloc), RateLimiter(self))

    def unsaved(self, judge: str) -> asyncio.Semaphore | None:
        """Return the semaphore that limits this judge's unsaved replies; None if there is no limit."""
        if self.max_unsaved is None:
            return None
        return self._unsaved.setdefault(judge, asyncio.Semaphore(self.max_unsaved))

    def stop(self) -> None:
        """Send no new call to any provider; attempts in flight continue."""
        for limiter in self._limiters.values():
            limiter.stop()

    def named(self) -> dict[str, RateLimiter]:
        """Return the limiters by provider and host."""
        return {" ".join(filter(None, name)): limiter for name, limiter in self._limiters.items()}


class OpenCircuit(NamedTuple):
    """Why no calls are sent to the provider at the moment."""

    reason: Reason
    message: str


_STOPPED = OpenCircuit("stopped", "the run was stopped before this call was sent")


@dataclass(slots=True)
class Ticket:
    """One call. However often it is retried, it keeps its place in the queue before calls that came later.

    `epoch` is the number of halvings when its last attempt began: a refusal halves the limit only if it is current.
    """

    number: int
    epoch: int = 0
    in_flight: bool = False
    probes: bool = False
    refused_since: float | None = None
    refused_last: float = 0.0
    overtaken: int = 0


class RateLimiter:
    """A call takes a `ticket`, then `acquire`s and `release`s once for every attempt, and reports how it went."""

    def __init__(self, limits: RateLimits) -> None:
        self._limits = limits
        self.patience = limits.patience
        self.retrying = 0  # calls that failed by an outage and will be tried again
        self._numbers = itertools.count()
        self._queue: list[tuple[int, Ticket, asyncio.Future[OpenCircuit | None]]] = []
        self._timer: asyncio.TimerHandle | None = None
        # concurrency
        self.in_flight = 0
        self._returned_at = 0.0  # when the last attempt ended, or the first one began
        self.limit = max(1, min(limits.start, limits.ceiling))
        self._fast_until = limits.ceiling  # below this one more per answer, above it one more per `limit` answers
        self._answers = 0
        self._epoch = 0
        # rate
        self._held_until, self._held_by = float("-inf"), ""
        self._gap = 60.0 / limits.per_minute if limits.per_minute else 0.0
        self._header_gap, self._header_gap_until = 0.0, float("-inf")
        self._next_start = float("-inf")
        self._refusals = 0
        self._answered_at = float("-inf")
        self._tokens_per_call = 0.0
        # circuit
        self._failures = 0
        self.circuit: OpenCircuit | None = None
        self._open_until = 0.0
        self._cool_down = limits.cool_down
        self._probing = False
        self._stopped = False

    def ticket(self) -> Ticket:
        """Return a new call's place in the queue."""
        return Ticket(next(self._numbers))

    async def acquire(self, ticket: Ticket) -> OpenCircuit | None:
        """Wait until this call may be sent and return None; or return why it is not sent."""
        turn: asyncio.Future[OpenCircuit | None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (ticket.number, ticket, turn))
        self._admit()
        try:
            return turn.result() if turn.done() else await turn
        except BaseException:
            turn.cancel()
            self.release(ticket)
            raise

    def stop(self) -> None:
        """Start no more attempts: every waiting or later call fails as stopped."""
        self._stopped = True
        self._admit()

    def release(self, ticket: Ticket) -> None:
        """Record that the attempt is over, however it ended."""
        if ticket.in_flight:
            ticket.in_flight = False
            self.in_flight -= 1
            self._returned_at = time.monotonic()
            if ticket.probes:
                self._probing = False
        self._admit()

    def succeeded(self, ticket: Ticket) -> None:
        """Record that the provider answered; this closes the circuit and may raise the limit."""
        self._answered_at = time.monotonic()
        self._refusals = self._failures = 0
        self.circuit, self._cool_down = None, self._limits.cool_down
        if self.limit >= self._limits.ceiling or ticket.epoch != self._epoch or self.in_flight < self.limit:
            return  # only a reply to a current call while the limit is fully used shows that the provider can take more
        self._answers += 1
        if self.limit < self._fast_until or self._answers >= self.limit:
            self.limit += 1
            self._answers = 0

    def read_headers(self, headers: Mapping[str, Any], transferred_bytes: int) -> None:
        """Slow down before the provider refuses: spread the remaining calls over the time until its limit is reset."""
        tokens = transferred_bytes / 4
        self._tokens_per_call += (tokens - self._tokens_per_call) * (0.1 if self._tokens_per_call else 1.0)
        left = allowance(headers, self._tokens_per_call)
        if left is None:
            return
        now, (calls, seconds) = time.monotonic(), left
        if calls < 1:
            self._hold(now + min(seconds, _LONGEST_HEADER_HOLD), "the provider's limit is used up")
            return
        gap = seconds / calls
        self._header_gap = min(gap, _LONGEST_GAP) if gap >= _SMALLEST_GAP else 0.0
        self._header_gap_until = now + seconds

    def refused(self, ticket: Ticket, wait: float | None, why: str = "") -> bool:
        """Record an overload and hold all calls. Return False if this call has been refused for too long."""
        now = time.monotonic()
        if ticket.epoch == self._epoch:
            self._epoch += 1
            self.limit = self._fast_until = max(1, self.limit // 2)
            self._answers = 0
            self._refusals += 1
            if wait is None:
                backoff = min(self._limits.first_wait * 2.0 ** (self._refusals - 1), _LONGEST_WAIT)
                wait = backoff * random.uniform(0.5, 1.0)
        if wait is not None and wait <= self.patience:
            self._hold(now + wait, why)
        if ticket.refused_since is None:
            ticket.refused_since = now
        elif self._answered_at > ticket.refused_last:
            ticket.overtaken += 1
        ticket.refused_last = now
        return ticket.overtaken < _MAX_OVERTAKEN and now - ticket.refused_since < self.patience

    def failed(self, ticket: Ticket, reason: Reason, message: str, *, for_all: bool = False) -> None:
        """Record that a call has finally failed. With `for_all` every call would fail, so open the circuit at once."""
        self._failures += 1
        if not (for_all or ticket.probes or self._failures >= self._limits.open_after):
            return
        if self.circuit is not None:
            if not ticket.probes:
                return  # it was sent before the circuit opened
            self._cool_down = min(2 * self._cool_down, 8 * self._limits.cool_down)
        self.circuit, self._open_until = OpenCircuit(reason, message), time.monotonic() + self._cool_down
        self._admit()

    @property
    def waiting(self) -> int:
        """How many calls wait for their turn."""
        return sum(not turn.done() for _, _, turn in self._queue)

    @property
    def silent(self) -> float:
        """For how many seconds no attempt has ended although some are in flight; 0 if none is."""
        return time.monotonic() - self._returned_at if self.in_flight else 0.0

    @property
    def held(self) -> tuple[float, str]:
        """For how many seconds no call is sent, and why; 0 and no reason if calls are sent."""
        seconds = max(0.0, self._held_until - time.monotonic())
        return seconds, self._held_by if seconds else ""

    def _hold(self, until: float, why: str) -> None:
        if until > self._held_until:
            self._held_until, self._held_by = until, why

    def _admit(self) -> None:
        """Start the calls that may start, in the order of their tickets."""
        now = time.monotonic()
        while self._queue:
            _, ticket, turn = self._queue[0]
            if turn.done():  # cancelled
                heapq.heappop(self._queue)
            elif self._stopped:
                heapq.heappop(self._queue)
                turn.set_result(_STOPPED)
            elif self.circuit is not None and (self._probing or now < self._open_until):
                heapq.heappop(self._queue)
                turn.set_result(self.circuit)
            elif self.in_flight >= self.limit:
                return
            elif (due := max(self._held_until, self._next_start)) > now:
                # Use the event loop of the first call in the queue; the old timer's loop may have ended.
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = turn.get_loop().call_later(due - now, self._admit)
                return
            else:
                heapq.heappop(self._queue)
                ticket.in_flight, ticket.epoch = True, self._epoch
                ticket.probes = self._probing = self.circuit is not None
                if not self.in_flight:
                    self._returned_at = now
                self.in_flight += 1
                gap = max(self._gap, self._header_gap if now < self._header_gap_until else 0.0)
                self._next_start = max(self._next_start, now - _SLACK) + gap if gap else now
                turn.set_result(None)


# -- headers ----------------------------------------------------------------------------------------------------------


def retry_after(headers: Mapping[str, Any]) -> float | None:
    """Return the seconds that the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    return _seconds(headers.get("retry-after")) if milliseconds is None else milliseconds / 1000


def allowance(headers: Mapping[str, Any], tokens_per_call: float) -> tuple[float, float] | None:
    """Return how many calls are left, by requests or by tokens, for how many seconds; None if the headers do not say.

    Reads OpenAI's form (`x-ratelimit-remaining-requests`, a time such as `6m0.5s`), which most others use, and
    Anthropic's (`anthropic-ratelimit-requests-remaining`, a date).
    """
    if "x-ratelimit-remaining-requests" in headers or "x-ratelimit-remaining-tokens" in headers:
        remaining, reset = "x-ratelimit-remaining-{}", "x-ratelimit-reset-{}"
    elif "anthropic-ratelimit-requests-remaining" in headers:
        remaining, reset = "anthropic-ratelimit-{}-remaining", "anthropic-ratelimit-{}-reset"
    else:
        return None
    found = []
    for what, size in (("requests", 1.0), ("tokens", max(1.0, tokens_per_call))):
        left, seconds = _number(headers.get(remaining.format(what))), _seconds(headers.get(reset.format(what)))
        if left is not None and seconds:
            found.append((left / size, seconds))
    return min(found, key=lambda each: each[0] / each[1], default=None)


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _seconds(text: str | None) -> float | None:
    """Parse seconds from `12`, `20ms` or `1m30s`, or compute those until a date."""
    if not text:
        return None
    if (plain := _number(text)) is not None:
        return plain
    with suppress(ValueError):
        if (parts := _DURATION.fullmatch(text.strip())) and any(parts.groups()):
            return sum(float(part) * unit for part, unit in zip(parts.groups(), _PART_SECONDS, strict=True) if part)
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, TypeError):
            return max(0.0, (read(text.strip()) - datetime.now(UTC)).total_seconds())
    return None
