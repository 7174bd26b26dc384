"""Turn markers that a model or its server leaves at the end of a text. They are no fault of the answer: the other
detectors look at the text before them. Markers elsewhere are `injection.find_control_tokens`' matter.
"""

from __future__ import annotations

import re

from .control_tokens import CONTROL_TOKEN
from .spots import Spot

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
