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
from typing import NamedTuple

from ..models.cases import Review
from ..models.constraints import Bound, Constraint, ConstraintKind, Source
from ..text.language import code_named
from ..text.sentences import hide_code, sentence_spans, word_set
from .english_patterns import (
    AND_MORE,
    ANSWER,
    BOUNDS,
    CASING,
    CODE,
    CODING,
    DIRECT,
    FORMS,
    GAME,
    GAP,
    HIDDEN,
    INDIRECT,
    ITEMS,
    KINDS,
    LANGUAGE,
    LENGTH,
    LETTER,
    MAKING,
    MATERIAL,
    MENTION,
    NEGATION,
    NO_THINGS,
    NUMBER_AT_END,
    OTHER_THING,
    PART,
    QUOTATION,
    QUOTED,
    REQUEST,
    SHIFTED,
    SIZED,
    STOP,
    STORY,
    STRICTLY,
    THINGS,
    TRANSCRIPT,
    UNSURE,
    VALUES,
    WORDINGS,
    YEAR,
    N,
)

_READ_ENOUGH = 150  # findings of a kind, none of them false, before it binds
_LONGEST = 20_000  # characters; what is longer is material with a few instructions somewhere
_SHORT, _HEAD, _SENTENCE = 1500, 600, 400  # of a text that is not short only the head is read: the rest may be pasted
_FEW = 20  # "one word changed": so few words are the reply's length only where a clause ends
_LENGTHS = word_set("words characters")
_COUNTED = _LENGTHS | word_set("sentences paragraphs items")
_MANY = word_set("must_contain must_not_contain")  # of which a task may well have several


class _Sentence(NamedTuple):
    text: str  # with what is quoted hidden
    start: int
    whole: bool = False  # speaks of the whole reply, not of one of several things asked for


class _Demand(NamedTuple):
    kind: ConstraintKind
    start: int
    end: int
    sentence: int  # where it begins
    text: str = ""
    bound: Bound = "exactly"
    amount: int | None = None
    most: int | None = None
    strict: bool = False


def read_constraints(text: str, source: Source = "prompt") -> list[Constraint]:
    """The countable demands that a text states in plain English words; none where there is doubt."""
    if len(text) > _LONGEST or TRANSCRIPT.search(text) or GAME.search(text):
        return []
    demands = [demand for sentence in _instructions(text) for demand in _read(sentence, text)]
    constraints: dict[tuple[object, ...], Constraint] = {}
    for demand in _without_doubtful(demands):
        values = {name: value for name, value in demand._asdict().items() if name != "sentence"}
        made = Constraint(source=source, quote=text[demand.start : demand.end], certain=binds(demand.kind), **values)
        constraints.setdefault(made.demand, made)
    return sorted(constraints.values(), key=lambda constraint: constraint.start)


def binds(kind: ConstraintKind, readings: dict[str, dict[str, int]] | None = None) -> bool:
    """Whether what is read of this kind is a fact: enough of it was read on unseen text, and none was false."""
    counts = (readings or load_readings()).get(kind, {"read": 0, "false": 0})
    return counts["read"] >= _READ_ENOUGH and counts["false"] == 0


@cache
def load_readings() -> dict[str, dict[str, int]]:
    """For each kind, how many findings were read on unseen text and how many of them were false."""
    return dict(json.loads(Path(__file__).with_name("reading.json").read_text("utf-8"))["kinds"])


def _without_doubtful(demands: list[_Demand]) -> list[_Demand]:
    """Drop what is doubtful: different demands of one kind, two counts in one sentence ("5 tips in 2 sentences")."""
    kinds = Counter(kind for kind, *_ in {(one.kind, one.text, one.bound, one.amount, one.most) for one in demands})
    counts = Counter(sentence for sentence, _ in {(one.sentence, one.kind) for one in demands if one.kind in _COUNTED})
    doubtful = {kind for kind, number in kinds.items() if number > 1 and kind not in _MANY}
    return [
        one for one in demands if one.kind not in doubtful and (one.kind not in _COUNTED or counts[one.sentence] == 1)
    ]


def _instructions(text: str) -> Iterator[_Sentence]:
    """The sentences that ask for something, up to where material begins."""
    hidden = _hide(text)
    material = MATERIAL.search(hidden)
    end = min(material.end() if material else len(text), len(text) if len(text) <= _SHORT else _HEAD)
    sentences = [_Sentence(hidden[low:high], low) for low, high in sentence_spans(hidden[:end])]
    asks = sum(MAKING.match(one.text) is not None or one.text.endswith("?") for one in sentences)
    for one in sentences:
        if len(one.text) <= _SENTENCE and REQUEST.match(one.text):
            alone = asks < 2 and not AND_MORE.search(one.text)
            yield one._replace(whole=alone or ANSWER.search(one.text) is not None)


