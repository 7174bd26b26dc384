"""What a person's words claim of a response that code can look up: quotations, a cut-off, a count, what it says."""

from __future__ import annotations

import re

from ...cases import Review
from ...evidence import Haystack
from ...facts.language import language_of
from ...verdicts import Fact, Label
from ...words import count_words
from .binding import shortened
from .naming import NUMBER_OF, other, plain, responses_in
from .polarity import is_denied

QUOTED = re.compile(r"[\"“«]([^\"”»\n]{2,400})[\"”»]")
# In front of what should stand there, or stands elsewhere.
_NOT_QUOTED = re.compile(
    r"\b(?:instead of|rather than|should (?:\w+ ){0,2}(?:be|read|say|use|have been|write|have)|not|\w+n't|never|no|"
    r"without|correct(?:ly)?(?: \w+){0,2}(?: (?:is|would be|being))?|misspell\w*(?: of| for| the word)?|typo for|"
    r"means?|meant|expected|replaced? (?:\w+ )?(?:with|by)|omits?|omitted|lacks?|missing|would be|for|better(?: as)?|"
    r"spelled|spelling of|asked for|such as|like)(?: (?:a|an|the|word|phrase|term|name|verb|noun|mention(?: of)?|say|"
    r"use|contain|include|write|just|simply|to|of|saying|using))*[\s,:(]*\Z",
    re.IGNORECASE,
)
_GAP = re.compile(r"\s*(?:\.\.\.|…|\[[^\]]*\])\s*")
_CUT_OFF = re.compile(
    r"\btruncat\w*|(?<!knowledge )\bcut[ -]?off\b(?! (?:date|point|year|value|time))|\bcuts off\b|\bbreaks off\b",
    re.IGNORECASE,
)
_HEDGE = r"(?:(?:about|around|only|just|roughly|approximately|some|a total of|exactly|its|all|of|some|circa|ca\.) )*"
_COUNT = re.compile(
    r"\b(?:has|have|had|is|was|contains?|with|at|runs? to|counts?|totals?|comes? to|reach(?:es)?|uses?|spans?|its) "
    rf"{_HEDGE}(?P<bound>over |more than |under |fewer than |less than |nearly |almost )?{_HEDGE}"
    r"(?P<number>\d{1,3}(?:,\d{3})+|\d{1,5}) words\b(?! (?:over|too|more|fewer|less|short|shorter|longer|above|below|"
    r"under|were|was|limit))",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:should|could|would|must|can|may|might|limit|asked|request(?:ed|s)?|maximum|prompt)\b", re.I)
_SAYS = re.compile(
    r"\b(?:(?i:says|states|claims|asserts|writes|answers)\b[^.;,\"“]{0,80}?\b(?:is|are|was|were|in|on)|"
    r"(?i:names|mentions|cites))\s+([A-Z][a-z]{2,}|\d[\d.,]*\d)(?=\s*[.,;]|\s+(?:as|and|in|for|instead|which)\b|\s*\Z)"
)
_UNLIKE = (
    r"\b(?:unlike|compared (?:to|with)|in contrast to|as opposed to|contrary to) (?:the )?Response %s\b"
    r"(?:, which[^,;.]*)?[^,;.]*,?"
)


def false_claim(words: str, case: Review, label: Label, facts: list[Fact]) -> str:
    """The first claim that the texts or what was measured do not bear out; empty if there is none."""
    if wrong := _false_quote(words, case, label):
        return f"it quotes “{shortened(wrong, 60)}”, which does not stand in the response"
    own = own_clauses(words, label)
    for match in _CUT_OFF.finditer(own):
        if not is_denied(own, match.start()) and not any(fact.name == "truncation" for fact in facts):
            return "it says that the response is cut off, which it is not"
    if wrong := _false_count(own, case, label):
        return wrong
    if wrong := _false_name(own, case, label):
        return f"it has the response say “{wrong}”, which does not stand in it"
    return ""


def own_clauses(words: str, label: Label) -> str:
    """The words without quotations and without the clauses that are only about the other response."""
    them = other(label)
    text = plain(QUOTED.sub("“”", words))
    text = re.sub(_UNLIKE % NUMBER_OF[them], " ", text, flags=re.IGNORECASE)
    parts = re.split(r"((?<=[.;])\s+|,?\s+(?:while|whereas|but)\s+)", text)
    return "".join(part for part in parts if set(responses_in(part)) != {them} or _is_measure(part, them))


def _is_measure(part: str, them: Label) -> bool:
    """Whether the other response is only what this one is measured against."""
    return re.search(rf"\b(?:than|as|to|from|over|of|like) Response {NUMBER_OF[them]}\b", part, re.I) is not None


def _false_quote(words: str, case: Review, label: Label) -> str:
    texts = [case.answer(label), case.prompt, case.system_prompt, case.history]
    if other(label) in responses_in(plain(words)) or re.search(r"\bother (?:response|answer|one)\b", words, re.I):
        texts.append(case.answer(other(label)))
    stacks = [Haystack(text) for text in texts if text]
    stacks += [Haystack(text.casefold()) for text in texts if text]
    for match in QUOTED.finditer(words):
        pieces = [piece.strip(" .,;:!?") for piece in _GAP.split(match[1])]
        found = all(
            any(stack.find(piece) or stack.find(piece.casefold()) for stack in stacks) for piece in pieces if piece
        )
        if not found and not _NOT_QUOTED.search(words[max(0, match.start() - 80) : match.start()]):
            return match[1]
    return ""


def _false_count(own: str, case: Review, label: Label) -> str:
    counted = count_words(case.answer(label))
    for match in _COUNT.finditer(own):
        claimed, bound = int(match["number"].replace(",", "")), (match["bound"] or "").strip().lower()
        clause = re.split(r"[.;:,]", own[: match.start()])[-1]
        named = re.search(rf"\b{claimed}\b", f"{case.prompt}\n{case.system_prompt}".replace(",", "")) is not None
        if named or _MODAL.search(clause) or is_denied(own, match.start("number")):
            continue
        too_few = (claimed - counted) * 10 > counted and bound not in ("under", "fewer than", "less than")
        too_many = (counted - claimed) * 10 > counted and bound not in ("over", "more than")
        if too_few or too_many:
            return f"it counts {claimed} words where there are {counted}"
    return ""


def _false_name(own: str, case: Review, label: Label) -> str:
    """A name or number put into the response's mouth. Only for English: elsewhere names are spelled otherwise."""
    if not _SAYS.search(own) or (language := language_of(case.answer(label))) is None or language.code != "en":
        return ""
    texts = " ".join((case.answer(label), case.prompt, case.system_prompt, case.history)).casefold()
    for match in _SAYS.finditer(own):
        if match[1].casefold() not in texts and not is_denied(own, match.start(1)):
            return match[1]
    return ""
