"""Rows from a folder: a file a case, or a file several dialogues; subfolders too, in the order of their names."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ...errors import InputError
from ...rubric import Rubric
from .base import BadRow, Row
from .dialogues import rows_in_transcripts
from .jsonl import Parse, read_array
from .records import Record
from .reviews import rows_in_reviews
from .sources import Source

SUFFIXES = {
    "compare": (".json", ".txt"),
    "dialogue": (".txt", ".json", ".jsonl", ".ndjson", ".csv", ".tsv"),
    "review": (".json", ".txt"),
}
_READERS: dict[str, Callable[[bytes, str, Rubric, int, str | None], Iterator[Row | BadRow]]] = {
    "dialogue": rows_in_transcripts,
    "review": rows_in_reviews,
}


def read_folder(source: Source, protocol: str, rubric: Rubric, parse: Parse) -> Iterator[Record | Row | BadRow]:
    """The cases of all files that may hold one; others are passed over. A file that cannot be read is one bad row.

    A folder that cannot be listed is an error: nobody can say what is missing.
    """
    if _is_a_run(source.path):
        raise InputError(source.name, "the folder of a run", "the cases it was made from are needed")
    number = 1
    for path in _files(source.path, SUFFIXES[protocol]):
        place = str(path)
        name = path.relative_to(source.path).with_suffix("").as_posix()
        try:
            _refuse_what_is_no_file(path)
            for item in _read(Source(place), place, name, number, protocol, rubric, parse):
                yield item
                number += 1
        except InputError as error:
            yield _bad_file(error, place, name)
            number += 1


def _read(
    file: Source, place: str, name: str, number: int, protocol: str, rubric: Rubric, parse: Parse
) -> Iterator[Record | Row | BadRow]:
    raw = file.whole()
    if protocol in _READERS and not (protocol == "review" and _is_object(raw)):
        yield from _READERS[protocol](raw, place, rubric, number, name)
        return
    items = list(read_array(io.BytesIO(raw), place, parse))
    for position, item in enumerate(items, 1):
        own_name = name if len(items) == 1 else f"{name}:{position}"
        if isinstance(item, Record):
            yield Record(place if len(items) == 1 else item.place, number + position - 1, item.values, own_name)
        else:
            yield BadRow(item.place, own_name, item.message)
    if not items:
        yield BadRow(place, name, "empty; a case is needed")


def _bad_file(error: InputError, place: str, name: str) -> BadRow:
    """A file that no reader could make sense of; where the error knows the line, so does the row."""
    if not error.place.startswith(place):
        return BadRow(place, name, str(error))
    return BadRow(error.place, name, f"{error.found}; {error.allowed}" if error.allowed else error.found)


def _files(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    for entry in _listed(folder):
        if entry.name.startswith("."):
            continue
        path = folder / entry.name
        if _is_folder(entry):
            # A link may lead back to a folder above it, and every case would come again and again.
            if not entry.is_symlink() and not _is_a_run(path):
                yield from _files(path, suffixes)
        elif path.suffix.lower() in suffixes:
            yield path


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        found = f"cannot be listed: {(error.strerror or str(error)).lower()}"
        raise InputError(str(folder), found, "folders that can be read; or move it elsewhere") from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that cannot be followed; whoever opens it says why
        return False


def _refuse_what_is_no_file(path: Path) -> None:
    """A pipe would be waited for, perhaps for ever; what is not there, or not ours, opening will say."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise InputError(str(path), f"{kind}, not a file", "only files are read in a folder")


def _is_a_run(folder: Path) -> bool:
    """Whether a run is kept here: what it wrote about its cases is not more cases."""
    try:
        return (folder / "run.json").is_file() and (folder / "cases.jsonl").is_file()
    except OSError:  # it cannot be entered; listing it says so
        return False


def _is_object(raw: bytes) -> bool:
    return raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
