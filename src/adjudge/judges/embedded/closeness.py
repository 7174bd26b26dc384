"""How near two answers are to being the same: what makes people call a tie. The same in either order."""

from __future__ import annotations

import math

from .reading import Answer

_MUCH = 0.7  # of all words: from here on two answers begin to be the same
_EQUAL = 0.15  # a tenth more words, in doublings
_NEGATIONS = frozenset(("not", "no", "never", "none", "nor", "neither", "cannot", "without"))


def same_words(a: Answer, b: Answer) -> float:
    """From 0 to 1 as they share from most to all of their words; 0 if they differ in a number or in saying no."""
    if a.numbers != b.numbers or _denies(a) != _denies(b):
        return 0.0
    either = len(a.stems | b.stems)
    share = len(a.stems & b.stems) / either if either else 1.0
    return max(0.0, share - _MUCH) / (1 - _MUCH)


def same_length(a: Answer, b: Answer) -> float:
    """1 if they have as many words, down to 0 if one has a tenth more."""
    least, most = sorted((a.count, b.count))
    return max(0.0, 1 - math.log2((most + 4) / (least + 4)) / _EQUAL)


def _denies(answer: Answer) -> bool:
    if not _NEGATIONS.isdisjoint(answer.words):
        return True
    return "n't" in answer.lower and any(word.endswith("n't") for word in answer.words)
