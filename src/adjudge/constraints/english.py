"""A small reader of plain English instructions: the commonest countable demands, found without a model.

It takes the judge's place offline and says nothing where it is not sure: only short requests are read, outside
quotations, code and pasted material. Which of its kinds bind is data (`reading.json`); all others are hints.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..models.cases import Review
from ..models.constraints import Bound, Constraint, ConstraintKind, Source
from ..text.language import code_named
from ..text.sentences import hide_code, sentence_spans, word_set

_READ_ENOUGH = 150  # findings of a kind, none of them false, before it binds
_LONGEST = 20_000  # characters; what is longer is material with a few instructions somewhere
_SHORT, _HEAD, _SENTENCE = 1500, 600, 400  # of a text that is not short only the head is read: the rest may be pasted
_FEW = 20  # "one word changed": so few words are the reply's length only where a clause ends
_LENGTHS = word_set("words characters")
_COUNTED = _LENGTHS | word_set("sentences paragraphs items")

# -- wording ----------------------------------------------------------------------------------------------------------


def _pattern(pattern: str) -> str:
    # Compiled when first used, and kept by `re`: a comparison needs none of them, and all together take 100 ms.
    return f"(?im){pattern}"


# What is no instruction: quotations and code (hidden, so that places stay as they are), and material to work on.
HIDDEN = "\x01"
QUOTATION = _pattern(r"\"[^\"]*(?:\"|\Z)|“[^”]*(?:”|\Z)|(?<!\w)['‘](?=\S)[^'‘’\n]{1,200}['’](?!\w)")
CODE = _pattern(r"`[^`\n]{1,200}`|<[^<>\n]{1,200}>|https?://\S{1,500}")
MATERIAL = _pattern(
    r"^[ *_>]{0,9}(?:text|passage|article|input|context|document|source|paragraph|sentences?|e-?mail|post|title|output|"
    r"conversation|transcript|dialogue|story|essay|examples?|data|content|code|abstract|answer|review|paper|prompt|"
    r"poem|background|notes?|keywords?|information|summary|description|reference|premise|hypothesis|tweet|message)"
    r" ?\d?[*_]{0,3} ?:|^ {0,9}(?:###|>|[-=*_~]{3,9} *$)|"
    r"\b(?:following|below|this|these|here is|here are|here's|above)\b(?![^.?!\n]{0,60}\b(?:rule|requirement|condition|"
    r"constraint|guideline|instruction|criteri|format))[^.?!\n]{0,80}:(?=\s|\Z)"
)
TRANSCRIPT = _pattern(r"^[ *]{0,9}(?:assistant|AI|bot|chatgpt|model)[ *]{0,9}:")
GAME = _pattern(r"\b(?:act(?:ing)? (?:as|like)|pretend|role-?play|let's play|game)\b")
UNSURE = _pattern(
    r"\b(?:if|unless|when|whenever|whether|each|every|per|both|either|neither|respectively|apiece|instead|rather|"
    r"e\.g|eg|for example|for instance|i wrote|i have|i had|as well as|followed by|along with|together with|then|"
    r"in addition|finally|plus|also|except|optional(?:ly)?|ideally|maybe|perhaps|should i|was|were|had|did)\b|"
    r"\bor\b(?! (?:less|fewer|more|so|under|below|shorter|longer)\b)"
)
NEGATION = _pattern(r"\b(?:not|never|without|avoid|no|cannot)\b|n['’]t\b")
CODING = _pattern(
    r"\b(?:program|function|script|python|java(?:script)?|c\+\+|sql|html|css|regex|query|algorithm|class|"
    r"password|user ?name|variable|database|api)\b"
)

# Requests: to make something, or about the form of what is made.
_MAKE = (
    r"(?:write|compose|create|generate|draft|produce|prepare|craft|make|give|provide|tell|show|list|name|suggest|"
    r"recommend|brainstorm|describe|explain|summari[sz]e|outline|discuss|come up with|propose|offer|share|find|put|"
    r"identify|mention|rewrite|paraphrase|shorten|condense|define|compare|present|sell|translate|introduce|think of|"
    r"state|design|develop|build|construct|invent|analy[sz]e|review|extract|convert|turn)"
)
_SHAPE = (
    r"(?:answer|respond|reply|speak|talk|use|keep|limit|restrict|include|contain|mention|begin|start|end|finish|avoid|"
    r"conclude|open|close|return|output|format|display|organi[sz]e|arrange|ensure|do not|don['’]t|never)"
)
_LEAD = (
    r"(?:[-*•] {1,3}|\d{1,2}[.)] {1,3}|(?:human|user|question|task|instructions?): {0,3})?"
    r"(?:(?:please|kindly|now|hi|hello|hey|ok|okay|and|so|but|always|just|only|try to|make sure(?: to)?|be sure to|"
    r"remember to|you (?:should|must|need to|will|have to)|(?:can|could|would|will) you|i(?: would|['’]d) like(?: you)?"
    r" to|i (?:want|need) you to|help me(?: to)?|let['’]s),? {1,3}){0,4}"
)
_REPLY = (
    r"(?:answer|response|reply|output|essay|article|story|poem|summary|text|post|paper|review|speech|piece|description|"
    r"report|explanation|message|blog|it|tweet|caption|headline|slogan)"
)
_LABEL = r"(?:length|word (?:count|limit))\b[^:]{0,20}:"
REQUEST = _pattern(
    rf"{_LEAD}(?:{_MAKE}|{_SHAPE})\b|{_LABEL}|(?:what are the top|in|within|using|at most|no more than|maximum|exactly|"
    rf"at least|about|up to)\b|(?:your |the |this )?(?:\w{{1,20}} ){{0,3}}?{_REPLY} (?:should|must|has to|needs to)\b"
)
_PRODUCE = r"(?:write|compose|create|generate|draft|produce|prepare|craft|make|give|provide|tell)"
# What stands between a verb and its measure may be the thing to make, but not another thing: "a rubric for an essay".
DIRECT = _pattern(
    rf"\A(?:{_LEAD}(?:(?:{_PRODUCE}|keep|use|limit|include)\b(?!.*\b(?:for|about|of|on|from|to|that|between|by)\b).{{0,60}})?|"
    rf".*\b{_REPLY} (?:is|should|must|has to|needs to)\b[a-z ]{{0,12}}|.*[,:] ?)\Z"
)
INDIRECT = _pattern(r"\b(?:how|why|what|where|who|which|alternatives?)\b")
MAKING = _pattern(rf"{_LEAD}{_MAKE}\b")
AND_MORE = _pattern(rf"\b{_MAKE}\b.*?(?:\b(?:and|to)|[,;]) (?:please |also )?(?:{_MAKE}|a|an|why|how|what)\b")
ANSWER = _pattern(rf"^{_LEAD}(?:answer|respond|reply)\b|\byour (?:\w{{1,20}} )?(?:answer|response|reply|output)\b")

# Numbers, and what is said before and behind them.
_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
         "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
VALUES = {word: n for n, word in enumerate(_ONES, 1)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SPELLED = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[:9])}))?|{'|'.join(_ONES[::-1])})"
N = (
    r"(?:(?<![\d.,$€£#/])(?:\d{1,3}(?:,\d{3}){1,2}|\d{1,6})(?![\d%]|[.,]\d)|"
    rf"\b(?:(?:a|{_SPELLED}) (?:hundred|thousand)(?: and {_SPELLED})?|{_SPELLED})\b)"
)
_RANGE = rf"(?P<n>{N})(?: ?(?:-|–|to|and) ?(?P<m>{N}))?"
STRICTLY = _pattern(r"(?:no|not|n['’]t|never|strictly) ")
BOUNDS: tuple[tuple[str, Bound], ...] = (
    (r"(?:no|not|never) (?:be )?(?:more|longer) than|(?:not|n['’]t|never) (?:to )?(?:exceed|go over)|at maximum|up to|"
     r"(?:strictly )?(?:at most|under|below|less than|fewer than|within)|(?:an? )?max(?:imum)?(?: of)?|shorter than|"
     r"limit(?:ed)?(?: (?:it|this|yourself|(?:your|the) \w+))? to|(?:a |the )?limit of|or (?:less|fewer|under|below)",
     "at_most"),
    (r"at least|(?:an? )?min(?:imum)?(?: of)?|more than|over|longer than|or (?:more|longer)|"
     r"(?:no|not) (?:be )?(?:less|fewer|shorter) than", "at_least"),
    (r"about|around|approximately|approx\.?|roughly|circa|~|or so", "about"),
    (r"exactly|precisely", "exactly"),
    (r"between", "between"),
)  # fmt: skip
_ANY_BOUND = "|".join(pattern for pattern, _ in BOUNDS)
_BEHIND = r"or (?:less|fewer|under|below|more|longer|so)|max(?:imum)?|min(?:imum)?|at most|at least"
SHIFTED = r"(?:strictly )?(?:under|below|less than|fewer than)|more than|over|shorter than|longer than"
_FRAME = rf"\b(?:in|into|to|using|within)\b|\(|{_LABEL}"
_LINK = rf"\b(?:with|of|be|have|(?:{_PRODUCE}|use)(?: me| us)?)\b"
_BEFORE = (
    rf"(?={_FRAME}|{_LINK}|\b(?:{_ANY_BOUND}|just|only)|~)(?:(?P<frame>{_FRAME})|{_LINK})? {{0,2}}(?:only |just )?"
    rf"(?P<before>{_ANY_BOUND})?"
)
_ADJECTIVE = r"(?:short|brief|concise|long|complete|full|simple|clear|detailed|main|key|separate|different)"
KINDS: dict[str, ConstraintKind] = {"w": "words", "c": "characters", "s": "sentences", "p": "paragraphs"}
_UNIT = r"(?P<unit>words?|characters?|sentences?|paragraphs?|bullet(?:ed)?[- ]?(?:points?|items?)|bullets)\b"
THINGS = (
    r"tips|examples|reasons|ways|ideas|facts|questions|titles|names|jokes|steps|options|suggestions|benefits|trends|"
    r"advantages|disadvantages|points|headlines|slogans|quotes|tweets|things|books|movies|films|songs|places|cities|"
    r"countries|recommendations|strategies|hashtags|captions|synonyms|antonyms|alternatives|topics|keywords|techniques|"
    r"taglines|puns|riddles|habits|activities|factors|features|differences|similarities|principles|causes|effects|items"
)
# What has lines or parts of its own, or is a measure, is not counted as items.
NO_THINGS = word_set(
    "minutes seconds hours days weeks months years times lines stanzas verses pages chapters columns rows words "
    "letters characters digits numbers sentences paragraphs recipes plans workouts stories poems emails articles "
    "essays descriptions programs functions problems exercises values variables lists sections parts scenes posts this"
)
MENTION = _pattern(rf"({N})[- ]? ?(?:{_ADJECTIVE} ){{0,2}}{_UNIT}")
# in at most 100 words
LENGTH = _pattern(
    rf"{_BEFORE} {{0,2}}{_RANGE}[- ]? ?(?:{_ADJECTIVE} ){{0,2}}{_UNIT}(?: (?:long|in length|in total|total))?"
    rf"(?:,? (?P<after>{_BEHIND})\b)?"
)
# a short 200-word essay
SIZED = _pattern(
    rf"\b{_PRODUCE}(?: me| us)? an? (?:[a-z]{{1,20}},? ){{0,2}}?(?:(?P<before>{_ANY_BOUND}) )?{_RANGE}[- ]"
    r"(?P<unit>word|sentence|paragraph)s?(?P<after>(?= [a-z]))"
)
# list five tips, the top 10 places
ITEMS = _pattern(
    rf"\b(?:(?P<naming>list|name|brainstorm)|{_MAKE}|what are)(?: (?:me|us|out|down|up with))?"
    r"(?: (?:a|the) (?:\w{1,20} )?list of)?(?P<top>(?: the)? (?:top|best))?"
    r"(?: (?:(?P<before>at least|at most|exactly|up to|about|around|no more than|between)|only|just))?"
    rf" {_RANGE} (?:[a-z][a-z-]{{1,20}} ){{0,3}}?(?P<unit>{THINGS}|[a-z]{{3,20}}s|species|people)\b(?P<after>)"
)
YEAR = 1000  # "the top 5 movies of 2020" is not about two numbers of things
# "five words that rhyme" is no length of the reply, and neither is "two sentences of the text".
OTHER_THING = _pattern(
    r" {0,2}(?:that|which|from|of|with|who|whose|starting|beginning|ending|containing|related|rhyming|like|such|at|"
    r"above|below|into|you|i|were|are|is)\b|['’]|-"
)
NUMBER_AT_END = _pattern(rf"{N} ?[-–]? ?\Z")  # of a range
STOP = _pattern(r" {0,2}(?:[.,;:!?)]|\Z)")
LETTER = _pattern(r"\b(?:letter|e-?mail|dialogue|conversation|script|poem|song|recipe|haiku)\b")  # odd paragraphs
STORY = _pattern(r"\b(?:story|novel|play|movie|film|scene|fiction|cast)\b")  # characters that are persons

# Forms and languages.
FORMS: tuple[tuple[ConstraintKind, str], ...] = (
    ("table", _pattern(
        r"\b(?:(?:as|in|into|using) an? (?:[a-z]{1,20} )?table|in (?:a )?(?:table|tabular) form(?:at)?|"
        r"in the form of a table)\b(?! (?:of contents|tennis|below|above|in ))|"
        r"\b(?:make|create|generate|draw) (?:me )?a (?:(?:brief|simple|short|summary|comparison|markdown) )?table"
        r"(?= (?:for|of|with|showing|listing|comparing|that|chart)\b(?! contents)|[.,:!?]|\Z)")),
    ("json", _pattern(
        r"\b(?:(?:in|as|using) (?:an? )?(?:valid |well-formed |correctly formatted )?json"
        r"(?: (?:format|object|array|string|syntax|document|output))?|(?:return|output) (?:only )?(?:valid )?json)\b"
        r"(?! (?:to|into|files?|parser|schema|data|format))")),
)  # fmt: skip
_OBJECT = rf"(?: (?:me|it|this|everything|only|back|(?:your|the) (?:entire |whole )?{_REPLY}))?"
_THING = r"(?P<thing>(?: an? (?:[a-z]{1,20} ?){1,3}(?<! ))?)"
PART = _pattern(r"\b(?:of|on|about|for|between|from|with|that|to|title|word|phrase|name|sentence|verb|greeting|list)\b")
_SHOULD_BE = rf"(?:your|the) (?:entire |whole )?{_REPLY} (?:should|must) (?:be )?(?:written )?(?:entirely )?in "
LANGUAGE = _pattern(
    rf"(?:{_LEAD}(?:answer|respond|reply|explain|describe|speak|talk|(?:write|summari[sz]e|compose|tell|rewrite){_THING})"
    rf"{_OBJECT}(?: only)? in |{_SHOULD_BE}|{_LEAD}translate (?:it |this |the [a-z ]{{1,40}})?(?:in)?to (?!.* and ))"
    r"(?P<name>[a-z]{3,12})(?: language)?(?: only| please)?"
    r"(?=\s{0,2}(?:[.!,;:?)]|\Z|(?:what|how|why|when|where|who|which|about|and|using)\b))"
)


# -- reading ----------------------------------------------------------------------------------------------------------


class _Sentence(NamedTuple):
    text: str  # with what is quoted hidden
    start: int
    whole: bool = False  # speaks of the whole reply, not of one of several things asked for


# Where a demand stands in its sentence, and the fields of a constraint that it says.
_Demand = tuple[re.Match[str], dict[str, Any]]


def demands_in_english(case: Review) -> list[Constraint]:
    """What a plain English prompt or system prompt demands; where both speak of the same, the system prompt's."""
    ruling = read_constraints(case.system_prompt, "system_prompt")
    kinds = {constraint.kind for constraint in ruling}
    return [*ruling, *(one for one in read_constraints(case.prompt, "prompt") if one.kind not in kinds)]


