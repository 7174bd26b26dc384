"""Results put in place in one step: a file, or a folder of files, is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError, plain_reason
from ..files import user_path

# A folder with this file in it was written by us, so we may write it anew.
MARK = ".adjudge-report"


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of what was there when the block ends well, and else never existed."""
    path = user_path(path)
    with _writable(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            # A device or a pipe is written to; only a file is replaced.
            with path.open("wb") as file:
                yield file
            return
        _refuse_link(path)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill; it takes the place of one that we wrote before, and of nothing else."""
    path = user_path(path)
    _refuse_link(path)
    path = path.resolve()
    if path.exists() and not (path / MARK).is_file():
        raise InputError("--output", f"{path}: exists and is not a report of adjudge", "another name, or remove it")
    with _writable(path):
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        try:
            (temporary / MARK).touch()
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            if path.exists():
                old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
                path.replace(old)
                temporary.replace(path)
                shutil.rmtree(old, ignore_errors=True)
            else:
                temporary.replace(path)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def _refuse_link(path: Path) -> None:
    """Somebody else may have put a link there, to have one of the user's own files overwritten."""
    if path.is_symlink():
        raise InputError("--output", f"{path}: is a symbolic link", "name what it points to, or another place")


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        found = f"{path}: {plain_reason(error)}"
        raise InputError("--output", found, "a writable path") from None


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
