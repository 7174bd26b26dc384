"""How the command line takes texts: as they are, from a file (`@file`), or from standard input (`-`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..errors import InputError, TooLargeError

MAX_FILE_BYTES = 8_000_000


def read_bytes(path: str, place: str) -> bytes:
    """A file's bytes; `-` is standard input."""
    try:
        if path == "-":
            raw = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with Path(path).expanduser().open("rb") as file:
                raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(place, f"{path}: {(error.strerror or str(error)).lower()}", "a readable file") from None
    if len(raw) > MAX_FILE_BYTES:
        raise TooLargeError(place, f"{path} has more than {MAX_FILE_BYTES:,} bytes", "a smaller file is needed")
    return raw


def read_text(value: str, place: str) -> str:
    """The text an argument stands for."""
    if value == "-":
        raw, source = read_bytes("-", place), "standard input"
    elif value.startswith("@"):
        raw, source = read_bytes(value[1:], place), value[1:]
    else:
        raw, source = value.encode("utf-8", "surrogateescape"), "the argument"
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"{source}: invalid UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
        raise InputError(place, found, "UTF-8 text is needed") from None


def add_journal_argument(parser: Any) -> None:
    """The option that names the journal."""
    parser.add_argument(
        "--journal",
        metavar="FILE|URL",
        help="where replies and verdicts are kept: a file, or postgresql://user:password@host/database "
        "(default: $ADJUDGE_JOURNAL, else the user's data folder)",
    )
