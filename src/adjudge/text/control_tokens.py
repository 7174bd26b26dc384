"""Control tokens of chat templates: break them up before a model sees them, and find those that a model or its server
left at the end of a text. These are not a fault of the answer, so detectors ignore them.

`control_tokens.json` lists the tokens by model family. Tokens of the usual shapes are found without being listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from . import Spot, in_pieces

# What follows an opening bracket. No shape matches HTML, XML, generics or a placeholder such as <my_var>: a name in
# angle brackets without a pipe must say that something starts or ends, be about infilling, or be a numbered spare.
_SHAPES = {
    "<": (
        r"\|[^|<>\s][^|<>\n]{0,59}\|>",  # ChatML, Llama, Phi, harmony, Command R; F# has <| x |>
        r"\|\w{1,40}>|/?\w{1,40}\|>",  # Gemma 4
        r"｜[^｜<>\n]{1,60}｜>",  # DeepSeek, Hunyuan
        r"(?:start|end|begin)_of_[a-z_]{1,40}>",
        r"/?[a-z]{1,20}(?:_[a-z]{1,20}){0,3}_(?:start|end|begin|sep|soft_token)>",
        r"fim_[a-z_]{1,20}>",
        r"(?:unused|extra_id_|reserved_|special_|SPECIAL_|TOKENS_UNUSED_)[0-9]{1,6}>",
    ),
    "[": (r"\|/?[A-Za-z_]{3,40}\|\]", r"unused[0-9]{1,6}\]"),  # EXAONE (shorter names occur in F# arrays), Pangu
    "]": (r"<\][^\[\]<>\n]{1,40}\[>\[",),  # MiniMax
}
# Skip a bracket that is not closed soon, instead of comparing it with every token.
_CLOSED = {"<": r"(?=[^<>\n]{1,70}>)", "[": r"(?=[^\[\]\n]{1,70}\])", "]": r"(?=[<~!])"}
_WORD_JOINER = "\u2060"


def pattern_of(tokens: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for these tokens and all tokens of the usual shapes. Longer tokens are tried first."""
    rest = sorted((token for token in set(tokens) if len(token) > 1), key=len, reverse=True)
    parts = []
    for opens, shapes in _SHAPES.items():
        shape = re.compile("|".join(shapes))
        begins = re.compile(re.escape(opens) + _CLOSED[opens])
        own = [token for token in rest if begins.match(token)]
        tails = [re.escape(token[1:]) for token in own if not shape.fullmatch(token, 1)]
        parts.append(f"{begins.pattern}(?:{'|'.join([*shapes, *tails])})")
        rest = [token for token in rest if token not in own]
    return re.compile("|".join([*parts, *map(re.escape, rest)]))


_FAMILIES = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).values()
_TOKENS = frozenset(token for family in _FAMILIES for token in family["tokens"])
# Placeholders such as <filename> and [ARGS] are tokens of some models too. They are broken up, but not reported.
LISTED = _TOKENS.union(*(family.get("ordinary", ()) for family in _FAMILIES))
CONTROL_TOKEN = pattern_of(_TOKENS)
_LISTED_OR_SHAPED = pattern_of(LISTED)


def defuse(text: str, tokens: re.Pattern[str] = _LISTED_OR_SHAPED) -> str:
    """Break control tokens with an invisible character, so that they stay readable but are no longer tokens.

    Quotes are still found, because evidence is located without invisible characters.
    """
    while found := [match.start() + 1 for match in in_pieces(tokens, text)]:  # repeat: two tokens may share a bracket
        text = _WORD_JOINER.join(text[start:end] for start, end in pairwise([0, *found, len(text)]))
    return text


# -- at the end of a text ---------------------------------------------------------------------------------------------

_MARKERS = 10
_LONGEST = 50
_OTHER = re.compile(
    r"<(?:eos|eot|eos_token|end_turn|turn_end|end_of_(?:turn|text|utterance)|endoftext|im_end|/?turn)>|\[(?:eos|eot)\]",
    re.IGNORECASE,
)


def find_system_markers(text: str) -> list[Spot]:
    """Return the markers at the end of the text, in order."""
    return [Spot(start, end, f"ends with the system marker {text[start:end]}", True) for start, end in _at_end(text)]


def real_end(text: str) -> int:
    """Return the end of the text without white space and without the end markers that some models leave behind."""
    return len(without_end_markers(text).rstrip())


def without_end_markers(text: str) -> str:
    """Return the text without its end markers. A text without markers is returned unchanged, white space included."""
    marks = _at_end(text)
    return text[: marks[0][0]].rstrip() if marks else text


def _at_end(text: str) -> list[tuple[int, int]]:
    marks: list[tuple[int, int]] = []
    end = len(text.rstrip())
    while len(marks) < _MARKERS and end and text[end - 1] in ">]":
        tail = text[max(0, end - _LONGEST) : end]
        last = [match for kind in (CONTROL_TOKEN, _OTHER) for match in kind.finditer(tail) if match.end() == len(tail)]
        if not last:
            break
        start = end - len(last[0][0])
        marks.append((start, end))
        end = len(text[:start].rstrip())
    return marks[::-1]
