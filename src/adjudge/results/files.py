"""Results put in place in one step: a file, or a folder of files, is there whole or not at all."""

from __future__ import annotations

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
        with _beside(path) as temporary:
            with temporary.open("wb") as file:
                yield file
            if path.exists():
                temporary.chmod(path.stat().st_mode & 0o777)
            temporary.replace(path)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill; it takes the place of one that we wrote before, and of nothing else."""
    path = user_path(path)
    with _writable(path), _beside(path) as temporary:
        path = path.resolve()
        if path.exists() and not (path / MARK).is_file():
            raise InputError("--output", f"{path}: exists and is not a report of adjudge", "another name, or remove it")
        temporary.mkdir()
        (temporary / MARK).touch()
        yield temporary
        if path.exists():
            path.replace(temporary.with_name("old"))
        temporary.replace(path)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A place for what will be put there, in a folder that is gone afterwards."""
    if path.is_symlink():
        # Somebody else may have put a link there, to have one of the user's own files overwritten.
        raise InputError("--output", f"{path}: is a symbolic link", "name what it points to, or another place")
    prefix = f".{path.name}."
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "new"


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        found = f"{path}: {plain_reason(error)}"
        raise InputError("--output", found, "a writable path") from None
