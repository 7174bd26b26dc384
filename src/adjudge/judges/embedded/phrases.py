"""How a phrase is looked for in what somebody said: without case and punctuation, but with the edges of sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...facts.sentences import word_set

_FOLDS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'"})
# Bounded, so that a run of a thousand dots costs no more than as many letters.
_SENTENCE_END = re.compile(r"[.!?…؟۔։]{1,4}(?=\s|$)|[。！？｡।॥\n]")
_NOT_SPOKEN = re.compile(r"[^\w'|]+")
# Thai, Japanese and Chinese have no spaces, and Korean hangs its endings on the word.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NEGATIONS = word_set(
    "not never isn't wasn't aren't weren't don't doesn't didn't can't cannot couldn't wouldn't hardly isnt dont "
    "nicht kein keine pas nao não non niet не"
)


def spoken(text: str) -> str:
    """A text in lower case without punctuation, its sentences between bars: ` | no | i meant the east | `."""
    lowered = text.lower() if text.isascii() else text.translate(_FOLDS).lower()
    return f" | {_NOT_SPOKEN.sub(' ', _SENTENCE_END.sub(' | ', lowered))} | "


class Cue:
    """Phrases that mean the same; in scripts without spaces they may stand inside a run of letters."""

    def __init__(self, listed: str) -> None:
        phrases = (" ".join(phrase.split()) for phrase in listed.split(","))
        self.phrases = tuple(_needle(phrase) for phrase in phrases if phrase)
        self._ascii = tuple(filter(str.isascii, self.phrases))

    def find(self, said: str) -> str | None:
        """The first of the phrases that stands in a text made by `spoken`."""
        for phrase in self._ascii if said.isascii() else self.phrases:
            if phrase in said:
                return phrase
        return None

    def find_meant(self, said: str) -> str | None:
        """The same, but not where a negation stands right before it: `not great` is no praise."""
        for phrase in self._ascii if said.isascii() else self.phrases:
            if phrase in said and said[: said.index(phrase)].rpartition(" ")[2] not in _NEGATIONS:
                return phrase
        return None


def _needle(phrase: str) -> str:
    if _UNSPACED.search(phrase):
        return phrase
    return f" {_NOT_SPOKEN.sub(' ', phrase.lower()).strip()} "


def words_of(said: str, leaving_out: Iterable[str] = ()) -> frozenset[str]:
    """The words of a text made by `spoken` that carry meaning."""
    return frozenset(word for word in said.split() if len(word) > 2 or not word.isascii()).difference(leaving_out)
