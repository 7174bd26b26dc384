"""Tagged text: the nine slots between `<PROMPT>` and `</PROMPT>`, and the names of the blocks of a finished review.

A tag is alone on its line; a table may be closed in a row of its own (`| </RESPONSE1_ORIGINAL_RATINGS> | | |`), as
Markdown formatters leave it. Nothing is guessed: where a slot's text holds such a line itself, the file is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...errors import InputError
from ...models import Label
from ...models.cases import Review
from ...rubric import Rubric
from ..text import quote
from .slots import RATINGS, SLOTS, SlotValue, review_of, slot_from

# The finished review, in the order in which its blocks are written.
TABLES: Mapping[Label, str] = {"A": "RESPONSE1_FIXED_TABLE", "B": "RESPONSE2_FIXED_TABLE"}
PREFERENCE = "FINAL_LIKERT_AND_JUSTIFICATION"
CHANGELOG = "CHANGELOG"
LESSONS = "SBQ"
BLOCKS = (*TABLES.values(), PREFERENCE, CHANGELOG, LESSONS)
INVALID = "INVALID TASK"
HEAD = "# review "

_OURS = rf"(?=/?(?i:{'|'.join((*BLOCKS, *map(str.upper, SLOTS)))})\s*>)"
# Also what somebody else wrote escaped: it gets one `amp;` more, so that escaping can be undone.
_BARE = re.compile(rf"<{_OURS}|&(?:amp;)*lt;{_OURS}")

_NAMES = "|".join(slot.upper() for slot in SLOTS)
_TAG = re.compile(rf"\s*<(?P<close>/?)(?P<name>{_NAMES})>\s*")
_ON_ONE_LINE = re.compile(rf"\s*<(?P<name>{_NAMES})>(?P<text>.*)</(?P=name)>\s*", re.DOTALL)
_ANY_TAG = re.compile(rf"</?(?:{_NAMES})>")
_USE_JSON = "tags are alone on their line, each slot once; use JSON for text that holds such lines"


def hide_tags(text: str) -> str:
    """The text with `&lt;` for the `<` of our own tags, so that whoever looks for a tag finds only ours."""
    return _BARE.sub(lambda match: "&lt;" if match[0] == "<" else f"&amp;{match[0][1:]}", text)


def has_tags(lines: Sequence[str]) -> bool:
    """Whether any line is a tag."""
    return any(_TAG.fullmatch(line) or _ON_ONE_LINE.fullmatch(line) for line in lines if "<" in line)


def read_tags(lines: Sequence[str], place: str, rubric: Rubric) -> Review:
    """The review in tagged slots, in any order; one that is absent or empty is not provided."""
    read: dict[str, SlotValue] = {}
    for name, (first, text) in slot_texts(lines, place).items():

        def at(line: int, first: int = first) -> str:
            return f"{place}:{first + line - 1}"

        try:
            read[name] = slot_from(name, text, rubric, at)
        except InputError as error:
            if error.place.startswith(f"{place}:"):
                raise
            # The error knows the slot, not the file.
            raise type(error)(at(1), f"{error.place}: {error.found}", error.allowed) from None
    return review_of(read)


def slot_texts(lines: Sequence[str], place: str) -> dict[str, tuple[int, str]]:
    """The text of each slot and the line it begins on."""
    slots: dict[str, tuple[int, str]] = {}
    opened, since = "", 0
    for number, line in enumerate(lines, 1):
        if opened and "<" not in line:
            continue
        tag = _TAG.fullmatch(line) or (_TAG.fullmatch(line.replace("|", " ")) if opened.lower() in RATINGS else None)
        whole = None if opened or tag else _ON_ONE_LINE.fullmatch(line)
        found = tag or whole
        name, problem = found["name"] if found else "", ""
        if tag and opened:
            if not tag["close"]:
                problem = f"<{name}> opens inside <{opened}> of line {since}"
            elif name != opened:
                problem = f"</{name}> inside <{opened}> of line {since}"
            slots[opened.lower()] = (since + 1, "\n".join(lines[since : number - 1]).removesuffix("\r"))
            opened = ""
        elif tag and tag["close"]:
            problem = f"</{name}> closes nothing"
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
