"""Measure a response against a constraint: exact counts, and whether it has a form or a wording.

`KINDS` has one measuring function for each kind. Whether the task really demands it was decided before.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from ..models import Severity
from ..models.constraints import Constraint, ConstraintKind
from ..text.control_tokens import without_end_markers
from ..text.language import are_close, language_name, language_of
from ..text.sentences import CLOSERS, code_spans
from .counting import (
    count_characters,
    counts_in_characters,
    item_counts,
    outside_code,
    paragraph_counts,
    sentence_counts,
    word_counts,
)

# How far a length may be off, as a share of what was asked for: met up to the first, a minor issue up to the second.
_LIMIT = Fraction(5, 100), Fraction(10, 100)
_ABOUT = Fraction(10, 100), Fraction(20, 100)
_COLUMNS = re.compile(r"\S *\||\| *\S|\S(?:\t| {3})")
_TABLE_CODE = re.compile(r"<table|\\begin\{tabular")
_BRACKETS = 200  # pairs that are checked
_OPENED = re.compile(r"[{\[]")
_WRITTEN_TOGETHER = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
CASINGS = {"upper": "capital letters", "lower": "small letters", "title": "title case"}


class Measurement(NamedTuple):
    """What was found in a response. `severity` is None if the constraint is met.

    `over` is True for more and False for less than was asked for, and None if that does not apply.
    `says` is the predicate of a sentence about the response: "has 130 words; at most 100 were asked for".
    """

    says: str
    severity: Severity | None
    over: bool | None = None

    @property
    def met(self) -> bool:
        return self.severity is None


def measure(constraint: Constraint, response: str) -> Measurement | None:
    """Measure a response. Return None if that is not possible, for example the language of three words."""
    return KINDS[constraint.kind](constraint, without_end_markers(response).strip())


def _words(constraint: Constraint, text: str) -> Measurement:
    if counts_in_characters(text):
        return _length(constraint, [count_characters(text)], "character")
    return _length(constraint, word_counts(text), "word")


def _characters(constraint: Constraint, text: str) -> Measurement:
    # A Chinese or Thai prompt gives lengths in characters. For a response in another script, count words instead.
    if counts_in_characters(constraint.quote) and not counts_in_characters(text):
        return _length(constraint, word_counts(text), "word")
    return _length(constraint, [count_characters(text), len(text)], "character")


def _length(constraint: Constraint, ways: list[int], unit: str) -> Measurement:
    """Measure a length by the way of counting that favours the response most. `strict` allows no tolerance."""
    none, minor = (0, 0) if constraint.strict else _ABOUT if constraint.bound == "about" else _LIMIT

    def severity(found: int) -> int:
        off, limit = _off(constraint, found)
        return (abs(off) > none * limit) + (abs(off) > minor * limit)

    found = min(ways, key=severity)
    return _counted(constraint, found, unit, (None, "minor", "major")[severity(found)])


def _number(
    unit: str, counts: Callable[[str], frozenset[int]], constraint: Constraint, text: str
) -> Measurement | None:
    """Measure a number of things, which is right or wrong. "About" allows one more or less."""
    nearest = min(counts(text), key=lambda count: (abs(_off(constraint, count)[0]), count), default=None)
    if nearest is None:
        return None
    missed = abs(_off(constraint, nearest)[0]) > (constraint.bound == "about")
    return _counted(constraint, nearest, unit, "minor" if missed else None)


def _off(constraint: Constraint, found: int) -> tuple[int, int]:
    """Return how many there are too many (negative: too few), and the limit that is missed."""
    amount = constraint.amount or 0
    most = amount if constraint.most is None else constraint.most
    if found > most and constraint.bound != "at_least":
        return found - most, most
    return (found - amount, amount) if found < amount and constraint.bound != "at_most" else (0, 0)


def _counted(constraint: Constraint, found: int, unit: str, severity: Severity | None) -> Measurement:
    asked = f"{constraint.amount:,}"
    if constraint.bound == "between":
        asked += f" to {constraint.most:,}"
    elif constraint.bound != "exactly":
        asked = f"{constraint.bound.replace('_', ' ')} {asked}"
    were = "was" if constraint.amount == 1 and constraint.most is None else "were"
    says = f"has {found:,} {unit}{'' if found == 1 else 's'}; {asked} {were} asked for"
    return Measurement(says, severity, _off(constraint, found)[0] > 0 if severity else None)


def _form(what: str, there: Callable[[str], object], constraint: Constraint, text: str) -> Measurement:
    """Check that something is there."""
    found = there(text)
    return Measurement(f"has {'a' if found else 'no'} {what}; one was asked for", None if found else "minor")


def _has_table(text: str) -> bool:
    # A table may stand in a fence, be HTML or drawn, or lack the line below its header, so look for lines with columns.
    columns = [_COLUMNS.search(line) is not None for line in text.split("\n")]
    return any(upper and lower for upper, lower in pairwise(columns)) or _TABLE_CODE.search(text) is not None


def _json(constraint: Constraint, text: str) -> Measurement:
    found = _json_values(text)
    if True in found:
        return Measurement("has the JSON asked for", None)
    return Measurement(f"has {'JSON that does not parse' if found else 'no JSON'}; JSON was asked for", "minor")


def _json_values(text: str) -> list[bool]:
    """Return, for each outermost pair of brackets that may hold JSON, whether it does."""
    found: list[bool] = []
    at = 0
    while len(found) < _BRACKETS and (opened := _OPENED.search(text, at)) is not None:
        try:
            value, at = json.JSONDecoder().raw_decode(text, opened.start())
            # A number in brackets inside a line is a footnote, not data.
            found.append(isinstance(value, dict) or not text[: opened.start()].rpartition("\n")[2].strip(" \t`"))
        except (ValueError, RecursionError):
            at = _closing(text, opened.start())
            if at < 0:
                return [*found, False] if "}" in text or "]" in text else found
            found.append(False)
    return found


def _closing(text: str, start: int) -> int:
    """Return the position after the bracket that closes the one at `start`, or -1 if none does."""
    depth = 0
    for bracket in re.compile(r"[{}\[\]]").finditer(text, start):
        depth += 1 if bracket[0] in "{[" else -1
        if not depth:
            return bracket.end()
    return -1


def _language(constraint: Constraint, text: str) -> Measurement | None:
    found = language_of(text)
    if found is None:
        return None
    says = f"is in {language_name(found)}; {language_name(constraint.text)} was asked for"
    return Measurement(says, None if are_close(found, constraint.text) else "major")


def _wording(says: str, holds: Callable[[str, str], bool], constraint: Constraint, text: str) -> Measurement:
    """Check for words that should, or should not, occur somewhere."""
    met = holds(_folded(text), _folded(constraint.text))
    return Measurement(says.format(" ".join(constraint.text.split())), None if met else "minor")


def _casing(constraint: Constraint, text: str) -> Measurement | None:
    prose = outside_code(text)
    met = {
        "upper": prose == prose.upper() or not any(char.islower() and char != char.upper() for char in prose),
        "lower": not any(map(str.isupper, prose)),
        "title": all(word[0].isupper() for word in re.findall(r"[^\W\d_]{5,}", prose)),
    }[constraint.text]
    return Measurement(f"is not in {CASINGS[constraint.text]}, as was asked for", None if met else "minor")


def _folded(text: str) -> str:
    """Remove differences in case, Unicode form, quotation marks, dashes, emphasis and invisible characters."""
    text = "".join(
        char for char in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(char) != "Cf"
    )
    text = re.sub(r"[‐‑‒–—]", "-", re.sub(r"[“”„«»]", '"', re.sub(r"[‘’]", "'", text)))
    return " ".join(re.sub(r"[*_`#]+", " ", text).split())


def _contains(text: str, words: str) -> bool:
    """Return whether words occur in a text. In scripts with spaces, they must not be part of longer words."""
    before = r"(?<!\w)" if words[:1].isalnum() and not _WRITTEN_TOGETHER.match(words[0]) else ""
    behind = r"(?!\w)" if words[-1:].isalnum() and not _WRITTEN_TOGETHER.match(words[-1]) else ""
    return re.search(before + re.escape(words) + behind, text) is not None


def _begins(text: str, words: str) -> bool:
    return text.lstrip(CLOSERS + " ").startswith(words.strip(CLOSERS + " "))


def _ends(text: str, words: str) -> bool:
    # A text may close with anything that is not a letter or digit: full stops, brackets, an emoji.
    return _closed(text).endswith(_closed(words).lstrip(CLOSERS + " "))


def _closed(text: str) -> str:
    end = len(text)
    while end and not text[end - 1].isalnum():
        end -= 1
    return text[:end]


KINDS: dict[ConstraintKind, Callable[[Constraint, str], Measurement | None]] = {
    "words": _words,
    "characters": _characters,
    "sentences": partial(_number, "sentence", sentence_counts),
    "paragraphs": partial(_number, "paragraph", paragraph_counts),
    "items": partial(_number, "item", item_counts),
    "table": partial(_form, "table", _has_table),
    "json": _json,
    "code_block": partial(_form, "code block", code_spans),
    "language": _language,
    "must_contain": partial(_wording, "does not contain “{}”, as was asked for", _contains),
    "must_not_contain": partial(_wording, "contains “{}”, which was not wanted", lambda *both: not _contains(*both)),
    "begins_with": partial(_wording, "does not begin with “{}”, as was asked for", _begins),
    "ends_with": partial(_wording, "does not end with “{}”, as was asked for", _ends),
    "casing": _casing,
}
