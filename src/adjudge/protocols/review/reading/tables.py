"""Reads a person's ratings from text: a Markdown table, or lines such as `Truthfulness: 3 - reason`.

It also decides what counts as blank. Ratings stay text and are interpreted elsewhere. Errors name the place `at(line)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ....errors import InputError
from ....inputs.text import At, quote
from ....rubric import OVERALL, Rubric
from ..case import Original

_LONGEST = 200
# `[paste for paste in jars]` is code, not a placeholder.
_PLACEHOLDER = re.compile(
    r"\[\s*(?:\.{2,}|…+|paste\s+(?!for\b)[^\[\]\n]*|[^\[\]\n]*\bleave\s+(?:it\s+)?(?:blank|empty)\b[^\[\]\n]*)\s*\]",
    re.IGNORECASE,
)
# `[1..7]`, `[-2/-1/0/1/2]` and `[ ]` show the allowed values. `[2]` is a value that was entered.
_CHOICES = re.compile(r"\[\s*[-+−–]?\d+(?:\s*(?:/|,|\.\.+|…|–|-|\||or|to)\s*[-+−–]?\d+)+\s*\]|\[[\s_]*\]")
_NOTHING = frozenset(("n/a", "na", "-", "--", "–", "—", "−", "none", "null", "not provided", "not rated", "...", "…"))

_PIPE = re.compile(r"((?<!\\)\\*+\|)")
_RULE = re.compile(r":?-+:?")
_COLUMNS = {
    "dimension": "dimension",
    "criterion": "dimension",
    "rating": "rating",
    "score": "rating",
    "justification": "justification",
    "reason": "justification",
    "comment": "justification",
}
_USUAL_ORDER = {"dimension": 0, "rating": 1, "justification": 2}
_ROW = "| dimension | rating | justification |, or dimension: rating - justification, is allowed"
# A rating outside a table: the name (perhaps in bold, or after a bullet), a colon, and the rest.
_LINE = re.compile(r"[\s>*_-]*+(?P<name>[^|:：]{1,200}+)[:：](?P<rest>[*_\s]*+(?:[^|].*)?)", re.DOTALL)
_NUMBER_AND_REASON = re.compile(
    r"(?P<rating>[-+−–]?\d+(?:[.,]\d+)?(?:\s*+/\s*+\d++)?+(?:\s*+\([^()]*+\))?+[*_]*+)"
    r"(?:\s++[-–—]|[-–—](?=\D)|\s*+[:：])(?P<reason>.*)",
    re.DOTALL,
)

# Other names of the shipped rubric's criteria. A rubric's own names take precedence.
_ALSO = {
    "verbosity": ("verbosity response length", "verbosity length", "response length", "length"),
    "style_clarity": ("style", "clarity style"),
    "harmlessness": ("harmlessness", "safety", "harmlessness safety", "safety harmlessness"),
    OVERALL: ("overall", "overall quality score", "overall score", "overall rating"),
}
# Removed around a name: Markdown, "3. " before it, and the scale after it, as in "Localization (1, 2, 3)".
_AROUND_NAME = re.compile(r"[*`]+|^\s*\d+[.)]\s*|\([-+−–\d\s.,/to]*\)\s*:?\s*$")
_WORD = re.compile(r"[^\W_]+")
_BRITISH = re.compile(r"isation\b")

_LABEL = re.compile(
    r"[\s>*_-]*?(?:\*\*|__)?(?P<label>(?:likert\s++)?justification|likert(?:\s++(?:score|rating))?+)"
    r"(?:\s*+\([^)\n]*+\))?+\s*+(?:\*\*|__)?+\s*+[:：](?:\*\*|__)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_RATED = re.compile(r"[*\s]*+(?:(?:rating|score)\b[*\s]*+[:：=]?+[*\s]*+)?+[-+−–]?\d[^\n]*", re.IGNORECASE)
_LINES = "Likert: … and Justification: … are allowed, each once; use JSON for other text"


def entered_text(text: str) -> str:
    """Return the text unchanged, or "" if it is blank or a placeholder that asks to be filled in."""
    stripped = text.strip()
    return "" if not stripped or (len(stripped) <= _LONGEST and _PLACEHOLDER.fullmatch(stripped)) else text


def entered_reason(text: str) -> str:
    """Return a justification without surrounding space, or "" if it says that there is none."""
    stripped = entered_text(text).strip()
    return "" if stripped.lower() in _NOTHING else stripped


def entered_rating(text: str) -> str:
    """Return a rating's text without surrounding space, or "" if it was left blank."""
    words = entered_reason(text)
    return "" if len(words) <= _LONGEST and _CHOICES.fullmatch(words) else words


