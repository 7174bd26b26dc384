"""What stands in the head of a request: the host's name, who asks, and headers that are one line of text each."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote

_NOT_IN_A_LINE = frozenset("\r\n\0")


def host_name(host: str) -> str:
    """A host as a head names it; a ValueError if it has no such name."""
    name = f"[{host}]" if ":" in host else host.encode("idna").decode()
    if not _is_a_line(name):
        raise ValueError("a control character in its name")
    return name


def basic(parts: SplitResult) -> str:
    """The name and password of an address as a header says them; nothing if it has none."""
    if parts.username is None:
        return ""
    named = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return f"Basic {b64encode(named).decode()}"


def header_lines(headers: Mapping[str, str]) -> str:
    """The headers as they are sent; a ValueError that names the first that is more, or less, than a line of text."""
    for name, value in headers.items():
        if not _is_a_line(name) or not _is_a_line(value):
            raise ValueError(f"{name[:40]!a}: a header, such as a key, must be one line of text")
    return "".join([f"{name}: {value}\r\n" for name, value in headers.items()])


def _is_a_line(text: str) -> bool:
    # Nearly all are plain. Halves of surrogate pairs stand for bytes of the environment that are no text.
    if text.isascii() and text.isprintable():
        return True
    return _NOT_IN_A_LINE.isdisjoint(text) and not any("\ud800" <= char <= "\udfff" for char in text)
