"""How fast a provider is asked. One `Pace` a provider and host in a process, shared by every caller, on any loop.

It bounds the calls in flight and learns the bound: more while replies come, half when the provider pushes back (429,
529, 503). Whatever one caller is told to wait, all wait. A provider that keeps failing is left alone for a while,
so that a jury need not wait for a dead member: callers fail at once, and one at a time tries whether it is back.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ...verdicts import Reason
from ..waiting import Waiter, running_loop
from .limits import allowance

_SLACK = 0.05  # seconds that a late start may be made up for: timers are not exact
_SMALLEST_GAP = 0.001
# A day's limit that is nearly used up must not look like a run that hangs: then the provider's refusals decide.
_LONGEST_GAP, _LONGEST_HEADER_HOLD = 20.0, 60.0
_HEED_EVERY = 0.005  # seconds; reading a reply's headers costs more than everything else here
_OUTRUN = 12  # how often others may be served between two refusals of the same call


@dataclass(frozen=True, slots=True)
class Pacing:
    """How to pace, and the paces there are. `per_minute` bounds the requests to each provider, if it is given."""

    start: int = 16
    ceiling: int = 256
    per_minute: float | None = None
    first_wait: float = 0.5
    longest_wait: float = 60.0
    patience: float = 300.0  # how long one call may be pushed back before it fails
    breaks_after: int = 5  # so many calls in a row that failed for good
    cool_down: float = 15.0
    longest_cool_down: float = 120.0
    _paces: dict[tuple[str, str], Pace] = field(default_factory=dict, repr=False, compare=False)
    _rooms: dict[str, asyncio.Semaphore] = field(default_factory=dict, repr=False, compare=False)
    _guard: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    def pace(self, provider: str, url: str) -> Pace:
        """The pace of this provider at this host."""
        name = provider, urlsplit(url).netloc
        with self._guard:
            if name not in self._paces:
                self._paces[name] = Pace(self)
            return self._paces[name]

    def room(self, judge: str) -> asyncio.Semaphore:
        """How many replies of this judge may be asked for and not yet kept, at most."""
        with self._guard:
            return self._rooms.setdefault(judge, asyncio.Semaphore(self.ceiling))

    def states(self) -> dict[str, State]:
        """How each provider is doing, by name and host."""
        with self._guard:
            return {" ".join(filter(None, name)): pace.state() for name, pace in self._paces.items()}

    def shared_by(self, processes: int) -> Pacing:
        """The settings for each of several processes that ask the same providers."""
        return Pacing(
            max(1, self.start // processes),
            max(1, self.ceiling // processes),
            self.per_minute / processes if self.per_minute else None,
            *(self.first_wait, self.longest_wait, self.patience),
            *(self.breaks_after, self.cool_down, self.longest_cool_down),
        )

    def __reduce__(self) -> Any:
        """Another process paces by itself: settings travel, paces do not."""
        values = (self.start, self.ceiling, self.per_minute, self.first_wait, self.longest_wait, self.patience)
        return Pacing, (*values, self.breaks_after, self.cool_down, self.longest_cool_down)


@dataclass(frozen=True, slots=True)
class State:
    """A pace at one moment, for whoever watches."""

    limit: int
    in_flight: int
    waiting: int
    held_for: float
    broken: Broken | None


@dataclass(frozen=True, slots=True)
class Broken:
    """The provider is left alone, for this reason."""

    reason: Reason
    message: str


@dataclass(slots=True)
class Turn:
    """One call's way through a pace. However often it must come back, it keeps its place before those who came later.

    `epoch` is the number of halvings before it was last let in: what it reports of an older state halves nothing.
    """

    number: int
    epoch: int = 0
    inside: bool = False
    probes: bool = False
    pushed_since: float | None = None
    pushed_last: float = 0.0
    outrun: int = 0


class Pace:
    """See the module. A call gets a `turn`, then `enter`s and `leave`s once for every attempt, and says how it went."""

    def __init__(self, pacing: Pacing, clock: Callable[[], float] = time.monotonic) -> None:
        self._pacing = pacing
        self.patience = pacing.patience
        self._clock = clock
        self._guard = threading.Lock()
        self._numbers = itertools.count()
        self._queue: list[tuple[int, Turn, Waiter[Broken | None]]] = []
        self._timer: tuple[Any, float] | None = None
        self._in_flight = 0
        # how many at once
        self._limit = max(1, min(pacing.start, pacing.ceiling))
        self._quick_until = pacing.ceiling  # up to here by one an answer: until a provider's limit shows, it is sought
        self._answers = 0
        self._epoch = 0
        # how soon
        self._held_until = float("-inf")
        self._gap = 60.0 / pacing.per_minute if pacing.per_minute else 0.0
        self._told_gap, self._told_until = 0.0, float("-inf")
        self._next_start = float("-inf")
        self._pushes = 0
        self._answered_at = float("-inf")
        self._tokens_a_call = 0.0
        self._heeded_at = float("-inf")
        # whether at all
        self._failed_in_a_row = 0
        self._broken: Broken | None = None
        self._broken_until = 0.0
        self._cool_down = pacing.cool_down
        self._probing = False

    def turn(self) -> Turn:
        """A place in the queue."""
        return Turn(next(self._numbers))

    async def enter(self, turn: Turn) -> Broken | None:
        """Wait until this call may be sent; or hear at once that the provider is being left alone."""
        with self._guard:
            now = self._clock()
            if self._broken is not None and self._left_alone(now):
                return self._broken
            if not self._queue and self._in_flight < self._limit and self._due() <= now:
                self._let_in(turn, now)
                return None
            waiter: Waiter[Broken | None] = Waiter()
            heapq.heappush(self._queue, (turn.number, turn, waiter))
            self._admit(now)
        try:
            return await waiter.told()
        except BaseException:
            waiter.gone = True
            self.leave(turn)
            raise

    def leave(self, turn: Turn) -> None:
        """The attempt is over, however it ended."""
        with self._guard:
            if turn.inside:
                self._step_out(turn)
            if self._queue:
                self._admit(self._clock())

    def answered(self, turn: Turn) -> None:
        """The provider is there and answered."""
        with self._guard:
            self._answered_at = self._clock()
            self._pushes = self._failed_in_a_row = 0
            if self._broken is not None:
                self._broken, self._cool_down = None, self._pacing.cool_down
            if self._limit >= self._pacing.ceiling or turn.epoch != self._epoch or self._in_flight < self._limit:
                return  # a bound that is not used tells nothing
            self._answers += 1
            if self._limit < self._quick_until or self._answers >= self._limit:  # beyond, by one a window of answers
                self._limit += 1
                self._answers = 0

    def heed(self, headers: Mapping[str, Any], sent_bytes: int) -> None:
        """Slow down before the provider has to say so: spread what is left over the time until there is more."""
        now = self._clock()
        if now - self._heeded_at < _HEED_EVERY:
            return
        self._heeded_at = now
        tokens = sent_bytes / 4
        self._tokens_a_call += (tokens - self._tokens_a_call) * (0.1 if self._tokens_a_call else 1.0)
        left = allowance(headers, self._tokens_a_call)
        if left is None:
            return
        with self._guard:
            if left.calls < 1:
                self._held_until = max(self._held_until, now + min(left.seconds, _LONGEST_HEADER_HOLD))
                return
            gap = left.seconds / left.calls
            self._told_gap = min(gap, _LONGEST_GAP) if gap >= _SMALLEST_GAP else 0.0
            self._told_until = now + left.seconds

    def pushed_back(self, turn: Turn, wait: float | None) -> bool:
        """The provider has too much to do. Everybody waits; False if this call has been pushed back for too long."""
        with self._guard:
            now = self._clock()
            if turn.epoch == self._epoch:
                self._epoch += 1
                self._limit = self._quick_until = max(1, self._limit // 2)
                self._answers = 0
                self._pushes += 1
                if wait is None:
                    growing = min(self._pacing.first_wait * 2.0 ** (self._pushes - 1), self._pacing.longest_wait)
                    wait = growing * random.uniform(0.5, 1.0)
            if wait is not None and wait <= self.patience:
                self._held_until = max(self._held_until, now + wait)
            if turn.pushed_since is None:
                turn.pushed_since = now
            elif self._answered_at > turn.pushed_last:
                turn.outrun += 1
            turn.pushed_last = now
            return turn.outrun < _OUTRUN and now - turn.pushed_since < self.patience

    def failed(self, turn: Turn, reason: Reason, message: str, *, at_once: bool = False) -> None:
        """A call has failed for good; `at_once`: all others would."""
        with self._guard:
            self._failed_in_a_row += 1
            if not (at_once or turn.probes or self._failed_in_a_row >= self._pacing.breaks_after):
                return
            if self._broken is not None and not turn.probes:
                return  # sent before the break; the time to recover has begun already
            now = self._clock()
            if self._broken is not None:
                self._cool_down = min(2 * self._cool_down, self._pacing.longest_cool_down)
            self._broken, self._broken_until = Broken(reason, message), now + self._cool_down
            self._admit(now)

    def state(self) -> State:
        """For whoever watches."""
        with self._guard:
            now = self._clock()
            waiting = sum(not waiter.gone for _, _, waiter in self._queue)
            return State(self._limit, self._in_flight, waiting, max(0.0, self._held_until - now), self._broken)

    # -- under the guard ----------------------------------------------------------------------------------------------

    def _left_alone(self, now: float) -> bool:
        return self._probing or now < self._broken_until

    def _due(self) -> float:
        """When the next call may start, as far as time is concerned."""
        return max(self._held_until, self._next_start)

    def _let_in(self, turn: Turn, now: float) -> None:
        turn.inside, turn.epoch = True, self._epoch
        turn.probes = self._probing = self._broken is not None
        self._in_flight += 1
        gap = max(self._gap, self._told_gap if now < self._told_until else 0.0)
        self._next_start = max(self._next_start, now - _SLACK) + gap if gap else now

    def _step_out(self, turn: Turn) -> None:
        turn.inside = False
        self._in_flight -= 1
        if turn.probes:
            self._probing = False

    def _admit(self, now: float) -> None:
        """Let in whoever may go, first come first served."""
        while self._queue:
            _, turn, waiter = self._queue[0]
            if waiter.gone:
                heapq.heappop(self._queue)
            elif self._broken is not None and self._left_alone(now):
                heapq.heappop(self._queue)
                waiter.tell(self._broken)
            elif self._in_flight >= self._limit:
                return
            elif (due := self._due()) > now:
                if self._wake(waiter, due, now):
                    return
            else:
                heapq.heappop(self._queue)
                self._let_in(turn, now)
                if not waiter.tell(None):
                    self._step_out(turn)

    def _wake(self, waiter: Waiter[Broken | None], due: float, now: float) -> bool:
        """Look again at that time, on the loop of who is first in the queue; False if that loop has ended."""
        loop = waiter.loop
        if self._timer is not None and self._timer[0] is loop and now < self._timer[1] <= due:
            return True
        try:
            if loop is running_loop():
                loop.call_later(due - now, self._look_again)
            else:
                loop.call_soon_threadsafe(loop.call_later, due - now, self._look_again)
        except RuntimeError:
            waiter.gone = True
            return False
        self._timer = loop, due
        return True

    def _look_again(self) -> None:
        with self._guard:
            self._timer = None
            self._admit(self._clock())
