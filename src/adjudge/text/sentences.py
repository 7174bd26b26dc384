"""Where the sentences, lines and code blocks of a text stand, and roughly how long they are.

Good enough to compare and quote them in any script; not a grammar, and not the exact word count of `adjudge.words`.
"""

from __future__ import annotations

import re

SENTENCE_ENDS = ".!?…。！？｡؟۔।॥։"
CLOSERS = "\"'”’»›)]}」』）】*_`~"

# Every alternative is bounded, so that a run of a hundred thousand dots costs no more than as many letters.
_BOUNDARY = re.compile(
    r"[.!?…؟۔।॥։。！？｡\n](?:(?<=\n)|(?<=[。！？｡])[」』”’）]{0,2}|(?<![。！？｡])[\"'”’»)\]*_]{0,3}(?=\s))"
)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|Dr|Mr|Mrs|Ms|No|St|Fig)\.|\b[A-Z]\.)\Z")
_MOST = 4000


def sentence_spans(text: str, limit: int = _MOST) -> list[tuple[int, int]]:
    """The places of the sentences, without the white space around them; a line's end is a sentence's end too."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        _add_trimmed(spans, text, start, match.end())
        start = match.end()
        if len(spans) >= limit:
            return spans
    _add_trimmed(spans, text, start, len(text))
    return spans


def sentences(text: str) -> list[str]:
    """The sentences of prose; an abbreviation's full stop ends none, and neither does one inside a quotation."""
    found: list[str] = []
    for start, end in sentence_spans(text):
        piece = text[start:end]
        if found and (_is_open(found[-1]) or piece[0].islower()):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def _is_open(sentence: str) -> bool:
    quoting = sentence.count("“") > sentence.count("”") or sentence.count('"') % 2 == 1
    return quoting or _ABBREVIATION.search(sentence) is not None


def rough_words(text: str) -> int:
    """About how many words: those between spaces, and for scripts without spaces one for two characters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2


def code_spans(text: str) -> list[tuple[int, int]]:
    """The places inside ``` fences, an unclosed last one included."""
    marks = [match.start() for match in re.finditer("```", text)]
    if len(marks) % 2:
        marks.append(len(text))
    return list(zip(marks[::2], marks[1::2], strict=True))


def word_set(words: str) -> frozenset[str]:
    """A word list written as running text, so that it stays readable as one."""
    return frozenset(words.split())


def _add_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    trimmed = piece.lstrip()
    start += len(piece) - len(trimmed)
    if length := len(trimmed.rstrip()):
        spans.append((start, start + length))
