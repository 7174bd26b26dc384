"""A worker process: takes cases from its parent, judges them, and says what came of them.

Started as `python -m adjudge.runs.worker`. When its parent dies it takes nothing new, but finishes what is in flight,
so that what was already asked for is kept.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, Protocol

import orjson

from ..errors import AdjudgeError
from ..journal import Journal
from ..judges.budget import SeenReplies
from . import frames
from .judging import Judging, Outcome
from .opening import open_for_run
from .plan import Plan

# A case makes thousands of objects and hardly a cycle: to look for cycles every 700 objects takes 5 % of the time.
_OBJECTS_A_LOOK = 50_000
_PIPE_BYTES = 2**20
_GATHERED = 0.02  # seconds: outcomes that come close together are sent together


class _Asked:
    """The budget as a worker sees it: every reservation is its parent's to grant."""

    def __init__(self, say: Speaker) -> None:
        self._say = say
        self._number = 0
        self._waiting: dict[int, asyncio.Future[bool]] = {}
        self._alone = False
        self.seen = SeenReplies()

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        if self._alone:
            return None
        at_most = estimate()
        self._number += 1
        number, answer = self._number, asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._say.now(frames.RESERVE, [number, str(at_most)])
        return at_most if await answer else None

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        self._say.now(frames.SETTLE, [str(reserved), None if spent is None else str(spent)])

    def hear(self, number: int, granted: bool) -> None:
        """The parent's answer."""
        waiting = self._waiting.pop(number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(granted)

    def refuse_all(self) -> None:
        """The parent is gone: nobody can grant anything, now or later."""
        self._alone = True
        for number in list(self._waiting):
            self.hear(number, False)


class Out(Protocol):
    """The way to the parent: a pipe, or whatever else carries bytes."""

    def write(self, content: bytes, /) -> object: ...

    def flush(self) -> object: ...


class Speaker:
    """Writes to the parent; what cannot be written any more is in the journal all the same."""

    def __init__(self, out: Out) -> None:
        self._out = out
        self._gathered: list[Outcome] = []
        self._gone = False

    def later(self, outcome: Outcome) -> None:
        """An outcome, together with those that follow at once."""
        if not self._gathered:
            asyncio.get_running_loop().call_later(_GATHERED, self.flush)
        self._gathered.append(outcome)

    def flush(self) -> None:
        if self._gathered:
            self._write(frames.frame(frames.OUTCOMES, frames.pack_outcomes(self._gathered)))
            self._gathered.clear()

    def now(self, kind: int, payload: Any) -> None:
        """A message of its own."""
        self.raw(kind, orjson.dumps(payload))

    def raw(self, kind: int, payload: bytes) -> None:
        """The same with a payload that is bytes already."""
        self._write(frames.frame(kind, payload))

    def _write(self, content: bytes) -> None:
        if self._gone:
            return
        try:
            self._out.write(content)
            self._out.flush()
        except OSError:
            self._gone = True


class Station:
    """What was asked of this process, and the chunks it is at."""

    def __init__(self, judging: Judging, say: Speaker, purse: _Asked | None) -> None:
        self._judging, self._say, self._purse = judging, say, purse
        self._chunks: set[asyncio.Task[list[Outcome]]] = set()
        self._last = asyncio.Event()
        self._broken: BaseException | None = None

    def hear(self, message: tuple[int, bytes] | None) -> None:
        """A message from the parent; none: it is gone."""
        if message is None:
            self._judging.close()
            self._last.set()
            if self._purse is not None:
                self._purse.refuse_all()
            return
        kind, payload = message
        if kind == frames.CASES:
            chunk = asyncio.create_task(self._judging.judge_chunk(payload.split(b"\n"), self._say.later))
            self._chunks.add(chunk)
            chunk.add_done_callback(self._ended)
        elif kind == frames.GRANTED and self._purse is not None:
            self._purse.hear(*orjson.loads(payload))
        elif kind == frames.FINISH:
            if payload:
                self._judging.close()
            self._last.set()

    def _ended(self, chunk: asyncio.Task[list[Outcome]]) -> None:
        self._chunks.discard(chunk)
        if not chunk.cancelled() and (error := chunk.exception()) is not None:
            self._broken = self._broken or error
            self._last.set()

    async def finish(self) -> None:
        """Until the last chunk is done; the first error that concerns the whole run is raised."""
        await self._last.wait()
        while self._chunks and self._broken is None:
            await asyncio.wait(self._chunks, return_when=asyncio.FIRST_COMPLETED)
        if self._broken is not None:
            for chunk in self._chunks:
                chunk.cancel()
            await asyncio.gather(*self._chunks, return_exceptions=True)
            raise self._broken


async def work() -> None:
    """Until the parent says that there is no more, or is gone."""
    first = frames.read_frame(0)
    if first is None:
        return
    loop = asyncio.get_running_loop()

    def ready(station: Station) -> None:
        threading.Thread(target=_listen, args=(loop, station), name="adjudge-inbox", daemon=True).start()

    await serve(orjson.loads(first[1]), Speaker(sys.stdout.buffer), ready)


async def serve(
    known: Mapping[str, Any], say: Speaker, ready: Callable[[Station], None], journal: Journal | None = None
) -> None:
    """Open what the parent described, say that messages can come, and work until the last of them is done.

    `journal`: instead of the one that the parent named.
    """
    purse = _Asked(say) if known["budget"] else None
    try:
        async with open_for_run(known, purse, journal) as engine:
            await engine.collect()
            station = Station(Judging(Plan(**known["plan"]), engine, known["at_once"]), say, purse)
            ready(station)
            say.now(frames.READY, None)
            # What is loaded by now stays: the collector need not look at it again and again.
            gc.collect()
            gc.freeze()
            gc.set_threshold(_OBJECTS_A_LOOK)
            await station.finish()
    except AdjudgeError as error:
        say.flush()
        say.now(frames.STOPPED, [type(error).__name__, str(error)])
    say.flush()


def _listen(loop: asyncio.AbstractEventLoop, station: Station) -> None:
    message: tuple[int, bytes] | None = (0, b"")
    while message is not None:
        message = frames.read_frame(0)
        try:
            loop.call_soon_threadsafe(station.hear, message)
        except RuntimeError:
            return  # the loop has ended


def _widen(pipe: int) -> None:
    """Let a pipe hold what some dozen cases come to: the worker goes on, whenever its parent gets round to reading."""
    with suppress(ImportError, AttributeError, OSError):  # only Linux can
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def main() -> None:
    """The process."""
    # Ctrl-C in the terminal reaches the whole group: it is the parent that decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _widen(sys.stdout.fileno())
    with suppress(BrokenPipeError):
        asyncio.run(work())


if __name__ == "__main__":
    main()
