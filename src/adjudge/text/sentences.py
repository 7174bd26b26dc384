"""Where the sentences, lines, quotations and code blocks of a text stand, and roughly how long they are.

Good enough to compare and quote them in any script; not a grammar, and not the exact word count of `adjudge.words`.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise

SENTENCE_ENDS = ".!?…。！？｡؟۔।॥։"
CLOSERS = "\"'”’»›)]}」』）】*_`~"

# The pairs of marks that people write, each with what cannot stand inside it; the sign for inches is none.
QUOTATION = re.compile(
    r"(?<!\d)\"([^\"“”„«»]+)[\"”]|“([^\"“”„«»]+(?:(?<=\d)\"[^\"“”„«»]*)*)”|[“„]([^\"“”„«»]+)[\"”“]|”([^\"“”„]+)”|"
    r"«([^«»]+)»|»([^«»]+)«"
)
QUOTATION_MARK = re.compile('["“”„«»]')  # without one, nothing is quoted
# Every alternative is bounded, so that a run of a hundred thousand dots costs no more than as many letters.
_BOUNDARY = re.compile(
    r"[.!?…؟۔।॥։。！？｡\n](?:(?<=\n)|(?<=[。！？｡])[」』”’）]{0,2}|(?<![。！？｡])[\"'”’»)\]*_]{0,3}(?=\s))"
)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A single letter is an initial, but A and B name answers, and I ends many a sentence.
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|Dr|Mr|Mrs|Ms|St)\.|\b[C-HJ-Z]\.)\Z")
_BEFORE_A_NUMBER = re.compile(r"\b(?:No|Fig)\.\Z")
_FENCE = re.compile(r"`{3,}")
_MOST = 4000


def sentence_spans(text: str, limit: int = _MOST) -> list[tuple[int, int]]:
    """The places of the sentences, without the white space around them; a line's end is a sentence's end too."""
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(chain([0], (match.end() for match in _BOUNDARY.finditer(text)), [len(text)])):
        piece = text[start:end]
        if trimmed := piece.strip():
            start += len(piece) - len(piece.lstrip())
            spans.append((start, start + len(trimmed)))
            if len(spans) == limit:
                break
    return spans


def sentences(text: str) -> list[str]:
    """The sentences of prose; an abbreviation's full stop ends none, and neither does one inside a quotation."""
    # Nothing ends inside quotation marks, so what stands there is hidden while ends are looked for.
    hidden = QUOTATION.sub(lambda match: f"{match[0][0]}{'x' * (len(match[0]) - 2)}{match[0][-1]}", text)
    found: list[tuple[int, int]] = []
    for start, end in sentence_spans(hidden):
        if found and (_is_open(hidden[found[-1][0] : found[-1][1]], hidden[start:end]) or hidden[start].islower()):
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return [text[start:end] for start, end in found]


def _is_open(sentence: str, following: str) -> bool:
    numbered = following[0].isdigit() and _BEFORE_A_NUMBER.search(sentence) is not None
    return numbered or _ABBREVIATION.search(sentence) is not None


def ends_a_sentence(text: str) -> bool:
    """Whether a text ends with a full stop or the like, closing marks aside."""
    return text.rstrip().rstrip(CLOSERS)[-1:] in tuple(SENTENCE_ENDS)


def rough_words(text: str) -> int:
    """About how many words: those between spaces, and for scripts without spaces one for two characters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2


def code_spans(text: str) -> list[tuple[int, int]]:
    """The places inside ``` fences, an unclosed last one included; a longer fence may hold shorter ones."""
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
    """The text with code blocks overwritten, fences included; every place and line end stays where it is."""
    pieces, done = [], 0
    for start, end in code_spans(text):
        end = min(end + 3, len(text))
        pieces += [text[done:start], re.sub(r"[^\n]", hidden, text[start:end])]
        done = end
    return "".join((*pieces, text[done:]))


def word_set(words: str) -> frozenset[str]:
    """A word list written as running text, so that it stays readable as one."""
    return frozenset(words.split())
