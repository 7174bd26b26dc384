"""The blocks of a finished review as text → what they say: tables, preference, changelog, lessons; or why none.

It reads what we write, and the same with a table's closing tag in a row of its own. Names are as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.errors import InputError
from adjudge.inputs.text import quote
from adjudge.models.common import LABELS, Label
from adjudge.protocols.review.reading import BLOCKS, CHANGELOG, HEAD, INVALID, LESSONS, PREFERENCE, SLOTS, TABLES
from adjudge.protocols.review.reading.tables import is_rule, split_row

_TAG = re.compile(rf"<(/?)({'|'.join(BLOCKS)})>")
_OURS = rf"(?=/?(?i:{'|'.join((*BLOCKS, *map(str.upper, SLOTS)))})\s*>)"
_HIDDEN = re.compile(rf"&((?:amp;)*)lt;{_OURS}")
_WHOLE = re.compile(r"[-+−]?[0-9]{1,6}")
_ORDER = f"{', '.join(f'<{name}>' for name in BLOCKS)}, each once and in this order"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table."""

    dimension: str
    rating: int
    justification: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """What the blocks say; with `invalid`, why the task was not rated, and nothing else."""

    tables: Mapping[Label, tuple[Line, ...]] = field(default_factory=dict)
    likert: int | None = None
    justification: str = ""
    changelog: tuple[str, ...] = ()
    sbq: tuple[str, ...] = ()
    invalid: str | None = None


def _shown(text: str) -> str:
    return _HIDDEN.sub(lambda match: f"&{match[1][4:]}lt;" if match[1] else "<", text)


def read_blocks(text: str) -> Blocks:
    """What a finished review says; an error names its line."""
    lines = text.replace("\r\n", "\n").split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith(HEAD):
        lines[first] = ""
        first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].strip() == INVALID:
        return Blocks(invalid=_shown("\n".join(lines[first + 1 :]).strip()))
    blocks = _split(lines)
    likert, justification = _preference(*blocks[PREFERENCE])
    return Blocks(
        tables={label: _table(*blocks[TABLES[label]]) for label in LABELS},
        likert=likert,
        justification=justification,
        changelog=_items(blocks[CHANGELOG][1]),
        sbq=_items(blocks[LESSONS][1]),
    )


def _split(lines: Sequence[str]) -> dict[str, tuple[int, list[str]]]:
    """Each block's lines, and the number of the first."""
    blocks: dict[str, tuple[int, list[str]]] = {}
    opened = ""
    for number, line in enumerate(lines, 1):
        tag = _tag_in(line, opened)
        if tag is None:
            if opened:
                blocks[opened][1].append(line)
            elif line.strip():
                raise InputError(f"line {number}", f"text outside of the blocks: {quote(line.strip())}", _ORDER)
            continue
        closes, name = bool(tag[1]), tag[2]
        expected = opened if opened else next((block for block in BLOCKS if block not in blocks), "")
        if closes != bool(opened) or name != expected:
            raise InputError(f"line {number}", f"{tag[0]} out of place", _ORDER)
        if not closes:
            blocks[name] = (number + 1, [])
        opened = "" if closes else name
    if opened or len(blocks) < len(BLOCKS):
        missing = opened or next(block for block in BLOCKS if block not in blocks)
        raise InputError(f"line {len(lines)}", f"<{missing}> is " + ("never closed" if opened else "missing"), _ORDER)
    return blocks


def _tag_in(line: str, opened: str) -> re.Match[str] | None:
    if opened in TABLES.values():
        first, *rest = split_row(line)
        return None if any(rest) else _TAG.fullmatch(first)
    return _TAG.fullmatch(line.strip())


def _table(first: int, lines: Sequence[str]) -> tuple[Line, ...]:
    rows: list[Line] = []
    header = True
    for number, line in enumerate(lines, first):
        cells = split_row(line)
        if not any(cells) or is_rule(cells):
            continue
        if header:
            header = False
            continue
        if len(cells) != 3 or not _WHOLE.fullmatch(cells[1]):
            found = f"cannot read {quote(line.strip())}"
            raise InputError(f"line {number}", found, "| dimension | whole number | justification | is allowed")
        rows.append(Line(_shown(cells[0]), int(cells[1].replace("−", "-")), _shown(cells[2])))
    return tuple(rows)


def _preference(first: int, lines: Sequence[str]) -> tuple[int, str]:
    likert, _, rest = "\n".join(lines).strip().partition("\n")
    label, _, words = likert.partition(":")
    reason, colon, justification = rest.partition(":")
    if label != "Likert" or not _WHOLE.fullmatch(words.strip()) or reason != "Justification" or not colon:
        raise InputError(f"line {first}", "no preference", "Likert: a whole number, then Justification: a text")
    return int(words), _shown(justification.strip())


def _items(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(_shown(line.removeprefix("- ")) for line in lines if line.strip())
