"""Rows of a folder: each file is a case or several; subfolders too, in the order of their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ...errors import InputError

SUFFIXES = {
    "compare": (".json", ".txt"),
    "dialogue": (".txt", ".json", ".jsonl", ".ndjson", ".csv", ".tsv"),
    "review": (".json", ".txt"),
}


def files_of(folder: Path, protocol: str) -> Iterator[Path]:
    """The files that may hold a case; others are ignored. A folder that cannot be listed is an error."""
    if _is_run(folder):
        raise InputError(str(folder), "the folder of a run", "the cases it was made from are needed")
    yield from _files(folder, SUFFIXES[protocol])


def check_file(path: Path) -> None:
    """Refuse a pipe, a socket or a device: reading one could wait for ever."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # Opening it says why.
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise InputError(str(path), f"{kind}, not a file", "only files are read in a folder")


def _files(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    for entry in _listed(folder):
        path = folder / entry.name
        if entry.name.startswith("."):
            continue
        if _is_folder(entry):
            # A link may lead back to a folder above it, and every case would come again and again.
            if not entry.is_symlink() and not _is_run(path):
                yield from _files(path, suffixes)
        elif path.suffix.lower() in suffixes:
            yield path


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        found = f"cannot be listed: {(error.strerror or str(error)).lower()}"
        raise InputError(str(folder), found, "make it readable, or move it elsewhere") from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # A link that cannot be followed; opening it says why.
        return False


def _is_run(folder: Path) -> bool:
    """Whether a run is kept here: what it wrote about its cases is not more cases."""
    try:
        return (folder / "run.json").is_file() and (folder / "cases.jsonl").is_file()
    except OSError:  # It cannot be entered; listing it says so.
        return False
