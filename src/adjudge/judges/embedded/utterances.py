"""Quotes from a conversation: the sentence where a sign shows, cut to a readable length, with its exact place."""

from __future__ import annotations

from ...cases import Dialogue
from ...evidence import MAX_WORDS, MIN_WORDS
from ...facts.sentences import rough_words, sentence_spans
from ...verdicts import Utterance
from .dialogue_features import Sign
from .dialogue_reading import READ
from .phrases import spoken
from .quoting import fit

_LONGEST = 300  # characters of a quote; one that has no words to cut between is cut there


def quote_sign(case: Dialogue, sign: Sign) -> Utterance:
    """The sentence of the turn in which the sign's phrase stands; a turn of symbols is quoted as it is."""
    turn = case.turns[sign.turn]
    text = turn.text
    spans = sentence_spans(text[:READ]) or [(0, len(text))]
    start, end = _whole_thought(spans, text, sign.phrase)
    span = fit(text, start, end)
    if span is not None and span.end - span.start <= _LONGEST:
        start, end = span
    else:
        start = len(text) - len(text.lstrip())
        end = start + len(text[start : start + _LONGEST].rstrip())
    return Utterance(turn.speaker, text[start:end], sign.turn, turn.line, start, end)


def _whole_thought(spans: list[tuple[int, int]], text: str, phrase: str) -> tuple[int, int]:
    """The sentence with the phrase, or the fullest; `Ok.` is shown with the sentence after it, or the one before."""
    sizes = [min(rough_words(text[start:end]), MAX_WORDS) for start, end in spans]
    first = sizes.index(max(sizes))
    if phrase and len(spans) > 1:
        first = next((at for at, (start, end) in enumerate(spans) if phrase in spoken(text[start:end])), first)
    last, size = first, sizes[first]
    while size < MIN_WORDS and last + 1 < len(spans):
        last += 1
        size += sizes[last]
    while size < MIN_WORDS and first:
        first -= 1
        size += sizes[first]
    return spans[first][0], spans[last][1]
