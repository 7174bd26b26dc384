"""Which passage of an answer shows a feature, cut to a quote of an allowed length, with its exact place.

It only chooses and cuts; what the quote is taken to show is said by the judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...evidence import MAX_WORDS, MIN_WORDS, Haystack, Span
from ...words import count_words
from . import cues
from .features import AnswerReading, TaskReading

_LOOKED_AT = 80  # sentences; the end is looked at by its own fact
_WINDOW = 600  # characters a quote is cut from
_ENDLESS = 10_000
_STRUCTURE = re.compile(r"^[ \t]{0,3}(?:#{1,6} |[-*•+] |\d{1,3}[.)] |\*\*)[^\n]", re.MULTILINE)
_CONCRETE = re.compile(r"\d+|(?<=[a-z,] )[A-Z][a-z]{2,}|\bfor (?:example|instance)\b|\bsuch as\b")
_TOKEN = re.compile(r"\S+")
_LETTERS = re.compile(r"[a-z'-]+")

# What the quoted passage is, said before the figures.
SHOWN = {
    "coverage": "The sentence closest to the task's key terms",
    "instructions": "Where the answer takes its form",
    "length": "The fullest sentence",
    "structure": "Where the structure shows",
    "specificity": "The most concrete sentence",
    "caution": "Where caution or trade-off would show most",
    "reasoning": "Where the reasoning shows most",
    "freshness": "Where an angle of its own would show most",
    "variety": "A typical passage",
    "echo": "A typical passage",
    "truncation": "The end of the answer",
    "repetition": "The repeated sentence",
    "refusal": "Where it declines",
    "injection": "Where it addresses the judge",
}


def quote_for(feature: str, task: TaskReading, answer: AnswerReading) -> Span | None:
    """A quote that shows the feature; None if the text gives nothing that may be quoted."""
    for start, end in (_passage(feature, task, answer), answer.sentences[0] if answer.sentences else (0, 0)):
        span = fit(answer.text, start, end)
        if span is not None:
            return span
    return None


def fit(text: str, start: int, end: int) -> Span | None:
    """The passage as a quote: widened to five words if shorter, cut after twenty-five, never inside a word."""
    tokens = _positions(text, start, min(end, start + _WINDOW))
    size = min(len(tokens), MAX_WORDS)
    while size:
        low, high = tokens[0][0], tokens[size - 1][1]
        words = count_words(text[low:high])
        if words < MIN_WORDS:
            return _widened(text, low, high)
        if words <= MAX_WORDS:
            return _checked(text, low, high)
        size -= 1
    return _widened(text, start, min(end, start + 1))


def _widened(text: str, start: int, end: int) -> Span | None:
    """Take words from behind, and where the text ends, from before; a text shorter than that is quoted whole."""
    for _, high in _positions(text, end, end + _WINDOW):
        if count_words(text[start:high]) >= MIN_WORDS:
            return _checked(text, start, high)
    end = len(text[: end + _WINDOW].rstrip())
    for low, _ in reversed(_positions(text, max(0, start - _WINDOW), start)):
        if count_words(text[low:end]) >= MIN_WORDS:
            return _checked(text, low, end)
    whole = text.strip()
    start = text.find(whole)
    span = _checked(text, start, start + len(whole[:_WINDOW].rstrip()))
    # A few words around one endless one are a quote only as they stand.
    return span if span or len(whole) > _ENDLESS else _checked(text, start, start + len(whole))


def _checked(text: str, start: int, end: int) -> Span | None:
    """The span, if evidence would be accepted from there."""
    return Span(start, end) if isinstance(Haystack(text).locate(text[start:end]), Span) else None


def _positions(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The places of a stretch's words with the punctuation beside them; other scripts are cut where ICU cuts words."""
    piece = text[start:end]
    if piece.isascii() or not _unspaced(piece):
        return [(start + match.start(), start + match.end()) for match in _TOKEN.finditer(piece)]
    from icu4py.breakers import WordBreaker

    places: list[tuple[int, int]] = []
    at = start
    for segment in WordBreaker(piece, "und"):
        if any(map(str.isalnum, segment)):
            places.append((at, at + len(segment)))
        elif places and places[-1][1] == at and not segment.isspace():
            places[-1] = (places[-1][0], at + len(segment))
        elif not segment.isspace() and not places:
            places.append((at, at + len(segment)))
        at += len(segment)
    return places


def _unspaced(piece: str) -> bool:
    return max(map(len, piece.split()), default=0) > 25


def _passage(feature: str, task: TaskReading, answer: AnswerReading) -> tuple[int, int]:
    """The sentence or place where the feature shows best."""
    for fact in answer.facts:
        if fact.name == feature:
            return fact.start, fact.end
    text = answer.text
    if feature in ("structure", "instructions"):
        mark = _STRUCTURE.search(text)
        start = mark.start() if mark else 0
        return next(((low, high) for low, high in answer.sentences if high > start), (0, len(text)))
    if feature == "coverage":
        return _best(answer, _naming(task.terms))
    if feature == "specificity":
        return _best(answer, lambda sentence: float(len(_CONCRETE.findall(sentence))))
    if feature in _CUES:
        return _best(answer, _counting(_CUES[feature]))
    return _best(answer, lambda sentence: min(len(sentence), 200) / 200)


_CUES = {"caution": cues.CAUTIONS, "reasoning": cues.REASONS, "freshness": cues.FRESH}


def _naming(terms: tuple[str, ...]) -> Callable[[str], float]:
    def count(sentence: str) -> float:
        lowered = sentence.lower()
        return float(len([term for term in terms if term in lowered]))

    return count


def _counting(wanted: frozenset[str]) -> Callable[[str], float]:
    return lambda sentence: float(len(wanted.intersection(_LETTERS.findall(sentence.lower()))))


def _best(answer: AnswerReading, worth: Callable[[str], float]) -> tuple[int, int]:
    """The sentence with the highest worth; among equals one that has the length of a quote, then the first."""
    best, place = (-1.0, False), (0, len(answer.text))
    for start, end in answer.sentences[:_LOOKED_AT]:
        sentence = answer.text[start : min(end, start + _WINDOW)]
        rank = (worth(sentence), 25 <= len(sentence) <= 200)
        if rank > best:
            best, place = rank, (start, end)
    return place
