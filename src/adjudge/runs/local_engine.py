"""The local engine: worker processes of this machine.

Judging is more work for a processor than waiting for a provider is, so one process is not enough for a fast one.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress

import orjson

from . import frames
from .workers import Worker, Workers

_LAST_WORDS = 1.0  # seconds that a worker's child may keep its standard error open

_log = logging.getLogger("adjudge.runs")


class _Process(Worker):
    """A worker process of this machine."""

    def __init__(self, share: int, process: asyncio.subprocess.Process) -> None:
        super().__init__(share)
        self._process = process
        self._told = asyncio.create_task(self._pass_on())

    async def _pass_on(self) -> None:
        """What a worker writes to standard error is this process's to show, amid what it shows itself."""
        said = self._process.stderr
        assert said is not None
        while not said.at_eof():
            with suppress(ValueError):  # a line longer than the buffer
                if line := (await said.readline()).decode("utf-8", "replace").rstrip():
                    _log.warning("%s", line)

    def send(self, kind: int, payload: bytes = b"") -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(frames.frame(kind, payload))

    async def receive(self) -> tuple[int, bytes] | None:
        assert self._process.stdout is not None
        try:
            size, kind = frames.HEAD.unpack(await self._process.stdout.readexactly(frames.HEAD.size))
            return kind, await self._process.stdout.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()

    async def ended(self) -> str:
        status = await self._process.wait()
        await asyncio.wait([self._told], timeout=_LAST_WORDS)
        self._told.cancel()
        return f"status {status}"


class LocalWorkers(Workers):
    """Worker processes of this machine."""

    async def _start(self, share: int) -> Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "adjudge.runs.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            limit=2**20, start_new_session=True,
        )  # fmt: skip
        worker = _Process(share, process)
        worker.send(frames.PLAN, orjson.dumps(self._known(share)))
        return worker
