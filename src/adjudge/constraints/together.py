"""Measure a response against all constraints of a task together.

What one demand requires may or may not be part of what another one is about: a closing sentence, a postscript. If a
response misses a demand as it is and meets it without such a part, that is a hint. So is a missing word that may be
there in another language, because another demand asks for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..models.constraints import Constraint
from .measuring import Measurement, kindest, measure, with_plain_line_ends
from .phrases import without

# A block that begins like a postscript: "P.S.", "PPS", "P.-S.", "P.D.", …
_POSTSCRIPT = re.compile(
    r"^[ \t*_#>]*(?:(?:p\.?[ ]?){1,3}-?[ ]?[sd]\b|post-?scriptum|postscript|postdata|posdata|追伸|追記|附言|又及|추신)"
    r".*(?:\n(?![ \t]*\n).*)*",
    re.IGNORECASE | re.MULTILINE,
)
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_LENGTHS = ("words", "characters")


def measure_together(constraints: Sequence[Constraint], response: str) -> Iterator[tuple[Constraint, Measurement]]:
    """Yield each constraint that can be measured, with the measurement that is kindest to the response."""
    for one in constraints:
        measured = measure(one, response)
        if measured is None:
            continue
        if not measured.met:
            others = [other for other in constraints if other.demand != one.demand]
            if _may_be_translated(one, others, response):
                measured = measured._replace(severity=None, in_part=True)
            measured = kindest(measured, *(measure(one, text) for text in _readings(one, others, response)))
        yield one, measured


def _readings(constraint: Constraint, others: Sequence[Constraint], response: str) -> set[str]:
    """Return what else may be taken for the response: without what other demands require, without a postscript, and
    with a written "\\n" as the end of a line."""
    response = with_plain_line_ends(response)
    texts = {response, response.replace("\\n", "\n")}
    texts |= {_POSTSCRIPT.sub("", text) for text in texts}
    texts |= {_without_required(text, constraint, others) for text in texts}
    texts |= {text[max(0, text.find(marker)) :] for text in texts for marker in _section_marks(constraint, others)}
    return texts - {response}


def _may_be_translated(constraint: Constraint, others: Sequence[Constraint], response: str) -> bool:
    """Return whether a word to be used is in one script and the response, whose language was asked for, in another."""
    asked = constraint.kind == "must_contain" and any(other.kind == "language" for other in others)
    return asked and _is_latin(constraint.text) and not _is_latin(response)


def _is_latin(text: str) -> bool:
    return 2 * len(_LATIN.findall(text)) > sum(map(str.isalpha, text))


def _without_required(text: str, constraint: Constraint, others: Sequence[Constraint]) -> str:
    """Return a text without the words that other demands require. A keyword counts towards a length, though."""
    for other in others:
        keyword = other.kind == "must_contain" and constraint.kind not in _LENGTHS
        if (keyword or other.kind in ("begins_with", "ends_with")) and other.text.lower() != constraint.text.lower():
            text = without(text, other.text)
    return text


def _section_marks(constraint: Constraint, others: Sequence[Constraint]) -> list[str]:
    """Return the words to begin with if they mark the first section, which a lead-in may precede."""
    words = constraint.text if constraint.kind == "begins_with" else ""
    return [words] if words and any(other.kind == "sections" and other.text == words for other in others) else []
