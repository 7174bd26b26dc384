"""Where rows come from, as bytes: a file, a gzipped file, or standard input; and its lines, one at a time.

What is too long for a line is passed over to its end, so that a file without line breaks cannot fill the memory.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ...errors import InputError, TooLargeError

STANDARD_INPUT = "-"
MAX_LINE_BYTES = 32_000_000
MAX_WHOLE_BYTES = 64_000_000
BOM = b"\xef\xbb\xbf"
_HEAD_BYTES = 65_536


def named(source: str) -> str:
    """What errors and rows call a source."""
    return "standard input" if source == STANDARD_INPUT else source


class _Joined(io.RawIOBase):
    """Bytes that were looked at already, and the stream they came from."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._head:
            part, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        else:
            part = self._rest.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)


class Source:
    """A path or standard input. Its head can be looked at before it is read; standard input is read once."""

    def __init__(self, given: str) -> None:
        self.given = given
        self.name = named(given)
        self._piped: BinaryIO | None = None
        self._head: bytes | None = None
        self._spent = False

    @property
    def is_piped(self) -> bool:
        return self.given == STANDARD_INPUT

    @property
    def path(self) -> Path:
        return Path(self.given).expanduser()

    @property
    def suffixes(self) -> tuple[str, bool]:
        """The suffix that names the format, and whether it is gzipped."""
        if self.is_piped:
            return "", False
        parts = [suffix.lower() for suffix in self.path.suffixes]
        zipped = parts[-1:] == [".gz"]
        left = parts[:-1] if zipped else parts
        return (left[-1] if left else ""), zipped

    def opening(self) -> str:
        """The first line that is not blank, as far as it can be told without reading on; nothing if there is none."""
        if self.is_piped:
            head = self._head_of_the_pipe()
        else:
            with self.reading() as stream:
                head = stream.read(_HEAD_BYTES)
        text = head.removeprefix(BOM).decode("utf-8", "replace")
        return next((line.rstrip("\r") for line in text.split("\n") if line.strip()), "")

    @contextmanager
    def reading(self) -> Iterator[BinaryIO]:
        """The bytes, unzipped; what goes wrong with the file is an InputError."""
        try:
            if self.is_piped:
                yield self._pipe()
            elif self.suffixes[1]:
                with gzip.open(self.path, "rb") as unzipped:
                    yield unzipped  # type: ignore[misc]
            else:
                with self.path.open("rb") as file:
                    yield file
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(self.name, f"broken gzip data: {error}", "a whole .gz file is needed") from None
        except OSError as error:
            raise InputError(self.name, (error.strerror or str(error)).lower(), "a readable file") from None

    def whole(self) -> bytes:
        """All of it, for what can only be read as a whole."""
        with self.reading() as stream:
            raw = stream.read(MAX_WHOLE_BYTES + 1)
        if len(raw) > MAX_WHOLE_BYTES:
            allowed = f"at most {MAX_WHOLE_BYTES:,} in one text; a folder of them, or JSONL, may hold any number"
            raise TooLargeError(self.name, f"more than {MAX_WHOLE_BYTES:,} bytes", allowed)
        return raw

    def _pipe(self) -> BinaryIO:
        if self._spent:
            raise InputError(self.name, "was read already", "a file can be read twice, a pipe once")
        self._spent = True
        return self._piped or sys.stdin.buffer

    def _head_of_the_pipe(self) -> bytes:
        """What the pipe begins with, up to the end of a line that is not blank; it stays to be read."""
        if self._head is not None:
            return self._head
        stream: BinaryIO = sys.stdin.buffer
        lines = []
        while line := stream.readline(_HEAD_BYTES):
            lines.append(line)
            if line.removeprefix(BOM).strip():
                break
        self._head = b"".join(lines)
        self._piped = io.BufferedReader(_Joined(self._head, stream))
        return self._head


def lines_of(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines with their numbers, each with its end; None stands for one that is too long."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        if number == 1:
            line = line.removeprefix(BOM)
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            while (more := stream.readline(MAX_LINE_BYTES)) and not more.endswith(b"\n"):
                pass
            yield number, None
        else:
            yield number, line
