"""Read who speaks at the beginning of a line of plain text, in the ways in which people write it: `User: …`,
`**User:** …`, `[USER] …`, `User：…`, `[10:01] User: …`, `1. User: …`.

The names of the two sides in many languages are in `speakers.txt`. TOOL is the name of the assistant's tools.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

_SIDES = dict(
    line.split(": ", 1)
    for line in Path(__file__).with_name("speakers.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
)
USERS = frozenset(_SIDES["user"].split(", "))
AGENTS = frozenset(_SIDES["agent"].split(", "))
SPEAKERS = USERS | AGENTS | {"system"}
TOOL = "TOOL"

# Vowel signs of Indic scripts are no letters for `re`.
_WORD = r"[\w\u0900-\u0dff]"
# [10:01], (2026-11-17 10:01), 10:01, 10:01 AM, "12/03/26, 10:01 - "
_TIME = (
    r"(?:[\[(]\d[^\[\]()\n]{0,40}[\])]"
    r"|(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4},?[ T])?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp]\.?[Mm]\.?)?(?=[\s\-–—|]))"
)
# `User: …` as people write it: **User:** …, [USER] …, User：…, [10:01] User: …, 1. User: …, ### User: …
_LABEL = re.compile(
    rf"[ \t]*(?:#{{1,6}}[ \t]+)?(?P<number>\d{{1,4}}[.)][ \t]+)?(?P<time>{_TIME}[ \t]*(?:[-–—|][ \t]*)?)?"
    rf"(?P<bold>\*{{1,3}}|_{{1,3}})?(?P<bracket>[\[【])?(?P<name>[^\W\d]{_WORD}*(?:[ -](?!\d+:\d){_WORD}+)?)"
    rf"(?(bracket)[\]】])(?:(?P=bold))?[ \t]*(?:{_TIME}[ \t]*)?(?P<colon>[:：](?!//)(?:(?P=bold))?)?"
)


def plain(name: str) -> str:
    """Return a name as it is in `speakers.txt`: in lower case, with composed accents."""
    return normalize("NFC", name).lower()


@dataclass(frozen=True, slots=True)
class Label:
    """The name at the beginning of a line, where the utterance begins, and how the name is written."""

    name: str
    end: int
    style: str
    has_colon: bool

    @property
    def is_known(self) -> bool:
        # An answer may have a line "Tool: a screwdriver", so in text only capitals name a tool's step at any place.
        return plain(self.name) in SPEAKERS or self.name == TOOL

    def is_tool_after(self, role: str, lower_case: bool) -> bool:
        """Check whether "Tool: …" is a step of a tool because of what is before it: a user's turn, another such step,
        or labels in lower case like its own."""
        return plain(self.name) == "tool" and (plain(role) in USERS | {"tool"} or (lower_case and self.name == "tool"))

    def begins_like(self, first: Label) -> bool:
        """Check whether this label can begin a turn of a transcript that begins with `first`.

        "1. User: root" may be an item of a list and "[user] …" a placeholder, unless the transcript begins so.
        """
        return ("number" in self.style) == ("number" in first.style) and (self.has_colon or not first.has_colon)

    def may_name_a_speaker(self, line: str, first: Label) -> bool:
        """Check whether a line that is no turn may be one: "Banana: Hello", but also "Note: bring your passport".

        An indented line never is.
        """
        rest = line[self.end :]
        alike = self.is_known or (self.style == first.style and not {" ", "-"} & set(self.name) and rest.strip() != "")
        is_apart = rest[:1].isspace() or "：" in line[: self.end]
        return alike and is_apart and not line[:1].isspace()


def read_label(line: str) -> Label | None:
    """Read the name at the beginning of a line. Without a colon, it must be a speaker's in brackets."""
    # Accents may be characters of their own, which are no letters for `re`.
    composed = normalize("NFC", line)
    found = _LABEL.match(composed)
    if found is None:
        return None
    end = found.end() if composed == line else _length_of(found[0], line)
    style = " ".join(name for name in ("number", "time", "bold", "bracket") if found[name])
    label = Label(found["name"].strip("_"), end, style, found["colon"] is not None)
    return label if label.has_colon or (found["bracket"] and label.is_known) else None


def _length_of(head: str, line: str) -> int:
    """Return how many characters the beginning of a composed line has in the line as it was written."""
    left = len(normalize("NFD", head))
    for at, char in enumerate(line):
        if left <= 0:
            return at
        left -= len(normalize("NFD", char))
    return len(line)
