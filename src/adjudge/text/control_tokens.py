"""Markers that chat templates treat as the end of a turn, even inside a user's text, and how they are broken up."""

from __future__ import annotations

import re

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
