"""Writes a file, or a folder of files, atomically: it is complete or not there at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError, plain_reason
from ..files import user_path

# A folder with this file in it was written by us, so we may replace it.
MARK = ".adjudge-report"


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file for writing. It replaces the file at `path` only if the block ends without an error."""
    path = user_path(path)
    with _writable(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            # Write directly to a device or a pipe; only files are replaced.
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
    """Create a folder to fill. It replaces a folder that we wrote before; anything else at `path` raises InputError."""
    path = user_path(path)
    with _writable(path), _beside(path) as temporary:
        path = path.resolve()
        if path.exists() and not (path / MARK).is_file():
            raise InputError(
                "--output", f"{path}: exists and is not a report of adjudge", "choose another name, or remove it"
            )
        temporary.mkdir()
        (temporary / MARK).touch()
        yield temporary
        if path.exists():
            path.replace(temporary.with_name("old"))
        temporary.replace(path)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Yield a path in a temporary folder beside `path`; the folder is removed afterwards."""
    if path.is_symlink():
        # An attacker may have placed the link to make us overwrite one of the user's own files.
        raise InputError("--output", f"{path}: is a symbolic link", "give the path it points to, or another one")
    prefix = f".{path.name}."
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "new"


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        found = f"{path}: {plain_reason(error)}"
        raise InputError("--output", found, "choose a writable path") from None
