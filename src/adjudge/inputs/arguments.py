"""Reads what an argument of the command line names: a text, a file, or standard input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..text.decoding import decode
from .json import parse_object
from .rows.records import Source

MAX_FILE_BYTES = 8_000_000


def read_cases(path: str, wanted: str) -> tuple[bytes, str]:
    """Return the bytes of a file of cases and its name in error messages; an empty file is refused."""
    raw, place = _read_file(path)
    if not raw.strip():
        raise InputError(place, "empty", wanted)
    return raw, place


def read_text(value: str, option: str) -> str:
    """Return the text of an argument: the argument itself, a file's text (`@FILE`) or standard input (`-`)."""
    if value == "-" or value.startswith("@"):
        raw, place = _read_file(value.removeprefix("@"), f"{option}: ")
    else:
        raw, place = value.encode("utf-8", "surrogateescape"), option
    return decode(raw, place, numbered=False)


def read_rest_of_case(
    path: str | None,
    pieces: Mapping[str, str | list[str]],
    fields: Mapping[str, Iterable[str]],
    needed: Sequence[str],
    wanted: str,
) -> tuple[dict[str, Any], str]:
    """Return what a case file says besides the `pieces` that were given as options, and its name in error messages.

    `fields` are the names that each piece may have in the file. Without a file, the `needed` pieces must be given.
    """
    missing = [name for name in needed if name not in pieces]
    if path is None and missing:
        *others, last = (f"--{name}" for name in needed)
        all_needed = f"{'all of' if len(others) > 1 else 'both'} {', '.join(others)} and {last}"
        place = f"--{missing[0]}" if pieces else "CASE"
        raise InputError(place, "missing", f"a case file, - for standard input, or {all_needed}")
    named = (one for value in pieces.values() for one in (value if isinstance(value, list) else [value]))
    if [path, *named].count("-") > 1:
        raise InputError("-", "standard input is named twice", "once is allowed")
    if path is None:
        return {}, ""
    object_of_these = f"one JSON object with {wanted} is needed"
    raw, file = read_cases(path, object_of_these)
    replaced = {field for name in pieces for field in fields[name]}
    data = parse_object(raw, file, object_of_these)
    return {name: value for name, value in data.items() if name not in replaced}, file


def _read_file(path: str, option: str = "") -> tuple[bytes, str]:
    """Return a file's bytes (`-` is standard input) and its name in error messages."""
    source = Source(path)
    source.name = option + source.name
    return source.whole(MAX_FILE_BYTES), source.name
