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
from ..delimited import read_table
from ..json import json_items, parse_or_explain
from ..text import Unreadable, kind_of, undecoded
from .sources import MAX_LINE_BYTES, Source

if TYPE_CHECKING:
    import duckdb

Scalar = str | int | float | bool | None

_OBJECT = "one JSON object a row is allowed"
_USE_JSON = "rename the file to .json, or say --input-format json"
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
    if chosen == "parquet":
        yield from _parquet(source)
        return
    if chosen == "jsonl":
        items = _jsonl(source, lists)
    else:
        items = _json(source) if chosen == "json" else _table(source, "\t" if chosen == "tsv" else None)
    for row, (line, read) in enumerate(items, 1):
        value = {lists: read} if isinstance(read, list) and lists else read
        if not isinstance(value, dict | Unreadable):
            value = Unreadable(f"expected an object, found {kind_of(value)}", _OBJECT)
        place = source.at(line)
        yield Record(place, row, value) if isinstance(value, dict) else BadRow(place, str(row), str(value))


def _jsonl(source: Source, lists: str | None) -> Iterator[tuple[int, Any]]:
    first = True
    for number, line in enumerate(source.lines(), 1):
        if line is None:
            yield number, Unreadable(f"a row of more than {MAX_LINE_BYTES:,} bytes", "a shorter one is needed")
        elif start := line.strip()[:1]:
            value = parse_or_explain(line, _OBJECT)
            if first and start == "[" and (not lists or isinstance(value, Unreadable)):
                raise InputError(source.at(number), "a JSON array, where one object a line is expected", _USE_JSON)
            yield number, _checked(line, value)
            first = False


def _json(source: Source) -> Iterator[tuple[int, Any]]:
    pieces = codecs.iterdecode(source.pieces(), "utf-8", "surrogateescape")
    for line, text, value in json_items(pieces, source.at):
        yield line, _checked(text, value)


def _checked(text: str, value: Any) -> Any:
    """A value as it was read from its text, unless something in it could not be stored."""
    if problem := undecoded(text):
        return problem
    try:
        # Only an escape can bring in half of a surrogate pair.
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return Unreadable("half of a surrogate pair", "text must be valid Unicode")
    return value


def _table(source: Source, delimiter: str | None) -> Iterator[tuple[int, Any]]:
    for line, _, values in read_table(source.lines(), source.at, delimiter, short_rows=False, twice=True):
        wrong = filter(None, map(_wrong, values.items())) if isinstance(values, dict) else iter(())
        yield line, next(wrong, values)


def _wrong(cell: tuple[str, str]) -> Unreadable | None:
    name, text = cell
    if problem := undecoded(text):
        return Unreadable(f"{name}: {problem.found}", problem.allowed)
    return Unreadable(f"{name}: a NUL byte", "text is needed") if "\0" in text else None


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
