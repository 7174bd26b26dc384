"""A source of many cases, opened: its format and its columns are settled at once, its rows are read one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Protocol

from ...errors import InputError
from ...rubric import PROTOCOLS, Rubric
from . import comparisons, dialogues, reviews
from .base import BadRow, Row, Rows
from .delimited import read_delimited
from .dialogues import rows_in_transcripts
from .folders import SUFFIXES, read_folder
from .formats import format_of
from .jsonl import fast, read_array, read_lines, strict
from .mapping import Found
from .parquet import read_parquet
from .records import Record
from .reviews import rows_in_reviews
from .sources import Source

Item = Record | Row | BadRow

# Columns are settled from the first rows: in JSONL the first may lack one that the others have.
_LOOKED_AT = 20
_LOOKED_FOR = 1000


class _Settled(Protocol):
    @property
    def mapping(self) -> Mapping[str, str]: ...

    def read(self, record: Record) -> Row | BadRow: ...


_SETTLE: Mapping[str, Callable[[Found, Rubric], _Settled]] = {
    "compare": comparisons.settle,
    "dialogue": dialogues.settle,
    "review": reviews.settle,
}


class _Opened:
    """Rows of a source. A file can be gone through again and again, standard input once."""

    def __init__(self, items: Callable[[], Iterator[Item]], begun: Iterator[Item], settled: _Settled | None) -> None:
        self._items = items
        self._begun: Iterator[Item] | None = begun
        self._settled = settled

    @property
    def mapping(self) -> Mapping[str, str]:
        return self._settled.mapping if self._settled else {}

    def __iter__(self) -> Iterator[Row | BadRow]:
        items, self._begun = self._begun or self._items(), None
        for item in items:
            if not isinstance(item, Record):
                yield item
            elif self._settled is None:
                yield BadRow(item.place, str(item.number), "a row with columns among files without any")
            else:
                yield self._settled.read(item)


def open_rows(
    source: str,
    protocol: str,
    rubric: Rubric,
    mapping: Mapping[str, str] | None = None,
    *,
    format: str | None = None,  # noqa: A002
) -> Rows:
    """The cases of a file, a folder, or standard input (`-`); `mapping` says which column a field is read from.

    What is wrong with the whole (no such file, no case, columns that cannot be settled) is raised here; what is wrong
    with a row is a `BadRow` in its place.
    """
    if protocol not in PROTOCOLS:
        raise InputError("protocol", f"unknown protocol {protocol!r:.40}", f"one of {', '.join(PROTOCOLS)}")
    origin = Source(source)
    chosen = format_of(origin, protocol, format)

    def items() -> Iterator[Item]:
        return _items(origin, protocol, rubric, chosen)

    begun = items()
    head = _head(begun)
    if not head:
        allowed = f"with {', '.join(SUFFIXES[protocol])} files" if chosen == "folder" else "at least one is needed"
        raise InputError(origin.name, "no case", allowed)
    records = [item.values for item in head if isinstance(item, Record)]
    if not records and all(isinstance(item, BadRow) for item in head):
        first = head[0]
        assert isinstance(first, BadRow)
        raise InputError(first.place, f"no row can be read; the first: {first.message}")
    if mapping and not records:
        raise InputError("--map", "there are no columns in this input", "leave it out")
    settled = _SETTLE[protocol](Found.of(origin.name, records, mapping or {}), rubric) if records else None
    return _Opened(items, chain(head, begun), settled)


def _head(items: Iterator[Item]) -> list[Item]:
    """The first rows: enough to know the columns, or to know that nothing can be read."""
    head: list[Item] = []
    good = 0
    for item in items:
        head.append(item)
        good += not isinstance(item, BadRow)
        if good >= _LOOKED_AT or len(head) >= _LOOKED_FOR:
            break
    return head


def _items(source: Source, protocol: str, rubric: Rubric, chosen: str) -> Iterator[Item]:
    parse = strict if protocol == "review" else fast
    lists = dialogues.TURNS if protocol == "dialogue" else None
    if chosen == "folder":
        yield from read_folder(source, protocol, rubric, parse)
    elif chosen == "parquet":
        yield from read_parquet(source)
    elif chosen in ("text", "utterances") or (chosen == "json" and protocol == "dialogue"):
        whole = rows_in_reviews if protocol == "review" else rows_in_transcripts
        yield from whole(source.whole(), source.name, rubric, 1)
    else:
        with source.reading() as stream:
            if chosen == "jsonl":
                yield from read_lines(stream, source.name, parse, lists=lists)
            elif chosen == "json":
                yield from read_array(stream, source.name, parse)
            else:
                yield from read_delimited(stream, source.name, "\t" if chosen == "tsv" else None)
