"""Find a number in a text: in digits of any script, or spelled out in a language as ICU and everyday language do it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ..text.evidence import Span

# At most nine digits: no task asks for more, and a run of thousands of digits is not a number.
# Part of "3.5" and of "500k" is no number either.
_DIGITS = re.compile(r"(?<!\d)(?<!\d[.,])(?:\d{1,3}(?:[,. \u00a0\u202f٬’']\d{3}){1,2}|\d{1,9})(?!\d|[.,]\d|[kKmM]\b)")
# "One" as an indefinite article, where ICU does not have it among the forms of the number.
_ARTICLES = {
    "en": "a an", "de": "eines", "fr": "d'un d'une", "it": "un'", "nl": "een één 'n", "af": "'n", "sv": "en ett",
    "da": "en et", "no": "en et ei", "gl": "un unha", "ro": "un o unei unui", "el": "μια", "pt": "um uma num numa",
}  # fmt: skip
# Short forms that are not ICU's form without its "one".
_EVERYDAY = {("sv", 1000): ("tusen",), ("ar", 100): ("مئة",), ("zh", 2): ("两", "兩")}
_INVISIBLE = re.compile("[\u00ad\u200b]")
# ICU's rules for cardinal numbers: genders, cases, native Korean. If a language lacks a rule, ICU uses another.
_CARDINAL = (
    "", "%spellout-numbering", "%spellout-cardinal", "%spellout-cardinal-masculine", "%spellout-cardinal-feminine",
    "%spellout-cardinal-neuter", "%spellout-cardinal-native", "%spellout-cardinal-native-attributive",
    "%spellout-cardinal-attributive", "%spellout-cardinal-alternate2", "%spellout-cardinal-masculine-genitive",
    "%spellout-cardinal-feminine-genitive", "%spellout-cardinal-feminine-accusative", "%spellout-cardinal-n",
    "%spellout-cardinal-m", "%spellout-cardinal-r", "%spellout-cardinal-s", "%spellout-cardinal-verbose",
)  # fmt: skip
_ORDINAL = (
    "%spellout-ordinal", "%spellout-ordinal-masculine", "%spellout-ordinal-feminine", "%spellout-ordinal-neuter",
    "%spellout-ordinal-masculine-adjective", "%spellout-ordinal-n", "%spellout-ordinal-m", "%spellout-ordinal-r",
    "%spellout-ordinal-s",
)  # fmt: skip
# Of these the other spelled numbers are made; beside one of them, a number is a part of a longer one.
_PARTS = (*range(1, 21), *range(30, 100, 10), 100, 1000)
# The languages in which small numbers are looked for, where that of a text is not known.
_LANGUAGES = (
    "en", "es", "fr", "de", "pt", "it", "nl", "sv", "pl", "ru", "uk", "tr", "id", "vi", "zh", "ja", "ko", "ar", "hi",
)  # fmt: skip
_SMALL = range(1, 13)
_AND = re.compile(r"\s+(?:and|und|et|y|e|i|en|og|och|ja|și|и|και)\s+")


def find_number(text: str, amount: int, languages: Iterable[str] = (), ordinal: bool = False) -> Span | None:
    """Return the first place of a number in a text, in digits or else spelled out in English or a given language.

    `ordinal`: it may also be spelled out as an ordinal number ("second").
    """
    for match in _DIGITS.finditer(text):
        if int(re.sub(r"\D", "", match[0])) == amount:
            return Span(match.start(), match.end())
    lowered = text.lower()
    # Lower case may change the length of a text (İ). Places would then be wrong, so look for digits only.
    if len(lowered) != len(text):
        return None
    tried = dict.fromkeys(("en", *languages))
    return min((place for language in tried for place in _spelled(lowered, amount, language, ordinal)), default=None)


@lru_cache(maxsize=1)
def spelled_numbers() -> frozenset[str]:
    """Return how numbers up to twelve are spelled out in the commonest languages: one, second, primera, 三."""
    rules = *_CARDINAL[:8], *_ORDINAL
    return frozenset(("첫", *(form for one in _LANGUAGES for n in _SMALL for form in _spell(rules, n, one))))


def _spelled(lowered: str, amount: int, language: str, ordinal: bool) -> Iterator[Span]:
    for form in (*_forms(amount, language), *(_spell(_ORDINAL, amount, language) if ordinal else ())):
        for match in re.finditer(_pattern(form), lowered):
            if not _is_part(lowered, match, language):
                yield Span(match.start(), match.end())
                break


def _pattern(form: str) -> str:
    # The parts of a number may be joined by hyphens or spaces: twenty-five, twenty five.
    pattern = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]+", form))
    # Scripts that write words together have no word boundaries to match.
    edges = form.isascii() or unicodedata.name(form[0], "").startswith(("LATIN", "CYRILLIC", "GREEK"))
    return rf"(?<!\w){pattern}(?!\w)" if edges else pattern


def _is_part(lowered: str, match: re.Match[str], language: str) -> bool:
    """Return whether a number belongs to a longer one: the hundred of "two hundred", the 三 of 三百."""
    before, behind, large = _neighbours(language)
    if before.search(lowered[max(0, match.start() - 40) : match.start()]) or behind.match(lowered, match.end()):
        return True
    # "a hundred and fifty", unlike "between ten and twenty" and "between one hundred and two hundred"
    joined = _AND.match(lowered, match.end()) if match[0].endswith(_large(language)) else None
    more = behind.match(lowered, joined.end()) if joined else None
    return more is not None and large.match(lowered, more.end()) is None


@lru_cache(maxsize=64)
def _neighbours(language: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns for a part of a number right before a place, right behind it, and for a hundred behind it."""
    spelled = {form for amount in _PARTS for form in _spell(_CARDINAL[:5], amount, language)}
    either, large = (
        "|".join(map(_pattern, sorted(forms, key=len, reverse=True)))
        for forms in (spelled.union(_large(language)), _large(language))
    )
    return tuple(map(re.compile, (rf"(?:{either})[\s-]?\Z", rf"[\s-]?(?:{either})", rf"[\s-]?(?:{large})")))


@lru_cache(maxsize=64)
def _large(language: str) -> tuple[str, ...]:
    return tuple(form for amount in (100, 1000) for form in _forms(amount, language))


@lru_cache(maxsize=512)
def _forms(amount: int, language: str) -> tuple[str, ...]:
    """Return how an amount is spelled out in a language: as ICU does, and in the short forms of everyday language."""
    spelled = _spell(_CARDINAL, amount, language)
    short = [*_EVERYDAY.get((language, amount), ())]
    if amount == 1:
        short += _ARTICLES.get(language, "").split()
    if amount >= 100 and str(amount)[0] == "1":
        # hundert for einhundert, hundred for one hundred, тысяча for одна тысяча
        ones = sorted(_spell(_CARDINAL, 1, language), key=len, reverse=True)
        for form in spelled:
            one = next((one for one in ones if form.startswith(one)), None)
            if one is not None and (rest := form[len(one) :].strip(" -")):
                short.append(rest)
    return tuple(dict.fromkeys((*spelled, *short)))


def _spell(rules: tuple[str, ...], amount: int, language: str) -> tuple[str, ...]:
    spelled = (_speller(rule, language).format({"n": amount}) for rule in rules)
    return tuple(dict.fromkeys(_INVISIBLE.sub("", form).lower() for form in spelled))


@lru_cache(maxsize=1024)
def _speller(rule: str, language: str) -> Any:
    from icu4py.messageformat import MessageFormat

    return MessageFormat(f"{{n,spellout,{rule}}}", language)
