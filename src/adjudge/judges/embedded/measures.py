"""Nine plain measures of two answers to one task. Each gives a number, a phrase about it, and a place in the text.

The same functions measure both answers, so swapping the answers swaps the measurements. The model decides what a
measure is worth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...constraints.english import read_constraints
from ...constraints.measuring import measure
from ...models.constraints import Constraint
from ...text.flaws import find_cut_off, find_repetition
from ...text.hidden import find_hidden
from ...text.injection import find_control_tokens, find_injection
from ...text.sentences import sentence_spans, word_set
from ...text.structure import read_structure
from ...text.words import count_words, split_words
from .conversation import declines

DEPTH, TASK, CLARITY = "depth_coverage_usefulness", "task_understanding", "clarity_structure"
DECLINED = 0.5  # the value of `no_answer` for an apology or a refusal; 1 means an empty answer or a placeholder

_READ = 40_000  # characters of an answer that are read word by word; in the rest, words are only counted
_TASK_READ = 12_000
_COUNTED = 400_000
_TERMS = 40  # words of the task that we look for in an answer
_PHRASE = 4  # words in a row
_SHORT = 60  # words; a longer answer says something besides the apology
_HEAD = 120  # characters; an answer that declines does so in its first ones
_FUNCTION_WORDS = word_set(
    "about above after again against all also and any are because been before being below between both but can could "
    "did does doing down during each few for from further had has have having her here hers him his how into its just "
    "like may might more most must nor not now off once one only other our ours out over own please same she should "
    "some such than that the their theirs them then there these they this those through too under until use very was "
    "were what when where which while who whom why will with within without would you your yours"
)
_PLACEHOLDER = re.compile(r"\W*(?:no ?(?:out|in)put|none|n/?a|null|todo|tbd|no (?:answer|response)|output)\W*")


class Measure(NamedTuple):
    """A measure. `sign` says whether more of it may count for (1) or against (-1) an answer; 0: the labels decide."""

    title: str
    criterion: str
    sign: int = 0


MEASURES: Mapping[str, Measure] = {
    "length": Measure("words", DEPTH),
    "vocabulary": Measure("different words", DEPTH, 1),
    "own_words": Measure("words of its own, not the task's", DEPTH, 1),
    "items": Measure("list items", CLARITY),
    "paragraphs": Measure("paragraphs", CLARITY),
    "coverage": Measure("words of the task taken up", TASK, 1),
    "no_answer": Measure("no answer", TASK, -1),
    "flaws": Measure("repetition, broken-off ends, text that addresses the judge", CLARITY, -1),
    "broken": Measure("constraints of the task not kept", TASK, -1),
}


class Found(NamedTuple):
    """What was measured in one answer. `says` is the predicate of a sentence about it, `place` where it can be seen."""

    value: float
    says: str
    place: tuple[int, int] | None = None


class Measured(NamedTuple):
    """The measures of both answers. `alike` (0 to 1) and `task`, the task's length, are the same in either order."""

    a: Mapping[str, Found]
    b: Mapping[str, Found]
    alike: float
    task: float


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with its words in lower case. `stems` are those of all words, `content` leaves out function words."""

    text: str
    lower: str
    words: tuple[str, ...]
    count: int
    stems: frozenset[str]
    content: frozenset[str]


def measure_pair(task: str, a: str, b: str) -> Measured:
    """Take all measures of both answers."""
    asked, first, second = _read(task[:_TASK_READ]), _read(a), _read(b)
    constraints = read_constraints(task)
    either = len(first.stems | second.stems)
    return Measured(
        a=_measure(asked, constraints, first),
        b=_measure(asked, constraints, second),
        alike=len(first.stems & second.stems) / either if either else 1.0,
        task=math.log2(1 + asked.count),
    )


def _read(text: str) -> _Text:
    lower = text[:_READ].lower().replace("’", "'")
    words = tuple(split_words(lower))
    return _Text(
        text=text,
        lower=lower,
        words=words,
        count=len(words) + count_words(text[_READ:_COUNTED]),
        stems=frozenset(map(_stem, words)),
        content=frozenset(_stem(word) for word in set(words) if _is_content(word)),
    )


def _stem(word: str) -> str:
    """Return a word without most of its endings: enough to match `summarised` with `summarise`."""
    return word[:6] if len(word) > 6 else word.rstrip("s") if len(word) > 3 else word


def _is_content(word: str) -> bool:
    return word not in _FUNCTION_WORDS and (len(word) > 2 or not word.isascii())


def _measure(task: _Text, constraints: Sequence[Constraint], answer: _Text) -> dict[str, Found]:
    different, own = len(answer.content), len(answer.content - task.content)
    blocks = sum(1 for block in re.split(r"\n[ \t]*\n", answer.text[:_READ]) if block.strip())
    return {
        "length": Found(math.log2(1 + answer.count), f"has {_several(answer.count, 'word')}"),
        "vocabulary": Found(math.log2(1 + different), f"uses {_several(different, 'different word')}"),
        "own_words": Found(math.log2(1 + own), f"has {_several(own, 'word')} that the task does not have"),
        "items": _items(answer),
        "paragraphs": Found(math.log2(1 + blocks), f"has {_several(blocks, 'paragraph')}"),
        "coverage": _coverage(task, answer),
        "no_answer": _no_answer(answer),
        "flaws": _flaws(task, answer),
        "broken": _broken(constraints, answer),
    }


def _items(answer: _Text) -> Found:
    lists = [listing for listing in read_structure(answer.text).listings if listing.count > 1]
    count = sum(listing.count for listing in lists)
    if not lists:
        return Found(0.0, "has no list")
    what = f"a list of {count} items" if len(lists) == 1 else f"{len(lists)} lists with {count} items"
    start = lists[0].start
    first = answer.text[start : lists[0].end].split("\n")[0]
    return Found(math.log2(1 + count), f"has {what}", (start, start + len(first)))


def _coverage(task: _Text, answer: _Text) -> Found:
    """Measure how many of the task's words occur in the answer, and find the sentence with the most of them."""
    terms = list(dict.fromkeys(_stem(word) for word in task.words if _is_content(word)))[:_TERMS]
    held = frozenset(terms) & answer.stems
    place, most = None, 1  # a single word proves nothing
    for start, end in sentence_spans(answer.text[:_READ]) if len(held) > most else ():
        here = len(held.intersection(map(_stem, split_words(answer.text[start:end].lower()))))
        place, most = ((start, end), here) if here > most else (place, most)
    says = f"takes up {len(held)} of the {_several(len(terms), 'main word')} of the task"
    return Found(len(held) / len(terms) if terms else 0.0, says, place)


