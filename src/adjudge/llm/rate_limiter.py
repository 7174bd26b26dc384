"""A rate limiter per provider and host, shared by all callers of an event loop.

It bounds the calls in flight and adapts the bound: one more while replies come, half when the provider is overloaded
(429, 529, 503). A wait that one caller is told, all callers keep. After repeated failures its circuit opens: callers
fail at once, so that a jury need not wait for a dead member, and one call at a time tries whether the provider is back.
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

from ..models import Reason

_NEVER = 10**9
_SLACK = 0.05  # seconds by which a late start may be made up for, since timers are not exact
_SMALLEST_GAP = 0.001
# A daily limit that is nearly used up must not look like a run that hangs: beyond this, the provider's 429s decide.
_LONGEST_GAP, _LONGEST_HEADER_HOLD = 20.0, 60.0
_LONGEST_WAIT = 60.0
_MAX_OVERTAKEN = 12  # how often a call may be refused while others are answered
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")
_PART_SECONDS = (86400.0, 3600.0, 60.0, 1.0, 0.001)


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Settings, and the limiters made by them. `per_minute` bounds the requests to each provider.

    `open_after` failed calls in a row the circuit opens; a jury sets it, for it can go on without a member.
    `max_unsaved` bounds the replies of a judge that were asked for and are not yet in the journal: what a kill loses.
    """

    start: int = 16
    ceiling: int = 256
    per_minute: float | None = None
    open_after: int = 5
    max_unsaved: int | None = None
    first_wait: float = 0.5
    patience: float = 300.0  # how long one call may be told to wait before it fails
    cool_down: float = 15.0  # until an open circuit is tried again; twice as long after every try, up to eight times
    _limiters: dict[tuple[str, str], RateLimiter] = field(default_factory=dict, init=False, repr=False, compare=False)
    _unsaved: dict[str, asyncio.Semaphore] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def for_single_cases(cls) -> RateLimits:
        """For somebody who waits for the verdict: full concurrency, little patience, and never an open circuit."""
        return cls(start=256, patience=60.0, open_after=_NEVER)

    def limiter(self, provider: str, url: str) -> RateLimiter:
        """The limiter of this provider at this host."""
        return self._limiters.setdefault((provider, urlsplit(url).netloc), RateLimiter(self))

    def unsaved(self, judge: str) -> asyncio.Semaphore | None:
        """The semaphore that bounds this judge's unsaved replies."""
        if self.max_unsaved is None:
            return None
        return self._unsaved.setdefault(judge, asyncio.Semaphore(self.max_unsaved))

    def stop(self) -> None:
        """Send no new call to any provider; attempts in flight go on."""
        for limiter in self._limiters.values():
            limiter.stop()

    def named(self) -> dict[str, RateLimiter]:
        """The limiters by provider and host."""
        return {" ".join(filter(None, name)): limiter for name, limiter in self._limiters.items()}


class OpenCircuit(NamedTuple):
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
        self.retrying = 0  # calls that failed by an outage and will be tried again
        self._numbers = itertools.count()
        self._queue: list[tuple[int, Ticket, asyncio.Future[OpenCircuit | None]]] = []
        self._timer: asyncio.TimerHandle | None = None
        # concurrency
        self.in_flight = 0
        self.limit = max(1, min(limits.start, limits.ceiling))
        self._fast_until = limits.ceiling  # up to here one more per answer, beyond it one per window of answers
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
        """A place in the queue."""
        return Ticket(next(self._numbers))

    async def acquire(self, ticket: Ticket) -> OpenCircuit | None:
        """Wait until this call may be sent; or return at once why the provider is not asked."""
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
        """Start no attempt any more: every call that waits, or comes later, fails as stopped."""
        self._stopped = True
        self._admit()

    def release(self, ticket: Ticket) -> None:
        """The attempt is over, however it ended."""
        if ticket.in_flight:
            ticket.in_flight = False
            self.in_flight -= 1
            if ticket.probes:
                self._probing = False
        self._admit()

    def succeeded(self, ticket: Ticket) -> None:
        """The provider answered."""
        self._answered_at = time.monotonic()
        self._refusals = self._failures = 0
        self.circuit, self._cool_down = None, self._limits.cool_down
        if self.limit >= self._limits.ceiling or ticket.epoch != self._epoch or self.in_flight < self.limit:
            return  # an unused bound proves nothing
        self._answers += 1
        if self.limit < self._fast_until or self._answers >= self.limit:
            self.limit += 1
            self._answers = 0

    def read_headers(self, headers: Mapping[str, Any], transferred_bytes: int) -> None:
        """Slow down before the provider refuses: spread what is left over the time until the limit is reset."""
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
        """The provider is overloaded. Hold all calls; False if this one has been refused for too long."""
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
        """A call failed for good. `for_all`: every other call would fail too, so open the circuit at once."""
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
        """Calls that wait for their turn."""
        return sum(not turn.done() for _, _, turn in self._queue)

    @property
    def held(self) -> tuple[float, str]:
        """For how many seconds nobody is sent, and why; no seconds and no reason if calls are sent."""
        seconds = max(0.0, self._held_until - time.monotonic())
        return seconds, self._held_by if seconds else ""

    def _hold(self, until: float, why: str) -> None:
        if until > self._held_until:
            self._held_until, self._held_by = until, why

    def _admit(self) -> None:
        """Start the calls that may start, first come first served."""
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
                # The timer belongs to the loop of the first in the queue, so an ended loop's timer is replaced.
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = turn.get_loop().call_later(due - now, self._admit)
                return
            else:
                heapq.heappop(self._queue)
                ticket.in_flight, ticket.epoch = True, self._epoch
                ticket.probes = self._probing = self.circuit is not None
                self.in_flight += 1
                gap = max(self._gap, self._header_gap if now < self._header_gap_until else 0.0)
                self._next_start = max(self._next_start, now - _SLACK) + gap if gap else now
                turn.set_result(None)


# -- headers ----------------------------------------------------------------------------------------------------------


def retry_after(headers: Mapping[str, Any]) -> float | None:
    """The seconds that the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    return _seconds(headers.get("retry-after")) if milliseconds is None else milliseconds / 1000


def allowance(headers: Mapping[str, Any], tokens_per_call: float) -> tuple[float, float] | None:
    """How many calls are left, by requests or by tokens, for how many seconds; None if the headers do not say.

    OpenAI's form (`x-ratelimit-remaining-requests`, a time such as `6m0.5s`), which most others use, and Anthropic's
    (`anthropic-ratelimit-requests-remaining`, a date).
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
    """Seconds: `12`, `20ms`, `1m30s`, or until a date."""
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
