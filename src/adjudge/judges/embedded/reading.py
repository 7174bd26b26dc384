"""One task and one answer, read once: words, sentences, key terms, and what kind of task it is.

Everything the measures count comes from here, so that no text is split twice. English cues only where words matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ...facts.asked_language import asked_language
from ...facts.patterns import put_off
from ...facts.requests import Requests, read_requests
from ...facts.sentences import sentence_spans
from ...words import count_words, split_words
from . import cues
from .kinds import find_kinds

READ = 40_000  # characters of an answer that are looked at word by word; the rest is only counted
_TASK_READ = 12_000
_SAME_PLACES = {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", "\u00a0": " "}
_TERMS = 40
_JOINED = 1000  # words of a text that are compared as a whole
_FOURS = 4000  # words of an answer whose wording is looked for in the task and in the other answer
_MATERIAL = 600
_WISH = put_off(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|words?|characters?|sentences?|"
    r"paragraphs?|lists?|bullet\w*|numbered|table|json|csv|yaml|xml|html|code|markdown|emojis?|plain text|single|"
    r"function|script|program|query|regex|short|brief)\b|[^\x00-\x7f]",
    re.IGNORECASE,
)
_LANGUAGE_WISH = put_off(r"\b(?:in|to|into|use|speak|language)\b|[^\x00-\x7f]", re.IGNORECASE)
# What stands before is looked at last: a search for a capital or a digit skips what is none.
_TITLED = put_off(r"[A-Z](?:(?<=[a-z,;] .)[a-zA-Z'-]{2,}|(?<!\w.)[a-z]+ [A-Z][a-z]+\b)")
_QUOTED = put_off(r"\"([^\"\n]{2,60})\"|(?<!\w)'([^'\n]{2,60})'(?!\w)|`([^`\n]{2,60})`")
_NUMBER = put_off(r"\d(?<![\w.].)[\d,]*(?:\.\d+)?")
_ASCII_NUMBER = put_off(r"[0-9](?<![\w.].)[0-9,]*(?:\.[0-9]+)?")  # the same at half the price
_BLANK = put_off(r"\n[ \t\r]*\n\s*")


class Task(NamedTuple):
    """What both answers are held against; `terms` are the stems of its instruction with their weights."""

    text: str
    plain: str
    instruction: str
    material: str
    words: tuple[str, ...]
    terms: tuple[tuple[str, float], ...]
    names: frozenset[str]
    numbers: frozenset[str]
    quoted: tuple[str, ...]
    fours: frozenset[tuple[str, ...]]
    content: frozenset[str]
    joined: str
    joined_material: str
    kinds: frozenset[str]
    requests: Requests
    language: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What is counted in one answer; `words` are those of its beginning in lower case, `count` is all of them.

    `telling` are the words that say something by themselves, `content` their stems.
    """

    text: str
    plain: str
    lower: str
    count: int
    words: tuple[str, ...]
    stems: frozenset[str]
    telling: frozenset[str]
    content: frozenset[str]
    numbers: frozenset[str]
    sentences: tuple[tuple[int, int], ...]
    fours: frozenset[tuple[str, ...]]
    joined: str


class Context(NamedTuple):
    """The passages an answer should rest on; empty where none were given."""

    stems: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    numbers: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


@lru_cache(maxsize=64)  # one task is often asked of many pairs
def read_task(text: str) -> Task:
    """The task's instruction, key terms, kinds and countable wishes."""
    plain = _in_ascii(text[:_TASK_READ])
    instruction, material = split_task(plain)
    words = tuple(split_words(plain.lower()))
    asked = instruction if len(instruction) > 20 else plain
    # What is asked for stands in the instruction; to look for it in pages of material costs more than all the rest.
    wording = instruction if len(material) > _MATERIAL else text[:_TASK_READ]
    return Task(
        text=text,
        plain=plain,
        instruction=instruction,
        material=material,
        words=words,
        terms=_terms(asked),
        names=names_in(asked),
        numbers=numbers_in(plain),
        quoted=tuple(next(filter(None, match.groups())) for match in _QUOTED.finditer(instruction)),
        fours=_fours(words),
        content=frozenset(stem(word) for word in set(words) if is_content(word)),
        joined=" ".join(words[:_JOINED]),
        joined_material=" ".join(split_words(material.lower())[:_JOINED]),
        kinds=find_kinds(plain, instruction, material),
        requests=read_requests(wording) if _WISH.search(wording) else Requests(),
        language=asked_language(wording) if _LANGUAGE_WISH.search(wording) else None,
    )