def _no_answer(answer: _Text) -> Found:
    if not answer.words:
        return Found(1.0, "is empty")
    if _PLACEHOLDER.fullmatch(answer.lower):
        return Found(1.0, "does not answer: it is a placeholder", (0, len(answer.text)))
    if answer.count <= _SHORT and (place := declines(answer.text[:_HEAD])) is not None:
        return Found(DECLINED, "does not answer: it apologises or declines", place)
    return Found(0.0, "answers")


def _flaws(task: _Text, answer: _Text) -> Found:
    """Add up the share of repeated phrases and 1 for each other flaw."""
    phrases = list(zip(*(answer.words[at:] for at in range(_PHRASE)), strict=False))
    again = 1 - len(set(phrases)) / len(phrases) if phrases else 0.0
    cut, text = find_cut_off(answer.text, task.text), answer.text
    hostile = find_injection(text, task.text) or find_hidden(text) or find_control_tokens(text)
    others = [*([cut] if cut is not None else []), *hostile[:1]]
    repeated = find_repetition(text)[:1]
    said = [*(f"has a sentence that {spot.found}" for spot in repeated), *(spot.found for spot in others)]
    if not said:
        said = [f"says {again:.0%} of its phrases more than once" if again else "has no such flaw"]
    place = next(((spot.start, spot.end) for spot in (*repeated, *others)), None)
    return Found(again + len(others), " and ".join(said), place)


def _broken(constraints: Sequence[Constraint], answer: _Text) -> Found:
    """Count 1 for each broken constraint, and one half for each that could not be measured in the answer."""
    measured = [(constraint, measure(constraint, answer.text)) for constraint in constraints]
    broken = [constraint for constraint, found in measured if found is not None and not found.met]
    unseen = [constraint for constraint, found in measured if found is None]
    said = [found.says.replace("; ", ", where ") for _, found in measured if found is not None and not found.met]
    said += [f"has no list, where {one.amount} items were asked for" for one in unseen if one.kind == "items"]
    if not said:
        counts = [match[1] for _, found in measured if found and (match := re.match(r"has (.+); ", found.says))]
        said = ["keeps to what was asked for" + (f" ({', '.join(counts)})" if counts else "")]
    says = ", and ".join([said[0], *(one.removeprefix("has ") for one in said[1:])])
    place = None
    # The place that shows a broken or kept constraint: the unwanted words, or the list.
    for shown in (broken or [constraint for constraint, _ in measured if constraint.kind == "items"])[:1]:
        if shown.kind == "items":
            place = _items(answer).place
        elif shown.kind == "must_not_contain":
            match = re.search(re.escape(shown.text), answer.text, re.IGNORECASE)
            place = match.span() if match else None
    return Found(len(broken) + len(unseen) / 2, says, place)


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