def read_constraints(text: str, source: Source = "prompt") -> list[Constraint]:
    """The countable demands that a text states in plain English words; none where there is doubt."""
    if len(text) > _LONGEST or re.search(TRANSCRIPT, text) or re.search(GAME, text):
        return []
    found: list[tuple[int, Constraint]] = []  # each with the sentence it stands in
    for sentence in _instructions(text):
        for match, fields in _read(sentence):
            start, end = (sentence.start + at for at in match.span())
            certain, quote = binds(fields["kind"]), text[start:end]
            made = Constraint(source=source, quote=quote, start=start, end=end, certain=certain, **fields)
            found.append((sentence.start, made))
    # Doubtful: different demands of one kind, and two counts in one sentence ("5 tips in 2 sentences").
    kinds = Counter(kind for kind, *_ in {one.demand for _, one in found})
    counts = Counter(start for start, _ in {(start, one.kind) for start, one in found if one.kind in _COUNTED})
    constraints: dict[tuple[object, ...], Constraint] = {}
    for start, one in found:
        if kinds[one.kind] == 1 and (one.kind not in _COUNTED or counts[start] == 1):
            constraints.setdefault(one.demand, one)
    return sorted(constraints.values(), key=lambda constraint: constraint.start)


def binds(kind: ConstraintKind, readings: dict[str, dict[str, int]] | None = None) -> bool:
    """Whether what is read of this kind is a fact: enough of it was read on unseen text, and none was false."""
    counts = (readings or load_readings()).get(kind, {"read": 0, "false": 0})
    return counts["read"] >= _READ_ENOUGH and counts["false"] == 0


