"""Find the lists, tables, headings and dividers of a text, as far as its lines show them.

This module counts what is there. It does not know what was asked for.
"""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass
from typing import NamedTuple

from .sentences import code_spans, hide_code

READ = 30_000  # characters, about five thousand words; tasks ask for tens of items, not for more
_LINES = 3000
# There may be one word before the number, in any language: "Step 1:", "Paso 1:", "第1步", "Day 1 - ".
_NUMBERED = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>#{1,6}[ \t]+)?(?:\*\*|__)?(?P<lead>[^\W\d_][^\s\d(\[{<=/.,:;]{0,20}\s?#?(?=\d))?"
    r"(?:\((?P<a>\d{1,3})\)|（(?P<b>\d{1,3})）|(?P<c>\d{1,3})"
    r"(?:[.)．、）]|[ \u00a0\u202f]?[:：]|\\\.|[ ]?[-–][ ]| ?[条点步]\b)|(?P<d>[①-⑳])|(?P<e>[1-9])\ufe0f?\u20e3)(?!\d)"
)
_BARE_HEADING_NUMBER = re.compile(r"(?P<indent>)(?P<mark>#{1,6}[ \t]+)(?:\*\*)?(?P<c>\d{1,3})\b")
_BULLET = re.compile(r"(?P<indent>[ \t]*)[-*•+–·●▪◦‣・➢✓✔][ \t]+\S|(?P<tight>[ \t]*)[•●▪・]\S")
_HEADING = re.compile(r"#{1,6}[ \t]+\S|\*\*[^*\n]{1,100}\*\*:?[ \t]*$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_MARK = re.compile(r"[ \t]*(?:#{1,6}|[-*•+–·●▪◦‣・➢✓✔])[ \t]+|[ \t]*[•●▪・]")
_HASHES = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
# A line of three or more equal signs, or three asterisks between spaces.
_SIGNS = "|".join(rf"(?:{sign}[ \t]*+){{3,}}+" for sign in ("\\*", "-", "_", "=", "~", "—"))
DIVIDER = re.compile(rf"^[ \t]*+(?:{_SIGNS}|⁂[ \t]*+)$|(?<!\S)\*{{3}}(?!\S)", re.MULTILINE)
_BOLD_LEAD = re.compile(r"\*\*[^*\n]{1,100}\*\*[ \t]*[:：–-]|\*\*[^*\n]{1,100}[:：]\*\*")


@dataclass(frozen=True, slots=True)
class Listing:
    """A list or table: a run of items of one style, at `text[start:end]`.

    `nested` is the number of items inside its items; `bullets` is how many of them may be the list itself:
    bullets in a numbered list, or items of which the first is on the line of the outer one ("2. 1. First step").
    """

    style: str  # "numbered", "bulleted", "table"
    count: int
    start: int
    end: int
    nested: int = 0
    bullets: int = 0


class Structure(NamedTuple):
    """The lists, tables and headings that the lines of a text show."""

    listings: tuple[Listing, ...]
    headings: int
    bold_leads: int
    has_code: bool


@dataclass(slots=True, eq=False)
class _Line:
    start: int
    text: str
    kind: str = "prose"
    indent: int = 0
    number: int = 0
    lead: str = ""  # the word before the number
    on_the_line: bool = False  # of another item


def read_structure(text: str) -> Structure:
    """Return the structure of the beginning of a text, without its code blocks."""
    lines = _read_lines(text)
    return Structure(
        listings=tuple(sorted([*_lists(lines), *_tables(lines)], key=lambda listing: listing.start)),
        headings=sum(1 for line in lines if line.kind == "heading"),
        bold_leads=sum(1 for line in lines if _BOLD_LEAD.match(line.text)),
        has_code=bool(code_spans(text[:READ])),
    )


def count_list_items(text: str) -> int:
    """Return how many items the lists of a text have, as `read_structure` finds them; rows of tables do not count."""
    return sum(listing.count for listing in _lists(_read_lines(text)))


def _read_lines(text: str) -> list[_Line]:
    lines, at = [], 0
    for raw in hide_code(text[:READ]).split("\n"):
        if raw.strip():
            lines.append(_classified(at, raw))
        at += len(raw) + 1
    return lines[:_LINES]


def _lists(lines: list[_Line]) -> list[Listing]:
    marked = [line for line in lines if line.kind in ("numbered", "bulleted")]
    if not marked:
        return []
    runs = [*_numbered(lines), *_bulleted(lines)]
    outer = {line.start for run in runs for line in run}
    inner = [line for line in marked if line.start not in outer]
    # "2. 1. First step": the first inner item may be on the line of the outer one.
    inner += [first for run in runs for line in run if (first := _on_the_same_line(line)) is not None]
    inner.sort(key=lambda line: line.start)
    return [_listing(lines, run, inner) for run in runs]


def read_line(line: str) -> tuple[str, str]:
    """Return the kind of a line (heading, item, table or prose) and its text without the mark before it."""
    kind = _classified(0, line).kind
    if kind == "numbered" and (match := _NUMBERED.match(line) or _BARE_HEADING_NUMBER.match(line)):
        return "heading" if _HASHES.match(line) else "item", line[match.end() :]
    marked = _MARK.match(line) if kind in ("bulleted", "heading") else None
    return {"bulleted": "item"}.get(kind, kind), line[marked.end() :] if marked else line


def _classified(start: int, raw: str) -> _Line:
    match = _NUMBERED.match(raw) or _BARE_HEADING_NUMBER.match(raw)
    if match is not None:
        groups = match.groupdict()
        written = next((groups[name] for name in "abcde" if groups.get(name)), "0")
        number = ord(written) - ord("①") + 1 if "①" <= written <= "⑳" else int(written)
        return _Line(start, raw, "numbered", _width(groups["indent"]), number, (groups.get("lead") or "").strip())
    if (bullet := _BULLET.match(raw)) and not DIVIDER.match(raw):  # "* * *" is no item
        return _Line(start, raw, "bulleted", _width(bullet["indent"] or bullet["tight"] or ""))
    if _HEADING.match(raw):
        return _Line(start, raw, "heading")
    return _Line(start, raw, "table" if "|" in raw else "prose", _width(raw[: len(raw) - len(raw.lstrip())]))


def _on_the_same_line(line: _Line) -> _Line | None:
    """Return the item that begins inside a numbered line, after its number."""
    mark = _NUMBERED.match(line.text) if line.kind == "numbered" else None
    if mark is None:
        return None
    inside = _classified(line.start + mark.end(), line.text[mark.end() :].lstrip())
    inside.on_the_line = True
    return inside if inside.kind == "bulleted" or (inside.kind == "numbered" and inside.number == 1) else None


def _width(indent: str) -> int:
    return len(indent.replace("\t", "    "))


def _numbered(lines: list[_Line]) -> list[list[_Line]]:
    """Return runs 1, 2, 3, … at the outer indent and with the same word before. Deeper numbers belong to an item."""
    marked = [line for line in lines if line.kind == "numbered"]
    indent = min((line.indent for line in marked), default=0)
    outer = [line for line in marked if line.indent <= indent + 1]
    runs: list[list[_Line]] = []
    for lead in dict.fromkeys(line.lead for line in outer):
        run: list[_Line] = []
        for line in outer:
            if line.lead != lead:
                continue
            # In Markdown, a list may have "1." for every item and be numbered when it is shown.
            follows = run and (line.number == run[-1].number + 1 or line.number == run[-1].number == run[0].number == 1)
            if not follows:
                run = []
                runs.append(run)
            run.append(line)
    return [run for run in runs if len(run) > 1 or run[0].number == 1]


def _bulleted(lines: list[_Line]) -> list[list[_Line]]:
    """Return runs of bullets at the outer indent, with only deeper lines between them. Skip those in numbered items."""
    runs: list[list[_Line]] = []
    open_run = numbered = False
    for line in lines:
        if line.kind == "numbered":
            # Under "Day 1:" the bullets may be the items themselves. Under "1." they belong to the numbered item.
            numbered, open_run = not line.lead, False
        elif line.kind == "bulleted" and not numbered:
            if not open_run:
                runs.append([line])
                open_run = True
            elif line.indent <= runs[-1][0].indent + 1:
                runs[-1].append(line)
        elif line.kind == "heading":
            numbered = open_run = False
        elif line.kind == "prose" and line.indent == 0:
            open_run = False
    return runs


def _listing(lines: list[_Line], run: list[_Line], inner: list[_Line]) -> Listing:
    """Return a run as a listing, with the items inside its items."""
    start, end = run[0].start, _run_end(lines, run)
    low, high = (bisect(inner, at, key=lambda line: line.start) for at in (start, end))
    inside = inner[low:high]
    own = any(line.on_the_line for line in inside)
    bullets = sum(own or line.kind == "bulleted" for line in inside) if run[0].kind == "numbered" else 0
    return Listing(run[0].kind, len(run), start, end, high - low, bullets)


def _tables(lines: list[_Line]) -> list[Listing]:
    tables: list[Listing] = []
    run: list[_Line] = []
    for line in [*lines, _Line(0, "", "end")]:
        if line.kind == "table" or (run and _TABLE_RULE.match(line.text)):
            run.append(line)
            continue
        rows = [row for row in run if not _TABLE_RULE.match(row.text)]
        if rows and any(_TABLE_RULE.match(row.text) for row in run[:3]):
            tables.append(Listing("table", len(rows) - 1, run[0].start, run[-1].start + len(run[-1].text)))
        run = []
    return tables


def _run_end(lines: list[_Line], run: list[_Line]) -> int:
    """Return the end of the last item, including the indented lines that belong to it."""
    last = run[-1]
    end = last.start + len(last.text)
    ends_it = ("prose", "bulleted") if last.kind == "bulleted" else ("prose",)
    for line in lines[lines.index(last) + 1 :]:
        if line.kind == "heading" or (line.kind in ends_it and line.indent <= last.indent):
            break
        end = line.start + len(line.text)
    return end
