"""The words with which one language asks for something countable. Regular expressions, matched without case.

Only the shape of the data stands here; `requests` and its helpers know how to use it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..wishes import FormatName
from .literals import has_any, literals

NEVER = r"(?!)"
# Digits of any script, with the separators that group thousands; "\d" and int() both know Arabic-Indic and the like.
DIGITS = r"\d{1,3}(?:[,.٬’，\u00a0\u202f]\d{3})+(?!\d)|\d{1,3} 000(?!\d)|\d{1,5}(?!\d)"
_DIGIT = re.compile(r"\d")
_SEPARATOR = re.compile(r"[,.٬’，\u00a0\u202f ]")


@dataclass(frozen=True, eq=False)
class Lexicon:
    """`…_after` stands directly behind the number and its noun, what has no suffix directly before the number."""

    script: str  # a text without it is not in this language
    numbers: Mapping[str, int]
    word: str
    character: str
    sentence: str
    paragraph: str
    request: str  # what makes a sentence a request
    about: str
    at_most: str
    at_least: str
    exactly: str = NEVER
    about_after: str = NEVER
    at_most_after: str = NEVER
    at_least_after: str = NEVER
    fused: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by noun: forms that hold the number
    between: str = NEVER
    between_and: str = NEVER
    to: str = r"[-–—~〜～]"
    plain: str = NEVER  # what makes a bare number of words a length
    plain_after: str = NEVER
    header: str = NEVER  # "Word limit:"
    described: str = NEVER  # words that turn a request into a description, standing between it and the number
    craft: str = NEVER  # as `described`, of a length or a format, but things of that kind can be asked for by number
    explains: str = NEVER  # "explain why": described words in it describe nothing
    composes: str = NEVER  # … unless what is explained is how something is written
    question: str = NEVER  # "what is": opens a question that the length is behind
    reference: str = NEVER  # "this 500-word article": directly before the number
    part: str = NEVER  # a length of a part of the answer: before the number
    part_after: str = NEVER
    several: str = NEVER  # things of which each may have that length
    persistent: str = NEVER
    number_edge: str = ""  # what a number in words may not stand behind, where words do not stand apart
    spaced: bool = True  # do words stand apart?
    verb_last: bool = False  # may the request stand behind what is asked for?
    items: tuple[str, ...] = ()  # with a group `n`, and what is asked for behind it
    not_items: str = NEVER  # nouns that are counted but are no items
    formats: Mapping[FormatName, str] = field(default_factory=dict)
    frame: str = NEVER  # "in", "as a": directly before a format that is wished for
    frame_after: str = NEVER
    languages: str = NEVER  # programming languages
    code: str = NEVER  # a request for code, with the language in a group `lang` or `lang2`
    forbids: str = NEVER  # what stands before forbidden formats
    forbids_after: str = NEVER
    about_program: str = NEVER  # a sentence about a program's output, not about the answer

    @cached_property
    def number(self) -> str:
        """A pattern for a number in digits or words."""
        words = "|".join(sorted(map(re.escape, self.numbers), key=len, reverse=True))
        edge, far = (r"(?<![\w.,])", r"(?!\w)") if self.spaced else (self.number_edge, "")
        digits = rf"(?<![\d.,A-Za-z])(?:{DIGITS})"
        return rf"(?:{digits}|{edge}(?:{words}){far})" if words else digits

    @cached_property
    def _counted(self) -> tuple[str, ...]:
        forms = [form for forms in self.fused.values() for form in forms]
        return tuple({word.lower() for word in (*self.numbers, *forms)})

    @cached_property
    def item_patterns(self) -> tuple[str, ...]:
        """The patterns of `items`, with the number in its place."""
        edge = r"\b" if self.spaced else ""
        return tuple(f"{edge}(?:{pattern.replace('{n}', self.number)})" for pattern in self.items)

    def may_count(self, lowered: str) -> bool:
        """Whether a text may have a number in this language."""
        return _DIGIT.search(lowered) is not None or has_any(self._counted, lowered)

    def may_list(self, lowered: str) -> bool:
        """Whether a text may ask for a number of things in this language."""
        return has_any(self._listing, lowered)

    def may_name_format(self, lowered: str) -> bool:
        """Whether a text may name a format, or ask for code, in this language."""
        return has_any(self._naming, lowered)

    @cached_property
    def _listing(self) -> tuple[str, ...] | None:
        return literals(self._any_items())

    @cached_property
    def _naming(self) -> tuple[str, ...] | None:
        return literals(self._any_format())

    def _any_items(self) -> str:
        return "|".join(f"(?:{pattern})" for pattern in map(_unnamed, self.item_patterns))

    def _any_format(self) -> str:
        return "|".join(f"(?:{noun})" for noun in (*self.formats.values(), _unnamed(self.code)))

    def sought(self) -> tuple[str, ...]:
        """The patterns of which a piece is looked for before they are."""
        nouns = (self.word, self.character, self.sentence, self.paragraph, *self.formats.values())
        return (*nouns, self.code, self.forbids, *self.item_patterns, self._any_items(), self._any_format())

    def value(self, written: str) -> int:
        """The number that was written."""
        small = written.strip().lower()
        if small in self.numbers:
            return self.numbers[small]
        return int(_SEPARATOR.sub("", small))

    def compiled(self, *pattern: str) -> re.Pattern[str]:
        """A pattern of this lexicon, compiled once."""
        return _compiled("".join(pattern))


def _compiled(pattern: str) -> re.Pattern[str]:
    found = _CACHE.get(pattern)
    if found is None:
        found = _CACHE[pattern] = re.compile(pattern, re.IGNORECASE)
    return found


_CACHE: dict[str, re.Pattern[str]] = {}


def _unnamed(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


def numerals(written: str) -> dict[str, int]:
    """`"one=1 two=2 einhundert=100"` as a mapping; `_` stands for a space."""
    pairs = [pair.split("=") for pair in written.split()]
    return {name.replace("_", " "): int(value) for names, value in pairs for name in names.split("/")}
