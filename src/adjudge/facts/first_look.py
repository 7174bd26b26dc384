"""A first look that rules out many phrases at once, in one pass over a text: ten times cheaper than to look for the
words of each. It only ever says that none of them can be there; what is there, and where, is for `re` to say.

The pass is made by the linear-time expressions of Rust that pydantic brings along. Who does not use pydantic does not
load it for this.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from .patterns import folded

_PAYS = 256  # texts after which the milliseconds that it takes to make one are worth it: never for a single case


class FirstLook:
    """Whether any of some pieces of text can stand in another, whatever their case.

    A piece is an expression of literals, sets and choices. It repeats nothing: what goes on and on would have a hostile
    text keep thousands of matches open, and a look that takes longer than what it spares.
    """

    def __init__(self, pieces: Iterable[str], pays_after: int = _PAYS) -> None:
        self._pieces, self._pays_after = tuple(pieces), pays_after
        self._asked = 0
        self._may_match: Callable[[str], bool] | None = None

    def rules_out(self, text: str) -> bool:
        """Whether none stands anywhere in the text; False also where that cannot be told."""
        if self._may_match is None:
            self._asked += 1
            if self._asked <= self._pays_after or "pydantic_core" not in sys.modules:
                return False
            self._may_match = _may_match(self._pieces)
        if text.isascii():
            return not self._may_match(text)
        return not self._may_match(folded(text)) and _is_unicode(text)


def _may_match(pieces: Iterable[str]) -> Callable[[str], bool]:
    from pydantic_core import SchemaValidator

    pattern = f"(?i){'|'.join(pieces)}"
    return SchemaValidator({"type": "str", "pattern": pattern, "regex_engine": "rust-regex"}).isinstance_python


def _is_unicode(text: str) -> bool:
    """Whether it can be written in UTF-8: of a text with half a character pydantic only says that it is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