def criterion_key(written: str, rubric: Rubric) -> str | None:
    """Return the key of the criterion with this name, or None if the rubric has none."""
    if len(written) > _LONGEST:
        return None
    known = [(name, criterion.key) for criterion in rubric.criteria for name in (criterion.key, criterion.name)]
    known += [(name, criterion.key) for criterion in rubric.criteria for name in _ALSO.get(criterion.key, ())]
    keys = {_words(name): key for name, key in reversed(known)}  # of equal names, the first in `known` wins
    return keys.get(_words(_AROUND_NAME.sub("", _AROUND_NAME.sub("", written))))


def _words(name: str) -> str:
    return _BRITISH.sub("ization", " ".join(word for word in _WORD.findall(name.casefold()) if word != "and"))


def escape_pipes(text: str) -> str:
    """Escape a text for a table cell: put a backslash before each pipe, and double the backslashes before it."""
    return _PIPE.sub(lambda match: match[0][:-1] * 2 + r"\|", text)


def split_row(line: str) -> list[str]:
    """Return the cells of a table row without surrounding space. The outer pipes may be missing."""
    line = line.strip()
    cells: list[str] = []
    cell, at = "", 0
    for match in _PIPE.finditer(line):
        slashes = len(match[0]) - 1
        cell += line[at : match.start()] + "\\" * (slashes // 2)
        if slashes % 2:
            cell += "|"
        else:
            cells.append(cell.strip())
            cell = ""
        at = match.end()
    cells.append((cell + line[at:]).strip())
    if len(cells) > 1 and not cells[-1]:
        cells.pop()
    return cells[1:] if len(cells) > 1 and line.startswith("|") else cells


def is_rule(cells: list[str]) -> bool:
    """Check whether a row is the line of dashes below a header, perhaps with colons for alignment."""
    return all(map(_RULE.fullmatch, cells))


def ratings_in_text(text: str, rubric: Rubric, at: At) -> Iterator[tuple[str, str, Original]]:
    """Yield the place, the criterion's name and what was entered for it, in the order of the text."""
    columns: Mapping[str, int] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        place = at(number)
        if read := _line(line, rubric):
            yield place, *read
            continue
        cells = split_row(line)
        if not any(cells) or is_rule(cells):
            continue
        if columns is None:
            columns = _header(cells, place)
            if columns:
                continue
            columns = _USUAL_ORDER
        yield place, *_row(line, cells, columns, place)


def _line(line: str, rubric: Rubric) -> tuple[str, Original] | None:
    """Read a line `dimension: rating - justification`. Return None if it has another form."""
    split = _LINE.fullmatch(line)
    if split is None:
        return None
    name, rest = split["name"].strip("*_` \t"), split["rest"].strip("*_ \t\r")
    if "|" in line and criterion_key(name, rubric) is None:
        return None
    rated = _NUMBER_AND_REASON.fullmatch(rest)
    rating, reason = (rated["rating"], rated["reason"]) if rated else (rest, "")
    return name, Original(entered_rating(rating.strip("*_ ")), entered_reason(reason.strip("*_ ")))


def _header(cells: list[str], place: str) -> dict[str, int] | None:
    named = [_COLUMNS.get(cell.strip("*_` ").lower(), "") for cell in cells]
    if "dimension" not in named:
        return None
    for cell, name in zip(cells, named, strict=True):
        if (cell and not name) or (name and named.count(name) > 1):
            raise InputError(
                place, f"unknown column {quote(cell)}", "Dimension, Rating and Justification are allowed, each once"
            )
    return {name: index for index, name in enumerate(named) if name}


def _row(line: str, cells: list[str], columns: Mapping[str, int], place: str) -> tuple[str, Original]:
    if len(cells) < 2:
        raise InputError(place, f"cannot read {quote(line.strip())} as a row", _ROW)
    if any(cells[max(columns.values()) + 1 :]):
        found = f"{len(cells)} cells in a table of {len(columns)} columns"
        raise InputError(place, found, "write \\| for a | inside a cell")
    found_in = {name: cells[index] for name, index in columns.items() if index < len(cells)}
    given = Original(entered_rating(found_in.get("rating", "")), entered_reason(found_in.get("justification", "")))
    return found_in.get("dimension", ""), given


def likert_in_lines(text: str, at: At) -> Original:
    """Read the preference and its reason. The reason may span several lines, and a number alone is enough."""
    if _RATED.fullmatch(text.strip()):
        return Original(entered_rating(text))
    parts: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if label := _LABEL.fullmatch(line):
            name = "justification" if "justification" in label["label"].lower() else "likert"
            if name in parts:
                raise InputError(at(number), f"{name.capitalize()}: appears twice", _LINES)
            current = parts[name] = [label["rest"]]
        elif current is not None:
            current.append(line)
        elif entered_reason(line):
            raise InputError(at(number), f"cannot read {quote(line.strip())}", _LINES)
    texts = {name: "\n".join(lines) for name, lines in parts.items()}
    return Original(entered_rating(texts.get("likert", "")), entered_reason(texts.get("justification", "")))
