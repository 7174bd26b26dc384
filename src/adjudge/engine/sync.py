"""The door for code that is not async."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_sync(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end; inside a running loop (a notebook) on a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    result: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(work()))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="adjudge-sync")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return result[0]
