"""Where a text really ends: before the white space and the turn markers that some models leave behind.

Every detector that counts or looks at an end starts from here.
"""

from __future__ import annotations

from ..prompts import CONTROL_TOKEN


def real_end(text: str) -> int:
    """The end without white space and without turn markers such as `<turn_end>`."""
    end = len(text.rstrip())
    for _ in range(10):
        if not end or text[end - 1] not in ">]":
            break
        tail = text[max(0, end - 50) : end]
        marks = [match for match in CONTROL_TOKEN.finditer(tail) if match.end() == len(tail)]
        if not marks:
            break
        end = len(text[: end - len(marks[0][0])].rstrip())
    return end
