"""Is a number in a sentence asked for, and as what: about so many, at most, at least, from … to?

The part that lengths and counts have in common: the words around "N words" or "N sentences".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from ..patterns import put_off
from .lexicon import Lexicon
from .literals import may_match
from .passages import Sentence

MOST_MATCHES = 8  # of one pattern in one sentence, so that a sentence full of them costs no more
_BEFORE, _AFTER = 80, 60  # characters around a number that decide how it is meant
# "If the text has more than 500 words, …": what is asked for then is not asked for always.
_CONDITIONAL = put_off(
    r"\W*(?:(?:if|when|whenever|once|si|cuando|quand|wenn|falls|se|quando)\b|もし|如果|若|만약|अगर|यदि|إذا)",
    re.IGNORECASE,
)
# What somebody else asked for.
_REPORTED = put_off(r"\b(?:said|says|told (?:me|us)|asked (?:me|us)|dijo|a dit|sagte|disse|ha detto)\b", re.IGNORECASE)
_PRONOUN = put_off(
    r"\b(?:that|it|this|he|she|they|we|i|there|these|those|is|was|es|son|sind|c'est|sono)\b", re.IGNORECASE
)
# What a length or a number of sentences hangs on when it is that of the whole answer.
_ATTACHED = put_off(
    r"(?:(?:\A|(?<=[\s(¿¡,]))(?:in|en|em|using|dans|في|ب)|[,،，;:：(（—–-])[ \t]?(?:only |just |solo |apenas |nur |"
    r"like |a |about )?\Z",
    re.IGNORECASE,
)
_PREPOSITION = put_off(
    r"\W*(?:in|en|em|using|with|mit|con|com|في)(?: just| only| solo| apenas| nur)? ?\Z", re.IGNORECASE
)
_CLOSES = put_off(
    r"\s*(?:\Z|[.,;:!?)\]،؟—–-]|(?:please|and|or|por|bitte|und|y|e|et|s'il|per|max|maximum|without|sin|sem|sans|ohne|"
    r"senza)\b)",
    re.IGNORECASE,
)
# "Do not write more than", "no escribas más de": the other way round.
_COMPARES = put_off(
    r"(?:more|less|fewer|longer|shorter) than|over|under|above|m[áa]s de|menos de|mais de|plus de|moins de|mehr als|"
    r"weniger als|über|unter|pi[ùu] di|meno di|أكثر من|أقل من|超过|超過|多于|少于",
    re.IGNORECASE,
)
_NEGATED = put_off(
    r"(?:\b(?:not|never|no|nunca|nicht|nie|niemals|non|não|cannot)|n['’]t|不要|别|不能|不得|(?<!\w)لا)"
    r"(?: ?[^\W\d_]{1,14}){0,3}\s?\Z",
    re.IGNORECASE,
)
_ALSO_WITHOUT = put_off(
    r"\W*\b(?:and|y|e|et|und|but)? ?(?:no|without|sin|sem|sans|ohne|senza|keine?) \w+(?: \w+)?\Z", re.IGNORECASE
)
_POLITE = put_off(
    r"(?:please|pls|plz|por favor|porfa|s'il (?:te|vous) pla[îi]t|svp|bitte|per favore|grazie|thanks|thank you|谢谢|"
    r"お願いします|"
    r"부탁해요|부탁드립니다|कृपया|من فضلك)",
    re.IGNORECASE,
)
_HOW_MANY = put_off(r"\b(?:how many|cu[áa]nt[ao]s|combien|wie viele|quant[aie]s?)\b|كم ", re.IGNORECASE)
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
    if not may_match(noun, sentence.lower()):
        return
    pattern = lexicon.compiled(
        rf"(?:(?P<low>{number})(?P<join>{lexicon.to}|{lexicon.between_and}))?(?P<n>{number})(?:{noun})"
    )
    for match in islice(pattern.finditer(sentence), MOST_MATCHES):
        amount = _amount(sentence, match, lexicon)
        if amount is not None:
            yield amount
    for form, count in lexicon.fused.get(noun, {}).items():
        at = sentence.find(form)
        if at >= 0 and not sentence[at + len(form) : at + len(form) + 1].isalpha():
            yield _with_kind(sentence, at, at + len(form), count, lexicon)


def _amount(sentence: str, match: re.Match[str], lexicon: Lexicon) -> Amount | None:
    before = sentence[max(0, match.start() - _BEFORE) : match.start()]
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
    return _with_kind(sentence, start, end, count, lexicon)


def _with_kind(sentence: str, start: int, end: int, count: int, lexicon: Lexicon) -> Amount:
    before, after = sentence[max(0, start - _BEFORE) : start], sentence[end:][:_AFTER]
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
    if kind != "about" and _COMPARES.match(before, len(before) - length) and _NEGATED.search(before[:-length]):
        kind = "at_least" if kind == "at_most" else "at_most"
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


def is_asked(
    sentence: Sentence, start: int, end: int, lexicon: Lexicon, *, clause: bool = False, things: bool = False
) -> bool:
    """Whether the sentence asks for what stands at that place, rather than telling of it.

    With `clause` only the words since the last comma can make it a description; `things` are items, not a form.
    """
    text = sentence.text
    before = text[:start]
    if is_told(sentence, start):
        return False
    cue = None
    for found in lexicon.compiled(lexicon.request).finditer(text):
        if found.end() > start:
            break
        cue = found
    if cue is not None:
        return not _describes(text, cue.end(), start, end, lexicon, clause=clause, things=things)
    if _opens_question(text, before, end, lexicon) or _closes_question(text, before, end, lexicon):
        return True
    cue = lexicon.compiled(lexicon.request).search(text, end)
    if cue is None:
        return False
    if lexicon.verb_last:
        return not _describes(text, 0, start, end, lexicon, last=cue.end(), things=things)
    # "In 75 words, tell me who she was."
    opens = len(before.split()) <= 2 and lexicon.compiled(lexicon.described).search(before) is None
    return opens and text[end:].lstrip()[:1] in (",", "،", "，", ":") and cue.start() <= end + 1


def is_told(sentence: Sentence, start: int) -> bool:
    """Whether what stands there holds only under a condition, or is what somebody else asked for."""
    return _CONDITIONAL.match(sentence.text) is not None or _REPORTED.search(sentence.text, 0, start) is not None


def _describes(
    text: str,
    since: int,
    start: int,
    end: int,
    lexicon: Lexicon,
    *,
    last: int | None = None,
    clause: bool = False,
    things: bool = False,
) -> bool:
    """Whether a word between the request and what is asked for makes it a description of something else."""
    stop = start if last is None else last
    attached = lexicon.verb_last or _ATTACHED.search(text, 0, start) is not None
    from_comma = max(text.rfind(mark, 0, start) for mark in ",，、(（")
    # "…, 200 words at most": what stands before the comma is what the text is to be about.
    set_off = clause or (attached and not lexicon.verb_last)
    # Not cut at `stop`: what follows a word can take its meaning away ("that is").
    for word in lexicon.compiled(lexicon.described).finditer(text, max(since, from_comma) if set_off else since):
        if word.start() >= stop:
            break
        if not (attached and not things and _is_explained(text, word, start, end, lexicon)):
            return True
    if things:
        return False
    for word in lexicon.compiled(lexicon.craft).finditer(text, max(since, from_comma) if clause else since, stop):
        if not (attached or clause) or not _is_numbered(text, word, start, lexicon):
            return True
    return False


def _is_explained(text: str, word: re.Match[str], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether a word belongs to what is to be explained: "Explain why the sky is blue in two sentences."."""
    if lexicon.spaced and not lexicon.verb_last and not _CLOSES.match(text, end):
        return False
    if lexicon.compiled(lexicon.composes).search(text, 0, len(text) if lexicon.verb_last else start):
        return False
    spans = (match.span() for match in lexicon.compiled(lexicon.explains).finditer(text, 0))
    return any(first <= word.start() < after for first, after in spans)


