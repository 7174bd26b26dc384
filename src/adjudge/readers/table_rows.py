"""One row of a Markdown table: its cells, and how a pipe stands inside one.

A pipe is escaped with a backslash. Backslashes mean themselves, except in a run before a pipe, where two are one.
"""

from __future__ import annotations

import re

_BEFORE_PIPE = re.compile(r"(?<!\\)(\\*+)\|")
_RULE = re.compile(r":?-+:?")


def escape_pipes(text: str) -> str:
    """The text as it can stand in a cell."""
    return _BEFORE_PIPE.sub(lambda match: match[1] * 2 + r"\|", text)


def split_row(line: str) -> list[str]:
    """The cells of a row without the space around them; the outer pipes may be missing."""
    line = line.strip()
    cells: list[str] = [""]
    at = 0
    for match in _BEFORE_PIPE.finditer(line):
        slashes = len(match[1])
        cells[-1] += line[at : match.start()] + "\\" * (slashes // 2)
        if slashes % 2:
            cells[-1] += "|"
        else:
            cells.append("")
        at = match.end()
    cells[-1] += line[at:]
    if len(cells) > 1 and not cells[-1]:
        cells.pop()
    if len(cells) > 1 and line.startswith("|"):
        cells.pop(0)
    return [cell.strip() for cell in cells]


def is_rule(cells: list[str]) -> bool:
    """Whether it is the line below a header: dashes, with colons that align a column."""
    return all(map(_RULE.fullmatch, cells))
