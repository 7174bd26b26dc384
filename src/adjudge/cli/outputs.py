"""How the command line gives results: to the terminal, or whole into a file."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import InputError

if TYPE_CHECKING:
    from ..reports.run.document import Document

Format = Literal["json", "text", "markdown", "html"]
ReviewFormat = Literal["tags", "json", "text", "markdown", "html"]
FORMATS: tuple[Format, ...] = ("json", "text", "markdown", "html")

_BY_SUFFIX: dict[str, Format] = {
    ".json": "json",
    ".jsonl": "json",
    ".txt": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}


def choose_format(asked: Format | None, output: str | None) -> Format:
    """The format asked for; else the one the file's name says; else text for a person and JSON for a program."""
    return asked or _by_name(output) or ("text" if sys.stdout.isatty() else "json")


def choose_review_format(asked: ReviewFormat | None, output: str | None) -> ReviewFormat:
    """The same for a review, whose form for programs is the five tagged blocks."""
    return asked or _by_name(output) or ("text" if sys.stdout.isatty() else "tags")


def _by_name(output: str | None) -> Format | None:
    if not output or output == "-":
        return None
    suffix = Path(output).suffix.lower()
    if suffix and suffix not in _BY_SUFFIX:
        raise InputError("--output", f"{output}: no format is known by {suffix}", f"one of {', '.join(_BY_SUFFIX)}")
    return _BY_SUFFIX.get(suffix, "text")


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def write_out(content: str, output: str | None) -> None:
    """Print, or put the file in place in one step: a reader never sees half of it."""
    raw = content.encode("utf-8", "replace")
    raw += b"" if raw.endswith(b"\n") else b"\n"
    if not output or output == "-":
        sys.stdout.buffer.write(raw)
        return
    path = Path(output).expanduser()
    try:
        if path.exists() and not path.is_file():
            # A device or a pipe is written to; only a file is replaced.
            with path.open("wb") as file:
                file.write(raw)
            return
        path = path.resolve()
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(raw)
            Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise InputError("--output", f"{output}: {(error.strerror or str(error)).lower()}", "a writable path") from None


def write_pieces(pieces: Iterable[bytes], output: str | None) -> None:
    """The same for what is too much to hold at once: written as it comes, and in place when it is whole."""
    from ..results.files import new_file

    if not output or output == "-":
        sys.stdout.buffer.writelines(pieces)
        return
    with new_file(Path(output).expanduser()) as file:
        file.writelines(pieces)


def write_document(document: Document, chosen: str, output: str | None) -> None:
    """A report on a run, for a terminal, a pipe (where tables are as wide as they need to be) or as Markdown."""
    from ..reports.run.document import as_markdown, as_text

    if chosen == "markdown":
        write_out(as_markdown(document), output)
        return
    seen = sys.stdout.isatty() and not output
    width = shutil.get_terminal_size((100, 24)).columns if seen else None
    write_out(as_text(document, colour=seen, width=width), output)
