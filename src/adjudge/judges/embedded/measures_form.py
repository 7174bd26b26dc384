"""Measures of an answer's surface: length, structure, style and visible slips. None of them reads the task."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Container, Iterable
from operator import eq

from ...facts.patterns import holds_any, put_off
from . import cues
from .measurement import Info, Measurement, several
from .reading import Answer

_DEPTH, _ACTION, _CLARITY = "depth_coverage_usefulness", "actionability_specificity", "clarity_structure"
_REASON, _LIMITS, _INSIGHT = "correctness_reasoning", "constraints_tradeoffs_uncertainty", "insight_originality"

INFO = {
    "length": Info("length", _DEPTH, "length", 1),
    "sentences": Info("number of sentences", _DEPTH, "length"),
    "lines": Info("number of lines", _CLARITY, "form"),
    "paragraphs": Info("paragraphs", _CLARITY, "form", 1),
    "sentence_length": Info("words to a sentence", _CLARITY, "form"),
    "items": Info("list items", _CLARITY, "form", 1),
    "headings": Info("headings and bold leads", _CLARITY, "form", 1),
    "code_blocks": Info("code blocks", _ACTION, "form"),
    "vocabulary": Info("different content words", _DEPTH, "length", 1),
    "variety": Info("variety of words", _INSIGHT, "style", 1),
    "density": Info("information for its length", _INSIGHT, "style", 1),
    "word_length": Info("length of words", _CLARITY, "style"),
    "numbers": Info("numbers", _ACTION, "style", 1),
    "names": Info("names", _ACTION, "style", 1),
    "examples": Info("examples", _ACTION, "style", 1),
    "reasons": Info("reasons given", _REASON, "style", 1),
    "connectives": Info("connecting words", _REASON, "style", 1),
    "hedging": Info("hedging", _LIMITS, "style"),
    "caution": Info("words of caution and trade-off", _LIMITS, "style", 1),
    "first_person": Info("speaking of itself", _CLARITY, "style", -1),
    "second_person": Info("speaking to the reader", _ACTION, "style"),
    "questions": Info("questions back", _ACTION, "style"),
    "exclamations": Info("exclamation marks", _CLARITY, "style"),
    "links": Info("links", _ACTION, "style"),
    "slips": Info("visible slips", _CLARITY, "flaw", -1),
    "repeated_phrases": Info("repeated phrases", _CLARITY, "flaw", -1),
    "longest_sentence": Info("longest sentence", _CLARITY, "form"),
    "citations": Info("source marks like [1]", _REASON, "style", 1),
}

# In a text with a line's end before it: a search for that skips the rest of every line.
_ITEM = put_off(r"\n[ \t]{0,6}(?:[-*•+–][ \t]|(?:\*\*)?(?:step )?\d{1,3}[.):])", re.IGNORECASE)
_HEADING = put_off(r"^(?:#{1,6} |\*\*[^*\n]{1,80}\*\*:?[ \t]*$)|\*\*[^*\n]{1,80}(?::\*\*|\*\*:)", re.MULTILINE)
_GAP = put_off(r"\n[ \t\r]*\n\s*")
_NAME = put_off(r"[A-Z](?<=[a-z,;] .)[a-zA-Z]{2,}")
_LINK = put_off(r"https?://|www\.")
_CITATION = put_off(r"\[\d{1,2}(?:, ?\d{1,2})*\]")
_GARBAGE = put_off(r"[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f]|(\S)\1{5,}|\w{40,}|[ ]{6,}\S")
_CONTROLS = bytes((*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20)))
_STUTTER = put_off(r"\b(\w+) \1 \1\b")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_LISTS = {
    "hedging": (cues.HEDGES, "hedging word"),
    "caution": (cues.CAUTIONS, "word of caution or trade-off"),
    "reasons": (cues.REASONS, "word giving a reason"),
    "connectives": (cues.CONNECTIVES, "connecting word"),
    "first_person": (cues.FIRST_PERSON, "word about itself"),
    "second_person": (cues.SECOND_PERSON, "word to the reader"),
}
_LISTED = frozenset[str]().union(*(words for words, _ in _LISTS.values()))


def measure(answer: Answer, into: dict[str, Measurement], weighed: Container[str] = INFO) -> None:
    """All surface measures of one answer; how far it can be packed and its examples only if they are weighed."""
    count, plain, words = answer.count, answer.plain, answer.words
    sentences = answer.sentences
    into["length"] = Measurement(math.log2(1 + count), f"it has {several(count, 'word')}")
    into["sentences"] = Measurement(math.log2(1 + len(sentences)), f"it has {several(len(sentences), 'sentence')}")
    lines = sum(1 for line in plain.split("\n") if line.strip())
    into["lines"] = Measurement(math.log2(1 + lines), f"it stands in {several(lines, 'line')}")
    paragraphs = len(_GAP.findall(plain.strip())) + 1
    into["paragraphs"] = Measurement(math.log2(paragraphs), f"it has {several(paragraphs, 'paragraph')}")
    mean = len(words) / max(1, len(sentences))
    into["sentence_length"] = Measurement(math.log2(1 + mean), f"it has about {mean:.0f} words to a sentence")
    longest = max(sentences, key=lambda span: span[1] - span[0], default=(0, 0))
    into["longest_sentence"] = Measurement(
        math.log2(1 + (longest[1] - longest[0]) / 6), "its longest sentence", longest if longest[1] else None
    )
    _structure(answer, into)
    _style(answer, into)
    _words(answer, into)
    _slips(answer, into)
    if "density" in weighed:
        _density(answer, into)
    if "examples" in weighed:
        examples = sum(answer.lower.count(phrase) for phrase in cues.EXAMPLE_PHRASES)
        into["examples"] = Measurement(math.log2(1 + examples), f"it has {several(examples, 'example')}")


def _counted(name: str, places: list[tuple[int, int]], noun: str, into: dict[str, Measurement]) -> None:
    count = len(places)
    into[name] = Measurement(math.log2(1 + count), f"it has {several(count, noun)}", places[0] if places else None)


def _places(pattern: re.Pattern[str], plain: str, *marks: str) -> list[tuple[int, int]]:
    """Where a pattern stands. Whatever it matches has one of the marks: a text with none of them is not searched."""
    return [match.span() for match in pattern.finditer(plain)] if holds_any(plain, marks) else []


def _structure(answer: Answer, into: dict[str, Measurement]) -> None:
    plain = answer.plain
    items = [(match.start(), match.end() - 1) for match in _ITEM.finditer(f"\n{plain}")]
    _counted("items", items, "list item", into)
    _counted("headings", _places(_HEADING, plain, "#", "**"), "heading", into)
    _counted("links", _places(_LINK, plain, "://", "www."), "link", into)
    _counted("citations", _places(_CITATION, plain, "["), "source mark", into)
    blocks = (plain.count("```") + 1) // 2
    at = plain.find("```")
    into["code_blocks"] = Measurement(
        math.log2(1 + blocks), f"it has {several(blocks, 'code block')}", (at, at + 3) if at >= 0 else None
    )


def _style(answer: Answer, into: dict[str, Measurement]) -> None:
    plain, words = answer.plain, answer.words
    scale, counts = max(20, len(words)), Counter(filter(_LISTED.__contains__, words))
    for name, (listed, what) in _LISTS.items():
        count = sum(counts[word] for word in listed & counts.keys())
        into[name] = Measurement(100.0 * count / scale, f"it has {several(count, what)}")
    numbers = len(answer.numbers)
    into["numbers"] = Measurement(math.log2(1 + numbers), f"it has {several(numbers, 'number')}")
    names = len(set(_NAME.findall(plain)))
    into["names"] = Measurement(math.log2(1 + names), f"it has {several(names, 'name')}")
    asked = plain.count("?")
    at = plain.find("?")
    into["questions"] = Measurement(
        math.log2(1 + asked), f"it has {several(asked, 'question mark')}", (at, at + 1) if asked else None
    )
    loud = plain.count("!")
    into["exclamations"] = Measurement(math.log2(1 + loud), f"it has {several(loud, 'exclamation mark')}")


def _words(answer: Answer, into: dict[str, Measurement]) -> None:
    words = answer.words[:400]
    kinds = len(answer.content)
    into["vocabulary"] = Measurement(math.log2(1 + kinds), f"it uses {several(kinds, 'different content word')}")
    share = len(set(words)) / max(1, len(words))
    # Long texts repeat words by nature; what is expected falls with the logarithm of the length.
    expected = min(1.0, 1.08 - 0.105 * math.log(max(3, len(words))))
    into["variety"] = Measurement(
        share - expected, f"{share:.0%} of its first {several(len(words), 'word')} are different"
    )
    content = list(filter(answer.telling.__contains__, words))
    mean = sum(map(len, content)) / max(1, len(content))
    into["word_length"] = Measurement(mean if content else 5.0, f"its content words have about {mean:.1f} letters")
    threes = len(words) - 2
    again = 1 - len(set(zip(words, words[1:], words[2:], strict=False))) / threes if threes > 0 else 0.0
    into["repeated_phrases"] = Measurement(again, f"{again:.0%} of its three-word phrases are repeats")


def _density(answer: Answer, into: dict[str, Measurement]) -> None:
    raw = answer.plain[:6000].encode("utf-8", "replace")
    packed = len(zlib.compress(raw, 6)) / max(1, len(raw))
    usual = 0.28 + 2.2 / math.sqrt(max(16, len(raw)))
    into["density"] = Measurement(
        max(-0.5, min(0.5, packed - usual)), f"it can be packed into {min(packed, 1.0):.0%} of its size"
    )


def _slips(answer: Answer, into: dict[str, Measurement]) -> None:
    """Lower-case starts, brackets that do not close, garbage, a missing end: each one point."""
    plain, found = answer.plain, []
    place: tuple[int, int] | None = None
    body = plain.strip()
    if body and answer.count > 3:
        at = len(plain) - len(plain.lstrip())
        if body[0].islower():
            found.append("begins with a small letter")
            place = (at, at + 1)
        if "```" not in body and any(body.count(opened) > body.count(closed) + 1 for opened, closed in _PAIRS):
            found.append("opens brackets that do not close")
        if body.count('"') % 2 and body.count('"') < 10:
            found.append("opens a quotation that does not close")
    garbage = _find_garbage(answer) if "```" not in plain else None
    if garbage:
        found.append("has garbled characters or words")
        place = garbage.span()
    into["slips"] = Measurement(
        float(len(found)), f"it {' and '.join(found)}" if found else "it has no visible slips", place
    )


def _has_run(text: str) -> bool:
    """Whether a character stands six times in a row."""
    size, coding = (1, "ascii") if text.isascii() else (4, "utf-32-le")
    raw = int.from_bytes(text.encode(coding, "surrogatepass"), "little")
    # Beside itself moved by one character, a text differs in nothing where a character is repeated. Only then are all
    # its characters tried, which takes twenty times as long.
    moved = (raw ^ raw >> 8 * size).to_bytes(size * len(text), "little")
    return bytes(5 * size) in moved and any(char * 6 in text for char in set(text))


def _longest(words: Iterable[str]) -> int:
    return max(map(len, words), default=0)


def _has_control(text: str) -> bool:
    """Whether a control character stands in it, or the one that replaces what could not be read."""
    raw = text.encode("utf-8", "surrogatepass")
    return len(raw.translate(None, _CONTROLS)) < len(raw) or "\ufffd" in text


def _find_garbage(answer: Answer) -> re.Match[str] | None:
    """Characters or words that no writer meant; the costly search for a stutter only where the words show one."""
    read, words = answer.plain[:3000], answer.words[:1500]
    # A long word is among those that tell something, of which there are fewer.
    long_word = _longest(answer.telling) >= 40 and _longest(words) >= 40
    if long_word or "      " in read or _has_run(read) or _has_control(read):
        found = _GARBAGE.search(read)
        if found is not None:
            return found
    if True in map(eq, words, words[1:]) and any(
        a == b == c for a, b, c in zip(words, words[1:], words[2:], strict=False)
    ):
        return _STUTTER.search(read)
    return None
