"""A small reader of plain English instructions that finds the commonest countable demands without a model.

It stands in for the judge offline and reports nothing if in doubt: it reads only short requests, outside quotations,
code and pasted material. `reading.json` decides which kinds of demand are binding; all others are hints.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..models.constraints import Bound, Constraint, ConstraintKind, Source
from ..text.language import code_named
from ..text.sentences import hide_code, sentence_spans, word_set
from . import english_patterns as wording

_READ_ENOUGH = 150  # findings of a kind that were checked, none of them false, before the kind is binding
_LONGEST = 20_000  # characters; a longer text is mostly material with a few instructions in it
_SHORT, _HEAD, _SENTENCE = 1500, 600, 400  # only the head of a longer text is read, since the rest may be pasted
_FEW = 20  # fewer words are the reply's length only at the end of a clause, unlike "one word changed"
_LENGTHS = word_set("words characters")
_COUNTED = _LENGTHS | word_set("sentences paragraphs items")
_MANY = word_set("must_contain must_not_contain")  # kinds of which a task may have several


class _Sentence(NamedTuple):
    text: str  # with code and quotations hidden
    start: int
    whole: bool = False  # about the whole reply, not about one of several things asked for


# The fields of a constraint that a sentence gives.
_Demand = dict[str, Any]


def read_constraints(text: str, source: Source = "prompt") -> list[Constraint]:
    """Return the countable demands that a text states in plain English. Doubtful ones are left out."""
    if len(text) > _LONGEST or re.search(wording.TRANSCRIPT, text) or re.search(wording.GAME, text):
        return []
    found: list[tuple[int, Constraint]] = []  # each with the start of its sentence
    for sentence in _instructions(text):
        for demand in _read(sentence, text):
            quote = text[demand["start"] : demand["end"]]
            made = Constraint(source=source, quote=quote, certain=binds(demand["kind"]), **demand)
            found.append((sentence.start, made))
    # Different demands of one kind, and two counts in one sentence ("5 tips in 2 sentences"), are doubtful.
    kinds = Counter(kind for kind, *_ in {one.demand for _, one in found})
    counts = Counter(start for start, _ in {(start, one.kind) for start, one in found if one.kind in _COUNTED})
    constraints: dict[tuple[object, ...], Constraint] = {}
    for start, one in found:
        if (kinds[one.kind] == 1 or one.kind in _MANY) and (one.kind not in _COUNTED or counts[start] == 1):
            constraints.setdefault(one.demand, one)
    return sorted(constraints.values(), key=lambda constraint: constraint.start)


def binds(kind: ConstraintKind, readings: dict[str, dict[str, int]] | None = None) -> bool:
    """Return whether demands of this kind are binding: enough findings on unseen text were checked, none was false."""
    counts = (readings or load_readings()).get(kind, {"read": 0, "false": 0})
    return counts["read"] >= _READ_ENOUGH and counts["false"] == 0


@cache
def load_readings() -> dict[str, dict[str, int]]:
    """Return, for each kind, how many findings on unseen text were checked and how many of them were false."""
    return dict(json.loads(Path(__file__).with_name("reading.json").read_text("utf-8"))["kinds"])


def _instructions(text: str) -> Iterator[_Sentence]:
    """Yield the sentences that ask for something, up to where pasted material begins."""
    hidden = _hide(text)
    material = re.search(wording.MATERIAL, hidden)
    end = min(material.end() if material else len(text), len(text) if len(text) <= _SHORT else _HEAD)
    sentences = [_Sentence(hidden[low:high], low) for low, high in sentence_spans(hidden[:end])]
    asks = sum(re.match(wording.MAKING, one.text) is not None or one.text.endswith("?") for one in sentences)
    for one in sentences:
        if len(one.text) <= _SENTENCE and re.match(wording.REQUEST, one.text):
            alone = asks < 2 and not re.search(wording.AND_MORE, one.text)
            yield one._replace(whole=alone or re.search(wording.ANSWER, one.text) is not None)


def _hide(text: str) -> str:
    """Return the text with code and quotations hidden, so that everything else keeps its place."""
    text = hide_code(text, wording.HIDDEN).replace("\r", " ").replace("\t", " ")
    text = re.sub(wording.CODE, lambda match: wording.HIDDEN * len(match[0]), text)
    return re.sub(
        wording.QUOTATION, lambda match: match[0][0] + wording.HIDDEN * (len(match[0]) - 2) + match[0][1:][-1:], text
    )


def _read(sentence: _Sentence, text: str) -> Iterator[_Demand]:
    if re.search(wording.UNSURE, sentence.text):
        return
    yield from _wordings(sentence, text)
    if re.search(wording.CODING, sentence.text):
        return
    if sentence.whole:
        yield from _counts(sentence)
    if not re.search(wording.NEGATION, sentence.text):
        yield from _forms(sentence)


def _demand(kind: ConstraintKind, sentence: _Sentence, match: re.Match[str], **fields: Any) -> _Demand:
    return {"kind": kind, "start": sentence.start + match.start(), "end": sentence.start + match.end(), **fields}


def _counts(sentence: _Sentence) -> Iterator[_Demand]:
    if len(re.findall(wording.MENTION, sentence.text)) > 1:
        return  # "3 paragraphs of 100 words"
    for read, pattern in ((_length, wording.LENGTH), (_length, wording.SIZED), (_items, wording.ITEMS)):
        for match in re.finditer(pattern, sentence.text):
            head, tail = sentence.text[: match.start()], sentence.text[match.end() :]
            amount, most = _value(match["n"]), _value(match["m"]) if match["m"] else None
            kind = None if re.search(wording.NEGATION, head + tail) else read(match, head, tail, amount)
            if kind and (bound := _bound(match, kind, amount, most)):
                strict = re.match(wording.STRICTLY, match["before"] or "") is not None
                yield _demand(kind, sentence, match, bound=bound, amount=amount, most=most, strict=strict)


def _length(match: re.Match[str], head: str, tail: str, amount: int) -> ConstraintKind | None:
    """Return the kind of what is counted, or None if it is not the reply's own length."""
    kind = wording.KINDS.get(match["unit"][0].lower(), "items")
    if (
        match.re.pattern == wording.LENGTH
        and not match["frame"]
        and (re.search(wording.INDIRECT, head) or not re.match(wording.DIRECT, head))
    ):
        return None
    if re.match(wording.OTHER_THING, tail) or (match[0].startswith("to ") and re.search(wording.NUMBER_AT_END, head)):
        return None
    if amount < _FEW and (kind == "characters" or (kind == "words" and not re.match(wording.STOP, tail))):
        return None
    odd = wording.STORY if kind == "characters" else wording.LETTER if kind in ("sentences", "paragraphs") else None
    return None if odd and re.search(odd, head + match[0] + tail) else kind


