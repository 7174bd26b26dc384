"""The lists, tables, headings and paragraphs of a text, as far as its lines show them.

It counts what stands there; what was asked for is not its business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from .sentences import code_spans, hide_code

READ = 30_000  # characters, some five thousand words; what was asked for is counted in tens
_LINES = 3000
# One word may stand before the number, in any language: "Step 1:", "Paso 1:", "第1步", "Day 1 - ".
_NUMBERED = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>#{1,6}[ \t]+)?(?:\*\*|__)?(?P<lead>[^\W\d_][^\s\d(\[{<=/.,:;]{0,20}\s?#?(?=\d))?"
    r"(?:\((?P<a>\d{1,3})\)|（(?P<b>\d{1,3})）|(?P<c>\d{1,3})"
    r"(?:[.)．、）]|[ \u00a0\u202f]?[:：]|\\\.|[ ]?[-–][ ]| ?[条点步]\b)|(?P<d>[①-⑳])|(?P<e>[1-9])\ufe0f?\u20e3)(?!\d)"
)
_BARE_HEADING_NUMBER = re.compile(r"(?P<indent>)(?P<mark>#{1,6}[ \t]+)(?:\*\*)?(?P<c>\d{1,3})\b")
_BULLET = re.compile(r"(?P<indent>[ \t]*)[-*•+–·●▪◦‣・➢✓✔][ \t]+\S|(?P<tight>[ \t]*)[•●▪・]\S")
_HEADING = re.compile(r"#{1,6}[ \t]+\S|\*\*[^*\n]{1,100}\*\*:?[ \t]*$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_BOLD_LEAD = re.compile(r"\*\*[^*\n]{1,100}\*\*[ \t]*[:：–-]|\*\*[^*\n]{1,100}[:：]\*\*")


@dataclass(frozen=True, slots=True)
class Listing:
    """One run of items of one style, and how much of the text it is."""

    style: str  # "numbered", "bulleted", "table"
    count: int
    start: int
    end: int


class Structure(NamedTuple):
    """What the lines of a text show."""

    listings: tuple[Listing, ...]
    headings: int
    bold_leads: int
    has_code: bool
    lines: int  # that hold something
    length: int


@dataclass(slots=True, eq=False)
class _Line:
    start: int
    text: str
    kind: str = "prose"
    indent: int = 0
    number: int = 0
    lead: str = ""  # the word before the number


def read_structure(text: str) -> Structure:
    """The structure of a text's beginning, without what stands in code fences."""
    body = text[:READ]
    has_code = bool(code_spans(body))
    body = hide_code(body)
    lines = _lines(body)
    listings = [*_numbered(lines, len(body)), *_bulleted(lines, len(body)), *_tables(lines)]
    return Structure(
        listings=tuple(sorted(listings, key=lambda listing: listing.start)),
        headings=sum(1 for line in lines if line.kind == "heading"),
        bold_leads=sum(1 for line in lines if _BOLD_LEAD.match(line.text)),
        has_code=has_code,
        lines=len(lines),
        length=len(body),
    )


def _lines(body: str) -> list[_Line]:
    lines, at = [], 0
    for raw in body.split("\n"):
        if raw.strip():
            lines.append(_classified(at, raw))
            if len(lines) >= _LINES:
                break
        at += len(raw) + 1
    return lines


def _classified(start: int, raw: str) -> _Line:
    match = _NUMBERED.match(raw) or _BARE_HEADING_NUMBER.match(raw)
    if match is not None:
        groups = match.groupdict()
        written = next((groups[name] for name in "abcde" if groups.get(name)), "0")
        number = ord(written) - ord("①") + 1 if "①" <= written <= "⑳" else int(written)
        return _Line(start, raw, "numbered", _width(groups["indent"]), number, (groups.get("lead") or "").strip())
    bullet = _BULLET.match(raw)
    if bullet is not None:
        return _Line(start, raw, "bulleted", _width(bullet["indent"] or bullet["tight"] or ""))
    if _HEADING.match(raw):
        return _Line(start, raw, "heading")
    if "|" in raw:
        return _Line(start, raw, "table")
    return _Line(start, raw, "prose", _width(raw[: len(raw) - len(raw.lstrip())]))


def _width(indent: str) -> int:
    return len(indent.replace("\t", "    "))


def _numbered(lines: list[_Line], length: int) -> list[Listing]:
    """Runs 1, 2, 3, … at one indent and behind one word; numbers further in belong to an item."""
    marked = [line for line in lines if line.kind == "numbered"]
    runs: list[list[_Line]] = []
    for lead in dict.fromkeys(line.lead for line in marked):
        runs += _numbered_runs([line for line in marked if line.lead == lead], min(line.indent for line in marked))
    kept = [run for run in runs if len(run) > 1 or run[0].number == 1]
    return [Listing("numbered", len(run), run[0].start, _run_end(lines, run, length)) for run in kept]


def _numbered_runs(marked: list[_Line], indent: int) -> list[list[_Line]]:
    runs: list[list[_Line]] = []
    for line in marked:
        if line.indent > indent + 1:
            continue
        # "1." for every item is how some write a list and let it be numbered when shown.
        if runs and (
            line.number == runs[-1][-1].number + 1
            or (line.number == 1 and all(before.number == 1 for before in runs[-1]))
        ):
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _bulleted(lines: list[_Line], length: int) -> list[Listing]:
    """Runs of bullets at the outer indent with only their own deeper lines between; none inside numbered items."""
    runs: list[list[_Line]] = []
    open_run = False
    numbered = False
    for line in lines:
        if line.kind == "numbered":
            # Under "Day 1:" the bullets may well be the items; under "1." they belong to the item.
            numbered, open_run = not line.lead, False
        elif line.kind == "bulleted":
            if numbered:
                continue
            if open_run and line.indent > runs[-1][0].indent + 1:
                continue
            if not open_run:
                runs.append([])
                open_run = True
            runs[-1].append(line)
        elif line.kind == "heading" or (line.kind == "prose" and line.indent == 0):
            open_run = False
            numbered = numbered and line.kind != "heading"
    return [Listing("bulleted", len(run), run[0].start, _run_end(lines, run, length)) for run in runs]


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


def _run_end(lines: list[_Line], run: list[_Line], length: int) -> int:
    """The end of the last item, with the indented lines that belong to it."""
    index = lines.index(run[-1])
    end = run[-1].start + len(run[-1].text)
    for line in lines[index + 1 :]:
        if line.kind == "prose" and line.indent <= run[-1].indent:
            break
        if line.kind == "heading" or (
            line.kind == "bulleted" and run[-1].kind == "bulleted" and line.indent <= run[-1].indent
        ):
            break
        end = line.start + len(line.text)
    return min(end, length)
