"""Find invisible characters that hide text or change its direction, and remove or normalize them.

Those that a script, an emoji or a flag needs are ordinary. All others are certain: nobody types them by accident.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from . import Spot
from .evidence import Folded

_SHOWN = 5  # places in one text
_DEEPEST = 125  # nested changes of direction; Unicode allows no more
# Characters without a shape. Emoji, Arabic, Indic and other scripts need some of them, and soft hyphens and direction
# marks are ordinary. Only these count as hidden text: such characters inside a word of a script that does not join
# letters, soft hyphens after three letters in a row, four or more together, and tag characters that form no flag.
_ZERO = "\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u3164\ufeff\uffa0"
_INVISIBLE = f"{_ZERO}\u00ad\u180b-\u180d\u202a-\u202e\u2065-\u206f\ufe00-\ufe0f\U000e0000-\U000e0fff"
_JOINS_NOTHING = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u3040-\u30ff\u4e00-\u9fff"
_HIDDEN = re.compile(
    f"(?=[{_ZERO}\u00ad\ufe00-\ufe0f\U0001f3f4\U000e0000-\U000e01ef])"  # skips most characters quickly
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
_PLAIN = re.compile("[\x00-\x7f–—‘’“”•À-ÖØ-öø-ÿ]*")  # a text of these needs no folding; most texts are like that
# Each is a unit or a phrase of up to eighteen letters. Nobody spells text with them, and NFKC would make it grow.
_PHRASES = re.compile("[\u3300-\u33ff\ufdf0-\ufdfc]")


def find_hidden(text: str) -> list[Spot]:
    """Return the places with invisible characters that no script, emoji or flag needs there."""
    if text.isascii() or not _UNSEEN.search(text):
        return []
    hidden = (match.span() for match in _HIDDEN.finditer(text) if match["hidden"])
    places = sorted([*islice(hidden, _SHOWN), *islice(_turned(text), _SHOWN)])[:_SHOWN]
    return [Spot(low, high, f"hides or turns text with {_named(text[low:high])}", True) for low, high in places]


def _turned(text: str) -> Iterator[tuple[int, int]]:
    """Yield characters that override the text direction, or change it without changing it back in their paragraph."""
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
    """Return the text without the characters that `find_hidden` reports. Letters between them stay."""
    if not find_hidden(text):
        return text
    turned = {low for low, _ in _turned(text)}
    text = "".join(char for at, char in enumerate(text) if at not in turned) if turned else text
    return _HIDDEN.sub(lambda match: _UNSEEN.sub("", match[0]) if match["hidden"] else match[0], text)


def as_read(text: str) -> Folded:
    """Return the text as people read it: in NFKC, with Latin letters for lookalikes, without invisible characters."""
    return Folded(text, _fold, same=_PLAIN.fullmatch(text) is not None)


def _fold(text: str, _: str) -> str:
    if text.isascii():
        return text
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", _PHRASES.sub(" ", text))).translate(_LOOKALIKES)


# -- terminal control characters ---------------------------------------------------------------------------------------

# Controls that move the cursor, change colours or the direction of text, and lone surrogates, which no file can hold.
# Tab and line feed are kept.
_TURNS = "\u202a-\u202e\u2066-\u2069"
_CONTROLS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_TURNS}]")
# A CSI sequence holds only parameters, so all of it is removed. Of other sequences (a title, a link) only the escape
# character is removed: the rest is text that the judge has read, and the report must show it.
_CSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\u0085]")


def clean(text: str) -> str:
    """Return the text without control characters, escape sequences and direction overrides, with LF line ends."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLS.sub("", _CSI.sub("", _LINE_ENDS.sub("\n", text)))
