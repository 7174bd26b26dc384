"""The nine slots as tagged text: `<PROMPT>` alone on its line, the slot's text, `</PROMPT>` alone on its line.

A table may be closed in a row of its own (`| </RESPONSE1_ORIGINAL_RATINGS> | | |`), as formatters of Markdown leave it.
Nothing is guessed: where a slot's text holds such a line itself, the whole is refused by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..cases import Review
from ..errors import InputError
from ..rubric import Rubric
from .slots_table import At
from .slots_values import RATINGS, SLOTS, SlotValue, review_of, slot_from
from .transcript_entries import shorten

_NAMES = "|".join(slot.upper() for slot in SLOTS)
_TAG = re.compile(rf"\s*<(?P<close>/?)(?P<name>{_NAMES})>\s*")
_ON_ONE_LINE = re.compile(rf"\s*<(?P<name>{_NAMES})>(?P<text>.*)</(?P=name)>\s*", re.DOTALL)
_ANY_TAG = re.compile(rf"</?(?:{_NAMES})>")
_USE_JSON = "tags stand alone on their line, each slot once; use JSON for text that holds such lines"


@dataclass(frozen=True, slots=True)
class _Slot:
    text: str
    first_line: int


def has_tags(lines: Sequence[str]) -> bool:
    """Whether any line is a tag."""
    return any(_TAG.fullmatch(line) or _ON_ONE_LINE.fullmatch(line) for line in lines)


def read_tags(lines: Sequence[str], place: str, rubric: Rubric) -> Review:
    """The review in tagged slots, in any order; one that is absent or empty is not provided."""
    read: dict[str, SlotValue] = {}
    for name, slot in _split(lines, place).items():
        try:
            read[name] = slot_from(name, slot.text, rubric, _lines_from(place, slot.first_line))
        except InputError as error:
            if error.place.startswith(f"{place}:"):
                raise
            # A text that cannot be judged, or JSON in the slot: the error knows the slot, not the file.
            raise type(error)(f"{place}:{slot.first_line}", f"{error.place}: {error.found}", error.allowed) from None
    return review_of(read)


def _lines_from(place: str, first: int) -> At:
    return lambda line: f"{place}:{first + line - 1}"


def _split(lines: Sequence[str], place: str) -> dict[str, _Slot]:
    slots: dict[str, _Slot] = {}
    opened, since = "", 0
    for number, line in enumerate(lines, 1):
        here = f"{place}:{number}"
        tag = _TAG.fullmatch(line) or (opened in RATINGS and _TAG.fullmatch(line.replace("|", " "))) or None
        if opened:
            if tag is None:
                continue
            name = tag["name"].lower()
            if not tag["close"]:
                found = f"<{tag['name']}> opens inside <{opened.upper()}> of line {since}"
                raise InputError(here, found, _USE_JSON)
            if name != opened:
                raise InputError(here, f"</{tag['name']}> inside <{opened.upper()}> of line {since}", _USE_JSON)
            slots[opened] = _Slot("\n".join(lines[since : number - 1]).removesuffix("\r"), since + 1)
            opened = ""
        elif tag is not None:
            name = tag["name"].lower()
            if tag["close"]:
                raise InputError(here, f"</{tag['name']}> closes nothing", _USE_JSON)
            _once(slots, name, here)
            opened, since = name, number
        elif whole := _ON_ONE_LINE.fullmatch(line):
            _once(slots, whole["name"].lower(), here)
            if _ANY_TAG.search(whole["text"]):
                raise InputError(here, f"tags in the text of <{whole['name']}>", _USE_JSON)
            slots[whole["name"].lower()] = _Slot(whole["text"], number)
        elif line.strip():
            raise InputError(here, f"text outside of the slots: {shorten(line.strip())}", _USE_JSON)
    if opened:
        raise InputError(f"{place}:{since}", f"<{opened.upper()}> is never closed", _USE_JSON)
    return slots


def _once(slots: dict[str, _Slot], name: str, here: str) -> None:
    if name in slots:
        raise InputError(here, f"<{name.upper()}> stands twice", _USE_JSON)
