"""A wish for the length of the whole answer in words or characters, read from sentences of instructions.

Lengths of a part ("a title of ten words"), of material ("this 500-word article") and numbers of words as things
("five words that rhyme") are no such wish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ..patterns import put_off
from ..wishes import LengthWish
from .asked import Amount, amounts, is_asked, is_fragment
from .counts import is_distributed, without_each_answer
from .lexicon import Lexicon
from .passages import Sentence

_MOST = 20_000
_FEW_CHARACTERS = 20  # fewer "characters" are people in a story or parts of a password
# Another task in the same sentence: the length is that of one part of the answer.
_GOES_ON = put_off(
    r"(?:\bthen|\band(?: then)?|\bas well as) (?:tell|list|give|translate|explain|summari[sz]e|create|write|provide|"
    r"extract|"
    r"suggest|generate|describe|name|answer|identify|an?) ",
    re.IGNORECASE,
)
# "a title (max 8 words) and a paragraph": a limit in brackets is that of what stands before them, one of several.
_JOIN = r"and|plus|along with|as well as|then|followed by|y|más|et|ainsi que|puis|und|sowie|dann|e|mais|poi"
# "(max 50 words) and keep it simple" goes on about the same thing.
_SAME = (
    r"(?:keep|make|use|include|be|do|don't|avoid|focus|ensure|mention|haz|usa|incluye|mantén|fais|utilise|inclus|halte|"
    r"mach|verwende|nutze|faça|use|inclua|fai|usa|includi|mantieni)\w*\b"
)
_THING = (
    r"an?|one|two|three|four|five|\d+|some|several|unas?|unos?|dos|tres|une?|des|deux|trois|eine?[nmr]?|zwei|drei|uma?|dois|"
    r"duas|due|tre"
)
_JOINED_AFTER = put_off(
    rf"[^()（）]{{0,20}}[)）\]]\s*(?:[,;+&]\s*(?:{_THING})\b|[+&，、；]|,?\s*(?:{_JOIN})\s+(?!{_SAME})|和|与|與|以及|及|加|"
    r"还有|と|および|及び|및|와|과|그리고|और|तथा|و(?=\s?\w))",
    re.IGNORECASE,
)
_JOINED_BEFORE = put_off(
    rf"(?:[,;+&]|\b(?:{_JOIN}))\s+(?:{_THING})\s[^(（\[,;]{{1,50}}[(（\[][^()（）]{{0,30}}$|"
    r"(?:和|与|與|以及|と|および|및|와|과|और|तथा)\s?[^(（，、。]{1,20}[(（][^()（）]{0,20}$",
    re.IGNORECASE,
)
_FEW_WORDS = 40  # "write 10 words about love" may be a list of words, "write 200 words about love" is not


def read_length(sentences: Sequence[Sentence], lexicons: Sequence[Lexicon]) -> LengthWish | None:
    """The one length asked for; None also where two contradict each other."""
    found: dict[tuple[int, int], LengthWish] = {}
    for sentence in sentences:
        for lexicon in lexicons:
            for wish in _wishes(sentence, lexicon):
                found.setdefault((wish.start, wish.count), wish)
    return _settled(list(found.values()))


def _wishes(sentence: Sentence, lexicon: Lexicon) -> Iterator[LengthWish]:
    units: tuple[tuple[Literal["words", "characters"], str], ...] = (
        ("words", lexicon.word),
        ("characters", lexicon.character),
    )
    for unit, noun in units:
        for amount in amounts(sentence.text, lexicon, noun):
            if _is_wish(sentence, amount, unit, lexicon):
                start, end = sentence.start + amount.start, sentence.start + amount.end
                yield LengthWish(
                    kind=amount.kind,
                    count=amount.count,
                    unit=unit,
                    start=start,
                    end=end,
                    words=sentence.text[amount.start : amount.end].strip(),
                    upper=amount.upper,
                    exact=amount.exact,
                )


def _is_wish(sentence: Sentence, amount: Amount, unit: str, lexicon: Lexicon) -> bool:
    text = sentence.text
    before, after = text[: amount.start], text[amount.end :]
    if (amount.upper or amount.count) > _MOST:
        return False
    if (
        unit == "characters"
        and lexicon.spaced
        and (amount.count < _FEW_CHARACTERS or not _is_character_limit(amount, before, lexicon))
    ):
        return False
    if lexicon.compiled(rf"(?:{lexicon.part_after})").match(after) or is_distributed(text) or _GOES_ON.search(after):
        return False
    if lexicon.compiled(rf"(?:{lexicon.reference})\Z").search(before) and not amount.qualified:
        return False
    if _is_in_brackets(before) and (_JOINED_AFTER.match(after) or _JOINED_BEFORE.search(before)):
        return False
    # What the length belongs to stands in the same clause.
    before = without_each_answer(before)
    clause = before[max(before.rfind(mark) for mark in ",;:，；：、(（") + 1 :]
    if lexicon.compiled(lexicon.part).search(clause if amount.qualified else before[-60:]):
        return False
    # "Write three poems of 50 words": of each of them, but "three examples in 500 words" is all of them.
    together = amount.count >= _FEW_WORDS and before.rstrip().lower().endswith((" in", " using"))
    if not together and lexicon.compiled(lexicon.several).search(clause if amount.qualified else before[-60:]):
        return False
    if lexicon.verb_last and lexicon.compiled(lexicon.part).search(before):
        return False
    if is_fragment(sentence, amount.start, amount.end, lexicon, qualified=amount.qualified):
        return True
    if not is_asked(sentence, amount.start, amount.end, lexicon):
        return _opens_as_title(sentence, amount, lexicon)
    return amount.qualified or _is_plain_length(before, after, amount, unit, lexicon, text)


def _is_in_brackets(before: str) -> bool:
    return max(before.rfind(mark) for mark in "(（[") > max(before.rfind(mark) for mark in ")）]")


def _is_plain_length(before: str, after: str, amount: Amount, unit: str, lexicon: Lexicon, text: str) -> bool:
    hyphened = text[amount.start : amount.end].count("-") == 1 and unit == "words"
    if hyphened or lexicon.compiled(rf"(?:{lexicon.plain})\Z").search(before):
        return amount.count > 1 or not hyphened
    return bool(lexicon.compiled(rf"(?:{lexicon.plain_after})").match(after)) and (
        amount.count >= _FEW_WORDS or not lexicon.spaced or lexicon.verb_last
    )


def _is_character_limit(amount: Amount, before: str, lexicon: Lexicon) -> bool:
    return amount.qualified or lexicon.compiled(rf"(?:{lexicon.plain})\Z").search(before) is not None


def _opens_as_title(sentence: Sentence, amount: Amount, lexicon: Lexicon) -> bool:
    """ "500-word essay on bees", the whole prompt a title of what is wanted."""
    if not sentence.first or not lexicon.spaced or len(sentence.text) > 200:
        return False
    opening = sentence.text[: amount.start].strip(" .,:;!?()[]{}*_-#").lower()
    if opening not in ("", "a", "an") or "word" not in sentence.text[amount.start : amount.end]:
        return False
    finite = r"\b(?:is|was|has|have|had|contains?|takes?|were|are|will|can|does|costs?|if|should|how)\b"
    return amount.count >= _FEW_WORDS and not lexicon.compiled(finite).search(sentence.text)


def _settled(wishes: list[LengthWish]) -> LengthWish | None:
    if not wishes:
        return None
    first = wishes[0]
    others = [
        wish
        for wish in wishes[1:]
        if (wish.kind, wish.count, wish.unit, wish.upper) != (first.kind, first.count, first.unit, first.upper)
    ]
    if not others:
        return first
    kinds = {wish.kind: wish for wish in wishes}
    if len(others) > 1 or len(kinds) != 2 or len({wish.unit for wish in wishes}) != 1:
        return None
    if kinds.keys() == {"at_least", "at_most"}:
        least, most = kinds["at_least"], kinds["at_most"]
        if least.count >= most.count:
            return None
        return LengthWish("range", least.count, least.unit, least.start, least.end, least.words, upper=most.count)
    # "about 200 words, at most 250": the limit is the part that can be missed for certain.
    if kinds.keys() == {"about", "at_most"} or kinds.keys() == {"plain", "at_most"}:
        return kinds["at_most"]
    return None
