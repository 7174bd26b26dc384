"""Work on long texts beside the event loop, one piece of it at a time, so that others are answered meanwhile."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_LARGE = 100_000  # characters that are worked on in a few milliseconds
# One thread, since Python runs one at a time anyway; and the event loop gets its turn after 1 ms instead of 5, for to
# answer a request it has to give up and wait for its turn a dozen times.
_THREAD = ThreadPoolExecutor(1, "adjudge-computing", initializer=sys.setswitchinterval, initargs=(0.001,))


async def computed(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of some work on so many characters; on the thread if others would notice how long it takes."""
    if size <= _LARGE:
        return work(*args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(work, *args, **kwargs))
