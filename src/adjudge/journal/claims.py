"""One caller at a time for each key, across threads, event loops and processes.

A claim is a one-byte lock on a file beside the journal: the system takes it back when its holder dies, so a killed
process never blocks the next one. Where the system has no such locks, claims hold inside this process only.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path

from ..errors import JournalError
from .base import Stored

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.1


class Claims:
    """The claims of this process on one journal."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: set[int] = set()
        self._guard = threading.Lock()
        self._file: int | None = None

    def hold(self, key: str, look_up: Callable[[str], Stored | None]) -> Claim:
        """Wait until nobody else holds the key, hold it, then look: `async with claims.hold(key, get) as stored:`."""
        return Claim(self, key, look_up)

    def take(self, place: int) -> bool:
        """Hold a place, or say that somebody else does."""
        with self._guard:
            # The system's locks belong to the process: between our own callers the set decides.
            if place in self._held:
                return False
            if fcntl is not None:
                try:
                    if self._file is None:
                        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                except BlockingIOError:
                    return False
                except OSError as error:
                    raise JournalError(f"{self._path}: a question cannot be claimed: {error}") from None
            self._held.add(place)
            return True

    def give_back(self, place: int) -> None:
        """Let others have it."""
        with self._guard:
            self._held.discard(place)
            if fcntl is not None and self._file is not None:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)


class Claim:
    """One key held for the length of an `async with`. A class of its own, for it stands in every call's path."""

    __slots__ = ("_claims", "_key", "_look_up", "_place")

    def __init__(self, claims: Claims, key: str, look_up: Callable[[str], Stored | None]) -> None:
        self._claims = claims
        self._key = key
        self._place = int(key[:12], 16)
        self._look_up = look_up

    async def __aenter__(self) -> Stored | None:
        pause = FIRST_PAUSE
        while not self._claims.take(self._place):
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        try:
            return self._look_up(self._key)
        except BaseException:
            self._claims.give_back(self._place)
            raise

    async def __aexit__(self, *_: object) -> None:
        self._claims.give_back(self._place)


_ALL: dict[str, Claims] = {}
_ALL_GUARD = threading.Lock()


def claims_on(path: Path) -> Claims:
    """This process's claims on a journal: one object a file, for closing any handle of a file drops all its locks."""
    name = os.path.realpath(path)
    with _ALL_GUARD:
        return _ALL.setdefault(name, Claims(Path(name)))
