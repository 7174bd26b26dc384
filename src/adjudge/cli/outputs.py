"""Writes the results of commands to the terminal or to a file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from ..errors import InputError
from ..files import user_path
from ..models.base import to_json
from ..models.verdict import Verdict
from ..rendering.document import Document, as_html, as_markdown, as_text
from ..reports import render
from ..results.files import new_file

_BY_SUFFIX = {
    ".json": "json",
    ".jsonl": "json",
    ".txt": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}


def choose_format(asked: str | None, output: str | None, piped: str = "json") -> str:
    """Return the requested format, else the one of the file's suffix, else text on a terminal or `piped` in a pipe."""
    if asked or not output or output == "-":
        return asked or ("text" if sys.stdout.isatty() else piped)
    suffix = Path(output).suffix.lower()
    if suffix and suffix not in _BY_SUFFIX:
        raise InputError(
            "--output", f"{output}: no format is known for {suffix}", f"use --format, or one of {', '.join(_BY_SUFFIX)}"
        )
    return _BY_SUFFIX.get(suffix, "text")


def rendered(verdict: Verdict, chosen: str, output: str | None) -> str:
    """Render a verdict in this format, as wide as the terminal, and in colour if it is printed there."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    return render(verdict, cast(Any, chosen), colour=sys.stdout.isatty() and not output, width=width)


def write_out(content: str, output: str | None) -> None:
    """Print the content, or write the file in one step, so that no reader sees half of it."""
    raw = content.encode("utf-8", "replace")
    write_pieces([raw if raw.endswith(b"\n") else raw + b"\n"], output)


def write_pieces(pieces: Iterable[bytes], output: str | None) -> None:
    """Write pieces as they come, without holding all in memory. A file appears only when it is complete."""
    if not output or output == "-":
        sys.stdout.buffer.writelines(pieces)
        return
    with new_file(user_path(output)) as file:
        file.writelines(pieces)


def write_report(
    chosen: str, output: str | None, data: Callable[[], BaseModel | Mapping[str, Any]], document: Callable[[], Document]
) -> None:
    """Write a report on runs: its `data` as JSON, or its `document` as text, Markdown or HTML."""
    if chosen == "json":
        write_out(to_json(data(), indent=True).decode(), output)
    else:
        write_document(document(), chosen, output)


def write_document(document: Document, chosen: str, output: str | None) -> None:
    """Write a report as text, Markdown or HTML. In a pipe, text tables are as wide as they need to be."""
    if chosen in ("markdown", "html"):
        write_out(as_markdown(document) if chosen == "markdown" else as_html(document), output)
        return
    width = None if output else terminal_width()
    write_out(as_text(document, colour=width is not None, width=width), output)


def terminal_width() -> int | None:
    """Return the width of the terminal; None if standard output is none."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None
