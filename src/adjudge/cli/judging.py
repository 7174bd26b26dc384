"""Judge the cases of one command together, and show on a terminal that there is something to wait for."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, cast

from ..engine import CompareSettings, Engine, Settings, open_engine, run_sync
from ..errors import AdjudgeError, InputError
from ..llm.base import Wire
from ..models import Failure

_AT_ONCE = 16


def judge_cases(cases: Sequence[Any], settings: Settings, journal: str | None) -> list[Any]:
    """The verdict or the failure of each case, in their order.

    A case that breaks our code fails alone: the others are finished.
    """

    async def work() -> list[Any]:
        limit = asyncio.Semaphore(_AT_ONCE)
        async with open_engine(journal) as engine:
            _open_judges(engine, settings)
            with Waiting(len(cases)) if sys.stderr.isatty() else nullcontext() as waiting:
                if waiting is not None:
                    engine.wrap_wires(waiting.counted)

                async def one(case: Any) -> Any:
                    async with limit:
                        try:
                            return await getattr(engine, settings.protocol)(case, settings)
                        except AdjudgeError:
                            raise
                        except Exception as error:
                            return crashed(error, settings.judges[0])
                        finally:
                            if waiting is not None:
                                waiting.count(done=1)

                return list(await asyncio.gather(*map(one, cases)))

    return run_sync(work)


def crashed(error: Exception, judge: str) -> Failure:
    """An error in our own code as the failure of one case, with the line it came from."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{where.filename.rpartition('/')[2]}, line {where.lineno}"
    message = f"unexpected error in adjudge ({type(error).__name__}: {error}; {place}); please report it"
    return Failure(reason="crashed", message=message, judge=judge)


def _open_judges(engine: Engine, settings: Settings) -> None:
    """Open all judges now: one that does not exist is refused under the option that named it."""
    options = ("--evaluator", "--critic") if len(set(settings.judges)) > 1 else ("--judge",)
    for option, spec in zip(options, settings.judges, strict=False):
        try:
            engine.judge(spec, settings)
            if isinstance(settings, CompareSettings):
                engine.searcher(settings)
        except InputError as error:
            raise error.renamed({"judge": option, "search": "--search"}) from None


class Waiting:
    """A spinner on standard error with the number of calls and the time; it is gone when the work is done."""

    def __init__(self, cases: int) -> None:
        # 60 ms of imports that only a terminal needs.
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._cases, self._done, self._sent, self._answered = cases, 0, 0, 0
        self._task = self._progress.add_task(self._described())

    def __enter__(self) -> Waiting:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def count(self, *, done: int = 0, sent: int = 0, answered: int = 0) -> None:
        """So many more cases done, calls sent, and calls answered."""
        self._done, self._sent, self._answered = self._done + done, self._sent + sent, self._answered + answered
        self._progress.update(self._task, description=self._described())

    def counted(self, wire: Wire) -> Wire:
        """The same wire, its calls counted."""
        return cast(Wire, _CountedWire(wire, self))

    def _described(self) -> str:
        cases = f"judging, {self._done} of {self._cases} done" if self._cases > 1 else "judging"
        if not self._sent:
            return cases
        calls = "1 call" if self._sent == 1 else f"{self._sent} calls"
        return f"{cases}; {calls}, {self._answered} answered"


class _CountedWire:
    """A wire whose calls are counted; all else is the wire's own."""

    def __init__(self, wire: Wire, waiting: Waiting) -> None:
        self._wire, self._waiting = wire, waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)

    async def send(self, *args: Any, **kwargs: Any) -> Any:
        self._waiting.count(sent=1)
        try:
            return await self._wire.send(*args, **kwargs)
        finally:
            self._waiting.count(answered=1)
