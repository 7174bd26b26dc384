"""A rate limiter per provider and host, shared by all callers in the process, on any event loop.

It bounds the calls in flight and adapts the bound: one more while replies come, half when the provider is overloaded
(429, 529, 503). A wait that one caller is told, all callers keep. After repeated failures its circuit opens: callers
fail at once, so that a jury need not wait for a dead member, and one call at a time tries whether the provider is back.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ..models import Reason
from .rate_headers import allowance
from .waiting import Waiter, running_loop

_NEVER = 10**9
_SLACK = 0.05  # seconds by which a late start may be made up for, since timers are not exact
_SMALLEST_GAP = 0.001
# A daily limit that is nearly used up must not look like a run that hangs: beyond this, the provider's 429s decide.
_LONGEST_GAP, _LONGEST_HEADER_HOLD = 20.0, 60.0
_MAX_OVERTAKEN = 12  # how often a call may be refused while others are answered


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Settings, and the limiters made by them. `per_minute` bounds the requests to each provider.

    `max_unsaved` bounds the replies of a judge that were asked for and are not yet in the journal: what a kill loses.
    """

    start: int = 16
    ceiling: int = 256
    per_minute: float | None = None
    first_wait: float = 0.5
    longest_wait: float = 60.0
    patience: float = 300.0  # how long one call may be told to wait before it fails
    open_after: int = 5  # so many failed calls in a row
    cool_down: float = 15.0
    longest_cool_down: float = 120.0
    max_unsaved: int | None = None
    _limiters: dict[tuple[str, str], RateLimiter] = field(default_factory=dict, init=False, repr=False, compare=False)
    _unsaved: dict[str, asyncio.Semaphore] = field(default_factory=dict, init=False, repr=False, compare=False)
    _lock: Any = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @classmethod
    def for_single_cases(cls) -> RateLimits:
        """For somebody who waits for the verdict: full concurrency, little patience, and never an open circuit."""
        return cls(start=256, patience=60.0, open_after=_NEVER)

    def limiter(self, provider: str, url: str) -> RateLimiter:
        """The limiter of this provider at this host."""
        name = provider, urlsplit(url).netloc
        with self._lock:
            if name not in self._limiters:
                self._limiters[name] = RateLimiter(self)
            return self._limiters[name]

    def unsaved(self, judge: str) -> asyncio.Semaphore | None:
        """The semaphore that bounds this judge's unsaved replies."""
        if self.max_unsaved is None:
            return None
        with self._lock:
            return self._unsaved.setdefault(judge, asyncio.Semaphore(self.max_unsaved))

    def stop(self) -> None:
        """Send no new call to any provider; attempts in flight go on."""
        with self._lock:
            for limiter in self._limiters.values():
                limiter.stop()

    def states(self) -> dict[str, LimiterState]:
        """The state of each limiter, by provider and host."""
        with self._lock:
            return {" ".join(filter(None, name)): limiter.state() for name, limiter in self._limiters.items()}


@dataclass(frozen=True, slots=True)
class LimiterState:
    """A limiter at one moment."""

    limit: int
    in_flight: int
    waiting: int
    held_for: float
    circuit: OpenCircuit | None


@dataclass(frozen=True, slots=True)
class OpenCircuit:
    """Why the provider is not asked at the moment."""

    reason: Reason
    message: str


_STOPPED = OpenCircuit("stopped", "the run was stopped before this call was sent")