def _hide(text: str) -> str:
    """The text with code and quotations hidden and everything else in its place."""
    text = hide_code(text, HIDDEN).replace("\r", " ").replace("\t", " ")
    text = CODE.sub(lambda match: HIDDEN * len(match[0]), text)
    return QUOTATION.sub(lambda match: match[0][0] + HIDDEN * (len(match[0]) - 2) + match[0][1:][-1:], text)


def _read(sentence: _Sentence, text: str) -> Iterator[_Demand]:
    if UNSURE.search(sentence.text):
        return
    yield from _wordings(sentence, text)
    if CODING.search(sentence.text):
        return
    if sentence.whole:
        yield from _counts(sentence)
    if not NEGATION.search(sentence.text):
        yield from _forms(sentence)


def _demand(kind: ConstraintKind, sentence: _Sentence, match: re.Match[str], text: str = "") -> _Demand:
    return _Demand(kind, sentence.start + match.start(), sentence.start + match.end(), sentence.start, text)


def _counts(sentence: _Sentence) -> Iterator[_Demand]:
    if len(MENTION.findall(sentence.text)) > 1:
        return  # "3 paragraphs of 100 words"
    for read, pattern in ((_length, LENGTH), (_length, SIZED), (_items, ITEMS)):
        for match in pattern.finditer(sentence.text):
            head, tail = sentence.text[: match.start()], sentence.text[match.end() :]
            amount, most = _value(match["n"]), _value(match["m"]) if match["m"] else None
            kind = None if NEGATION.search(head + tail) else read(match, head, tail, amount)
            if kind and (bound := _bound(match, kind, amount, most)):
                strict = STRICTLY.match(match["before"] or "") is not None
                yield _demand(kind, sentence, match)._replace(bound=bound, amount=amount, most=most, strict=strict)


def _length(match: re.Match[str], head: str, tail: str, amount: int) -> ConstraintKind | None:
    """What is counted, where it is the reply's own length."""
    kind = KINDS.get(match["unit"][0].lower(), "items")
    if match.re is LENGTH and not match["frame"] and (INDIRECT.search(head) or not DIRECT.match(head)):
        return None
    if OTHER_THING.match(tail) or (match[0].startswith("to ") and NUMBER_AT_END.search(head)):
        return None
    if amount < _FEW and (kind == "characters" or (kind == "words" and not STOP.match(tail))):
        return None
    odd = STORY if kind == "characters" else LETTER if kind in ("sentences", "paragraphs") else None
    return None if odd and odd.search(head + match[0] + tail) else kind


def _items(match: re.Match[str], head: str, tail: str, amount: int) -> ConstraintKind | None:
    """Items, where they are of a kind that is listed, and the only ones asked for."""
    thing = match["unit"].lower()
    known = match["naming"] or match["top"] or re.fullmatch(THINGS, thing)
    more = any(_value(other) < YEAR for other in re.findall(N, head + tail, re.IGNORECASE))
    if more or not known or thing in NO_THINGS or not 2 <= amount <= 50 or tail.lower().startswith(" and cons"):
        return None
    return None if INDIRECT.search(head) else "items"


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


def _forms(sentence: _Sentence) -> Iterator[_Demand]:
    for kind, pattern in FORMS:
        match = pattern.search(sentence.text)
        if match and not INDIRECT.search(sentence.text[: match.start()]):
            yield _demand(kind, sentence, match)
    match = LANGUAGE.match(sentence.text)
    if match and not PART.search(match["thing"] or "") and (code := code_named(match["name"])):
        yield _demand("language", sentence, match, code)
    if match := CASING.match(sentence.text):
        yield _demand("casing", sentence, match, "lower" if match["case"][0] in "lL" else "upper")


def _wordings(sentence: _Sentence, text: str) -> Iterator[_Demand]:
    for kind, pattern in WORDINGS:
        match = pattern.search(sentence.text)
        if match is None or INDIRECT.search(sentence.text[: match.start()]):
            continue
        if kind != "must_not_contain" and NEGATION.search(sentence.text):
            continue
        for quoted in re.finditer(QUOTED, match["quotes"]):
            low = sentence.start + match.start("quotes") + quoted.start() + 1
            words = text[low : low + len(quoted[0]) - 2].strip().rstrip(",.;:")
            if any(map(str.isalnum, words)) and not GAP.search(words):
                yield _demand(kind, sentence, match, words)


def demands_in_english(case: Review) -> list[Constraint]:
    """What a plain English prompt or system prompt demands; where both speak of the same, the system prompt's."""
    ruling = read_constraints(case.system_prompt, "system_prompt")
    kinds = {constraint.kind for constraint in ruling}
    return [*ruling, *(one for one in read_constraints(case.prompt, "prompt") if one.kind not in kinds)]
