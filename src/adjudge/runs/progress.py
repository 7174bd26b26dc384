"""Shows a run's progress: a live display on a terminal, plain lines elsewhere, JSON, or nothing.

It is written to standard error; the results are in the run's files.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

import orjson

from ..rendering.escaping import one_line
from ..rendering.wording import duration, many
from .state import Tally

if TYPE_CHECKING:
    from rich.console import Console

_EVERY = 10.0  # seconds between plain lines
_WINDOW = 30.0  # seconds over which the rate is measured
# With fewer cases or seconds than these, nobody can say how long the rest takes.
_FEWEST_CASES, _FEWEST_SECONDS = 5, 10.0


class Throughput:
    """Measures cases per second over the last half minute, and estimates the remaining time."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()
        self._first: tuple[float, int] | None = None
        self.rate = 0.0

    def record(self, done: int) -> None:
        """Record how many cases are done now."""
        now = time.monotonic()
        self._seen.append((now, done))
        self._first = self._first or (now, done)
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        first, before = self._seen[0]
        self.rate = (done - before) / (now - first) if now > first else 0.0

    def left(self, cases: int) -> float | None:
        """Return the seconds that this many more cases will take; None if the rate is 0."""
        return max(0, cases) / self.rate if self.rate > 0 else None

    def left_between(self, cases: int) -> tuple[float, float] | None:
        """Return the fewest and the most seconds that this many more cases will probably take; None if too little is
        known. It counts the last half minute, or all the time since the start if too few cases ended in it."""
        for began, before in (self._seen[0], self._first) if self._seen and self._first else ():
            now, done = self._seen[-1]
            ended, seconds = done - before, now - began
            if ended >= _FEWEST_CASES and seconds >= _FEWEST_SECONDS:
                # The count of independent events in a fixed time varies by its root.
                spread = ended**0.5
                return max(0, cases) * seconds / (ended + spread), max(0, cases) * seconds / (ended - spread)
        return None


def describe(tally: Tally, goal: int, pulse: Throughput, waits_for: str = "") -> str:
    """Return the state of a run in one line."""
    parts = [f"{tally.done:,} of {goal:,}", counts(tally), f"{pulse.rate:.1f}/s"]
    left = pulse.left(goal - tally.done)
    if left is not None and tally.done < goal:
        parts.append(f"{duration(left)} left")
    if waits_for:
        parts.append(f"waiting: {waits_for}")
    return ", ".join(parts)


def counts(tally: Tally) -> str:
    """Return answers, failures and cost as a short text."""
    parts = [f"{answer} {count:,}" for answer, count in ordered(tally.answers)]
    if tally.undecided:
        parts.append(f"undecided {tally.undecided:,}")
    parts.append(f"{tally.failures:,} failed")
    if tally.calls:
        parts.append(money(tally))
    return ", ".join(parts)


def ordered(answers: Mapping[str, int]) -> list[tuple[str, int]]:
    """Sort answers in the order of their scale: A, B, tie; 1 to 7; 20 to 100."""
    found = [(answer, count) for answer, count in answers.items() if count]
    return sorted(found, key=lambda each: (int(each[0]) if each[0].isdigit() else 0, each[0]))


def money(tally: Tally) -> str:
    """Return the cost as text, as far as prices are known."""
    known = f"${tally.cost:.4f}" if tally.cost < 10 else f"${tally.cost:,.2f}"
    if not tally.unpriced:
        return known
    return "no known price" if not tally.cost else f"{known} + {many(tally.unpriced, 'case')} without a price"


def agreement(tally: Tally) -> str:
    """Return how often verdicts agree with people's labels, in the words of the run's report."""
    decided = tally.labelled - tally.undecided_labelled
    if not decided:
        return f"none of {many(tally.labelled, 'labelled case')} was decided"
    share = f"{100 * tally.agreeing / decided:.1f} %"
    if not tally.undecided_labelled:
        return f"agrees with {tally.agreeing:,} of {many(tally.labelled, 'label')} ({share})"
    return (
        f"of {many(tally.labelled, 'labelled case')} {tally.undecided_labelled:,} "
        f"{'was' if tally.undecided_labelled == 1 else 'were'} not decided; "
        f"agrees with the label in {tally.agreeing:,} of the other {decided:,} ({share})"
    )


class Progress:
    """The interface of all progress displays; this one shows nothing."""

    def __init__(self) -> None:
        self._throughput = Throughput()
        self._goal = 0

    def begin(self, tally: Tally, goal: int) -> None:
        """Start the display. `goal` is how many cases will have an outcome if all goes well."""
        self._goal = goal
        self._throughput.record(tally.done)

    def show(self, tally: Tally, waits_for: str = "") -> None:
        """Show the current totals. `waits_for` says why no call is sent at the moment."""
        self._throughput.record(tally.done)

    def end(self, tally: Tally) -> None:
        self._throughput.record(tally.done)


class PlainProgress(Progress):
    """Prints a line every ten seconds, for logs."""

    def __init__(self, out: TextIO | None = None, every: float = _EVERY) -> None:
        super().__init__()
        self._out = out or sys.stderr
        self._every = every
        self._next = time.monotonic() + every

    def show(self, tally: Tally, waits_for: str = "") -> None:
        super().show(tally, waits_for)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every
            self._write(self._line(tally, waits_for))

    def _write(self, line: str) -> None:
        print(line, file=self._out, flush=True)

    def _line(self, tally: Tally, waits_for: str = "") -> str:
        return one_line(describe(tally, self._goal, self._throughput, waits_for))


class JsonProgress(PlainProgress):
    """Prints a JSON object every second and at the end, for programs."""

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__(out, every=1.0)

    def end(self, tally: Tally) -> None:
        super().end(tally)
        self._write(self._line(tally))

    def _line(self, tally: Tally, waits_for: str = "") -> str:
        return orjson.dumps(self._shown(tally, waits_for)).decode()

    def _shown(self, tally: Tally, waits_for: str) -> dict[str, Any]:
        return {
            **tally.as_json(),
            "goal": self._goal,
            "per_second": round(self._throughput.rate, 3),
            "seconds_left": self._throughput.left(self._goal - tally.done),
            "waits_for": waits_for or None,
        }


class LiveProgress(Progress):
    """Redraws a few lines on a terminal: a bar with the times, the outcomes so far, and why the run waits.

    They fit into 80 columns; longer text, such as a provider's message, is cut.
    """

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console
        from rich.live import Live

        super().__init__()
        self._display = Live(console=console or Console(stderr=True), transient=True, auto_refresh=False)
        self._began = time.monotonic()

    def begin(self, tally: Tally, goal: int) -> None:
        super().begin(tally, goal)
        self._display.start()

    def show(self, tally: Tally, waits_for: str = "") -> None:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        super().show(tally, waits_for)
        left = self._throughput.left(self._goal - tally.done)
        elapsed = duration(time.monotonic() - self._began)
        times = f"{tally.done:,} of {self._goal:,}  {elapsed}, {'?' if left is None else duration(left)} left"
        bar = Table.grid(padding=(0, 1))
        bar.add_row(ProgressBar(total=max(1, self._goal), completed=tally.done, width=24), Text(times, no_wrap=True))
        below = [f"{counts(tally)}, {self._throughput.rate:.1f}/s", *([f"waiting: {waits_for}"] if waits_for else [])]
        lines = (Text(one_line(text), no_wrap=True, overflow="ellipsis") for text in below)
        self._display.update(Group(bar, *lines), refresh=True)

    def end(self, tally: Tally) -> None:
        self._display.stop()
