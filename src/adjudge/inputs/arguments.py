"""Reads what an argument of the command line names: a text, a file, or standard input."""

from __future__ import annotations

from ..errors import InputError
from .rows.records import Source
from .text import decode

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


def _read_file(path: str, option: str = "") -> tuple[bytes, str]:
    """Return a file's bytes (`-` is standard input) and its name in error messages."""
    source = Source(path)
    source.name = option + source.name
    return source.whole(MAX_FILE_BYTES), source.name
