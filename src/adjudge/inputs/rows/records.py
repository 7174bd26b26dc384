"""Reads records in each format from a file, a gzipped file, standard input or the files of a folder.

A record is columns and values, before columns are assigned to fields. One is in memory at a time. A row that cannot be
read becomes a `BadRow`, and reading continues after it.
"""

from __future__ import annotations

import codecs
import gzip
import json
import os
import re
import sys
import zlib
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from ...errors import InputError, TooLargeError, plain_reason
from ...files import user_path
from ...protocols.reading import BadRow, Record
from ...text.decoding import BOM, is_cut_zip, refuse_binary
from ..delimited import read_table
from ..json import json_items, parse_or_explain
from ..text import Unreadable, kind_of, undecoded

STANDARD_INPUT = "-"
MAX_LINE_BYTES = 32_000_000
MAX_WHOLE_BYTES = 64_000_000
# A compressed file (Parquet, .gz) may unpack to this many bytes, or this many times its own size.
MAX_UNPACKED_BYTES = 200_000_000
MAX_UNPACKED_TIMES = 200
_PIECE = 65_536
_OPENING = 262_144
_OBJECT = "one JSON object per row is needed"
_USE_JSON = "rename the file to .json, or say --input-format json"
_TOO_LONG = Unreadable(f"a row of more than {MAX_LINE_BYTES:,} bytes", "a shorter one is needed")
_ROWS_AT_A_TIME = 64
_MEMORY = "2GB"  # a Parquet page that unpacks to more is refused
_GLOB = re.compile(r"[*?\[]")
_FILE = "read_parquet(?, hive_partitioning=false)"  # otherwise a folder called a=1 would become a column


class Source:
    """A path or standard input that can be read once. `first_line` can be called before that."""

    def __init__(self, given: str) -> None:
        self.is_piped = given == STANDARD_INPUT
        self.name = "standard input" if self.is_piped else given
        self.path = user_path(given)
        suffixes = [] if self.is_piped else [suffix.lower() for suffix in self.path.suffixes]
        self.is_zipped = suffixes[-1:] == [".gz"]
        self.suffix = "".join((suffixes[:-1] if self.is_zipped else suffixes)[-1:])
        # The pieces read so far by `first_line`, and an iterator over the rest.
        self._head = [b""]
        self._rest = self._read()

    def at(self, line: int) -> str:
        """Return the place that errors name for a line."""
        return f"{self.name}, line {line}"

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes line by line, a long line in several pieces."""
        return chain(self._head, self._rest)

    def lines(self) -> Iterator[str | None]:
        """Yield the lines with their line ends, None for one that is too long. Bytes that are not UTF-8 are escaped."""
        parts: list[bytes] = []
        size = 0
        for piece in chain(self.pieces(), [b""]):  # the last line may have no end
            size += len(piece)
            # Drop the rest of a line that is too long, so that a file without line breaks cannot fill the memory.
            if size <= MAX_LINE_BYTES:
                parts.append(piece)
            if size and (piece.endswith(b"\n") or not piece):
                yield b"".join(parts).decode("utf-8", "surrogateescape") if size <= MAX_LINE_BYTES else None
                parts, size = [], 0

    def whole(self, limit: int = MAX_WHOLE_BYTES) -> bytes:
        """Return all bytes, for formats that can only be read as a whole. Raise TooLargeError beyond `limit`."""
        raw = bytearray()
        for piece in self.pieces():
            raw += piece
            if len(raw) > limit:
                allowed = "a smaller file is needed; a run can read any number of cases from JSONL or a folder"
                raise TooLargeError(self.name, f"more than {limit:,} bytes", allowed)
        return bytes(raw)

    def first_line(self) -> str:
        """Return the first line that is not blank, cut to one piece if it is long. It can still be read later."""
        while not (first := next(filter(bytes.strip, self._head), b"")) and (piece := next(self._rest, b"")):
            self._head.append(piece)
        return first.decode("utf-8", "replace").rstrip("\r\n")

    def opening(self) -> str:
        """Return the beginning of the text, as much as tells which tool wrote it. It can still be read later."""
        size = sum(map(len, self._head))
        while size < _OPENING and (piece := next(self._rest, b"")):
            self._head.append(piece)
            size += len(piece)
        return b"".join(self._head)[:_OPENING].decode("utf-8", "replace")

    def check_unpacked(self, size: int) -> None:
        """Raise TooLargeError if `size` is too large for the unpacked content of this file."""
        packed = self.path.stat().st_size
        limit = max(MAX_UNPACKED_BYTES, MAX_UNPACKED_TIMES * packed)
        if size > limit:
            allowed = f"at most {MAX_UNPACKED_BYTES:,}, or {MAX_UNPACKED_TIMES} times the file's size, are allowed"
            raise TooLargeError(
                self.name, f"{packed:,} compressed bytes unpack to more than {limit:,}", f"{allowed}; unpack it first"
            )

    def _read(self) -> Iterator[bytes]:
        try:
            with self._open() as stream:
                head = stream.readline(_PIECE)
                while is_cut_zip(head) and (piece := stream.readline(_PIECE)):
                    head += piece
                refuse_binary(head, self.name)
                unpacked = len(head)
                yield head.removeprefix(BOM)
                while piece := stream.readline(_PIECE):
                    unpacked += len(piece)
                    if self.is_zipped:
                        self.check_unpacked(unpacked)
                    yield piece
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(self.name, f"broken gzip data: {error}", "a whole .gz file is needed") from None
        except OSError as error:
            raise InputError(self.name, plain_reason(error)) from None

    def _open(self) -> AbstractContextManager[BinaryIO | gzip.GzipFile]:
        if self.is_piped:
            return nullcontext(sys.stdin.buffer)
        return gzip.open(self.path, "rb") if self.is_zipped else self.path.open("rb")


def files_of(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files of a folder and its subfolders with these suffixes, sorted by path.

    A folder that cannot be listed is an error. Links to folders are not followed, because one may lead to a folder
    above it. Hidden files are skipped, and so are folders of runs: their files describe cases already judged.
    """
    if _is_run(folder):
        raise InputError(str(folder), "the folder of a run", "give the file or folder its cases came from")

    def refuse(error: OSError) -> NoReturn:
        found = f"cannot be listed: {plain_reason(error)}"
        raise InputError(str(error.filename), found, "make it readable, or move it elsewhere")

    found: list[Path] = []
    for here, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".") and not _is_run(Path(here, name))]
        shown = (Path(here, name) for name in names if not name.startswith("."))
        found.extend(path for path in shown if path.suffix.lower() in suffixes)
    return sorted(found)


