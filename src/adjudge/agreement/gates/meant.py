"""The condition that a wrong one probably means: quotes within quotes, percent, a decimal comma, sides exchanged.

A guess is only proposed; what is decided on is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

_QUOTES = "'\"`‘’“”„«» "
_SIGNS = {"≤": "<=", "≥": ">=", "=<": "<=", "=>": ">="}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SEVERAL = re.compile(r"\s+(?:and|or|&&|\|\|)\s+|\s*[;,]\s+", re.IGNORECASE)
_NAME_FIRST = re.compile(r"([A-Za-z][\w -]*?)\s*(<=|>=|<|>)\s*(.+)")
_NAME_LAST = re.compile(r"(\S+)\s*(<=|>=|<|>)\s*([A-Za-z]\w*)")
_MONEY = re.compile(r"\$\s*|\s*(?:usd|dollars?)$", re.IGNORECASE)
_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}$)")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%$")
_QUOTE_IT = "put the whole condition in quotes, or the shell takes < and > for the names of files; "


def hint(text: str, is_condition: Callable[[str], object], shares: dict[str, bool]) -> str:
    """Return a question or an advice that ends in a space; empty if there is none. `shares` are the known figures, and
    whether each is a share of 1."""
    tidy = " ".join(text.split()).strip(_QUOTES)
    if tidy in shares:
        return _QUOTE_IT
    parts = [_tidied(part, shares) for part in _SEVERAL.split(tidy)]
    if not all(map(is_condition, parts)):
        return ""
    if len(parts) > 1:
        options = " ".join(f"--fail-if {part!r}" for part in parts)
        return f"give each by itself: {options} (the gate fails if one of them is true); "
    return f"did you mean {parts[0]!r}? "


def _tidied(text: str, shares: dict[str, bool]) -> str:
    """Return the condition as it should be written, as far as can be guessed."""
    for sign, meant in _SIGNS.items():
        text = text.replace(sign, meant)
    if last := _NAME_LAST.fullmatch(text):
        name, operator, limit = last[3], _TURNED[last[2]], last[1]
    elif first := _NAME_FIRST.fullmatch(text):
        name, operator, limit = re.sub(r"[ -]+", "_", first[1]), first[2], first[3]
    else:
        return text
    limit = _COMMA.sub(".", _MONEY.sub("", limit.strip(_QUOTES)))
    share = shares.get(name, True)
    limit = _PERCENT.sub(lambda found: f"{(Decimal(found[1]) / (100 if share else 1)).normalize():f}", limit)
    return f"{name} {operator} {limit}"
