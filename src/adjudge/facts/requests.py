"""What instructions explicitly ask for that can be counted: a length, a number of things, a format.

A wish that is not understood is not read: what is read here becomes a certain fact elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .asking.asian import CHINESE, JAPANESE, KOREAN
from .asking.counts import read_items, read_paragraphs_wish, read_sentences_wish
from .asking.eastern import ARABIC, HINDI
from .asking.english import ENGLISH
from .asking.formats import read_formats
from .asking.gallic import FRENCH, ITALIAN
from .asking.german import GERMAN
from .asking.iberian import PORTUGUESE, SPANISH
from .asking.lengths import read_length
from .asking.lexicon import Lexicon
from .asking.literals import may_match
from .asking.passages import Sentence, read_sentences
from .wishes import Requests, combined

__all__ = ["Requests", "combined", "read_requests"]

_LATIN = (ENGLISH, SPANISH, FRENCH, GERMAN, PORTUGUESE, ITALIAN)
_OTHERS = (CHINESE, KOREAN, HINDI, ARABIC)


def read_requests(text: str, *, persistent_only: bool = False) -> Requests:
    """The wishes of a text of instructions; with `persistent_only` those meant for all answers from then on."""
    return _read(text, persistent_only)


@lru_cache(maxsize=64)
def _read(text: str, persistent_only: bool) -> Requests:
    sentences = read_sentences(text, lasting=persistent_only)
    whole = "\n".join(sentence.text for sentence in sentences)
    lexicons = _lexicons(whole)
    if persistent_only:
        sentences = [sentence for sentence in sentences if _is_lasting(sentence, lexicons)]
    if not sentences:
        return Requests()
    lowered = whole.lower()
    counting = [lexicon for lexicon in lexicons if lexicon.may_count(lowered)]
    return Requests(
        length=read_length(sentences, _speaking(counting, lowered, "word", "character")),
        items=read_items(sentences, [lexicon for lexicon in counting if lexicon.may_list(lowered)]),
        sentences=read_sentences_wish(sentences, _speaking(counting, lowered, "sentence")),
        paragraphs=read_paragraphs_wish(sentences, _speaking(counting, lowered, "paragraph")),
        formats=read_formats(sentences, lexicons),
    )


def _speaking(lexicons: list[Lexicon], lowered: str, *nouns: str) -> list[Lexicon]:
    """The languages that a text may have one of their nouns of."""
    return [lexicon for lexicon in lexicons if any(may_match(getattr(lexicon, noun), lowered) for noun in nouns)]


def _lexicons(text: str) -> tuple[Lexicon, ...]:
    """The languages whose script the text has; with kana, Chinese characters are Japanese."""
    latin = _LATIN if re.search(r"[A-Za-z]", text) else ()
    if text.isascii():
        return latin
    # These scripts have no case, and a set of thousands takes milliseconds to compile without regard to case.
    if re.search(JAPANESE.script, text):
        return (JAPANESE, *latin)
    others = tuple(lexicon for lexicon in _OTHERS if re.search(lexicon.script, text))
    return (*others, *latin)


def _is_lasting(sentence: Sentence, lexicons: tuple[Lexicon, ...]) -> bool:
    return any(lexicon.compiled(lexicon.persistent).search(sentence.text) for lexicon in lexicons)
