"""What counts as left blank in a review's slots: nothing, a placeholder nobody replaced, or a word for nothing.

A response may well be in brackets: only what reads as an instruction to fill it in is a placeholder.
"""

from __future__ import annotations

import re

# `[paste for paste in jars]` is code somebody asked for.
_PLACEHOLDER = re.compile(
    r"\[\s*(?:\.{2,}|…+|paste\s+(?!for\b)[^\[\]\n]*|[^\[\]\n]*\bleave\s+(?:it\s+)?(?:blank|empty)\b[^\[\]\n]*)\s*\]",
    re.IGNORECASE,
)
# `[1..7]` and `[-2/-1/0/1/2]` show what may be entered; `[2]` was entered.
_CHOICES = re.compile(r"\[\s*[-+−–]?\d+(?:\s*(?:/|,|\.\.+|…|–|-|\||or|to)\s*[-+−–]?\d+)+\s*\]")
_LONGEST = 200
_EMPTY_BOX = re.compile(r"\[[\s_]*\]")
_NOTHING = frozenset(("n/a", "na", "-", "--", "–", "—", "−", "none", "null", "not provided", "not rated", "...", "…"))


def entered_text(text: str) -> str:
    """The text as it stands, or nothing if it is blank or a placeholder."""
    stripped = text.strip()
    return "" if not stripped or (len(stripped) <= _LONGEST and _PLACEHOLDER.fullmatch(stripped)) else text


def entered_reason(text: str) -> str:
    """A justification without the space around it, or nothing if it stands for nothing."""
    stripped = entered_text(text).strip()
    return "" if stripped.lower() in _NOTHING else stripped


def entered_rating(text: str) -> str:
    """A rating's words without the space around them, or nothing if they stand for nothing."""
    words = entered_reason(text)
    if len(words) > _LONGEST:
        return words
    return "" if _CHOICES.fullmatch(words) or _EMPTY_BOX.fullmatch(words) else words