def _is_numbered(text: str, word: re.Match[str], start: int, lexicon: Lexicon) -> bool:
    """ "Five tips": the tips themselves are asked for."""
    before = lexicon.compiled(rf"{lexicon.number}(?: [^\W\d]{{2,20}}){{0,1}} \Z").search(text, 0, word.start())
    after = lexicon.compiled(rf"\W{{0,2}}[をの]? ?{lexicon.number}").match(text, word.end())
    return before is not None or (after is not None and after.end() <= start)


def _opens_question(text: str, before: str, end: int, lexicon: Lexicon) -> bool:
    """ "In five words, which river is it?", "一句话说明"."""
    after = text[end:].lstrip()
    if lexicon.verb_last:
        return False
    if not lexicon.spaced:
        opened = lexicon.compiled(rf"\A\W*(?:{lexicon.plain})?\Z").match(before) is not None
        return opened and lexicon.compiled(lexicon.plain_after).match(text, end) is not None
    if not _PREPOSITION.match(before) or after[:1] not in (",", "،", ":", "¿"):
        return False
    return text.rstrip(" \"')").endswith(("?", "؟")) and _HOW_MANY.search(after) is None


def _closes_question(text: str, before: str, end: int, lexicon: Lexicon) -> bool:
    """ "What is inflation in one sentence?"."""
    if text[end:].strip() not in ("?", "؟") or not lexicon.compiled(rf"\A\W*(?:{lexicon.question})").match(text):
        return False
    return _ATTACHED.search(before) is not None and not lexicon.compiled(lexicon.composes).search(before)


def is_fragment(sentence: Sentence, start: int, end: int, lexicon: Lexicon, *, qualified: bool) -> bool:
    """Whether the sentence is hardly more than the amount itself: "(max. 100 words)", "Length: 300 words"."""
    text = sentence.text
    if lexicon.compiled(
        rf"\A[\W\d_]{{0,6}}(?:{lexicon.header})(?: \w+)?[*_]{{0,2}} ?(?:[:：=–-]|is|of)? ?\W{{0,3}}\Z"
    ).search(text[:start]):
        return True
    rest = (text[:start] + " " + text[end:]).strip(" .,:;!?()[]{}*_-–—•。，、（）\x00")
    rest = _ALSO_WITHOUT.sub("", rest)
    if _POLITE.fullmatch(rest):
        return qualified or re.search(r"[4-9]\d|\d{3}", text[start:end]) is not None
    if lexicon.compiled(lexicon.described).search(rest) or lexicon.compiled(lexicon.craft).search(rest):
        return False
    if _PRONOUN.search(rest):
        return False
    if not rest:
        return qualified
    short = len(rest.split()) <= 2 if lexicon.spaced else len(rest) <= 4
    opened = text[:start].rstrip()[-1:] in ("(", "（", "[") and text[end:].lstrip()[:1] in (")", "）", "]")
    return qualified and (short or opened)
