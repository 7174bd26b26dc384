"""Characters that nobody sees: where they hide or turn text, and a text as it is read without them.

What a script, an emoji or a flag needs is ordinary; all else is certain, for nobody types it by accident.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from . import Spot
from .evidence import Folded

_SHOWN = 5  # places in one text
_DEEPEST = 125  # changes of direction inside each other: Unicode knows no more
# Characters without a shape. Emoji, Arabic, Indic and other scripts need some of them, and soft hyphens and marks of
# direction are ordinary. Hidden text is only this: some inside a word of a script that joins nothing, soft hyphens
# after three letters in a row, four or more together, and tag characters that are no flag.
_ZERO = "\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u3164\ufeff\uffa0"
_INVISIBLE = f"{_ZERO}\u00ad\u180b-\u180d\u202a-\u202e\u2065-\u206f\ufe00-\ufe0f\U000e0000-\U000e0fff"
_JOINS_NOTHING = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u3040-\u30ff\u4e00-\u9fff"
_HIDDEN = re.compile(
    f"(?=[{_ZERO}\u00ad\ufe00-\ufe0f\U0001f3f4\U000e0000-\U000e01ef])"  # most characters are passed over by this alone
    "(?:\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
    f"|(?P<hidden>(?<=[{_JOINS_NOTHING}])[{_ZERO}]+(?=[{_JOINS_NOTHING}])|[{_ZERO}]{{4,}}"
    "|(?:(?<=[^\\W\\d_])\u00ad[^\\W\\d_](?=\u00ad)){2,}\u00ad"
    "|[\U000e0000-\U000e007f]+|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}))"
)
_BIDI = re.compile("[\n\u202a-\u202e\u2066-\u2069]")
_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝᴏΑΒΕΖΗΙΚΜΝΟΡΤΥΧονАВЕКМНОРСТУХІЈЅİ", "aeopcyxijsdhqwoABEZHIKMNOPTYXovABEKMHOPCTYXIJSI"
)
_PLAIN = re.compile("[\x00-\x7f–—‘’“”•À-ÖØ-öø-ÿ]*")  # most texts are read as they are written
# Each stands for a unit or a phrase of up to eighteen letters: no text is spelled with them, but it would grow.
_PHRASES = re.compile("[\u3300-\u33ff\ufdf0-\ufdfc]")


def find_hidden(text: str) -> list[Spot]:
    """Characters that nobody sees and that no script, emoji or flag needs where they stand."""
    if text.isascii() or not _UNSEEN.search(text):
        return []
    hidden = (match.span() for match in _HIDDEN.finditer(text) if match["hidden"])
    places = sorted([*islice(hidden, _SHOWN), *islice(_turned(text), _SHOWN)])[:_SHOWN]
    return [Spot(low, high, f"hides or turns text with {_named(text[low:high])}", True) for low, high in places]


def _turned(text: str) -> Iterator[tuple[int, int]]:
    """Characters that override the direction of text, or change it and do not change it back in their paragraph."""
    opened: list[tuple[int, int]] = []
    for match in _BIDI.finditer(text + "\n"):
        if match[0] in "\u202d\u202e":
            yield match.span()
        elif match[0] == "\n":
            yield from opened
            opened = []
        elif match[0] not in "\u202c\u2069":
            if len(opened) == _DEEPEST:
                yield match.span()
            else:
                opened.append(match.span())
        elif opened:
            opened.pop()


def _named(hidden: str) -> str:
    char = next(filter(_UNSEEN.match, hidden))
    return f"{unicodedata.name(char, 'tag characters').lower()} (U+{ord(char):04X})"


def without_hidden(text: str) -> str:
    """The text without these characters; letters between them stay."""
    if not find_hidden(text):
        return text
    turned = {low for low, _ in _turned(text)}
    text = "".join(char for at, char in enumerate(text) if at not in turned) if turned else text
    return _HIDDEN.sub(lambda match: _UNSEEN.sub("", match[0]) if match["hidden"] else match[0], text)


def as_read(text: str) -> Folded:
    """A text in its compatible form (NFKC), lookalikes of Latin letters as these, without invisible characters."""
    return Folded(text, _fold, same=_PLAIN.fullmatch(text) is not None)


def _fold(text: str, _: str) -> str:
    if text.isascii():
        return text
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", _PHRASES.sub(" ", text))).translate(_LOOKALIKES)


# -- what a terminal obeys ---------------------------------------------------------------------------------------------

# Controls that move the cursor, recolour, or turn the direction of what follows, and halves of surrogate pairs, which
# no file can hold. Tab and line feed stay.
_TURNS = "\u202a-\u202e\u2066-\u2069"
_CONTROLS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_TURNS}]")
# A CSI sequence holds only parameters, so it goes whole. Of other sequences (a title, a link) only the escape
# character goes: what they carried is text the judge has read, and must not vanish from the report.
_CSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\u0085]")


def clean(text: str) -> str:
    """The text without control characters, escape sequences and direction overrides; every line end is a line feed."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLS.sub("", _CSI.sub("", _LINE_ENDS.sub("\n", text)))
