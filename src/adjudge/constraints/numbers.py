"""Where a number stands in a text: in digits of any script, or spelled out as ICU spells it in some language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from ..text.evidence import Span

# Nine digits at the most: nobody asks for more, and a run of thousands is no number.
_DIGITS = re.compile(r"(?<!\d)(?:\d{1,3}(?:[,. \u00a0\u202f٬’']\d{3}){1,2}|\d{1,9})(?!\d)")
_ARTICLES = {"en": ("a", "an")}
_INVISIBLE = re.compile("[\u00ad\u200b]")
# ICU's rules for cardinal numbers: genders, cases and the native Korean ones; what a language lacks falls back.
_RULES = (
    "", "%spellout-numbering", "%spellout-cardinal", "%spellout-cardinal-masculine", "%spellout-cardinal-feminine",
    "%spellout-cardinal-neuter", "%spellout-cardinal-native", "%spellout-cardinal-native-attributive",
    "%spellout-cardinal-attributive", "%spellout-cardinal-alternate2", "%spellout-cardinal-masculine-genitive",
    "%spellout-cardinal-feminine-genitive", "%spellout-cardinal-feminine-accusative", "%spellout-cardinal-n",
    "%spellout-cardinal-m", "%spellout-cardinal-r", "%spellout-cardinal-s",
)  # fmt: skip


def find_number(text: str, amount: int, languages: Iterable[str] = ()) -> Span | None:
    """The first place of a number in a text, spelled out in one of the languages or in English; None if it has none."""
    for match in _DIGITS.finditer(text):
        if _value(match[0]) == amount:
            return Span(match.start(), match.end())
    lowered = text.lower()
    # Lower case may change the length of a text (İ): then places would be wrong, and only digits count.
    if len(lowered) != len(text):
        return None
    places = [place for language in ("en", *languages) if (place := _spelled(lowered, amount, language)) is not None]
    return min(places, default=None)


def _value(written: str) -> int:
    return int("".join(str(unicodedata.digit(char)) for char in written if char.isdigit()))


def _spelled(lowered: str, amount: int, language: str) -> Span | None:
    found = []
    for form in _forms(amount, language):
        # Hyphens and spaces between the parts of a number are a matter of taste: twenty-five, twenty five.
        pattern = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]+", form))
        # In scripts that write words together there is no edge to look for.
        edges = form.isascii() or unicodedata.name(form[0], "").startswith(("LATIN", "CYRILLIC", "GREEK"))
        match = re.search(rf"(?<!\w){pattern}(?!\w)" if edges else pattern, lowered)
        if match is not None:
            found.append(Span(match.start(), match.end()))
    return min(found, default=None)


@lru_cache(maxsize=512)
def _forms(amount: int, language: str) -> tuple[str, ...]:
    from icu4py.messageformat import MessageFormat

    spelled = [MessageFormat(f"{{n,spellout,{rule}}}", language).format({"n": amount}) for rule in _RULES]
    articles = _ARTICLES.get(language, ()) if amount == 1 else ()
    return tuple(dict.fromkeys(_INVISIBLE.sub("", form).lower() for form in (*spelled, *articles)))