def _items(match: re.Match[str], head: str, tail: str, amount: int) -> ConstraintKind | None:
    """Return "items" if they are things that one lists and the only ones asked for, else None."""
    thing = match["unit"].lower()
    known = match["naming"] or match["top"] or re.fullmatch(wording.THINGS, thing)
    more = any(_value(other) < wording.YEAR for other in re.findall(wording.N, head + tail, re.IGNORECASE))
    if more or not known or thing in wording.NO_THINGS or not 2 <= amount <= 50 or tail.lower().startswith(" and cons"):
        return None
    return None if re.search(wording.INDIRECT, head) else "items"


def _bound(match: re.Match[str], kind: ConstraintKind, amount: int, most: int | None) -> Bound | None:
    """Return how the amount is meant, or None if the words contradict each other or cannot be used."""
    wordings = [words for words in (match["before"], match["after"]) if words]
    bounds = {
        bound for words in wordings for pattern, bound in wording.BOUNDS if re.fullmatch(pattern, words, re.IGNORECASE)
    }
    if most is not None:
        return "between" if amount < most and bounds <= {"between"} else None
    if len(bounds) > 1 or "between" in bounds or amount == 0:
        return None
    # "Fewer than three" means at most two, and that number is not in the text.
    if kind not in _LENGTHS and any(re.fullmatch(wording.SHIFTED, words, re.IGNORECASE) for words in wordings):
        return None
    return bounds.pop() if bounds else "at_most" if kind in _LENGTHS else "exactly"


def _value(written: str) -> int:
    """Return the number that digits or number words stand for."""
    if (digits := written.replace(",", "")).isdecimal():
        return int(digits)
    total = 0
    for word in re.findall(r"[a-z]+", written.lower()):
        scale = {"hundred": 100, "thousand": 1000}.get(word)
        total = max(total, 1) * scale if scale else total + wording.VALUES.get(word, 0)  # "a" and "and" add nothing
    return total


def _forms(sentence: _Sentence) -> Iterator[_Demand]:
    for kind, pattern in wording.FORMS:
        match = re.search(pattern, sentence.text)
        if match and not re.search(wording.INDIRECT, sentence.text[: match.start()]):
            yield _demand(kind, sentence, match)
    match = re.match(wording.LANGUAGE, sentence.text)
    if match and not re.search(wording.PART, match["thing"] or "") and (code := code_named(match["name"])):
        yield _demand("language", sentence, match, text=code)
    if match := re.match(wording.CASING, sentence.text):
        yield _demand("casing", sentence, match, text="lower" if match["case"][0] in "lL" else "upper")


def _wordings(sentence: _Sentence, text: str) -> Iterator[_Demand]:
    for kind, pattern in wording.WORDINGS:
        match = re.search(pattern, sentence.text)
        if match is None or re.search(wording.INDIRECT, sentence.text[: match.start()]):
            continue
        if kind != "must_not_contain" and re.search(wording.NEGATION, sentence.text):
            continue
        for quoted in re.finditer(wording.QUOTED, match["quotes"]):
            low = sentence.start + match.start("quotes") + quoted.start() + 1
            words = text[low : low + len(quoted[0]) - 2].strip().rstrip(",.;:")
            if any(map(str.isalnum, words)) and not re.search(wording.GAP, words):
                yield _demand(kind, sentence, match, text=words)


def demands_in_english(system_prompt: str, prompt: str) -> list[Constraint]:
    """Return the demands of the system prompt and of the prompt. For the same kind, those of the system prompt win."""
    ruling = read_constraints(system_prompt, "system_prompt")
    kinds = {constraint.kind for constraint in ruling}
    return [*ruling, *(one for one in read_constraints(prompt, "prompt") if one.kind not in kinds)]
