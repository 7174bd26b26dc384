"""Measure a response against a constraint: exact counts, and whether it has a form or a wording.

`KINDS` has one measuring function for each kind. Whether the task really demands it was decided before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ..models import Severity
from ..models.constraints import Constraint, ConstraintKind
from ..text.asked_language import language_for
from ..text.control_tokens import without_end_markers
from ..text.language import are_close, language_name
from ..text.sentences import code_spans
from .counting import (
    count_characters,
    counts_in_characters,
    item_counts,
    outside_code,
    paragraph_counts,
    sentence_counts,
    word_counts,
)
from .forms import (
    capital_word_counts,
    has_list,
    has_table,
    has_title,
    highlight_counts,
    is_quoted,
    paragraph_starts,
    placeholder_counts,
    read_json,
    section_counts,
)
from .phrases import begins, contains, ends, occurrences

# How far a length may be off, as a share of what was asked for: met up to the first, a minor issue up to the second.
_LIMIT = Fraction(5, 100), Fraction(10, 100)
_ABOUT = Fraction(10, 100), Fraction(20, 100)
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
    least, most = constraint.limits
    if most is not None and found > most:
        return found - most, most
    return (found - least, least) if least is not None and found < least else (0, 0)


def _counted(constraint: Constraint, found: int, unit: str, severity: Severity | None) -> Measurement:
    asked = f"{constraint.amount:,}"
    if constraint.bound == "between":
        asked += f" to {constraint.most:,}"
    elif constraint.bound != "exactly":
        asked = f"{constraint.bound.replace('_', ' ')} {asked}"
    were = "was" if constraint.amount == 1 and constraint.most is None else "were"
    says = f"has {found:,} {unit}{'' if found == 1 else 's'}; {asked} {were} asked for"
    return Measurement(says, severity, _off(constraint, found)[0] > 0 if severity else None)


def _occurrences(constraint: Constraint, text: str) -> Measurement | None:
    words = " ".join(constraint.text.split())
    measured = _number("occurrence", lambda text: occurrences(text, words, constraint.quote), constraint, text)
    said = measured and re.sub("occurrences?", lambda unit: f"{unit[0]} of “{words}”", measured.says, count=1)
    return measured and measured._replace(says=said)


def _sections(constraint: Constraint, text: str) -> Measurement | None:
    return _number("section", lambda text: section_counts(text, constraint.text), constraint, text)


def _placeholders(constraint: Constraint, text: str) -> Measurement | None:
    return _number("placeholder", lambda text: placeholder_counts(text, constraint.quote), constraint, text)


def _form(what: str, there: Callable[[str], object], constraint: Constraint, text: str) -> Measurement:
    """Check that something is there."""
    found = there(text)
    return Measurement(f"has {'a' if found else 'no'} {what}; one was asked for", None if found else "minor")


_JSON = {
    "whole": "is the JSON asked for",
    "in prose": "has other text around its JSON; JSON was asked for",
    "broken": "has JSON that does not parse; JSON was asked for",
    "none": "has no JSON; JSON was asked for",
}


def _json(constraint: Constraint, text: str) -> Measurement:
    found = read_json(text)
    return Measurement(_JSON[found], None if found == "whole" else "minor")


def _title(constraint: Constraint, text: str) -> Measurement:
    marks = f" in {constraint.text}" if constraint.text else ""
    return _form(f"title{marks}", lambda text: has_title(text, constraint.text), constraint, text)


def _quotation_marks(constraint: Constraint, text: str) -> Measurement:
    return Measurement(
        "is not wrapped in double quotation marks, as was asked for", None if is_quoted(text) else "minor"
    )


def _first_word(constraint: Constraint, text: str) -> Measurement:
    number, word = constraint.amount or 1, " ".join(constraint.text.split())
    found = paragraph_starts(text, number)
    if not found:
        return Measurement(f"has no paragraph {number:,}, which should begin with “{word}”", "minor")
    met = any(begins(start, word) and contains(start[: len(word) + 20], word) for start in found)
    return Measurement(f"does not begin paragraph {number:,} with “{word}”, as was asked for", None if met else "minor")


def _language(constraint: Constraint, text: str) -> Measurement | None:
    found = language_for(text, constraint.text)
    if found is None:
        return None
    says = f"is in {language_name(found)}; {language_name(constraint.text)} was asked for"
    return Measurement(says, None if are_close(found, constraint.text) else "major")


def _wording(says: str, holds: Callable[[str, str], bool], constraint: Constraint, text: str) -> Measurement:
    """Check for words that should, or should not, occur somewhere."""
    words = " ".join(constraint.text.split())
    return Measurement(says.format(words), None if holds(text, words) else "minor")


def _casing(constraint: Constraint, text: str) -> Measurement | None:
    prose = outside_code(text)
    met = {
        "upper": prose == prose.upper() or not any(char.islower() and char != char.upper() for char in prose),
        "lower": not any(map(str.isupper, prose)),
        "title": all(word[0].isupper() for word in re.findall(r"[^\W\d_]{5,}", prose)),
    }[constraint.text]
    return Measurement(f"is not in {CASINGS[constraint.text]}, as was asked for", None if met else "minor")


KINDS: dict[ConstraintKind, Callable[[Constraint, str], Measurement | None]] = {
    "words": _words,
    "characters": _characters,
    "sentences": partial(_number, "sentence", sentence_counts),
    "paragraphs": partial(_number, "paragraph", paragraph_counts),
    "items": partial(_number, "item", item_counts),
    "occurrences": _occurrences,
    "sections": _sections,
    "highlights": partial(_number, "highlighted part", highlight_counts),
    "placeholders": _placeholders,
    "capital_words": partial(_number, "all-caps word", capital_word_counts),
    "list": partial(_form, "list", has_list),
    "table": partial(_form, "table", has_table),
    "json": _json,
    "code_block": partial(_form, "code block", code_spans),
    "title": _title,
    "quotation_marks": _quotation_marks,
    "first_word": _first_word,
    "language": _language,
    "must_contain": partial(_wording, "does not contain “{}”, as was asked for", contains),
    "must_not_contain": partial(_wording, "contains “{}”, which was not wanted", lambda *both: not contains(*both)),
    "begins_with": partial(_wording, "does not begin with “{}”, as was asked for", begins),
    "ends_with": partial(_wording, "does not end with “{}”, as was asked for", ends),
    "casing": _casing,
}
