"""Make text that others wrote safe to show: in a terminal, in Markdown.

HTML is escaped by the template engine; here is only what it does not know, such as control characters.
Nothing is interpreted: what is left is what a reader may see.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ..text.hidden import clean as clean

_MARKDOWN = re.compile(r"[\\`*_\[\]#|~$^]|(?<=\S)\.(?=[^\W\d_])|^\s*[-+]|^\s*\d+[.)](?=\s|$)|(?<=-)-")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", ":": "&#58;", "@": "&#64;"}
_ENTITY_CHARACTERS = re.compile(r"[&<>@]|:(?=\S)")


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
    # A list marker ("- ", "12. ") is matched with what stands before it; only its last character is special.
    line = _MARKDOWN.sub(lambda match: match[0][:-1] + "\\" + match[0][-1], one_line(text))
    return _ENTITY_CHARACTERS.sub(lambda match: _ENTITIES[match[0]], line)


def web_address(url: str) -> str | None:
    """The address if it is one a page may link to (http or https, and a host), else None."""
    address = clean(url).strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and parts.hostname else None
