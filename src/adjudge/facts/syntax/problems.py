"""What a syntax check returns, and what the checks share: how answers leave things out of their code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..patterns import put_off


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a piece of code does not parse; not certain where a dialect, a version or a snippet may explain it."""

    line: int
    message: str
    certain: bool


# A line that only says that something is left out: "...", "// ... rest of the code", "[your code here]".
ELIDED_LINE = put_off(
    r"^[ \t]*(?:(?:#|//|--|/\*|<!--)?[ \t]*(?:\.{3,}|…+).*|\[[A-Za-z][^\]\n]*\]|"
    r"<[A-Za-z][^<>=/\n]* [^<>=/\n]*>)[ \t]*$",
    re.MULTILINE,
)
ELIDED = put_off(r"\.{3}|…")
# A hole for the reader to fill: <your key>, <file>, {{name}}, [placeholder].
HOLE = put_off(
    r"<(?:your|my|the|path|file|name|url|host|port|user|key|value|id|pass|token|dir|src|dest|num|branch|commit|image|"
    r"container|project|package|version|insert|placeholder|replace|table|column|database|db)[^<>\n]{0,40}>"
    r"|\{\{[^{}\n]{1,60}\}\}|\{%[^\n]{1,80}%\}|<%.{0,80}?%>"
    r"|\[(?:your|insert|placeholder|replace|the|some)\b[^\]\n]{0,60}\]",
    re.IGNORECASE,
)


# Parsers written in C recurse without a limit: what nests this deep is no answer's code and is not given to them.
_DEEPEST = 150
_RUN = put_off(r"(?:[^\w\s\"']\s{0,4}){150}|\b(\w+)(?:\W{0,3}\b\1\b){80}")
_BRACKET = put_off(r"[()\[\]{}<>]")


def is_readable(code: str, limit: int) -> bool:
    """Is the code short and flat enough for a parser?"""
    if len(code) > limit or _RUN.search(code):
        return False
    depth = 0
    for match in _BRACKET.finditer(code):
        depth = depth + 1 if match[0] in "([{" else max(0, depth - (match[0] in ")]}"))
        if depth > _DEEPEST:
            return False
    return True


def has_elision(code: str) -> bool:
    """Does the code leave something out for the reader?"""
    return ELIDED_LINE.search(code) is not None or HOLE.search(code) is not None or "…" in code


def shortened(text: str, limit: int = 40) -> str:
    """A piece of code on one line, for a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
