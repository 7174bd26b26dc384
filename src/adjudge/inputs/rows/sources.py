"""Where rows come from, as bytes and lines: a file, a gzipped file, standard input, the files of a folder.

And which format each is in: the one that was given, else the suffix's, else that of a pipe's first line.
"""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO, NoReturn

from ...errors import InputError, TooLargeError
from ..delimited import split_header
from ..review.tags import has_tags
from ..text import BOM, refuse_utf16
from ..transcript.lines import is_column_line, is_label_line
from ..transcript.messages import is_message_line, is_table_header

STANDARD_INPUT = "-"
MAX_LINE_BYTES = 32_000_000
MAX_WHOLE_BYTES = 64_000_000
BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
}
FORMATS = ("jsonl", "ndjson", "json", "csv", "tsv", "parquet", "text", "folder")
# The files of a folder that may hold a case.
IN_FOLDERS = {
    "compare": (".json", ".txt"),
    "dialogue": (".txt", ".json", ".jsonl", ".ndjson", ".csv", ".tsv"),
    "review": (".json", ".txt"),
}
_PIECE = 65_536


class Source:
    """A path or standard input. Its first line can be looked at before it is read; standard input is read once."""

    def __init__(self, given: str) -> None:
        self.is_piped = given == STANDARD_INPUT
        self.name = "standard input" if self.is_piped else given
        self.path = Path(given).expanduser()
        suffixes = [] if self.is_piped else [suffix.lower() for suffix in self.path.suffixes]
        self.is_zipped = suffixes[-1:] == [".gz"]
        self.suffix = "".join((suffixes[:-1] if self.is_zipped else suffixes)[-1:])
        # What was read of a pipe to look at its first line.
        self._head: list[bytes] = []
        self._spent = False

    def at(self, line: int) -> str:
        """How errors call a line of it."""
        return f"{self.name}, line {line}"

    def pieces(self) -> Iterator[bytes]:
        """The bytes in lines, a long line in several pieces."""
        if self._spent:
            raise InputError(self.name, "has been read already", "a pipe can be read only once")
        self._spent = self.is_piped
        yield from self._head
        yield from self._read()

    def lines(self) -> Iterator[str | None]:
        """The lines with their ends; None for one that is too long. Bytes that are not UTF-8 are escaped."""
        parts: list[bytes] = []
        size = 0
        for piece in self.pieces():
            size += len(piece)
            # Not kept, so that a file without line breaks cannot fill the memory.
            if size <= MAX_LINE_BYTES:
                parts.append(piece)
            if piece.endswith(b"\n"):
                yield _joined(parts, size)
                parts, size = [], 0
        if size:
            yield _joined(parts, size)

    def whole(self) -> bytes:
        """All of it, for what can only be read as a whole."""
        raw = bytearray()
        for piece in self.pieces():
            raw += piece
            if len(raw) > MAX_WHOLE_BYTES:
                allowed = f"at most {MAX_WHOLE_BYTES:,} in one text; a folder of them, or JSONL, may hold any number"
                raise TooLargeError(self.name, f"more than {MAX_WHOLE_BYTES:,} bytes", allowed)
        return bytes(raw)

    def first_line(self) -> str:
        """The first line that is not blank, or as much of a long one as fits a piece; it stays to be read."""
        pieces = self._head or self._read()
        for piece in pieces:
            if self.is_piped and pieces is not self._head:
                self._head.append(piece)
            if piece.strip():
                return piece.decode("utf-8", "replace").rstrip("\r\n")
        return ""

    def _read(self) -> Iterator[bytes]:
        first = not self._head
        try:
            with self._open() as stream:
                while piece := stream.readline(_PIECE):
                    if first:
                        refuse_utf16(piece, self.name)
                    yield piece.removeprefix(BOM) if first else piece
                    first = False
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(self.name, f"broken gzip data: {error}", "a whole .gz file is needed") from None
        except OSError as error:
            raise _refused(self.name, error) from None

    def _open(self) -> AbstractContextManager[BinaryIO | gzip.GzipFile]:
        if self.is_piped:
            return nullcontext(sys.stdin.buffer)
        return gzip.open(self.path, "rb") if self.is_zipped else self.path.open("rb")