@dataclass(slots=True)
class Ticket:
    """One call. However often it is retried, it keeps its place before calls that came later.

    `epoch` counts the halvings before its last attempt began: a refusal from before the last halving halves nothing.
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
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._queue: list[tuple[int, Ticket, Waiter[OpenCircuit | None]]] = []
        self._timer: tuple[asyncio.AbstractEventLoop, float] | None = None
        # concurrency
        self._in_flight = 0
        self._limit = max(1, min(limits.start, limits.ceiling))
        self._fast_until = limits.ceiling  # up to here one more per answer, beyond it one per window of answers
        self._answers = 0
        self._epoch = 0
        # rate
        self._held_until = float("-inf")
        self._gap = 60.0 / limits.per_minute if limits.per_minute else 0.0
        self._header_gap, self._header_gap_until = 0.0, float("-inf")
        self._next_start = float("-inf")
        self._refusals = 0
        self._answered_at = float("-inf")
        self._tokens_per_call = 0.0
        # circuit
        self._failures = 0
        self._circuit: OpenCircuit | None = None
        self._open_until = 0.0
        self._cool_down = limits.cool_down
        self._probing = False
        self._stopped = False

    def ticket(self) -> Ticket:
        """A place in the queue."""
        return Ticket(next(self._numbers))

    async def acquire(self, ticket: Ticket) -> OpenCircuit | None:
        """Wait until this call may be sent; or return at once why the provider is not asked."""
        waiter: Waiter[OpenCircuit | None] = Waiter()
        with self._lock:
            heapq.heappush(self._queue, (ticket.number, ticket, waiter))
            self._admit(time.monotonic())
        try:
            return await waiter.wait()
        except BaseException:
            waiter.cancelled = True
            self.release(ticket)
            raise

    def stop(self) -> None:
        """Start no attempt any more: every call that waits, or comes later, fails as stopped."""
        with self._lock:
            self._stopped = True
            self._admit(time.monotonic())

    def release(self, ticket: Ticket) -> None:
        """The attempt is over, however it ended."""
        with self._lock:
            if ticket.in_flight:
                self._end(ticket)
            self._admit(time.monotonic())

    def succeeded(self, ticket: Ticket) -> None:
        """The provider answered."""
        with self._lock:
            self._answered_at = time.monotonic()
            self._refusals = self._failures = 0
            self._circuit, self._cool_down = None, self._limits.cool_down
            if self._limit >= self._limits.ceiling or ticket.epoch != self._epoch or self._in_flight < self._limit:
                return  # an unused bound proves nothing
            self._answers += 1
            if self._limit < self._fast_until or self._answers >= self._limit:
                self._limit += 1
                self._answers = 0

    def read_headers(self, headers: Mapping[str, Any], transferred_bytes: int) -> None:
        """Slow down before the provider refuses: spread what is left over the time until the limit is reset."""
        tokens = transferred_bytes / 4
        self._tokens_per_call += (tokens - self._tokens_per_call) * (0.1 if self._tokens_per_call else 1.0)
        left = allowance(headers, self._tokens_per_call)
        if left is None:
            return
        with self._lock:
            now = time.monotonic()
            if left.calls < 1:
                self._held_until = max(self._held_until, now + min(left.seconds, _LONGEST_HEADER_HOLD))
                return
            gap = left.seconds / left.calls
            self._header_gap = min(gap, _LONGEST_GAP) if gap >= _SMALLEST_GAP else 0.0
            self._header_gap_until = now + left.seconds

    def refused(self, ticket: Ticket, wait: float | None) -> bool:
        """The provider is overloaded. Hold all calls; False if this one has been refused for too long."""
        with self._lock:
            now = time.monotonic()
            if ticket.epoch == self._epoch:
                self._epoch += 1
                self._limit = self._fast_until = max(1, self._limit // 2)
                self._answers = 0
                self._refusals += 1
                if wait is None:
                    backoff = min(self._limits.first_wait * 2.0 ** (self._refusals - 1), self._limits.longest_wait)
                    wait = backoff * random.uniform(0.5, 1.0)
            if wait is not None and wait <= self.patience:
                self._held_until = max(self._held_until, now + wait)
            if ticket.refused_since is None:
                ticket.refused_since = now
            elif self._answered_at > ticket.refused_last:
                ticket.overtaken += 1
            ticket.refused_last = now
            return ticket.overtaken < _MAX_OVERTAKEN and now - ticket.refused_since < self.patience

    def failed(self, ticket: Ticket, reason: Reason, message: str, *, for_all: bool = False) -> None:
        """A call failed for good. `for_all`: every other call would fail too, so open the circuit at once."""
        with self._lock:
            self._failures += 1
            if not (for_all or ticket.probes or self._failures >= self._limits.open_after):
                return
            if self._circuit is not None and not ticket.probes:
                return  # it was sent before the circuit opened
            now = time.monotonic()
            if self._circuit is not None:
                self._cool_down = min(2 * self._cool_down, self._limits.longest_cool_down)
            self._circuit, self._open_until = OpenCircuit(reason, message), now + self._cool_down
            self._admit(now)

    def state(self) -> LimiterState:
        """For progress and tests."""
        with self._lock:
            waiting = sum(not waiter.cancelled for _, _, waiter in self._queue)
            held_for = max(0.0, self._held_until - time.monotonic())
            return LimiterState(self._limit, self._in_flight, waiting, held_for, self._circuit)

    # -- all below is called with the lock held -----------------------------------------------------------------------

    def _admit(self, now: float) -> None:
        """Start the calls that may start, first come first served."""
        while self._queue:
            _, ticket, waiter = self._queue[0]
            due = max(self._held_until, self._next_start)
            if waiter.cancelled:
                heapq.heappop(self._queue)
            elif self._stopped:
                heapq.heappop(self._queue)
                waiter.resolve(_STOPPED)
            elif self._circuit is not None and (self._probing or now < self._open_until):
                heapq.heappop(self._queue)
                waiter.resolve(self._circuit)
            elif self._in_flight >= self._limit:
                return
            elif due > now:
                if self._admit_later(waiter, due, now):
                    return
            else:
                heapq.heappop(self._queue)
                self._begin(ticket, now)
                if not waiter.resolve(None):
                    self._end(ticket)

    def _begin(self, ticket: Ticket, now: float) -> None:
        ticket.in_flight, ticket.epoch = True, self._epoch
        ticket.probes = self._probing = self._circuit is not None
        self._in_flight += 1
        gap = max(self._gap, self._header_gap if now < self._header_gap_until else 0.0)
        self._next_start = max(self._next_start, now - _SLACK) + gap if gap else now

    def _end(self, ticket: Ticket) -> None:
        ticket.in_flight = False
        self._in_flight -= 1
        if ticket.probes:
            self._probing = False

    def _admit_later(self, waiter: Waiter[OpenCircuit | None], due: float, now: float) -> bool:
        """Set a timer on the loop of the first in the queue; False if that loop has ended."""
        loop = waiter.loop
        if self._timer is not None and self._timer[0] is loop and now < self._timer[1] <= due:
            return True
        try:
            if loop is running_loop():
                loop.call_later(due - now, self._on_timer)
            else:
                loop.call_soon_threadsafe(loop.call_later, due - now, self._on_timer)
        except RuntimeError:
            waiter.cancelled = True
            return False
        self._timer = loop, due
        return True

    def _on_timer(self) -> None:
        with self._lock:
            self._timer = None
            self._admit(time.monotonic())
