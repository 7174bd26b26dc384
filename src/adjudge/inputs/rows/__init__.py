"""Reads many cases from one file, folder or pipe: detects format and columns first, then reads row by row."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from stat import S_ISDIR
from typing import Any

from ...errors import InputError, plain_reason
from ...models.cases import Case
from ...protocols.base import Protocol, names, protocol_of
from ...protocols.reading import BadRow, CaseReading, LoggedAnswer, Record, Row, RowReader, Scalar
from ...rubric import Rubric
from ..delimited import split_header
from .columns import Columns
from .logs import Log, open_log
from .records import Source, files_of, read_records

__all__ = ["SUFFIXES", "BadRow", "Record", "Row", "Rows", "Scalar", "case_in_object", "open_records", "open_rows"]

Item = Record | Row | BadRow

_BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
    ".eval": "eval",
}
_FORMATS = ("jsonl", "ndjson", "json", "csv", "tsv", "parquet", "eval", "text", "folder")
SUFFIXES = tuple(_BY_SUFFIX)

# Columns are chosen from several rows, because in JSONL the first row may lack a column that others have.
_ROWS_LOOKED_AT = 20
_MOST_LOOKED_AT = 1000


@dataclass(frozen=True)
class Rows:
    """Rows that can be iterated once, with one of them in memory at a time.

    `mapping` says which column each field is read from, given or guessed: `{"task": "question", "a": "output_1", …}`.
    """

    rows: Iterator[Row | BadRow]
    mapping: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Row | BadRow]:
        return self.rows


def open_rows(
    source: str,
    protocol: str,
    rubric: Rubric,
    mapping: Mapping[str, str] | None = None,
    *,
    format: str | None = None,  # noqa: A002
    look: Callable[[Columns], None] | None = None,
) -> Rows:
    """Open the cases of a file, a folder, or standard input (`-`). `mapping` says which column a field is read from.

    `look` is called with the columns, if there are any, before fields are read from them, which may fail.

    Raise InputError if the input as a whole is unusable (file not found, no case, unclear columns). A single row that
    cannot be read becomes a `BadRow`.
    """
    if protocol not in names():
        raise InputError("protocol", f"unknown protocol {protocol!r:.40}", f"one of {', '.join(names())}")
    origin, asked = Source(source), protocol_of(protocol)
    chosen, reading = _format_of(origin, asked, format), asked.reading
    items: Iterator[Item]
    if chosen == "folder":
        items = _folder(origin, asked, rubric)
    elif (log := open_log(origin, chosen)) is not None:
        items = _logged(log.answers, log.tool, origin.name, asked)
    elif reading.split is not None and (
        chosen == "text" or (chosen != "parquet" and reading.is_whole(chosen, origin.first_line()))
    ):
        items = reading.split(origin.whole(), origin.name, rubric, None)
    else:
        items = read_records(origin, chosen, reading.lists)
        items = reading.spread(items, mapping or {}) if reading.spread else items
    head = _head(items)
    if not head:
        suffixes = " or ".join(reading.suffixes)
        allowed = f"a folder with {suffixes} files is needed" if chosen == "folder" else "at least one is needed"
        raise InputError(origin.name, "no case", allowed)
    if isinstance(head[0], BadRow) and all(isinstance(item, BadRow) for item in head):
        raise InputError(head[0].place, f"no row can be read; the first error: {head[0].message}")
    records = [item.values for item in head if isinstance(item, Record)]
    if mapping and not records:
        raise InputError("--map", "there are no columns in this input", "leave it out")
    columns = Columns(origin.name, records, mapping or {})
    if look is not None and records:
        look(columns)
    reader = reading.choose(columns, rubric) if records else None
    return Rows(_read(chain(head, items), reader), reader.mapping if reader else {})


def _logged(answers: Iterable[LoggedAnswer | BadRow], tool: str, name: str, protocol: Protocol) -> Iterator[Item]:
    """Yield the cases in a log of another tool."""
    if protocol.reading.from_log is None:
        raise InputError(name, f"a log of {tool} holds no {protocol.noun}s", "rows with columns are needed")
    yield from protocol.reading.from_log(answers, name)


def _head(items: Iterable[Item]) -> list[Item]:
    """Return enough of the first rows to know the columns, or to know that nothing can be read."""
    head: list[Item] = []
    good = 0
    for item in items:
        head.append(item)
        good += not isinstance(item, BadRow)
        if good >= _ROWS_LOOKED_AT or len(head) >= _MOST_LOOKED_AT:
            break
    return head


def _read(items: Iterable[Item], reader: RowReader | None) -> Iterator[Row | BadRow]:
    for item in items:
        if not isinstance(item, Record):
            yield item
        elif reader is not None:
            yield reader.read(item)
        else:
            message = "this file has columns, but the first files have none; keep the two kinds in separate folders"
            yield BadRow(item.place, str(item.number), message)


def case_in_object(data: Mapping[str, Any], place: str, protocol: str, rubric: Rubric) -> Case:
    """Read the case in an object of a file: by the names of the HTTP API, or if it does not have those that are needed,
    by the names that a run knows of columns."""
    reading = protocol_of(protocol).reading
    try:
        return reading.from_object(data, rubric)
    except InputError as error:
        row = _row_of(data, place, reading, rubric) if reading.lacks_names(data) else None
        if isinstance(row, BadRow):
            raise InputError(*row.message.split(": ", 1)) from None
        if row is None:
            raise error from None
        return row.case


def _row_of(data: Mapping[str, Any], place: str, reading: CaseReading, rubric: Rubric) -> Row | BadRow | None:
    """Read an object as a row; None if it does not have the columns for one."""
    try:
        reader = reading.choose(Columns(place, [data], {}), rubric)
    except InputError:
        return None
    return reader.read(Record(place, 1, data))


def open_records(source: str) -> Iterator[Record | BadRow]:
    """Read the rows of a file or of standard input (`-`) as columns and values, without assigning columns to fields."""
    origin = Source(source)
    chosen = _format_of(origin)
    unfit = {"text": "plain text has no columns", "folder": "is a folder, not a file", "eval": "a log, not labels"}
    if found := unfit.get(chosen):
        raise InputError(origin.name, found, "JSONL, JSON, CSV, TSV or Parquet is needed")
    return read_records(origin, chosen)


def _folder(source: Source, protocol: Protocol, rubric: Rubric) -> Iterator[Item]:
    """Yield the cases of all files, those in logs last, because an answer in one log may belong to one in another.

    A file that cannot be read becomes one bad row.
    """
    logs: list[Log] = []
    for path in files_of(source.path, protocol.reading.suffixes):
        name = path.relative_to(source.path).with_suffix("").as_posix()
        try:
            # Reading a pipe, for example, could block for ever. If `exists` fails, opening the file reports why.
            if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
                raise InputError(str(path), "not a file", "only files are read in a folder")
            file = Source(str(path))
            if log := open_log(file, "eval" if file.suffix == ".eval" else "json"):
                logs.append(Log(log.tool, _or_bad_row(log.answers, str(path), name)))
            else:
                yield from _file(file, name, protocol, rubric)
        except InputError as error:
            yield _bad_file(error, str(path), name)
    if logs:
        answers = chain.from_iterable(log.answers for log in logs)
        yield from _logged(answers, logs[0].tool, source.name, protocol)


def _or_bad_row(answers: Iterator[LoggedAnswer | BadRow], path: str, name: str) -> Iterator[LoggedAnswer | BadRow]:
    try:
        yield from answers
    except InputError as error:
        yield _bad_file(error, path, name)


def _bad_file(error: InputError, path: str, name: str) -> BadRow:
    at_line = error.place.startswith(path)
    message = f"{error.found}; {error.allowed}".removesuffix("; ") if at_line else str(error)
    return BadRow(error.place if at_line else path, name, message)


def _file(file: Source, name: str, protocol: Protocol, rubric: Rubric) -> Iterator[Item]:
    """Yield the cases of one file of a folder: records with columns if it is JSON, else complete rows."""
    reading = protocol.reading
    line = file.first_line().lstrip() if reading.split is not None else ""
    if reading.split is not None and (line[:1] not in ("{", "[") or reading.is_whole("json", line)):
        yield from reading.split(file.whole(), file.name, rubric, name)
        return
    items = list(read_records(file, "json")) or [BadRow(file.name, name, "empty; a case is needed")]
    for position, item in enumerate(items, 1):
        own_name = name if len(items) == 1 else f"{name}:{position}"
        if isinstance(item, Record):
            yield Record(file.name if len(items) == 1 else item.place, position, item.values, own_name)
        else:
            yield BadRow(item.place, own_name, item.message)


def _format_of(source: Source, protocol: Protocol | None = None, given: str | None = None) -> str:
    """Return the given format, else the format of the suffix, or of the first line if the source is a pipe.

    `text` is a file without columns that the protocol can read.
    """
    if given is not None and given not in _FORMATS:
        raise InputError("format", f"unknown format {given!r:.40}", f"one of {', '.join(_FORMATS)}")
    try:
        is_folder = not source.is_piped and S_ISDIR(source.path.stat().st_mode)
    except OSError as error:
        raise InputError(source.name, plain_reason(error)) from None
    if given is not None and is_folder != (given == "folder"):
        found = "a folder" if is_folder else "not a folder"
        raise InputError(source.name, found, "the format folder is for folders, the others are for files")
    if is_folder:
        return "folder"
    chosen = _BY_SUFFIX.get(f".{given}", given) or (
        _recognise(source, protocol) if source.is_piped else _by_suffix(source)
    )
    if chosen == "parquet" and (source.is_piped or source.is_zipped):
        raise InputError(source.name, "Parquet cannot be read from a pipe or a .gz file", "a .parquet file is needed")
    if chosen == "text" and protocol is not None and protocol.reading.split is None:
        allowed = "JSONL, JSON, CSV, TSV, Parquet or a folder of JSON files are allowed"
        raise InputError(source.name, f"plain text cannot hold {protocol.noun}s", allowed)
    return chosen


def _by_suffix(source: Source) -> str:
    if source.suffix in _BY_SUFFIX:
        return _BY_SUFFIX[source.suffix]
    source.first_line()  # says what it is if it is no text
    found = f"unknown suffix {source.suffix!r}" if source.suffix else "no suffix"
    known = f"{', '.join(_BY_SUFFIX)} (text formats also with .gz), a folder, or - for standard input"
    raise InputError(source.name, found, f"{known}; or name the format: {', '.join(_FORMATS)}")


def _recognise(source: Source, protocol: Protocol | None) -> str:
    """Detect the format of a pipe from its first line."""
    line, reading = source.first_line().strip(), protocol.reading if protocol else None
    if line.startswith("{"):
        return "jsonl"
    if line.startswith("["):
        return "jsonl" if reading and reading.lists else "json"
    if reading and reading.begins_text(line):
        return "text"
    return "tsv" if split_header(line)[0] == "\t" else "csv"
