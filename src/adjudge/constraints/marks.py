"""Find the marks that a task names to put words between (<<>>, ##…##, 『』), and what is between them in a text."""

from __future__ import annotations

import re

_PAIRS = "<>[](){}«»‹›“”‘’「」『』《》〈〉【】〔〕〖〗（）［］｛｝＜＞≪≫⟨⟩⟪⟫⟦⟧"
_MIRRORED = str.maketrans(_PAIRS[::2], _PAIRS[1::2])
_SIGNS = re.compile(r"(?:[^\w\s]|_)+")
_OPENING = re.compile(f"[{re.escape(_PAIRS[::2])}]{{1,5}}")
# A task uses these around its own words, too, so they are the marks it asks for only if nothing is between them.
_ORDINARY = "(（“‘「"
_EQUAL = re.compile(
    r"(?P<mark>(?P<sign>[#~|+^=$%@&★☆※◆●■*_])(?P=sign){0,4})(?=\S)[^\n]{0,60}?(?<=\S)(?P=mark)(?!(?P=sign))"
)
_NEAR = 60  # characters between two marks in the words of a task

Marks = tuple[str, str]


def marks_around(text: str) -> Marks | None:
    """Return the opening and the closing mark of a text that is bare marks ("<<>>", "####") or words between them."""
    signs = _SIGNS.match(text.strip())
    if signs is None:
        return None
    opening, rest = signs[0], text.strip()[signs.end() :].rstrip()
    if not rest:
        opening, rest = opening[: len(opening) // 2], opening[len(opening) // 2 :]
        return (opening, rest) if opening and rest == _mirrored(opening) else None
    return (opening, _mirrored(opening)) if rest.endswith(_mirrored(opening)) else None


def marks_in(quote: str) -> frozenset[Marks]:
    """Return the pairs of marks that the words of a task show: 《》 or 《word》, ##word##."""
    found = {(match["mark"], match["mark"]) for match in _EQUAL.finditer(quote)}
    for match in _OPENING.finditer(quote):
        closing = _mirrored(match[0])
        at = quote.find(closing, match.end(), match.end() + _NEAR + len(closing))
        if at == match.end() or (at > 0 and match[0][-1] not in _ORDINARY):
            found.add((match[0], closing))
    return frozenset(found)


def count_between(text: str, marks: Marks) -> int:
    """Return how many parts of a text with a letter or digit are between marks."""
    opening, closing = map(re.escape, marks)
    found = re.findall(rf"{opening}\s{{0,3}}([^\n]{{1,300}}?)\s{{0,3}}{closing}", text)
    return sum(any(map(str.isalnum, part)) for part in found)


def _mirrored(opening: str) -> str:
    return opening[::-1].translate(_MIRRORED)
