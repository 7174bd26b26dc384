"""Paths, and files that only this user may read, since they hold judged texts. A symbolic link is never followed."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# The prefix of temporary files; a process that is killed may leave one behind.
TEMPORARY = ".adjudge-"
_CREATING = threading.Lock()
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # missing on Windows


def user_path(given: str | Path) -> Path:
    """Expand `~` in a path that a person gave. If there is no such user, return the path unchanged."""
    path = Path(given)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def open_private(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing. A new file gets mode 0600, and a symbolic link is refused."""
    return cast(BinaryIO, open(path, mode, opener=open_handle))


def open_handle(path: str | Path, flags: int) -> int:
    """Do the same as `open_private`, but return a file descriptor."""
    return os.open(path, flags | _NO_FOLLOW, 0o600)


def make_private(path: Path) -> None:
    """Create an empty file and its folder if they do not exist. A symbolic link is refused.

    A file that exists is not opened: closing any handle of a file releases all locks that this process has on it, also
    those of a database that it has open. Another process would then take itself for the last one, and remove the
    database's log under our feet.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _CREATING, contextlib.suppress(FileExistsError):
        os.close(open_handle(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    wrong = errno.ELOOP if path.is_symlink() else errno.EISDIR if path.is_dir() else 0
    if wrong or not os.access(path, os.R_OK | os.W_OK):
        raise OSError(wrong or errno.EACCES, os.strerror(wrong or errno.EACCES), str(path))


def try_lock(handle: int, *, wait: bool = False) -> bool:
    """Lock a file until the handle is closed or the process dies. Return False if another process holds the lock."""
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
    return True


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a private temporary file that replaces `path` if the block succeeds, and is deleted otherwise.

    The content is flushed to disk before the file is renamed.
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