@cache
def load_readings() -> dict[str, dict[str, int]]:
    """For each kind, how many findings were read on unseen text and how many of them were false."""
    return dict(json.loads(Path(__file__).with_name("reading.json").read_text("utf-8"))["kinds"])


def _instructions(text: str) -> Iterator[_Sentence]:
    """The sentences that ask for something, up to where material begins."""
    hidden = _hide(text)
    material = re.search(MATERIAL, hidden)
    end = min(material.end() if material else len(text), len(text) if len(text) <= _SHORT else _HEAD)
    sentences = [_Sentence(hidden[low:high], low) for low, high in sentence_spans(hidden[:end])]
    asks = sum(re.match(MAKING, one.text) is not None or one.text.endswith("?") for one in sentences)
    for one in sentences:
        if len(one.text) <= _SENTENCE and re.match(REQUEST, one.text):
            alone = asks < 2 and not re.search(AND_MORE, one.text)
            yield one._replace(whole=alone or re.search(ANSWER, one.text) is not None)


def _hide(text: str) -> str:
    """The text with code and quotations hidden and everything else in its place."""
    text = hide_code(text, HIDDEN).replace("\r", " ").replace("\t", " ")
    text = re.sub(CODE, lambda match: HIDDEN * len(match[0]), text)
    return re.sub(QUOTATION, lambda match: match[0][0] + HIDDEN * (len(match[0]) - 2) + match[0][1:][-1:], text)


