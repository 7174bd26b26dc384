"""Runs work on long texts in a thread, one piece at a time, so that the event loop keeps answering requests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_LARGE = 100_000  # work on this many characters takes a few milliseconds
# One thread, since Python runs one at a time anyway. The switch interval is 1 ms instead of 5, because the event loop
# gives up the interpreter lock and waits for it again about a dozen times to answer one request.
_THREAD = ThreadPoolExecutor(1, "adjudge-computing", initializer=sys.setswitchinterval, initargs=(0.001,))


async def computed(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do some work on `size` characters and return its result; use the thread if it would block the event loop."""
    if size <= _LARGE:
        return work(*args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(work, *args, **kwargs))
