"""Find the sentences, quotations and code blocks of a text, and estimate their length in words.

This is good enough to compare and quote sentences in any script, but `adjudge.text.words` counts words exactly.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise

SENTENCE_ENDS = ".!?…。！？｡؟۔।॥։"
CLOSERS = "\"'”’»›)]}」』）】*_`~"

# The pairs of quotation marks that people use, each with what cannot be inside it. The inch sign is not a mark.
QUOTATION = re.compile(
    r"(?<!\d)\"([^\"“”„«»]+)[\"”]|“([^\"“”„«»]+(?:(?<=\d)\"[^\"“”„«»]*)*)”|[“„]([^\"“”„«»]+)[\"”“]|”([^\"“”„]+)”|"
    r"«([^«»]+)»|»([^«»]+)«"
)
QUOTATION_MARK = re.compile('["“”„«»]')  # a text without one has no quotations
# Every alternative is bounded, so that a hundred thousand dots take no longer than as many letters.
_BOUNDARY = re.compile(
    r"[.!?…؟۔।॥։。！？｡\n](?:(?<=\n)|(?<=[。！？｡])[」』”’）]{0,2}|(?<![。！？｡])[\"'”’»)\]*_]{0,3}(?=\s))"
)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A single letter is an initial, except A and B, which name answers, and I, which ends many sentences.
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|Dr|Mr|Mrs|Ms|St)\.|\b[C-HJ-Z]\.)\Z")
_BEFORE_A_NUMBER = re.compile(r"\b(?:No|Fig)\.\Z")
_FENCE = re.compile(r"`{3,}")
_MOST = 4000
_NEARBY = 500
_LAST = 20  # characters, more than the longest abbreviation has


def sentence_spans(text: str, limit: int = _MOST) -> list[tuple[int, int]]:
    """Return the places of the sentences, without white space around them. The end of a line also ends a sentence."""
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(chain([0], (match.end() for match in _BOUNDARY.finditer(text)), [len(text)])):
        piece = text[start:end]
        if trimmed := piece.strip():
            start += len(piece) - len(piece.lstrip())
            spans.append((start, start + len(trimmed)))
            if len(spans) == limit:
                break
    return spans


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of the sentence that holds a passage, or of all the sentences that it reaches into."""
    low, begin, size = 0, start, _NEARBY
    while begin and not low:  # look back only as far as is needed
        begin, size = max(0, start - size), 2 * size
        low = max((match.end() for match in _BOUNDARY.finditer(text, begin, start)), default=0)
    # The passage may include the marks that end its sentence.
    ends = (match.end() for match in _BOUNDARY.finditer(text, max(low, end - 4)))
    return low, next((place for place in ends if place >= end), len(text))


def sentences(text: str) -> list[str]:
    """Return the sentences of prose. Full stops of abbreviations and inside quotations do not end a sentence."""
    # Hide what is inside quotation marks while looking for the ends of sentences.
    hidden = QUOTATION.sub(lambda match: f"{match[0][0]}{'x' * (len(match[0]) - 2)}{match[0][-1]}", text)
    found: list[tuple[int, int]] = []
    for start, end in sentence_spans(hidden):
        first, last = found[-1] if found else (start, start)
        if found and (_is_open(hidden[max(first, last - _LAST) : last], hidden[start:end]) or hidden[start].islower()):
            found[-1] = first, end
        else:
            found.append((start, end))
    return [text[start:end] for start, end in found]


def _is_open(sentence: str, following: str) -> bool:
    numbered = following[0].isdigit() and _BEFORE_A_NUMBER.search(sentence) is not None
    return numbered or _ABBREVIATION.search(sentence) is not None


def ends_a_sentence(text: str) -> bool:
    """Return whether a text ends with a full stop or the like, ignoring closing marks after it."""
    return text.rstrip().rstrip(CLOSERS)[-1:] in tuple(SENTENCE_ENDS)


def rough_words(text: str) -> int:
    """Estimate the number of words: the pieces between spaces, plus one per two characters of unspaced scripts."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of ``` code blocks, including an unclosed last one. A longer fence may hold shorter ones."""
    spans: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif len(fence[0]) >= len(opened[0]):
            spans.append((opened.start(), fence.start()))
            opened = None
    return spans if opened is None else [*spans, (opened.start(), len(text))]


def hide_code(text: str, hidden: str = " ") -> str:
    """Return the text with code blocks and their fences overwritten. Places and line ends do not change."""
    pieces, done = [], 0
    for start, end in code_spans(text):
        end = min(end + 3, len(text))
        pieces += [text[done:start], re.sub(r"[^\n]", hidden, text[start:end])]
        done = end
    return "".join((*pieces, text[done:]))


def word_set(words: str) -> frozenset[str]:
    """Return the set of words in a text. Word lists are easier to read as running text."""
    return frozenset(words.split())
