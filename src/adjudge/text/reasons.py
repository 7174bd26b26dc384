"""Check words that a judge or a person wrote and that people will read: their quotations must be real, their numbers
known, their language English.

There is one checker for the texts of one case. Words that fail are replaced as a whole, never cut in the middle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .evidence import Haystack
from .language import FIELD_WORDS, foreign_language, language_name, language_of
from .sentences import QUOTATION, QUOTATION_MARK
from .words import count_words

QUOTED_WORDS = 3  # shorter ones are terms, not quotations
# The one that begins first wins: a quotation inside code is code, and code inside a quotation is quoted.
_CODE_OR_QUOTED = re.compile(rf"(?s:```.*?(?:```|\Z))|`[^`\n]*`|{QUOTATION.pattern}")
# Shown instead of a reason that quotes words nobody wrote.
NOT_IN_THE_TEXT = "The judge's reason quoted words that are not in the text."
_END_MARKS = ".,;:!?…"  # writers often put their own inside the quotation marks
_SCORED = re.compile(r"\AScored \S+(; the judge's reason )")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# "is 3 for Response 1 and 2 for Response 2" after a criterion's name. A number of words or items is not a rating.
_ONE_RATED = r"([-−]?\d) for Response ([12])"
_RATED = rf"(?: is|:| of| at|,? rated)? \(?(?:{_ONE_RATED}(?: and {_ONE_RATED})?|([-−]?\d)(?=[.,;)]|$))"


def scored(value: object, why: str = "quoted words that are not in the text") -> str:
    """Return the sentence that is shown instead of a score's reason that cannot be shown."""
    return f"Scored {value}; the judge's reason {why}."


def rescored(words: str, value: object) -> str:
    """Put the final score into a sentence that `scored` made. Return any other words unchanged."""
    return _SCORED.sub(lambda match: f"Scored {value}{match[1]}", words) if words.startswith("Scored ") else words


class WordChecker:
    """Checks words against the texts that the judge was shown."""

    def __init__(self, texts: Iterable[str | Haystack]) -> None:
        given = [text if isinstance(text, Haystack) else Haystack(text) for text in texts]
        self._texts = [haystack for haystack in given if haystack.text.strip()]

    def invented_quote(self, words: str) -> str:
        """Return what is wrong with the quotations in some words, or an empty string if all are real."""
        for match in _CODE_OR_QUOTED.finditer(words) if QUOTATION_MARK.search(words) else ():
            quote = next(filter(None, match.groups()), "")
            plain = quote.strip().rstrip(_END_MARKS)
            if count_words(quote) >= QUOTED_WORDS and not any(hay.find(plain) for hay in self._texts):
                return f"the quotation {quote[:120]!r} is in none of the texts"
        return ""

    def unknown_number(self, words: str, also: Iterable[str] = ()) -> str:
        """Return a complaint about a number that is neither in the texts nor in `also`, or an empty string."""
        known = {number for text in (*(hay.text for hay in self._texts), *also) for number in _NUMBER.findall(text)}
        unknown = [number for number in _NUMBER.findall(words) if number not in known | {"1", "2"}]
        return f"the number {unknown[0]} is neither in the texts nor in the tables" if unknown else ""


def misstated_rating(words: str, ratings: Mapping[str, tuple[int, int]]) -> str:
    """Return a complaint about a wrong rating given right after its criterion's name, or an empty string.

    `ratings` are those of Response 1 and Response 2, by the criterion's name.
    """
    for name, (one, two) in ratings.items():
        for match in re.finditer(re.escape(name) + _RATED, words, re.IGNORECASE):
            first, whose, second, others, either = match.groups()
            rated = {"1": (one,), "2": (two,), None: (one, two)}
            for given, allowed in ((first, rated[whose]), (second, rated[others]), (either, rated[None])):
                if given and int(given.replace("−", "-")) not in allowed:
                    return f"{name} is {one} for Response 1 and {two} for Response 2, not {given}"
    return ""


def not_english(words: str, reply: str = "") -> str:
    """Return a complaint if a field is surely not in English, or an empty string. `reply`: see `language_of_reply`."""
    language = (reply or foreign_language(words)) if words else ""
    return f"it is in {language}; English is needed" if language else ""


def language_of_reply(fields: Iterable[str], least_words: int = FIELD_WORDS) -> str:
    """Return the language of the whole reply if it is surely not English, or an empty string. Ignore quotations."""
    code = language_of("\n".join(QUOTATION.sub(" ", field) for field in fields), least_words)
    return "" if code in (None, "en") else language_name(code)
