"""Is a number in a sentence asked for, and as what: about so many, at most, at least, from … to?

The part that lengths and counts have in common: the words around "N words" or "N sentences".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from .lexicon import Lexicon
from .passages import Sentence

MOST_MATCHES = 8  # of one pattern in one sentence, so that a sentence full of them costs no more
_BEFORE, _AFTER = 80, 60  # characters around a number that decide how it is meant
# "If the text has more than 500 words, …": what is asked for then is not asked for always.
_CONDITIONAL = re.compile(
    r"\W*(?:(?:if|when|whenever|once|si|cuando|quand|wenn|falls|se|quando)\b|もし|如果|若|만약|अगर|यदि|إذا)",
    re.IGNORECASE,
)
# What somebody else asked for.
_REPORTED = re.compile(
    r"\b(?:said|says|told (?:me|us)|asked (?:me|us)|dijo|a dit|sagte|disse|ha detto)\b", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"\b(?:that|it|this|he|she|they|we|i|there|these|those|is|was|es|son|sind|c'est|sono)\b", re.IGNORECASE
)
Kind = Literal["about", "plain", "at_most", "at_least", "range"]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its noun, as it is meant; `start` and `end` count within the sentence."""

    kind: Kind
    count: int
    upper: int | None
    start: int
    end: int
    exact: bool = False
    qualified: bool = False  # was a kind said in words ("about", "at most"), so that it can hardly be anything else?


def amounts(sentence: str, lexicon: Lexicon, noun: str) -> Iterator[Amount]:
    """Every "N nouns" of a sentence."""
    number = lexicon.number
    # The noun alone is found quickly, and most sentences have none.
    if not lexicon.compiled(noun).search(sentence):
        return
    pattern = lexicon.compiled(
        rf"(?:(?P<low>{number})(?P<join>{lexicon.to}|{lexicon.between_and}))?(?P<n>{number})(?:{noun})"
    )
    for match in islice(pattern.finditer(sentence), MOST_MATCHES):
        amount = _amount(sentence, match, lexicon)
        if amount is not None:
            yield amount


def _amount(sentence: str, match: re.Match[str], lexicon: Lexicon) -> Amount | None:
    before, after = sentence[max(0, match.start() - _BEFORE) : match.start()], sentence[match.end() :][:_AFTER]
    count, upper = lexicon.value(match["n"]), None
    start, end = match.start(), match.end()
    if count == 0:
        return None
    if match["low"] is not None:
        between = lexicon.compiled(rf"(?:{lexicon.between})\Z").search(before)
        if between is None and not lexicon.compiled(rf"(?:{lexicon.to})\Z").match(match["join"]):
            return None  # "two and 3 sentences"
        count, upper = lexicon.value(match["low"]), count
        if not 0 < count < upper:
            return None
        return Amount("range", count, upper, start - (len(between[0]) if between else 0), end, qualified=True)
    tail = _tail(after, lexicon)
    if tail is not None:
        kind, length = tail
        lead = _lead(before, lexicon)
        return Amount(kind, count, None, start - (lead[1] if lead else 0), end + length, qualified=True)
    lead = _lead(before, lexicon)
    if lead is not None:
        return Amount(lead[0], count, None, start - lead[1], end, qualified=True)
    exactly = lexicon.compiled(rf"(?:{lexicon.exactly})\Z").search(before)
    if exactly is not None:
        return Amount("plain", count, None, start - len(exactly[0]), end, exact=True, qualified=True)
    return Amount("plain", count, None, start, end)


def _lead(before: str, lexicon: Lexicon) -> tuple[Kind, int] | None:
    # "no more than" ends like "more than": the longest that fits is meant.
    kinds: tuple[tuple[Kind, str], ...] = (
        ("at_most", lexicon.at_most),
        ("at_least", lexicon.at_least),
        ("about", lexicon.about),
    )
    edge = r"(?<!\w)" if lexicon.spaced else ""
    found = [(kind, lexicon.compiled(rf"{edge}(?:{pattern})\Z").search(before)) for kind, pattern in kinds]
    lengths = [(len(match[0]), kind) for kind, match in found if match is not None]
    if not lengths:
        return None
    length, kind = max(lengths)
    return kind, length


def _tail(after: str, lexicon: Lexicon) -> tuple[Kind, int] | None:
    kinds: tuple[tuple[Kind, str], ...] = (
        ("at_most", lexicon.at_most_after),
        ("at_least", lexicon.at_least_after),
        ("about", lexicon.about_after),
    )
    for kind, pattern in kinds:
        match = lexicon.compiled(rf"(?:{pattern})").match(after)
        if match is not None:
            return kind, len(match[0])
    return None


def is_request(sentence: Sentence, start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether what stands at that place is itself the request ("write a function")."""
    cues = lexicon.compiled(lexicon.request).finditer(sentence.text)
    if lexicon.verb_last:
        return any(cue.end() > start for cue in cues)
    return any(cue.start() <= start + 1 and (cue.end() > start or start - cue.end() < 3) for cue in cues)


def is_asked(sentence: Sentence, start: int, end: int, lexicon: Lexicon, *, clause: bool = False) -> bool:
    """Whether the sentence asks for what stands at that place, rather than telling of it.

    With `clause` only the words since the last comma can make it a description.
    """
    text = sentence.text
    before = text[:start]
    if _CONDITIONAL.match(text) or _REPORTED.search(before):
        return False
    cues = list(lexicon.compiled(lexicon.request).finditer(before))
    cue = cues[-1] if cues else None
    described = lexicon.compiled(lexicon.described)
    if cue is not None:
        since = max(cue.end(), max(before.rfind(mark) for mark in ",，、")) if clause else cue.end()
        return described.search(before, since) is None
    cue = lexicon.compiled(lexicon.request).search(text, end)
    if cue is None:
        return False
    if lexicon.verb_last:
        return described.search(text, 0, cue.end()) is None
    # "In 75 words, tell me who she was."
    opens = len(before.split()) <= 2 and described.search(before) is None
    return opens and text[end:].lstrip()[:1] in (",", "،", "，", ":") and cue.start() <= end + 1


def is_fragment(sentence: Sentence, start: int, end: int, lexicon: Lexicon, *, qualified: bool) -> bool:
    """Whether the sentence is hardly more than the amount itself: "(max. 100 words)", "Length: 300 words"."""
    text = sentence.text
    if lexicon.compiled(
        rf"\A[\W\d_]{{0,6}}(?:{lexicon.header})(?: \w+)?[*_]{{0,2}} ?(?:[:：=–-]|is|of)? ?\W{{0,3}}\Z"
    ).search(text[:start]):
        return True
    rest = (text[:start] + " " + text[end:]).strip(" .,:;!?()[]{}*_-–—•。，、（）\x00")
    if lexicon.compiled(lexicon.described).search(rest) or _PRONOUN.search(rest):
        return False
    if not rest:
        return qualified
    short = len(rest.split()) <= 2 if lexicon.spaced else len(rest) <= 4
    opened = text[:start].rstrip()[-1:] in ("(", "（", "[") and text[end:].lstrip()[:1] in (")", "）", "]")
    return qualified and (short or opened)