def read_answer(text: str) -> Answer:
    """The answer's words and sentences."""
    plain = _in_ascii(text[:READ])
    lower = plain.lower()
    words = tuple(split_words(lower))
    rest = count_words(_in_ascii(text[READ : READ + 400_000])) if len(text) > READ else 0
    distinct = set(words)
    telling = frozenset([word for word in distinct - cues.STOP_WORDS if len(word) > 2 or not word.isascii()])
    content = frozenset(stems_of(telling))
    return Answer(
        text=text,
        plain=plain,
        lower=lower,
        count=len(words) + rest,
        words=words,
        stems=content.union(stems_of(distinct - telling)),
        telling=telling,
        content=content,
        numbers=numbers_in(plain),
        sentences=tuple(sentence_spans(plain, limit=1500)),
        fours=_fours(words[:_FOURS]),
        joined=" ".join(words[:_JOINED]),
    )


@lru_cache(maxsize=16)
def read_context(text: str) -> Context:
    """The words, word pairs, numbers and names of the passages."""
    if not text.strip():
        return Context()
    plain = _in_ascii(text[: 4 * READ])
    stems = stems_of(split_words(plain.lower()))
    return Context(
        stems=frozenset(stems),
        pairs=frozenset(pairwise(stems)),
        numbers=numbers_in(plain),
        names=names_in(plain),
    )


def split_task(plain: str) -> tuple[str, str]:
    """The part that says what to do, and the material it is to be done with."""
    parts = _BLANK.split(plain.strip(), maxsplit=1)
    head = parts[0]
    if len(parts) == 2 and len(head) < 600:
        tail = parts[1].rstrip()
        last = tail.rpartition("\n")[2]
        # What is asked may also stand in the last line, behind the material.
        return (f"{head}\n{last}", tail) if last.endswith("?") and len(last) < 300 else (head, tail)
    head, colon, rest = plain.strip().partition(":\n")
    if colon and len(head) < 400:
        return head, rest
    head, colon, rest = plain.strip().partition(": ")
    if colon and 15 < len(head) < 200 and len(rest) > 20:
        return head, rest
    spans = sentence_spans(plain, limit=60)
    if len(plain) > 700 and len(spans) > 4:
        first, last = plain[: spans[1][1]], plain[spans[-1][0] :]
        return f"{first}\n{last}", plain[spans[1][1] : spans[-1][0]]
    return plain.strip(), ""


def stem(word: str) -> str:
    """A word without most of its endings: enough to see `summarise` in `summarised`."""
    return stems_of((word,))[0]


def stems_of(words: Iterable[str]) -> list[str]:
    """The stem of each word; a call for every single one takes twice as long."""
    return [word[:6] if len(word) > 6 else word.rstrip("s") if len(word) > 3 else word for word in words]


def is_content(word: str) -> bool:
    """Whether a word says something by itself."""
    return word not in cues.STOP_WORDS and (len(word) > 2 or not word.isascii())


def names_in(plain: str) -> frozenset[str]:
    """Words with a capital inside a sentence, in lower case."""
    return frozenset(word for match in _TITLED.findall(plain) for word in match.lower().split() if is_content(word))


def numbers_in(plain: str) -> frozenset[str]:
    """The numbers of a text without the commas inside them."""
    found = set((_ASCII_NUMBER if plain.isascii() else _NUMBER).findall(plain))
    return frozenset([number.replace(",", "") for number in found])


def _terms(asked: str) -> tuple[tuple[str, float], ...]:
    """Key terms with weights: long words say more than short ones, and names and numbers most."""
    names = names_in(asked)
    weights: dict[str, float] = {}
    for word in split_words(asked.lower())[:2000]:
        if not is_content(word) or word in cues.TASK_WORDS:
            continue
        weight = 1.5 if word in names else 0.5 + min(len(word), 10) / 10
        weights[stem(word)] = max(weights.get(stem(word), 0.0), weight)
        if len(weights) >= _TERMS:
            break
    return tuple(weights.items())


def _in_ascii(text: str) -> str:
    """The text with plain quotation marks and dashes, each at its place."""
    if not text.isascii():
        for mark, plain in _SAME_PLACES.items():  # thirty times as fast as to translate
            text = text.replace(mark, plain)
    return text


def copied_share(task: Task, answer: Answer) -> float:
    """How much of an answer's wording, four words at a time, stands in the task."""
    if task.fours.isdisjoint(answer.fours):
        return 0.0
    words = answer.words[:_FOURS]
    return sum(map(task.fours.__contains__, _in_fours(words))) / (len(words) - 3)


def _fours(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(_in_fours(words))


def _in_fours(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return zip(words, words[1:], words[2:], words[3:], strict=False)
