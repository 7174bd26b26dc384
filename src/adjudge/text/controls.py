"""Text without characters that a terminal obeys or that turn the direction of what follows."""

from __future__ import annotations

import re

# Controls that move the cursor, recolour, or turn the direction of what follows, and halves of surrogate pairs, which
# no file can hold. Tab and line feed stay.
_BIDI = "\u202a-\u202e\u2066-\u2069"
_CONTROLS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_BIDI}]")
# A CSI sequence holds only parameters, so it goes whole. Of other sequences (a title, a link) only the escape
# character goes: what they carried is text the judge has read, and must not vanish from the report.
_CSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\u0085]")


def clean(text: str) -> str:
    """The text without control characters, escape sequences and direction overrides; every line end is a line feed."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLS.sub("", _CSI.sub("", _LINE_ENDS.sub("\n", text)))
