"""Runs work on long texts beside the event loop, one piece at a time, so that the service keeps answering requests.

By default on a thread. A thread shares the interpreter lock, and one regular expression over a long text holds it for
up to a second, so the service uses a process of its own, which is ended if a piece takes too long.
"""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import IO, ParamSpec, TypeVar

from .errors import TooLargeError

P = ParamSpec("P")
T = TypeVar("T")

MAX_SECONDS = 60.0  # for one piece of work in the process
_LARGE = 100_000  # work on this many characters takes a few milliseconds
# One thread, since Python runs one at a time anyway. The switch interval is 1 ms instead of 5, because the event loop
# gives up the interpreter lock and waits for it again about a dozen times to answer one request.
_THREAD = ThreadPoolExecutor(1, "adjudge-computing", initializer=sys.setswitchinterval, initargs=(0.001,))


async def computed(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do some work on `size` characters and return its result; not on the event loop if that would block it."""
    if size <= _LARGE:
        return work(*args, **kwargs)
    piece = partial(work, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREAD, _WORKER.done if _services else _call, piece)


def _call(piece: Callable[[], T]) -> T:
    return piece()


# -- a process of its own ----------------------------------------------------------------------------------------------


class WorkerProcess:
    """A Python process that gets pieces of work and returns results, both pickled. It starts with the first piece."""

    def __init__(self, seconds: float = MAX_SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def done(self, piece: Callable[[], T]) -> T:
        """Return the result of a piece of work. Raise TooLargeError if it takes too long."""
        try:
            sent = pickle.dumps(piece)
        except (pickle.PicklingError, AttributeError, TypeError):  # it holds a connection or a local function
            return piece()
        if self._process is None or self._process.poll() is not None:
            self._process = _start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Timer(self._seconds, process.kill)
        late.start()
        try:
            _send(process.stdin, sent)
            how, result = pickle.loads(_receive(process.stdout))
        except (EOFError, OSError):
            self.close()
            allowed = f"what takes longer than {self._seconds:g} s to examine is not judged; shorten it"
            raise TooLargeError("text", "too costly to examine", allowed) from None
        finally:
            late.cancel()
        if how == "failed":
            raise result
        finished: T = result if how == "done" else piece()  # what it returns cannot be sent
        return finished

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_WORKER = WorkerProcess()
_services = 0  # running in this process; all share the worker


@contextmanager
def in_a_process() -> Iterator[None]:
    """Do the work on long texts in a process of its own meanwhile, instead of on a thread."""
    global _services
    _services += 1
    try:
        yield
    finally:
        _services -= 1
        if not _services:
            _WORKER.close()


def _start() -> subprocess.Popen[bytes]:
    # -P: no module is taken from the folder that the service happens to run in. Ctrl+C is the service's to handle.
    command = [sys.executable, "-P", "-m", __name__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def _send(stream: IO[bytes], content: bytes) -> None:
    stream.write(len(content).to_bytes(8, "big") + content)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    length = int.from_bytes(_exactly(stream, 8), "big")
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    content = stream.read(count)
    if len(content) < count:
        raise EOFError
    return content


def _serve(given: IO[bytes], returned: IO[bytes]) -> None:
    while True:
        try:
            piece = pickle.loads(_receive(given))
        except EOFError:  # the service has ended
            return
        try:
            result: tuple[str, object] = "done", piece()
        except Exception as error:
            result = "failed", error
        try:
            _send(returned, pickle.dumps(result))
        except (pickle.PicklingError, AttributeError, TypeError):
            _send(returned, pickle.dumps(("unsendable", None)))


if __name__ == "__main__":
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but results belongs in the pipe
    _serve(sys.stdin.buffer, out)
