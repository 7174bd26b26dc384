"""Describes the beginning of a JSON text, which tells which tool wrote a file: the paths in it. Nothing is parsed."""

from __future__ import annotations

import re

# A string that is cut off is a token, too: otherwise each quote in it would be tried as the beginning of another.
_TOKEN = re.compile(r'"(?P<text>(?:[^"\\]++|\\.)*+)"?+(?P<colon>\s*+:)?+|(?P<sign>[{}\[\]])', re.DOTALL)
_BEGINNING = re.compile(r"\s*+(.?)", re.DOTALL)


def outline(text: str, depth: int = 3) -> dict[str, str]:
    """Return the paths in the beginning of a JSON text, such as `results.[].id`, and how each value begins: `{`, `"`.

    Of an array, the first item is described.
    """
    found: dict[str, str] = {}
    path: list[str] = []
    for token in _TOKEN.finditer(text):
        if token["colon"]:
            if path and path[-1] != "[]":
                path[-1] = token["text"]
                if len(path) <= depth:
                    found.setdefault(".".join(path), _BEGINNING.match(text, token.end())[1])  # type: ignore[index]
        elif token["sign"] in ("{", "["):
            path.append("" if token["sign"] == "{" else "[]")
        elif token["sign"]:
            if path:
                path.pop()
            if not path or path == ["[]"]:
                break
    return found
