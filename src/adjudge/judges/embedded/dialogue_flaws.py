"""What code finds wrong in SYSTEM's turns, whatever the talk is about: the flaws that count against an answer, too.

A reply in another language than USER's, one that breaks off, a sum that does not come out, a placeholder nobody filled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...facts.language_guess import language_of, plain_code, read_language, without_code
from ...facts.language_names import language_name, named_languages
from ...facts.patterns import put_off
from ...facts.truncation import find_truncation
from .dialogue_features import FEW, Measure, Sign
from .dialogue_reading import READ, Heard, Reading
from .phrases import spoken
from .sums import wrong_sums

_BLANK = put_off(
    r"\{\{[^{}\n]{1,40}\}\}|\$\{\w{1,40}\}|"
    r"\[(?:(?:your|my|customer|client|user|agent|company|insert|enter)[ _'’][\w '’]{1,30}|"
    r"(?:first |last |full )?name|date|time|phone(?: number)?|e-?mail(?: address)?|address|amount|number)\]",
    re.IGNORECASE,
)
# Where brackets may be meant to stand.
_FORMS = put_off(
    r"templat|placeholder|variable|snippet|script|jinja|code|html|draft|example|sample|fill|write|e-?mail|letter|"
    r"replace|bracket|[\[{`]",
    re.IGNORECASE,
)


class Flaw(NamedTuple):
    """Where a turn has it: the words around it, as the cues write them, and what is wrong."""

    heard: Heard
    phrase: str
    says: str


class Flaws(NamedTuple):
    """All of them, each kind in the order of the talk."""

    language: tuple[Flaw, ...]
    cut_off: tuple[Flaw, ...]
    sums: tuple[Flaw, ...]
    blanks: tuple[Flaw, ...]


@lru_cache(maxsize=2)  # both the Evaluator and the Critic ask
def find_flaws(reading: Reading) -> Flaws:
    """What is wrong in SYSTEM's turns."""
    return Flaws(
        language=tuple(_in_another_language(reading)),
        cut_off=tuple(_cut_off(reading)),
        sums=tuple(_wrong_sums(reading)),
        blanks=tuple(_blanks(reading)),
    )


def _in_another_language(reading: Reading) -> Iterator[Flaw]:
    """Turns that are surely in a language which USER neither speaks nor names."""
    told = "\n".join(heard.text[:READ] for heard in reading.user)[: 4 * READ]
    language = language_of(told)
    if language is None or not language.sure:
        return
    own = plain_code(language.code)
    others: set[str] | None = None
    for heard in reading.system:
        found = read_language(without_code(heard.text[:READ]), own)
        if found is None or not found.is_not(own):
            continue
        if others is None:  # only now is it worth knowing
            others = _also_known(reading)
        if all(found.is_not(other) for other in others):
            says = f"answered in {language_name(found.code)}, while the user speaks {language_name(own)}"
            yield Flaw(heard, "", says)


def _also_known(reading: Reading) -> set[str]:
    """The languages of USER's single turns, and those that USER speaks of."""
    texts = [heard.text[:READ] for heard in reading.user]
    spoken = {language.code for text in texts if (language := language_of(text)) is not None}
    return {plain_code(code) for code in spoken.union(*map(named_languages, texts))}


def _cut_off(reading: Reading) -> Iterator[Flaw]:
    for heard in reading.system:
        if len(heard.text) <= READ and (spot := find_truncation(heard.text)) is not None and spot.certain:
            yield Flaw(heard, _phrase(heard.text, spot.start, spot.end), spot.found)


def _wrong_sums(reading: Reading) -> Iterator[Flaw]:
    for heard in reading.system:
        for wrong in wrong_sums(heard.text[:READ]):
            says = f"says {wrong.stated}, which makes {wrong.right:.10g}"
            yield Flaw(heard, _phrase(heard.text, wrong.start, wrong.end), says)


def _blanks(reading: Reading) -> Iterator[Flaw]:
    """Placeholders nobody filled, where no text to be filled in is spoken of."""
    if any(_FORMS.search(heard.text[:READ]) for heard in reading.user):
        return
    for heard in reading.system:
        text = heard.text[:READ]
        if (blank := _BLANK.search(text)) is not None and not _FORMS.search(_BLANK.sub(" ", text)):
            yield Flaw(heard, _phrase(text, *blank.span()), f"left {blank[0]} standing")


def _phrase(text: str, start: int, end: int) -> str:
    return spoken(text[start:end]).strip(" |")


def measure_flaws(reading: Reading, flaws: Flaws) -> dict[str, Measure]:
    """Each kind as a feature: from -1, most turns have it, to 0, none has."""
    return {
        "another_language": _measure(reading, flaws.language, "every reply is in the user's language", 3.0),
        "cut_off": _measure(reading, flaws.cut_off, "no reply breaks off", 4.0),
        "sums": _measure(reading, flaws.sums, "no sum was found that does not come out", 8.0),
        "blanks": _measure(reading, flaws.blanks, "no placeholder was left standing", 6.0),
    }


def _measure(reading: Reading, found: tuple[Flaw, ...], none: str, harm: float) -> Measure:
    if not found:
        return Measure(0.0, none, None)
    turns = len({flaw.heard.turn for flaw in found})
    says = f"the system {found[0].says}" + (f", and {turns - 1} more of its turns are like that" if turns > 1 else "")
    value = -min(1.0, harm * turns / (len(reading.system) + FEW))
    return Measure(value, says, Sign(found[0].heard.turn, found[0].phrase))
