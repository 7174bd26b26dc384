"""Make text that others wrote safe to show: in a terminal, in Markdown.

HTML is escaped by the template engine; here is only what it does not know, such as control characters.
Nothing is interpreted: what is left is what a reader may see.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# Controls that move the cursor, recolour, or turn the direction of what follows, and halves of surrogate pairs, which
# no file can hold. Tab and line feed stay.
_BIDI = "\u202a-\u202e\u2066-\u2069"
_CONTROLS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_BIDI}]")
# A CSI sequence holds only parameters, so it goes whole. Of other sequences (a title, a link) only the escape
# character goes: what they carried is text the judge has read, and must not vanish from the report.
_CSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\u0085]")

_MARKDOWN = re.compile(r"[\\`*_\[\]#|~$^]|(?<=\S)\.(?=[^\W\d_])|^\s*[-+]|^\s*\d+[.)](?=\s|$)|(?<=-)-")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", ":": "&#58;", "@": "&#64;"}
_ENTITY_CHARACTERS = re.compile(r"[&<>@]|:(?=\S)")


def clean(text: str) -> str:
    """The text without control characters, escape sequences and direction overrides; every line end is a line feed."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLS.sub("", _CSI.sub("", _LINE_ENDS.sub("\n", text)))


def one_line(text: str) -> str:
    """The clean text with every run of white space made one space."""
    return " ".join(clean(text).split())


def shorten(text: str, length: int) -> str:
    """The text on one line if it is short enough, else its beginning and an ellipsis."""
    line = one_line(text)
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def markdown(text: str) -> str:
    """The text as one line of Markdown that shows exactly its characters: no markup, no link, no new cell.

    Colons and at-signs become entities so that viewers that link bare addresses find none.
    """
    line = _MARKDOWN.sub(_with_backslash, one_line(text))
    return _ENTITY_CHARACTERS.sub(lambda match: _ENTITIES[match[0]], line)


def _with_backslash(match: re.Match[str]) -> str:
    # A list marker ("- ", "12. ") is matched with what stands before it; only its last character is special.
    return match[0][:-1] + "\\" + match[0][-1]


def web_address(url: str) -> str | None:
    """The address if it is one a page may link to (http or https, and a host), else None."""
    address = clean(url).strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and parts.hostname else None
