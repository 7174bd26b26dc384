"""Measure a response against a constraint: exact counts, and whether it has a form or a wording.

`KINDS` has one measuring function for each kind. Whether the task really demands it was decided before.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
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
    Counts,
    bullet_counts,
    character_counts,
    counts_in_characters,
    item_counts,
    outside_code,
    paragraph_counts,
    sentence_counts,
    word_counts,
)

# How far a length may be off, as a share of what was asked for: met up to the first, a minor issue up to the second.
_LIMIT = Fraction(5, 100), Fraction(10, 100)
_STRICT = Fraction(0), Fraction(5, 100)
_ABOUT = Fraction(10, 100), Fraction(20, 100)
# 字 after a number are what a Chinese or Japanese text is counted in; 字符, 字元, 字母 and 文字 are always characters.
_HAN_UNIT = re.compile(r"(?:[\d一二三四五六七八九十百千万萬两兩〇零个個多余餘来]\s*[汉漢]?)字(?![符元母])|字[数數]")
# Words for bullet points in quotes. Other items need not be in a list: "name three rivers".
_BULLETS = re.compile(
    r"bullet|viñeta|\bpuces?\b|stichpunkt|aufzählungs(?:punkt|zeichen)|spiegelstrich|puntat[oi]|opsommingstekens?|"
    r"маркированн|项目符号|項目符號|箇条書き|글머리",
    re.IGNORECASE,
)
_COLUMNS = re.compile(r"\S *\||\| *\S|\S(?:\t| {3})")
_TABLE_CODE = re.compile(r"<table|\\begin\{tabular")
_BRACKETS = 200  # pairs that are checked
_OPENED = re.compile(r"[{\[]")
_WRITTEN_TOGETHER = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
CASINGS = {"upper": "capital letters", "lower": "small letters", "title": "title case"}


class Measurement(NamedTuple):
    """What was found in a response. `severity` is None if the constraint is met.

    `in_part` is True if it is met by some usual way of counting and missed by another, which is a hint.
    `over` is True for more and False for less than was asked for, and None if that does not apply.
    `says` is the predicate of a sentence about the response: "has 128 to 130 words; at most 100 were asked for".
    """

    says: str
    severity: Severity | None
    over: bool | None = None
    in_part: bool = False

    @property
    def met(self) -> bool:
        return self.severity is None


def measure(constraint: Constraint, response: str) -> Measurement | None:
    """Measure a response. Return None if that is not possible, for example the language of three words."""
    return KINDS[constraint.kind](constraint, without_end_markers(response).strip())


def _words(constraint: Constraint, text: str) -> Measurement:
    return _length(constraint, word_counts(text), "character" if counts_in_characters(text) else "word")


def _characters(constraint: Constraint, text: str) -> Measurement:
    if _HAN_UNIT.search(constraint.quote):
        return _words(constraint, text)
    return _length(constraint, character_counts(text), "character")


def _length(constraint: Constraint, counts: Counts, unit: str) -> Measurement:
    """Measure a length, which may be off by a share of what was asked for."""
    about = constraint.bound == "about"
    none, minor = _ABOUT if about else _STRICT if constraint.strict else _LIMIT

    def severity(found: int) -> int:
        off, limit = _off(constraint, found)
        return (abs(off) > none * limit) + (abs(off) > minor * limit)

    return _graded(constraint, counts, unit, severity)


def _number(unit: str, counts: Callable[[str], Counts], constraint: Constraint, text: str) -> Measurement | None:
    """Measure a number of things, which is right or wrong. "About" allows one more or less."""
    possible, allowed = counts(text), constraint.bound == "about"
    if not possible:
        return None
    return _graded(constraint, possible, unit, lambda found: abs(_off(constraint, found)[0]) > allowed)


def _items(constraint: Constraint, text: str) -> Measurement | None:
    return _number("item", bullet_counts if _BULLETS.search(constraint.quote) else item_counts, constraint, text)


def _graded(constraint: Constraint, counts: Counts, unit: str, severity: Callable[[int], int]) -> Measurement:
    """Grade the possible counts by the one that is kindest to the response."""
    told = sorted(_telling(counts, constraint), key=lambda count: (severity(count), abs(_off(constraint, count)[0])))
    kindest, worst = told[0], told[-1]
    missed, in_part = severity(kindest), severity(kindest) == 0 < severity(worst)
    over = _off(constraint, worst if in_part else kindest)[0] > 0 if missed or in_part else None
    says = f"has {_several(counts, unit)}; {_asked(constraint)} asked for"
    return Measurement(says, (None, "minor", "major")[missed], over, in_part)


def _telling(counts: Counts, constraint: Constraint) -> Iterable[int]:
    """Return the counts that decide. Of a range these are its ends and the amounts asked for, since a count is worse
    the farther it is from what was asked for."""
    if isinstance(counts, frozenset):
        return counts
    ends = counts[0], counts[-1], *_limits(constraint)
    return (count for count in ends if count is not None and count in counts)


def _limits(constraint: Constraint) -> tuple[int | None, int | None]:
    """Return the least and the greatest number that meet a constraint exactly."""
    amount = constraint.amount or 0
    most = amount if constraint.most is None else constraint.most
    return None if constraint.bound == "at_most" else amount, None if constraint.bound == "at_least" else most


def _off(constraint: Constraint, found: int) -> tuple[int, int]:
    """Return how many there are too many (negative: too few), and the limit that is missed."""
    least, most = _limits(constraint)
    if most is not None and found > most:
        return found - most, most
    return (found - least, least) if least is not None and found < least else (0, 0)


def _several(counts: Counts, unit: str) -> str:
    """Name the possible counts: "130 words", "128 to 130 words", "3 or 9 items"."""
    shown, between = ((counts[0], counts[-1]), "to") if isinstance(counts, range) else (sorted(counts), "or")
    *others, last = (f"{count:,}" for count in dict.fromkeys(shown))
    joined = f"{', '.join(others)} {between} {last}" if others else last
    return f"{joined} {unit}{'' if joined == '1' else 's'}"


def _asked(constraint: Constraint) -> str:
    asked = f"{constraint.amount:,}"
    if constraint.bound == "between":
        asked += f" to {constraint.most:,}"
    elif constraint.bound != "exactly":
        asked = f"{constraint.bound.replace('_', ' ')} {asked}"
    return f"{asked} {'was' if constraint.amount == 1 and constraint.most is None else 'were'}"


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
    "items": _items,
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
