"""A file of cases on disk, opened: what each test of rows begins with."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import InputError
from adjudge.inputs.rows import BadRow, Row, Rows, open_rows
from adjudge.protocols.rubrics import shipped

Content = str | bytes | Sequence[Mapping[str, Any]]


def as_bytes(content: Content) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content).encode()


class Opener:
    """Writes a file and opens its rows; a list of objects is written as JSONL."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: Content) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
        return path

    def __call__(
        self,
        name: str,
        content: Content,
        protocol: str = "compare",
        mapping: Mapping[str, str] | None = None,
        **how: Any,
    ) -> Rows:
        return open_rows(str(self.write(name, content)), protocol, shipped(protocol), mapping, **how)

    def in_folder(
        self, files: Mapping[str, Content], protocol: str = "compare", folder: str = "in"
    ) -> list[Row | BadRow]:
        """The rows of a folder of these files."""
        for name, content in files.items():
            self.write(f"{folder}/{name}", content)
        return list(open_rows(str(self.folder / folder), protocol, shipped(protocol)))

    def rows(self, *given: Any, **named: Any) -> list[Row | BadRow]:
        return list(self(*given, **named))

    def only(self, *given: Any, **named: Any) -> Row:
        (row,) = self.rows(*given, **named)
        assert isinstance(row, Row), row
        return row

    def bad(self, *given: Any, **named: Any) -> list[tuple[str, str]]:
        """The line and the message of each row that cannot be judged."""
        found = [row for row in self.rows(*given, **named) if isinstance(row, BadRow)]
        return [(row.place.rpartition(", ")[2], row.message) for row in found]

    def refused(self, *given: Any, **named: Any) -> str:
        with pytest.raises(InputError) as caught:
            self(*given, **named)
        return str(caught.value).replace(f"{self.folder}/", "")


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    return Opener(tmp_path)


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Rows]:
    """Opens rows that come through standard input."""

    def open_piped(content: Content, protocol: str = "compare", **how: Any) -> Rows:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_bytes(content))))
        return open_rows("-", protocol, shipped(protocol), **how)

    return open_piped
