"""What a worker does that cannot reach the run's journal, and how the parent merges what it says.

Such a worker keeps the replies it pays for in a file of its own host, where its successor finds them, and says them to
the parent, together with its verdicts and outcomes. Before it pays it asks the parent, who claims the question in the
run's journal for it: so no question is paid for twice between hosts either. Everything may be said more than once.
"""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import orjson

from ..errors import JournalError
from ..journal import Journal, Stored, open_journal

# Beside those of `frames`. Worker → parent, and the parent's answer to CLAIM.
REPLY, VERDICT, OUTCOME, CLAIM, RELEASE = 31, 32, 33, 34, 35
ANSWER = 36
_MERGED = (REPLY, VERDICT, OUTCOME)


class Say(Protocol):
    """The way to the parent."""

    def raw(self, kind: int, payload: bytes) -> None: ...


def host_journal_path(run_id: str) -> Path:
    """Where this host keeps what was paid for a run, out of the reach of other users."""
    owner = os.getuid() if hasattr(os, "getuid") else "me"
    folder = Path(tempfile.gettempdir()) / f"adjudge-{owner}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if hasattr(os, "getuid") and (found.st_uid != owner or found.st_mode & 0o077 or not stat.S_ISDIR(found.st_mode)):
        raise JournalError(f"{folder}: must be a folder that only its owner can enter")
    return folder / f"{run_id}.db"


class HostJournal:
    """A journal of this host that tells the parent everything."""

    def __init__(self, path: Path, say: Say) -> None:
        self._kept = open_journal(path)
        self._say = say
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Stored | None]] = {}

    def get(self, key: str) -> Stored | None:
        return self._kept.get(key)

    async def put(self, key: str, stored: Stored) -> None:
        await self._kept.put(key, stored)
        self._say.raw(REPLY, pack_reply(key, stored))

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncIterator[Stored | None]:
        async with self._kept.claim(key) as stored:
            if stored is not None:
                # Perhaps it was paid when the parent was gone.
                self._say.raw(REPLY, pack_reply(key, stored))
                yield stored
                return
            self._number += 1
            number, found = self._number, asyncio.get_running_loop().create_future()
            self._waiting[number] = found
            self._say.raw(CLAIM, orjson.dumps([number, key]))
            try:
                yield await found
            finally:
                self._waiting.pop(number, None)
                self._say.raw(RELEASE, orjson.dumps(number))

    def hear(self, payload: bytes) -> None:
        """The parent's answer to a claim."""
        head, _, rest = payload.partition(b"\n")
        waiting = self._waiting.get(orjson.loads(head))
        if waiting is not None and not waiting.done():
            waiting.set_result(unpack_reply(rest)[1] if rest else None)

    async def put_verdict(
        self, verdict_id: str, inputs: bytes, verdict: bytes, outcome_of: tuple[str, int] | None = None
    ) -> None:
        self._say.raw(VERDICT, orjson.dumps([verdict_id, len(inputs), outcome_of]) + b"\n" + inputs + verdict)

    def get_verdict(self, verdict_id: str) -> tuple[bytes, bytes] | None:
        return None

    async def put_draft(self, draft_id: str, changes: bytes) -> None:
        raise JournalError("a worker of a run keeps no drafts")

    def get_draft(self, draft_id: str) -> list[bytes]:
        return []

    async def put_run(self, run_id: str, config: bytes) -> None:
        raise JournalError("a worker of a run begins none")

    def get_run(self, run_id: str) -> bytes | None:
        return None

    async def put_outcome(self, run_id: str, position: int, verdict_id: str | None, failure: bytes | None) -> None:
        self._say.raw(OUTCOME, orjson.dumps([run_id, position, verdict_id]) + b"\n" + (failure or b""))

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        return iter(())

    def close(self) -> None:
        self._kept.close()


class Merging:
    """The parent's side for one worker: what it says goes into the run's journal, what it asks is claimed there."""

    def __init__(self, journal: Journal, send: Callable[[int, bytes], None]) -> None:
        self._journal, self._send = journal, send
        self._held: dict[int, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, messages: Sequence[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        """Merge what is the journal's; the other messages come back, and may be heard when this returns."""
        await asyncio.gather(*(self._merge(kind, payload) for kind, payload in messages if kind in _MERGED))
        others: list[tuple[int, bytes]] = []
        for kind, payload in messages:
            if kind == CLAIM:
                number, key = orjson.loads(payload)
                self._held[number] = released = asyncio.Event()
                task = asyncio.create_task(self._hold(number, key, released))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif kind == RELEASE:
                self._held.pop(orjson.loads(payload)).set()
            elif kind not in _MERGED:
                others.append((kind, payload))
        return others

    async def close(self) -> None:
        """Let go of what a worker that has ended still held."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _merge(self, kind: int, payload: bytes) -> None:
        if kind == REPLY:
            await self._journal.put(*unpack_reply(payload))
            return
        head, _, rest = payload.partition(b"\n")
        known: list[Any] = orjson.loads(head)
        if kind == VERDICT:
            verdict_id, size, outcome_of = known
            of = (outcome_of[0], outcome_of[1]) if outcome_of else None
            await self._journal.put_verdict(verdict_id, rest[:size], rest[size:], of)
        else:
            await self._journal.put_outcome(known[0], known[1], known[2], rest or None)

    async def _hold(self, number: int, key: str, released: asyncio.Event) -> None:
        async with self._journal.claim(key) as stored:
            self._send(ANSWER, orjson.dumps(number) + b"\n" + (b"" if stored is None else pack_reply(key, stored)))
            await released.wait()


def pack_reply(key: str, stored: Stored) -> bytes:
    """A reply as bytes: what is known of it in one line, then its body as it came."""
    return orjson.dumps([key, stored.at, stored.attempts, dict(stored.sent)]) + b"\n" + stored.body


def unpack_reply(packed: bytes) -> tuple[str, Stored]:
    """The same read back."""
    head, _, body = packed.partition(b"\n")
    key, at, attempts, sent = orjson.loads(head)
    return key, Stored(body, at, attempts, sent)