def _read(sentence: _Sentence) -> Iterator[_Demand]:
    if re.search(UNSURE, sentence.text) or re.search(CODING, sentence.text):
        return
    if sentence.whole:
        yield from _counts(sentence.text)
    if not re.search(NEGATION, sentence.text):
        for kind, pattern in FORMS:
            match = re.search(pattern, sentence.text)
            if match and not re.search(INDIRECT, sentence.text[: match.start()]):
                yield match, {"kind": kind}
        match = re.match(LANGUAGE, sentence.text)
        if match and not re.search(PART, match["thing"] or "") and (code := code_named(match["name"])):
            yield match, {"kind": "language", "text": code}


def _counts(sentence: str) -> Iterator[_Demand]:
    if len(re.findall(MENTION, sentence)) > 1:
        return  # "3 paragraphs of 100 words"
    for read, pattern in ((_length, LENGTH), (_length, SIZED), (_items, ITEMS)):
        for match in re.finditer(pattern, sentence):
            head, tail = sentence[: match.start()], sentence[match.end() :]
            amount, most = _value(match["n"]), _value(match["m"]) if match["m"] else None
            kind = None if re.search(NEGATION, head + tail) else read(match, head, tail, amount)
            if kind and (bound := _bound(match, kind, amount, most)):
                strict = re.match(STRICTLY, match["before"] or "") is not None
                yield match, {"kind": kind, "bound": bound, "amount": amount, "most": most, "strict": strict}


