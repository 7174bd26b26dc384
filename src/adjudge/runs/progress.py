"""What a run shows of itself while it works: a live line on a terminal, plain lines elsewhere, JSON, or nothing.

All of it goes to standard error; what a run is for stands in its files.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Protocol, TextIO

import orjson

from .ledger import Tally

_EVERY = 10.0  # seconds between plain lines
_WINDOW = 30.0  # seconds over which the rate is taken


class Progress(Protocol):
    """Hears of the sums now and then."""

    def begin(self, tally: Tally, goal: int) -> None:
        """`goal`: how many cases will have an outcome if all goes well."""
        ...

    def show(self, tally: Tally) -> None: ...

    def end(self, tally: Tally) -> None: ...


class Pulse:
    """Cases a second over the last half minute, and how long the rest will take at that."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, done: int) -> None:
        """So many are done now."""
        now = time.monotonic()
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """Cases a second."""
        if len(self._seen) < 2:
            return 0.0
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def left(self, cases: int) -> float | None:
        """Seconds until so many more are done."""
        return cases / self.rate if self.rate > 0 else None


def describe(tally: Tally, goal: int, pulse: Pulse) -> str:
    """The state of a run in one line."""
    done = tally.verdicts + tally.failures
    parts = [f"{done:,} of {goal:,}", f"{tally.failures:,} failed"]
    if tally.calls:
        parts.append(money(tally))
    parts.append(f"{pulse.rate:.1f}/s")
    left = pulse.left(max(0, goal - done))
    if left is not None and done < goal:
        parts.append(f"{duration(left)} left")
    if tally.labelled:
        parts.append(agreement(tally))
    return ", ".join(parts)


def money(tally: Tally) -> str:
    """What was spent, as far as prices are known."""
    known = f"${tally.cost:.4f}" if tally.cost < 10 else f"${tally.cost:,.2f}"
    if not tally.unpriced:
        return known
    return "no known price" if not tally.cost else f"{known} + {tally.unpriced:,} cases without a price"


def agreement(tally: Tally) -> str:
    """How often the verdict is what people said."""
    return f"agrees with {100 * tally.agreeing / tally.labelled:.1f} % of {tally.labelled:,} labels"


def duration(seconds: float) -> str:
    """Two of days, hours, minutes and seconds: as exact as anybody cares."""
    whole = round(seconds)
    for size, name, smaller, small in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {name} {rest} {small}" if rest else f"{whole // size} {name}"
    return f"{whole} s"


class Quiet:
    """Says nothing."""

    def begin(self, tally: Tally, goal: int) -> None: ...

    def show(self, tally: Tally) -> None: ...

    def end(self, tally: Tally) -> None: ...


class Plain:
    """A line every ten seconds, for logs."""

    def __init__(self, out: TextIO | None = None, every: float = _EVERY) -> None:
        self._out = out or sys.stderr
        self._every = every
        self._pulse = Pulse()
        self._goal = 0
        self._next = 0.0

    def begin(self, tally: Tally, goal: int) -> None:
        self._goal = goal
        self._pulse.note(tally.verdicts + tally.failures)
        self._next = time.monotonic() + self._every

    def show(self, tally: Tally) -> None:
        self._pulse.note(tally.verdicts + tally.failures)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every
            print(self._line(tally), file=self._out, flush=True)

    def end(self, tally: Tally) -> None:
        self._pulse.note(tally.verdicts + tally.failures)

    def _line(self, tally: Tally) -> str:
        return describe(tally, self._goal, self._pulse)


class Json(Plain):
    """The same for a program: one object a second and one at the end."""

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__(out, every=1.0)

    def end(self, tally: Tally) -> None:
        super().end(tally)
        print(self._line(tally), file=self._out, flush=True)

    def _line(self, tally: Tally) -> str:
        left = self._pulse.left(max(0, self._goal - tally.verdicts - tally.failures))
        told = {**tally.as_json(), "goal": self._goal, "per_second": round(self._pulse.rate, 3), "seconds_left": left}
        return orjson.dumps(told).decode()


class Live:
    """A bar that a terminal redraws."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.fields[shown]}", markup=False), BarColumn(bar_width=24), console=Console(stderr=True),
            transient=True, refresh_per_second=4,
        )  # fmt: skip
        self._pulse = Pulse()
        self._goal = 0

    def begin(self, tally: Tally, goal: int) -> None:
        self._goal = goal
        done = tally.verdicts + tally.failures
        self._pulse.note(done)
        self._task = self._bar.add_task("", total=goal, completed=done, shown="")
        self._bar.start()

    def show(self, tally: Tally) -> None:
        done = tally.verdicts + tally.failures
        self._pulse.note(done)
        self._bar.update(self._task, completed=done, shown=describe(tally, self._goal, self._pulse))

    def end(self, tally: Tally) -> None:
        self._bar.stop()
