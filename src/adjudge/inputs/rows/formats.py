"""Rows of each format (JSONL, JSON, CSV, TSV, Parquet) as records: columns and values, before any column has a meaning.

One record is in memory at a time. A row that cannot be read is a `BadRow`, and reading goes on after it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import InputError, SetupError
from ...models.cases import Comparison, Dialogue, Review
from ..delimited import check_width, read_table
from ..json import json_items, parse_or_explain
from ..text import UTF8_NEEDED, Unreadable, kind_of, undecoded
from .sources import MAX_LINE_BYTES, Source

if TYPE_CHECKING:
    import duckdb

Scalar = str | int | float | bool | None

_OBJECT = "one JSON object a row is allowed"
_USE_JSON = "name the file .json, or give the format (--input-format json)"
_ROWS_AT_A_TIME = 64
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Row:
    """One case and where it was found; `label` is what people said of it, `systems` who wrote A and who wrote B."""

    place: str
    case_id: str
    case: Comparison | Dialogue | Review
    label: str | None = None
    systems: tuple[str, str] | None = None
    extra: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be judged, and why: the message names the field, what was found and what is allowed."""

    place: str
    case_id: str
    message: str


@dataclass(frozen=True, slots=True)
class Record:
    """One row: where it stands, its number from 1, its columns; `name` is the name of its file in a folder."""

    place: str
    number: int
    values: Mapping[str, Any]
    name: str | None = None


def read_records(source: Source, chosen: str, lists: str | None = None) -> Iterator[Record | BadRow]:
    """The rows of a file in a format; where `lists` is given, a JSON array is an object with that one field."""
    if chosen == "jsonl":
        yield from _jsonl(source, lists)
    elif chosen == "json":
        yield from _json(source)
    elif chosen == "parquet":
        yield from _parquet(source)
    else:
        yield from _table(source, "\t" if chosen == "tsv" else None)


def _jsonl(source: Source, lists: str | None) -> Iterator[Record | BadRow]:
    row = 0
    for number, line in enumerate(source.lines(), 1):
        if line is not None and not line.strip():
            continue
        row += 1
        place = f"{source.name}, line {number}"
        if line is None:
            found = f"a row of more than {MAX_LINE_BYTES:,} bytes"
            yield BadRow(place, str(row), f"{found}; a shorter one is needed")
            continue
        if row == 1 and line.startswith("[") and (not lists or line.strip() in ("[", "[{")):
            raise InputError(place, "a JSON array, where one object a line is expected", _USE_JSON)
        yield _record(place, row, line, parse_or_explain(line, _OBJECT), lists)


def _json(source: Source) -> Iterator[Record | BadRow]:
    pieces = codecs.iterdecode(source.pieces(), "utf-8", "surrogateescape")
    for row, (line, text, value) in enumerate(json_items(pieces), 1):
        yield _record(f"{source.name}, line {line}", row, text, value, None)


def _record(place: str, row: int, text: str, value: Any, lists: str | None) -> Record | BadRow:
    if problem := undecoded(text) or (value if isinstance(value, Unreadable) else _half_pair(text, value)):
        return BadRow(place, str(row), str(problem))
    if isinstance(value, list) and lists:
        value = {lists: value}
    if not isinstance(value, dict):
        return BadRow(place, str(row), f"expected an object, found {kind_of(value)}; {_OBJECT}")
    return Record(place, row, value)


def _half_pair(text: str, value: Any) -> Unreadable | None:
    """Half of a surrogate pair, which only an escape can bring in, and which nothing could store."""
    try:
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return Unreadable("half of a surrogate pair", "text must be valid Unicode")
    return None


def _table(source: Source, delimiter: str | None) -> Iterator[Record | BadRow]:
    header: list[str] = []
    row = 0
    for line, _, cells in read_table(source.lines(), delimiter):
        place = f"{source.name}, line {line}"
        if not header:
            header = _header(cells, place)
            continue
        row += 1
        problem = cells if isinstance(cells, Unreadable) else check_width(cells, header)
        if problem or isinstance(cells, Unreadable):
            yield BadRow(place, str(row), str(problem))
        elif wrong := list(filter(None, map(_wrong, header, cells))):
            yield BadRow(place, str(row), wrong[0])
        else:
            yield Record(place, row, {name: cell for name, cell in zip(header, cells, strict=True) if name})


def _wrong(name: str, cell: str) -> str:
    if problem := undecoded(cell):
        return f"{name}: {problem}"
    return f"{name}: a NUL byte; text is needed" if "\0" in cell else ""


def _header(cells: list[str] | Unreadable, place: str) -> list[str]:
    """The columns' names; of two alike the second is numbered. A column without a name is left out."""
    if isinstance(cells, Unreadable):
        raise InputError(place, f"cannot read the header: {cells.found}", cells.allowed)
    names: list[str] = []
    for name in map(str.strip, cells):
        if undecoded(name) or "\0" in name:
            raise InputError(place, "a header that is not UTF-8 text", UTF8_NEEDED)
        numbered, count = name, 1
        while name and numbered in names:
            count += 1
            numbered = f"{name} ({count})"
        names.append(numbered)
    return names


def _parquet(source: Source) -> Iterator[Record]:
    try:
        import duckdb
    except ImportError:
        raise SetupError("Parquet needs DuckDB: pip install 'adjudge[runs]'") from None
    # One thread: more would hold more row groups in memory, and any judge is slower than the file.
    with duckdb.connect(config={"threads": 1}) as connection:
        try:
            yield from _parquet_rows(connection, source)
        except duckdb.Error as error:
            raise InputError(source.name, str(error).split("\n")[0], "a Parquet file is needed") from None


def _parquet_rows(connection: duckdb.DuckDBPyConnection, source: Source) -> Iterator[Record]:
    # Not a pattern: a file may be called [draft].parquet.
    path = _GLOB.sub(lambda sign: f"[{sign[0]}]", str(source.path))
    described: list[Any] = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
    columns = [name for name, *_ in described]
    chosen = ", ".join(_selected(name, kind) for name, kind, *_ in described)
    result = connection.execute(f"SELECT {chosen} FROM read_parquet(?)", [path])
    row = 0
    while rows := result.fetchmany(_ROWS_AT_A_TIME):
        for values in rows:
            row += 1
            yield Record(f"{source.name}, row {row}", row, dict(zip(columns, values, strict=True)))


def _selected(name: str, kind: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    # Python needs one more package for times with a zone, which are only kept beside a case.
    return f"CAST({quoted} AS VARCHAR) AS {quoted}" if "TIME ZONE" in kind else quoted