def _length(match: re.Match[str], head: str, tail: str, amount: int) -> ConstraintKind | None:
    """What is counted, where it is the reply's own length."""
    kind = KINDS.get(match["unit"][0].lower(), "items")
    if match.re.pattern == LENGTH and not match["frame"] and (re.search(INDIRECT, head) or not re.match(DIRECT, head)):
        return None
    if re.match(OTHER_THING, tail) or (match[0].startswith("to ") and re.search(NUMBER_AT_END, head)):
        return None
    if amount < _FEW and (kind == "characters" or (kind == "words" and not re.match(STOP, tail))):
        return None
    odd = STORY if kind == "characters" else LETTER if kind in ("sentences", "paragraphs") else None
    return None if odd and re.search(odd, head + match[0] + tail) else kind


def _items(match: re.Match[str], head: str, tail: str, amount: int) -> ConstraintKind | None:
    """Items, where they are of a kind that is listed, and the only ones asked for."""
    thing = match["unit"].lower()
    known = match["naming"] or match["top"] or re.fullmatch(THINGS, thing)
    more = any(_value(other) < YEAR for other in re.findall(N, head + tail, re.IGNORECASE))
    if more or not known or thing in NO_THINGS or not 2 <= amount <= 50 or tail.lower().startswith(" and cons"):
        return None
    return None if re.search(INDIRECT, head) else "items"


def _bound(match: re.Match[str], kind: ConstraintKind, amount: int, most: int | None) -> Bound | None:
    """How the amount is meant; None where the words say two things, or nothing we know."""
    said = [words for words in (match["before"], match["after"]) if words]
    bounds = {bound for words in said for pattern, bound in BOUNDS if re.fullmatch(pattern, words, re.IGNORECASE)}
    if most is not None:
        return "between" if amount < most and bounds <= {"between"} else None
    if len(bounds) > 1 or "between" in bounds or amount == 0:
        return None
    # "Fewer than three" is at most two, a number that does not stand in the text.
    if kind not in _LENGTHS and any(re.fullmatch(SHIFTED, words, re.IGNORECASE) for words in said):
        return None
    return bounds.pop() if bounds else "at_most" if kind in _LENGTHS else "exactly"


def _value(written: str) -> int:
    """The number that digits or number words stand for."""
    if (digits := written.replace(",", "")).isdecimal():
        return int(digits)
    total = 0
    for word in re.findall(r"[a-z]+", written.lower()):
        scale = {"hundred": 100, "thousand": 1000}.get(word)
        total = max(total, 1) * scale if scale else total + VALUES.get(word, 0)  # "a" and "and" add nothing
    return total
