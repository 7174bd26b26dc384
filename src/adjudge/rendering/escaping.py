"""Makes untrusted text safe to show in a terminal and in Markdown.

The template engine escapes HTML; this module handles what it does not, such as control characters. Markup in a text is
never interpreted: readers see its characters.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ..text.hidden import clean as clean

_MARKDOWN = re.compile(r"[\\`*_\[\]#|~$^]|(?<=\S)\.(?=[^\W\d_])|^\s*[-+]|^\s*\d+[.)](?=\s|$)|(?<=-)-")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", ":": "&#58;", "@": "&#64;"}
_ENTITY_CHARACTERS = re.compile(r"[&<>@]|:(?=\S)")


def one_line(text: str) -> str:
    """Clean the text and replace every run of white space by one space."""
    return " ".join(clean(text).split())


def shorten(text: str, length: int) -> str:
    """Return the text on one line. If it is longer than `length`, cut it and end it with an ellipsis."""
    line = one_line(text)
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def beginning(text: str, length: int) -> str:
    """Return the text on one line. If it is longer than `length`, end it after a whole word and an ellipsis."""
    line = " ".join(one_line(text).split())
    cut = shorten(line, length)
    if cut == line:
        return line
    whole = cut[:-1] if line[len(cut) - 1] == " " else cut[:-1].rpartition(" ")[0]
    return f"{whole.rstrip(' .,;:')}…" if len(whole) > length // 2 else cut


def markdown(text: str) -> str:
    """Escape the text as one line of Markdown that shows exactly its characters: no markup, no link, no new cell.

    Colons and at-signs become entities, so that viewers do not turn bare addresses into links.
    """
    # A list marker ("- ", "12. ") is matched as a whole, but only its last character needs a backslash.
    line = _MARKDOWN.sub(lambda match: match[0][:-1] + "\\" + match[0][-1], one_line(text))
    return _ENTITY_CHARACTERS.sub(lambda match: _ENTITIES[match[0]], line)


def web_address(url: str) -> str | None:
    """Return the address if a page may link to it (http or https, with a host), else None."""
    address = clean(url).strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and parts.hostname else None
