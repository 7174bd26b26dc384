"""Work on long texts beside the event loop, one piece of it at a time, so that others are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_LARGE = 100_000  # characters that are worked on in a few milliseconds
# One thread: Python runs one at a time anyway, and the event loop has to wait for its turn after each of them.
_THREAD = ThreadPoolExecutor(1, "adjudge-computing")


async def computed(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of some work on so many characters; on the thread if others would notice how long it takes."""
    if size <= _LARGE:
        return work(*args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(work, *args, **kwargs))
