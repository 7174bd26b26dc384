"""Check whether two texts are the same text.

Unicode form, line ends and white space at the end of a line or of the text do not count. All other differences do.
"""

from __future__ import annotations

import re
import unicodedata

from .evidence import Folded

_WORD = re.compile(r"\S+")
_LONG_WORD = 1_000


def are_identical(a: str, b: str) -> bool:
    """Check whether two texts differ at most in Unicode form, line ends and trailing white space."""
    return a == b or _plain(a) == _plain(b)


def _plain(text: str) -> str:
    composed = text if text.isascii() else _WORD.sub(lambda word: _composed(word[0]), text)
    return "\n".join(line.rstrip() for line in composed.splitlines()).rstrip()


def _composed(word: str) -> str:
    # A long run of combining marks takes quadratic time, so compose a very long word in short stretches.
    fold = unicodedata.normalize
    return fold("NFC", word) if len(word) < _LONG_WORD else Folded(word, lambda part, _: fold("NFC", part)).text
