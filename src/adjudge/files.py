"""Paths, and files for this user's eyes alone: they hold the texts that are judged. No link is written through."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# How temporary files begin: a kill may leave one.
TEMPORARY = ".adjudge-"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows has none


def user_path(given: str | Path) -> Path:
    """A path as a person gives it: `~` is a home folder. Where there is no such user, it stays, and is not found."""
    path = Path(given)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def open_private(path: Path, mode: str) -> BinaryIO:
    """Open a file to write: a new one is 0600, and a link is refused."""
    return cast(BinaryIO, open(path, mode, opener=open_handle))


def open_handle(path: str | Path, flags: int) -> int:
    """The same as a bare handle."""
    return os.open(path, flags | _NO_FOLLOW, 0o600)


def make_private(path: Path) -> None:
    """Make an empty file and its folder if they are not there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(open_handle(path, os.O_RDWR | os.O_CREAT))


def try_lock(handle: int, *, wait: bool = False) -> bool:
    """Whether no other process holds this file; if so, it is ours until the handle is closed or the process dies."""
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
    return True


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A private file to write; it takes the place of what was there when the block ends well, and else never existed.

    It is on the disk before it has its name.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
