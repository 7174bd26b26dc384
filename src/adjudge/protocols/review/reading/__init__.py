"""Reads reviews from nine tagged slots, JSON, JSONL, CSV and TSV.

The form is recognised by the beginning of the file. Drafts read single slots with `slot_from` and join them with
`merged`. A tag (`<PROMPT>`) is alone on its line. Markdown formatters may put a table's closing tag in a row
(`| </RESPONSE1_ORIGINAL_RATINGS> | | |`), which is accepted. A file whose slot texts contain such lines is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....errors import InputError
from ....inputs.delimited import id_in_cell, read_table, split_header
from ....inputs.json import json_items
from ....inputs.text import Unreadable, kind_of, quote
from ....models.common import Label
from ....rubric import Rubric
from ....text.decoding import decode
from ..case import Review
from .slots import (
    NEEDED,
    RATINGS,
    REVIEW_ID,
    SLOTS,
    SlotValue,
    folded,
    merged,
    review_from,
    review_of,
    slot_from,
    slots_in,
)

__all__ = [
    "NEEDED",
    "REVIEW_ID",
    "SLOTS",
    "has_tags",
    "merged",
    "read_reviews",
    "review_from",
    "slot_from",
    "slots_in",
    "without_own_tags",
]

FORMS = "slots in tags (<PROMPT>, <RESPONSE1>, …), JSON with their names, or CSV with such columns are allowed"
# The blocks of the finished review, in the order in which they are written.
TABLES: Mapping[Label, str] = {"A": "RESPONSE1_FIXED_TABLE", "B": "RESPONSE2_FIXED_TABLE"}
PREFERENCE = "FINAL_LIKERT_AND_JUSTIFICATION"
CHANGELOG = "CHANGELOG"
LESSONS = "SBQ"
BLOCKS = (*TABLES.values(), PREFERENCE, CHANGELOG, LESSONS)
INVALID = "INVALID TASK"
HEAD = "# review "

_OURS = rf"(?=/?(?i:{'|'.join((*BLOCKS, *map(str.upper, SLOTS)))})\s*>)"
# Matches tags that are already escaped too: they get one more `amp;`, so that escaping can be undone.
_BARE = re.compile(rf"<{_OURS}|&(?:amp;)*lt;{_OURS}")

_NAMES = "|".join(slot.upper() for slot in SLOTS)
_TAG = re.compile(rf"\s*<(?P<close>/?)(?P<name>{_NAMES})>\s*")
_ON_ONE_LINE = re.compile(rf"\s*<(?P<name>{_NAMES})>(?P<text>.*)</(?P=name)>\s*", re.DOTALL)
_ANY_TAG = re.compile(rf"</?(?:{_NAMES})>")
_USE_JSON = "write each tag on its own line and each slot once; use JSON for text that contains such lines"


def read_reviews(raw: bytes, place: str, rubric: Rubric) -> list[Review]:
    """Read the reviews of a file, at least one. `place` is the name of the file in errors."""
    text = decode(raw, place)
    # `splitlines` would also split at U+2028 and similar characters, which belong to the text.
    lines = text.split("\n")
    number, opening = next(((number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))

    def at(line: int) -> str:
        return f"{place}:{line}"

    names = split_header(opening)[1]
    if opening.startswith(("{", "[")):
        reviews = [_review(value, at(line), rubric) for line, _, value in json_items([text], at)]
    elif len(names) > 1 and any(folded(name) in NEEDED for name in names):
        rows = read_table((line + "\n" for line in lines), at)
        reviews = [_review(values, at(line), rubric) for line, _, values in rows]
        ids = [id_in_cell(review.review_id) if isinstance(review.review_id, str) else None for review in reviews]
        reviews = [review.updated(review_id=own) for review, own in zip(reviews, ids, strict=True)]
    elif has_tags(lines):
        reviews = [read_tags(lines, place, rubric)]
    elif opening:
        raise InputError(at(number), f"cannot read {quote(opening)}", FORMS)
    else:
        reviews = []
    if not reviews:
        raise InputError(place, "no review", FORMS)
    return reviews


def _review(value: Any, place: str, rubric: Rubric) -> Review:
    if isinstance(value, Unreadable):
        raise InputError(place, value.found, value.allowed)
    if not isinstance(value, dict):
        raise InputError(
            place, f"expected an object, found {kind_of(value)}", f"an object with {', '.join(SLOTS)} is needed"
        )
    try:
        review = review_from(value, rubric)
    except InputError as error:
        raise type(error)(place, f"{error.place}: {error.found}", error.allowed) from None
    if all(any(folded(name) == slot for name in value) for slot in NEEDED):
        return review
    from .rows import review_in_row

    return review_in_row(value, place, rubric) or review


# -- tags --------------------------------------------------------------------------------------------------------------


def hide_tags(text: str) -> str:
    """Escape the `<` of our tags in a text as `&lt;`, so that a parser finds only the tags that we write."""
    return _BARE.sub(lambda match: "&lt;" if match[0] == "<" else f"&amp;{match[0][1:]}", text)


def has_tags(lines: Sequence[str]) -> bool:
    """Check whether any line is a tag."""
    return any(_TAG.fullmatch(line) or _ON_ONE_LINE.fullmatch(line) for line in lines if "<" in line)


def read_tags(lines: Sequence[str], place: str, rubric: Rubric) -> Review:
    """Read a review from tagged slots in any order. An absent or empty slot counts as not provided."""
    read: dict[str, SlotValue] = {}
    for name, (first, text) in slot_texts(lines, place).items():

        def at(line: int, first: int = first) -> str:
            return f"{place}:{first + line - 1}"

        try:
            read[name] = slot_from(name, text, rubric, at)
        except InputError as error:
            if error.place.startswith(f"{place}:"):
                raise
            # The error names the slot; add the file and the line.
            raise type(error)(at(1), f"{error.place}: {error.found}", error.allowed) from None
    return review_of(read)


def without_own_tags(slot: str, text: str) -> str:
    """Return a slot's text without the slot's own tags around it, as people paste them from a tagged form.

    The closing tag of ratings may be in a table row, and their opening tag may be missing.
    """
    if "\n" not in text.strip() and (whole := _ON_ONE_LINE.fullmatch(text)):
        return whole["text"] if whole["name"].lower() == slot and not _ANY_TAG.search(whole["text"]) else text
    lines = text.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if not filled:
        return text
    first, last = filled[0], filled[-1]
    opens = _tag(lines[first], slot) == f"<{slot.upper()}>"
    closes = _tag(lines[last], slot) == f"</{slot.upper()}>"
    if not closes or not (opens or slot in RATINGS):
        return text
    if slot not in RATINGS:
        return "\n".join(lines[first + 1 : last])
    # Errors in ratings name the line, so the lines stay where they are.
    tags = {last, first} if opens else {last}
    return "\n".join("" if index in tags else line for index, line in enumerate(lines))


def _tag(line: str, slot: str) -> str:
    """Return a line of a slot without spaces and, in the table of ratings, without the pipes of a row."""
    return (line.replace("|", " ") if slot in RATINGS else line).strip()


def slot_texts(lines: Sequence[str], place: str) -> dict[str, tuple[int, str]]:
    """Return each slot's text and the line it begins on."""
    slots: dict[str, tuple[int, str]] = {}
    opened, since = "", 0
    for number, line in enumerate(lines, 1):
        if opened and "<" not in line:
            continue
        tag = _TAG.fullmatch(_tag(line, opened.lower()))
        whole = None if opened or tag else _ON_ONE_LINE.fullmatch(line)
        found = tag or whole
        name, problem = found["name"] if found else "", ""
        if tag and opened:
            if not tag["close"]:
                problem = f"<{name}> opens inside <{opened}>, which begins on line {since}"
            elif name != opened:
                problem = f"</{name}> inside <{opened}>, which begins on line {since}"
            slots[opened.lower()] = (since + 1, "\n".join(lines[since : number - 1]).removesuffix("\r"))
            opened = ""
        elif tag and tag["close"]:
            problem = f"</{name}> has no opening tag"
        elif name.lower() in slots:
            problem = f"<{name}> appears twice"
        elif tag:
            opened, since = name, number
        elif whole:
            problem = f"tags in the text of <{name}>" if _ANY_TAG.search(whole["text"]) else ""
            slots[name.lower()] = (number, whole["text"])
        elif not opened and line.strip():
            problem = f"text outside of the slots: {quote(line.strip())}"
        if problem:
            raise InputError(f"{place}:{number}", problem, _USE_JSON)
    if opened:
        raise InputError(f"{place}:{since}", f"<{opened}> is never closed", _USE_JSON)
    return slots
