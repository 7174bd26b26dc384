"""A worker inside a Ray actor: takes frames of cases, judges them as a local worker does, and is asked what it says.

It knows nothing of Ray; the actor around it is made by `ray_engine`.
"""

from __future__ import annotations

import asyncio
import os
import platform
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..version import __version__
from . import frames, merging
from .worker import Speaker, Station, serve


class RayWorker:
    """One worker's part of a run; all methods are called by the actor."""

    def __init__(self) -> None:
        self._said = bytearray()
        self._news = asyncio.Event()
        self._early: dict[int, tuple[int, bytes]] = {}
        self._next = 0
        self._station: Station | None = None
        self._journal: merging.HostJournal | None = None
        self._work: asyncio.Task[None] | None = None

    def begin(self, known: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
        """Take up the work if this is the same adjudge; says which it is, and whether it shares the run's journal."""
        if known["version"] != __version__:
            return {"version": __version__}
        os.environ.update(environment)
        say = Speaker(self)
        shares = "://" in known["journal"] or (
            known["file"] is not None and known["file"] == identity(known["journal"])
        )
        if not shares:
            self._journal = merging.HostJournal(merging.host_journal_path(known["plan"]["run_id"]), say)
        elif known["file"] is not None:
            # Files that a judge's name holds are meant as seen from there.
            os.chdir(known["folder"])
        self._work = asyncio.create_task(serve(known, say, self._ready, self._journal))
        self._work.add_done_callback(lambda _: self._news.set())
        return {"version": __version__, "shares": shares}

    def write(self, content: bytes) -> None:
        self._said += content

    def flush(self) -> None:
        self._news.set()

    def send(self, number: int, kind: int, payload: bytes) -> None:
        """A message; they are heard in the order of their numbers, in whichever they come."""
        self._early[number] = kind, payload
        self._hear_all()

    async def listen(self) -> bytes:
        """Frames, as soon as there are some; nothing when the work has ended."""
        await self._news.wait()
        self._news.clear()
        said = bytes(self._said)
        self._said.clear()
        assert self._work is not None
        if self._work.done():
            self._news.set()
            if not said:
                self._work.result()  # an error that is not a user's is the actor's own
        return said

    def _ready(self, station: Station) -> None:
        self._station = station
        self._hear_all()

    def _hear_all(self) -> None:
        while self._station is not None and self._next in self._early:
            kind, payload = self._early.pop(self._next)
            self._next += 1
            if kind == merging.ANSWER and self._journal is not None:
                self._journal.hear(payload)
            else:
                self._station.hear((kind, payload))


def identity(path: str) -> list[str | int] | None:
    """Which file this is, on which running system: equal for two processes that can lock it against each other."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    try:
        system = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        system = f"{platform.node()} {uuid.getnode()}"
    return [system, found.st_dev, found.st_ino]


def split(said: bytes) -> list[tuple[int, bytes]]:
    """The frames in what a worker said."""
    messages, at = [], 0
    while at < len(said):
        size, kind = frames.HEAD.unpack_from(said, at)
        at += frames.HEAD.size
        messages.append((kind, said[at : at + size]))
        at += size
    return messages
