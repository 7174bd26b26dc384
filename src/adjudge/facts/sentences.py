"""Where the sentences and lines of a text stand, and roughly how long they are.

Good enough to compare and quote them in any script; not a grammar, and not the exact word count of `adjudge.words`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .patterns import put_off

SENTENCE_ENDS = ".!?…。！？｡؟۔।॥։"
CLOSERS = "\"'”’»›)]}」』）】*_`~"

# Every alternative is bounded, so that a run of a hundred thousand dots costs no more than as many letters. One set of
# characters opens them all: the search for it skips the letters between at a tenth of what trying each of them costs.
_BOUNDARY = put_off(
    r"[.!?…؟۔।॥։。！？｡\n](?:(?<=\n)|(?<=[。！？｡])[」』”’）]{0,2}|(?<![。！？｡])[\"'”’»)\]*_]{0,3}(?=\s))"
)
_UNSPACED = put_off(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


_MOST = 4000


def sentence_spans(text: str, limit: int = _MOST) -> list[tuple[int, int]]:
    """The places of the sentences, without the white space around them; a line's end is a sentence's end too."""
    return _spans(text)[: min(limit, _MOST)]


@lru_cache(maxsize=4)  # what repeats itself, what is polite and what is quoted are all asked of the same text
def _spans(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        end = match.end()
        if end - start > 1 or not text[start].isspace():
            _add_trimmed(spans, text[start:end], start)
            if len(spans) >= _MOST:
                return spans
        start = end
    _add_trimmed(spans, text[start:], start)
    return spans


def rough_words(text: str) -> int:
    """About how many words: those between spaces, and for scripts without spaces one for two characters."""
    if text.isascii():
        return len(text.split())
    unspaced = len(_UNSPACED.findall(text))
    return len(text.split()) + unspaced // 2


def code_spans(text: str) -> list[tuple[int, int]]:
    """The places inside ``` fences, an unclosed last one included."""
    if "```" not in text:
        return []
    marks = [match.start() for match in re.finditer("```", text)]
    if len(marks) % 2:
        marks.append(len(text))
    return list(zip(marks[::2], marks[1::2], strict=True))


def _add_trimmed(spans: list[tuple[int, int]], piece: str, start: int) -> None:
    trimmed = piece.lstrip()
    start += len(piece) - len(trimmed)
    if length := len(trimmed.rstrip()):
        spans.append((start, start + length))


def word_set(words: str) -> frozenset[str]:
    """A word list written as running text, so that it stays readable as one."""
    return frozenset(words.split())