def _joined(parts: list[bytes], size: int) -> str | None:
    return b"".join(parts).decode("utf-8", "surrogateescape") if size <= MAX_LINE_BYTES else None


def _refused(name: str, error: OSError) -> InputError:
    missing = isinstance(error, FileNotFoundError)
    return InputError(name, "file not found" if missing else (error.strerror or str(error)).lower())


def files_of(folder: Path, protocol: str) -> list[Path]:
    """The files that may hold a case, in subfolders too, in the order of their names; others are ignored.

    A folder that cannot be listed is an error. Links to folders are not followed: one may lead back to a folder above
    it. The folder of a run is passed over: what it wrote about its cases is not more cases.
    """
    if _is_run(folder):
        raise InputError(str(folder), "the folder of a run", "give the file or folder its cases came from")

    def refuse(error: OSError) -> NoReturn:
        found = f"cannot be listed: {(error.strerror or str(error)).lower()}"
        raise InputError(str(error.filename), found, "make it readable, or move it elsewhere")

    found: list[Path] = []
    for here, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".") and not _is_run(Path(here, name))]
        shown = (Path(here, name) for name in names if not name.startswith("."))
        found.extend(path for path in shown if path.suffix.lower() in IN_FOLDERS[protocol])
    return sorted(found)


def check_file(path: Path) -> None:
    """Refuse a pipe, a socket or a device: reading one could wait for ever."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # Opening it says why.
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise InputError(str(path), f"{kind}, not a file", "only files are read in a folder")


def _is_run(folder: Path) -> bool:
    try:
        return (folder / "run.json").is_file() and (folder / "cases.jsonl").is_file()
    except OSError:  # It cannot be entered; listing it says so.
        return False


def format_of(source: Source, protocol: str, given: str | None) -> str:
    """The format that was given, else the suffix's, else (a pipe) that of its first line.

    `text` is transcripts or tagged slots, `utterances` a table or JSONL with a message a row.
    """
    if given is not None and given not in FORMATS:
        raise InputError("format", f"unknown format {given!r:.40}", f"one of {', '.join(FORMATS)}")
    try:
        is_folder = not source.is_piped and source.path.is_dir()
        if not source.is_piped and not source.path.exists():
            raise FileNotFoundError
    except OSError as error:
        raise _refused(source.name, error) from None
    if given is not None and is_folder != (given == "folder"):
        raise InputError(
            source.name,
            "a folder" if is_folder else "not a folder",
            "the format folder is for folders, the others are for files",
        )
    if is_folder:
        return "folder"
    chosen = {"ndjson": "jsonl"}.get(given, given) if given else None
    chosen = chosen or (_recognise(source, protocol) if source.is_piped else _by_suffix(source))
    if chosen == "parquet" and (source.is_piped or source.is_zipped):
        raise InputError(source.name, "Parquet cannot be read from a pipe or a .gz file", "a .parquet file is needed")
    if chosen == "text" and protocol == "compare":
        allowed = "JSONL, JSON, CSV, TSV, Parquet or a folder of JSON files are allowed"
        raise InputError(source.name, "plain text cannot hold comparisons", allowed)
    if protocol == "dialogue" and chosen in ("jsonl", "csv", "tsv"):
        has_message_a_row = is_message_line if chosen == "jsonl" else is_table_header
        return "utterances" if has_message_a_row(source.first_line()) else chosen
    return chosen


def _by_suffix(source: Source) -> str:
    if source.suffix in BY_SUFFIX:
        return BY_SUFFIX[source.suffix]
    found = f"unknown suffix {source.suffix!r}" if source.suffix else "no suffix"
    known = f"{', '.join(BY_SUFFIX)} (text formats also with .gz), a folder, or - for standard input"
    raise InputError(source.name, found, f"{known}; or name the format: {', '.join(FORMATS)}")


def _recognise(source: Source, protocol: str) -> str:
    """The format of a pipe by its first line."""
    line = source.first_line().strip()
    if line.startswith("{"):
        return "jsonl"
    if line.startswith("["):
        return "jsonl" if protocol == "dialogue" else "json"
    if protocol == "dialogue" and not is_table_header(line) and (is_column_line(line) or is_label_line(line)):
        return "text"
    if protocol == "review" and has_tags([line]):
        return "text"
    return "tsv" if split_header(line)[0] == "\t" else "csv"