def _is_run(folder: Path) -> bool:
    try:
        return (folder / "run.json").is_file() and (folder / "cases.jsonl").is_file()
    except OSError:  # The folder cannot be entered; `os.walk` will report it.
        return False


def read_records(source: Source, chosen: str, lists: str | None = None) -> Iterator[Record | BadRow]:
    """Yield the rows of a file in the `chosen` format. If `lists` is given, a JSON array becomes that field's value."""
    if chosen == "parquet":
        yield from _parquet(source)
        return
    for row, (line, value) in enumerate(raw_items(source, chosen, lists), 1):
        if isinstance(value, list) and lists:
            value = {lists: value}
        elif not isinstance(value, dict | Unreadable):
            value = Unreadable(f"expected an object, found {kind_of(value)}", _OBJECT)
        place = source.at(line)
        yield Record(place, row, value) if isinstance(value, dict) else BadRow(place, str(row), str(value))


def raw_items(source: Source, chosen: str, lists: str | None = None) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each row in a text format, `Unreadable` for one that cannot be read."""
    if chosen == "jsonl":
        return _jsonl(source, lists)
    return _json(source) if chosen == "json" else _table(source, "\t" if chosen == "tsv" else None)


def _jsonl(source: Source, lists: str | None) -> Iterator[tuple[int, Any]]:
    first = True
    for number, line in enumerate(source.lines(), 1):
        if line is None:
            yield number, _TOO_LONG
        elif start := line.strip()[:1]:
            value = parse_or_explain(line, _OBJECT)
            if first and start == "[" and (not lists or isinstance(value, Unreadable)):
                raise InputError(source.at(number), "a JSON array, but one object per line is expected", _USE_JSON)
            yield number, _checked(line, value)
            first = False


def _json(source: Source) -> Iterator[tuple[int, Any]]:
    pieces = codecs.iterdecode(source.pieces(), "utf-8", "surrogateescape")
    return ((line, _checked(text, value)) for line, text, value in json_items(pieces, source.at))


def _checked(text: str, value: Any) -> Any:
    """Return the parsed value, or `Unreadable` if its text contains something that cannot be stored."""
    if problem := undecoded(text):
        return problem
    try:
        # Only an escape can produce half of a surrogate pair.
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return Unreadable("half of a surrogate pair", "text must be valid Unicode")
    return value


def _table(source: Source, delimiter: str | None) -> Iterator[tuple[int, Any]]:
    for line, _, values in read_table(source.lines(), source.at, delimiter, as_records=True):
        for name, text in values.items() if isinstance(values, dict) else ():
            problem = Unreadable("a NUL byte", "text is needed") if "\0" in text else undecoded(text)
            if problem:
                values = Unreadable(f"{name}: {problem.found}", problem.allowed)
                break
        yield line, values


def _parquet(source: Source) -> Iterator[Record | BadRow]:
    import duckdb

    # Escape glob characters, because a file may be called [draft].parquet.
    path = [_GLOB.sub(lambda sign: f"[{sign[0]}]", str(source.path))]
    unpacked = 0
    try:
        # More threads would hold more row groups in memory, and any judge is slower than reading the file.
        with duckdb.connect(config={"threads": 1, "memory_limit": _MEMORY}) as connection:
            columns: list[Any] = connection.execute(f"DESCRIBE SELECT * FROM {_FILE}", path).fetchall()
            selected = ", ".join(_selected(name, kind) for name, kind, *_ in columns)
            result = connection.execute(f"SELECT {selected} FROM {_FILE}", path)
            fetched = chain.from_iterable(iter(lambda: result.fetchmany(_ROWS_AT_A_TIME), []))
            for row, values in enumerate(fetched, 1):
                place = f"{source.name}, row {row}"
                size = sum(len(value if isinstance(value, str | bytes) else str(value)) for value in values)
                unpacked += size
                source.check_unpacked(unpacked)
                if size > MAX_LINE_BYTES:
                    yield BadRow(place, str(row), str(_TOO_LONG))
                else:
                    yield Record(place, row, {name: value for (name, *_), value in zip(columns, values, strict=True)})
    except duckdb.Error as error:
        raise InputError(source.name, str(error).split("\n")[0], "a Parquet file is needed") from None


def _selected(name: str, kind: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    # DuckDB needs another package to convert times with a zone. They are only extra columns, so text is enough.
    return f"CAST({quoted} AS VARCHAR) AS {quoted}" if "TIME ZONE" in kind else quoted
