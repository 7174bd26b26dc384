"""A first look that rules out many expressions at once, in one pass over a text: twenty times cheaper than to look for
the words of each. It only ever says that none of them can match; what does match, and where, is for `re` to say.

The pass is made by the linear-time expressions of Rust that pydantic brings along. Who does not use pydantic does not
load it for this.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable

from .patterns import folded

_PAYS = 256  # texts after which the ten milliseconds that it takes to make one are worth it: never for a single case
_PART = re.compile(r"\(\?<?[!=][^()]*\)|\\.", re.DOTALL)
# What both kinds of expressions write alike and understand differently, as something that matches no less.
_LOOSER = {r"\b": "", r"\w": r"\S", r"\W": "[^a-z0-9_]", r"\s": r"[\s\x1c-\x1f]"}


class FirstLook:
    """Whether any of some expressions can match; they are read without regard to case, and `^` and `$` as a line's."""

    def __init__(self, sources: Iterable[str], pays_after: int = _PAYS) -> None:
        self._sources, self._pays_after = tuple(sources), pays_after
        self._asked = 0
        self._may_match: Callable[[str], bool] | None = None

    def rules_out(self, text: str) -> bool:
        """Whether none can match anywhere in the text; False also where that cannot be told."""
        if self._may_match is None:
            self._asked += 1
            if self._asked <= self._pays_after or "pydantic_core" not in sys.modules:
                return False
            self._may_match = _may_match(self._sources)
        if text.isascii():
            return not self._may_match(text)
        return not self._may_match(folded(text)) and _is_unicode(text)


def loosened(source: str) -> str:
    r"""An expression that matches, without regard to case, wherever the given one does.

    It has no word boundaries and does not look around. A set that excludes a class, as `[^\w]`, would become narrower.
    """
    return _PART.sub(lambda part: "" if part[0][0] == "(" else _LOOSER.get(part[0], part[0]), source)


def _may_match(sources: Iterable[str]) -> Callable[[str], bool]:
    from pydantic_core import SchemaValidator

    pattern = "(?im)" + "|".join(f"(?:{loosened(source)})" for source in sources)
    return SchemaValidator({"type": "str", "pattern": pattern, "regex_engine": "rust-regex"}).isinstance_python


def _is_unicode(text: str) -> bool:
    """Whether it can be written in UTF-8: of a text with half a character pydantic only says that it is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
