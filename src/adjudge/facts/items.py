"""Has an answer as many items, sentences or paragraphs as were asked for?

Half or more missing, or twice as many as asked for, is major; less is minor. Certain only where there is one way to
count: one list of one style that is most of the answer, or prose whose sentences end without doubt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .markers import real_end
from .patterns import put_off
from .sentences import CLOSERS, SENTENCE_ENDS
from .spots import Spot
from .structure import READ, Structure, read_structure
from .wishes import ItemsWish

if TYPE_CHECKING:
    from ..verdicts import Severity

_END = put_off(r"(?:[.!?…]+[\"'”’»)\]*_]{0,3}(?=\s|\Z)|[。！？｡؟۔।॥]+[」』”’）]{0,2})")
# After these a full stop need not end a sentence, and what follows it may begin with a capital.
_ABBREVIATION = put_off(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|etc|vs|mr|mrs|ms|dr|prof|st|no|fig|approx|u\.s|u\.k|a\.m|p\.m|inc|ltd|jr|sr|sra|z\.b|"
    r"bzw|ca|usw|"
    r"ej|p\.ej|ud|m|mme|av|ecc|ex|cf|\d+))\Z",
    re.IGNORECASE,
)
# A line of speech: what one speaker says stands alone, however the paragraphs are counted.
_SPOKEN = put_off(r"^[ \t]*(?:[\"“„«「『‘'’]|[-–—][ \t]*\S|[^\W\d_][^\n:：]{0,24}[:：][ \t]*\S)", re.MULTILINE)
_BLANK_LINE = put_off(r"\n[ \t]*\n\s*")


def find_items(text: str, wish: ItemsWish) -> Spot | None:
    """That the number is another one than asked for; None where nothing countable was found."""
    end = real_end(text)
    body = text[:end]
    if not body or end > READ:
        return None
    if wish.unit == "sentences":
        return _sentences(body, wish)
    if wish.unit == "paragraphs":
        return _paragraphs(body, wish)
    return _items(body, wish)


def _items(body: str, wish: ItemsWish) -> Spot | None:
    structure = read_structure(body)
    listings = [listing for listing in structure.listings if listing.count > 0]
    if not listings or any(wish.is_met(count) for count in _ways_to_count(structure)):
        return None
    nearest = min(listings, key=lambda listing: abs(listing.count - wish.count))
    # A single entry is no list: "1. Introduction" and a lone dash say nothing of how many items there are.
    if nearest.count < 2:
        return None
    whole = (nearest.end - nearest.start) * 5 >= len(body) * 3
    one_way = len(listings) == 1 and not structure.has_code and structure.headings == 0 and nearest.style != "table"
    found = _found(
        nearest.count, wish, f"the {nearest.style} list has" if nearest.style != "table" else "the table has"
    )
    return Spot(nearest.start, nearest.end, found, one_way and whole, _severity(nearest.count, wish))


def _ways_to_count(structure: Structure) -> set[int]:
    counts = [listing.count for listing in structure.listings]
    # A title above or a closing line below may be one of the headings; several lists may be the items of one.
    headings = (structure.headings, structure.headings - 1, structure.headings - 2)
    return {way for way in (*counts, sum(counts), *headings, structure.bold_leads, len(counts)) if way > 1}


def _sentences(body: str, wish: ItemsWish) -> Spot | None:
    structure = read_structure(body)
    if structure.listings or structure.headings or structure.has_code:
        return None
    loose, strict = _count_sentences(body)
    if any(wish.is_met(count) for count in range(strict, loose + 1)):
        return None
    nearest = min((strict, loose), key=lambda count: abs(count - wish.count))
    # One of several parts that has them ("a slogan, then describe it in one sentence") may be the part that was meant.
    blocks = [block for block in _BLANK_LINE.split(body) if block.strip()]
    part = len(blocks) > 1 and any(wish.is_met(_count_sentences(block)[0]) for block in blocks)
    return Spot(0, len(body), _found(nearest, wish, "has"), loose == strict and not part, _severity(nearest, wish))


def _count_sentences(body: str) -> tuple[int, int]:
    """At most and at least so many sentences."""
    loose = strict = 0
    last = 0
    for match in _END.finditer(body):
        following = body[match.end() :][:40].lstrip()
        loose += 1
        last = match.end()
        sure = not following or not (following[0].islower() or following[0].isdigit())
        if not following or (
            sure and not (match[0][0] == "." and _ABBREVIATION.search(body[max(0, match.start() - 8) : match.start()]))
        ):
            strict += 1
    if body[last:].strip(CLOSERS + SENTENCE_ENDS + " \n\t"):
        loose += 1  # an end without a full stop: a heading, a signature or a sentence
        if not strict:
            strict = 1
    loose += sum(
        1
        for line in body.split("\n")[:-1]
        if line.strip() and line.rstrip().rstrip(CLOSERS)[-1:] not in tuple(SENTENCE_ENDS)
    )
    # A mark inside quotation marks may end the quotation only.
    strict -= len(re.findall(r"[.!?…。！？][\"”’»」』](?=\s*\S)", body))
    return loose, max(1, strict)


def _paragraphs(body: str, wish: ItemsWish) -> Spot | None:
    structure = read_structure(body)
    blocks = [block for block in _BLANK_LINE.split(body) if block.strip()]
    full = [block for block in blocks if "\n" in block.strip() or _ends(block)]
    lines = [line for line in body.split("\n") if line.strip()]
    counts = {len(blocks), len(full), len(lines)}
    least, most = min(counts), max(counts)
    if not full or any(wish.is_met(count) for count in range(least, most + 1)):
        return None
    nearest = min((least, most), key=lambda count: abs(count - wish.count))
    plain = not structure.listings and not structure.headings and not structure.has_code and not _SPOKEN.search(body)
    return Spot(0, len(body), _found(nearest, wish, "has"), plain and least == most, _severity(nearest, wish))


def _ends(block: str) -> bool:
    return block.rstrip().rstrip(CLOSERS)[-1:] in tuple(SENTENCE_ENDS)


def _severity(found: int, wish: ItemsWish) -> Severity:
    least, most = wish.bounds
    if least is not None and found < least:
        return "major" if (least - found) * 2 >= least else "minor"
    return "major" if most is not None and found >= most * 2 else "minor"


def _found(count: int, wish: ItemsWish, has: str) -> str:
    unit = wish.unit if count != 1 else wish.unit[:-1]
    asked = {"at_least": "at least ", "at_most": "at most ", "exactly": "", "range": ""}[wish.kind] + str(wish.count)
    if wish.kind == "range":
        asked += f" to {wish.upper}"
    verb = "was" if wish.count == 1 and wish.upper is None else "were"
    return f"{has} {count} {unit}; {asked} {verb} asked for"
