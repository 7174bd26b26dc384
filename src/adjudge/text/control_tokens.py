"""Markers that chat templates treat as the end of a turn: how they are broken up before a model sees them, and those
that a model or its server left at the end of a text. The latter are no fault of an answer: detectors look before them.
"""

from __future__ import annotations

import re

from . import Spot

CONTROL_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:bos|eos|pad|unk|start_of_turn|end_of_turn|turn_end)>|\[/?INST\]|<</?SYS>>|<｜[^｜<>\n]{1,40}｜>"
)
_WORD_JOINER = "\u2060"


def defuse(text: str) -> str:
    """Break chat-template markers with an invisible character: still readable, no longer a marker.

    Quotes are found all the same: evidence is located without invisible characters.
    """
    if "<" not in text and "[" not in text:
        return text
    return CONTROL_TOKEN.sub(lambda match: match[0][0] + _WORD_JOINER + match[0][1:], text)


# -- at the end of a text ---------------------------------------------------------------------------------------------

_MARKERS = 10
_LONGEST = 50
_OTHER = re.compile(
    r"<(?:eos|eot|eos_token|end_turn|turn_end|end_of_(?:turn|text|utterance)|endoftext|im_end|/?turn)>|\[(?:eos|eot)\]",
    re.IGNORECASE,
)


def find_system_markers(text: str) -> list[Spot]:
    """The markers at the end of the text, in their order."""
    return [Spot(start, end, f"ends with the system marker {text[start:end]}", True) for start, end in _at_end(text)]


def real_end(text: str) -> int:
    """The end without white space and without the turn markers that some models leave behind."""
    marks = _at_end(text)
    return len(text[: marks[0][0]].rstrip()) if marks else len(text.rstrip())


def without_end_markers(text: str) -> str:
    """The text without its end markers, and otherwise as it is: unmarked text keeps even its last white space."""
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
