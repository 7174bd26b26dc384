"""Many cases out of one file, folder or pipe: format and columns are settled at once, rows are read one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from ...errors import InputError
from ...rubric import PROTOCOLS, Rubric
from .cases import TURNS, CaseReader, rows_in_text, settle_columns
from .columns import Columns
from .records import BadRow, Record, Row, Scalar, read_records
from .sources import IN_FOLDERS, Source, check_file, files_of, format_of

__all__ = ["BadRow", "Row", "Rows", "Scalar", "open_rows"]

Item = Record | Row | BadRow

# Columns are settled from the first rows: in JSONL the first may lack one that the others have.
_ROWS_LOOKED_AT = 20
_MOST_LOOKED_AT = 1000


class Rows:
    """Rows one after another, one of them in memory at a time. A file can be read again, standard input once."""

    def __init__(self, items: Callable[[], Iterator[Item]], begun: Iterator[Item], reader: CaseReader | None) -> None:
        self._items = items
        self._begun: Iterator[Item] | None = begun
        self._reader = reader

    @property
    def mapping(self) -> Mapping[str, str]:
        """Which column each field is read from, given or guessed: `{"task": "question", "a": "output_1", …}`."""
        return self._reader.mapping if self._reader else {}

    def __iter__(self) -> Iterator[Row | BadRow]:
        items, self._begun = self._begun or self._items(), None
        for item in items:
            if not isinstance(item, Record):
                yield item
            elif self._reader is None:
                yield BadRow(
                    item.place,
                    str(item.number),
                    "this file has columns, the first ones have none; keep the two kinds in separate folders",
                )
            else:
                yield self._reader.read(item)


def open_rows(
    source: str,
    protocol: str,
    rubric: Rubric,
    mapping: Mapping[str, str] | None = None,
    *,
    format: str | None = None,  # noqa: A002
) -> Rows:
    """The cases of a file, a folder, or standard input (`-`); `mapping` says which column a field is read from.

    What is wrong with the whole (file not found, no case, columns that cannot be settled) is raised here; what is wrong
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
        allowed = (
            f"a folder with {' or '.join(IN_FOLDERS[protocol])} files is needed"
            if chosen == "folder"
            else "at least one is needed"
        )
        raise InputError(origin.name, "no case", allowed)
    records = [item.values for item in head if isinstance(item, Record)]
    if isinstance(head[0], BadRow) and all(isinstance(item, BadRow) for item in head):
        raise InputError(head[0].place, f"no row can be read; the first: {head[0].message}")
    if mapping and not records:
        raise InputError("--map", "there are no columns in this input", "leave it out")
    reader = settle_columns(protocol, Columns(origin.name, records, mapping or {}), rubric) if records else None
    return Rows(items, chain(head, begun), reader)


def _head(items: Iterator[Item]) -> list[Item]:
    """The first rows: enough to know the columns, or to know that nothing can be read."""
    head: list[Item] = []
    good = 0
    for item in items:
        head.append(item)
        good += not isinstance(item, BadRow)
        if good >= _ROWS_LOOKED_AT or len(head) >= _MOST_LOOKED_AT:
            break
    return head


def _items(source: Source, protocol: str, rubric: Rubric, chosen: str) -> Iterator[Item]:
    if chosen == "folder":
        yield from _folder(source, protocol, rubric)
    elif chosen in ("text", "utterances") or (chosen == "json" and protocol == "dialogue"):
        yield from rows_in_text(source.whole(), source.name, protocol, rubric, 1)
    else:
        yield from read_records(source, chosen, TURNS if protocol == "dialogue" else None)


def _folder(source: Source, protocol: str, rubric: Rubric) -> Iterator[Item]:
    """The cases of all files; a file that cannot be read is one bad row."""
    number = 1
    for path in files_of(source.path, protocol):
        name = path.relative_to(source.path).with_suffix("").as_posix()
        try:
            check_file(path)
            for item in _file(Source(str(path)), name, number, protocol, rubric):
                yield item
                number += 1
        except InputError as error:
            at_line = error.place.startswith(str(path))
            message = f"{error.found}; {error.allowed}".removesuffix("; ") if at_line else str(error)
            yield BadRow(error.place if at_line else str(path), name, message)
            number += 1


def _file(file: Source, name: str, number: int, protocol: str, rubric: Rubric) -> Iterator[Item]:
    """The cases of one file of a folder; JSON has columns."""
    is_json = protocol == "compare" or (protocol == "review" and file.first_line().lstrip()[:1] in ("{", "["))
    if not is_json:
        yield from rows_in_text(file.whole(), file.name, protocol, rubric, number, name)
        return
    items = list(read_records(file, "json"))
    if isinstance(items[0] if items else None, BadRow) and all(isinstance(item, BadRow) for item in items):
        items = items[:1]
    for position, item in enumerate(items, 1):
        own_name = name if len(items) == 1 else f"{name}:{position}"
        if isinstance(item, Record):
            yield Record(file.name if len(items) == 1 else item.place, number + position - 1, item.values, own_name)
        else:
            yield BadRow(item.place, own_name, item.message)
    if not items:
        yield BadRow(file.name, name, "empty; a case is needed")
