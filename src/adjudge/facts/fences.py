"""The code blocks of a text: fenced ones with their tag and lines, each line at its place in the text.

It reads markdown's fences only, also indented, quoted, nested in longer ones, or closed in the middle of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .patterns import put_off

_MARK = put_off(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*([^`\n]*)$", re.MULTILINE)
_TAG = put_off(r"[A-Za-z][A-Za-z0-9+#]*")
_BLOCKS = 60
_LONGEST = 60_000  # characters of a block worth looking at


@dataclass(frozen=True, slots=True)
class Block:
    """The code between two fences: `starts` says where each line of `code` begins in the text."""

    tag: str
    code: str
    starts: tuple[int, ...]
    at: int  # where the opening fence stands
    closed: bool

    def place(self, line: int) -> tuple[int, int]:
        """Start and end in the text of the numbered line, or of the nearest one with something in it."""
        lines = self.code.split("\n")
        index = min(max(line, 1), len(lines)) - 1
        for near in (*range(index, -1, -1), *range(index + 1, len(lines))):
            content = lines[near]
            if content.strip():
                start = self.starts[near] + len(content) - len(content.lstrip())
                return start, start + len(content.strip())
        return self.starts[0], self.starts[0] + 1


def code_blocks(text: str) -> list[Block]:
    """The fenced blocks with something in them, in their order."""
    if "```" not in text and "~~~" not in text:
        return []
    blocks: list[Block] = []
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        if opened is None:
            opened = mark
        elif mark[2].startswith(opened[2]) and not mark[3].strip():
            _add(blocks, text, opened, mark.start(), True)
            opened = None
        if len(blocks) >= _BLOCKS:
            return blocks
    if opened is not None:
        early = text.find(opened[2], opened.end())
        _add(blocks, text, opened, early if early >= 0 else len(text), early >= 0)
    return blocks


def whole_text(text: str) -> Block:
    """A text without fences as one block."""
    return _block(text, "", "", 0, len(text), 0, True)


def _add(blocks: list[Block], text: str, opened: re.Match[str], end: int, closed: bool) -> None:
    start = opened.end() + 1
    if start < end <= start + _LONGEST and text[start:end].strip():
        tag = _TAG.search(opened[3])
        blocks.append(_block(text, tag[0].lower() if tag else "", opened[1], start, end, opened.start(), closed))


def _block(text: str, tag: str, prefix: str, start: int, end: int, at: int, closed: bool) -> Block:
    lines, starts = [], []
    quoted = ">" in prefix
    for line in text[start:end].split("\n"):
        cut = 0
        if prefix:
            allowed = " \t>" if quoted else " \t"
            while cut < min(len(prefix), len(line)) and line[cut] in allowed:
                cut += 1
        lines.append(line[cut:].rstrip("\r").replace("\r", " "))
        starts.append(start + cut)
        start += len(line) + 1
    return Block(tag, "\n".join(lines), tuple(starts), at, closed)
