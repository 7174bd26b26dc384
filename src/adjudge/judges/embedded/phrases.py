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


Span = tuple[int, int]


def _any_of(*phrases: str) -> re.Pattern[str]:
    """One pattern for all phrases, as whole words in any case; an apostrophe may be typographic."""
    together = "|".join(phrases).replace("'", "['’]").replace(" ", r"\s+")
    return re.compile(rf"\b(?:{together})\b", re.IGNORECASE)


# "I'm sorry to hear that" is sympathy, and nothing was declined.
_DECLINES = _any_of(
    r"sorry(?! to hear\b| for your (?:loss|trouble))", "apologi[sz]e", "apologies", "unfortunately", "regrettably",
    "(?:i'm|i am|we're|we are) afraid", "my mistake",
    "(?:i|we) (?:can't|cannot|can not|couldn't|could not|won't|will not)(?! (?:wait|agree more|thank you enough))",
    "(?:i'm|i am|we're|we are|i was|we were|currently) (?:unable|not able)", "(?:wasn't|weren't|won't be) able to",
    "(?:i|we) (?:don't|do not) (?:know|have (?:any|access|information|that|the ability)|see any)",
    "(?:i|we) (?:didn't|did not|don't|do not) find", "(?:must|have to) decline", "not possible", "as an ai",
)  # fmt: skip
# Nobody says sorry, and still nothing came of it.
_EMPTY_HANDED = _any_of(
    "unsuccessful", "not successful", "not available", "isn't available", "unavailable", "sold out", "fully booked",
    "no (?:results?|match(?:es)?|such|longer available)", "there (?:are|is|were|was) (?:no|none|nothing)",
    "there (?:aren't|isn't) any", "(?:has|have) failed",
)  # fmt: skip


def declines(text: str) -> Span | None:
    """The place of the first apology or refusal."""
    return _first(_DECLINES, text)


def comes_back_empty(text: str) -> Span | None:
    """The place where it first says that there is nothing to be had, politely or not."""
    return _first(_EMPTY_HANDED, text)


def _first(pattern: re.Pattern[str], text: str) -> Span | None:
    match = pattern.search(text)
    return match.span() if match else None
