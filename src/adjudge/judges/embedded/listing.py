"""The single things an answer lists: lines with marks or numbers, short lines, or what stands between commas."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...facts.patterns import put_off

# In a text with a line's end before it: a search for that skips the rest of every line.
_MARKED = put_off(r"\n[ \t]{0,6}(?:[-*•+–][ \t]+|(?:\*\*)?(?:step )?\d{1,3}[.):][ \t]*)(\S[^\n]*)", re.IGNORECASE)
_BETWEEN = put_off(r"\s*(?:,\s*(?:and|or)\b|,|;|\band\b|\bor\b|&)\s*", re.IGNORECASE)
_READ = 20_000
_SHORT = 80  # words of an enumeration in one line
_EDGES = " \t\"'`*_.:!?"


class Item(NamedTuple):
    """One thing, without its mark and punctuation, and where it stands."""

    text: str
    start: int
    end: int


def listed_items(plain: str, *, lines: bool = True) -> list[Item]:
    """What an answer lists, with `lines` also in short lines without marks; nothing if it lists nothing."""
    read = plain[:_READ]
    marked = [_item(read, match.start(1) - 1, match.end(1) - 1) for match in _MARKED.finditer(f"\n{read}")]
    if len(marked) > 1:
        return marked
    spans = [match.span() for match in re.finditer(r"\S[^\n]*", read)] if lines else []
    if len(spans) > 2 and all(end - start < 60 for start, end in spans):
        return [_item(read, start, end) for start, end in spans]
    return _enumerated(read)


def _enumerated(read: str) -> list[Item]:
    """Things between commas in a short answer of one sentence, behind a colon if it has one."""
    body = read.strip()
    if not 1 < len(body) < 600 or "," not in body or "\n" in body or ". " in body:
        return []
    start = read.find(body) + body.rfind(":") + 1
    items = []
    at = start
    end = read.find(body) + len(body)
    for match in _BETWEEN.finditer(read, start, end):
        items.append(_item(read, at, match.start()))
        at = match.end()
    items.append(_item(read, at, end))
    kept = [item for item in items if item.text]
    short = all(len(item.text.split()) <= 5 for item in kept)
    return kept if len(kept) > 1 and short and len(body.split()) <= _SHORT else []


def _item(read: str, start: int, end: int) -> Item:
    return Item(read[start:end].strip(_EDGES), start, end)
