"""An event loop with a clock of its own, for tests about waiting: their verdict does not depend on a busy machine."""

from __future__ import annotations

import asyncio
import selectors


class FakeClock(asyncio.SelectorEventLoop):
    """Time passes when a test says so. While no socket is open, it also passes when everybody waits for it."""

    def __init__(self) -> None:
        self.now = 1000.0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class _Selector(selectors.DefaultSelector):
    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        # One is the loop's own, by which threads wake it.
        if timeout and len(self.get_map()) == 1:
            self._clock.advance(timeout)
            timeout = 0
        return super().select(timeout)


def clock() -> FakeClock:
    """The clock of the running test."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, FakeClock)
    return loop
