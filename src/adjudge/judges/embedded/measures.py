"""Plain measures of two answers to one task. Each gives a number, a phrase that states it, and a place in the text.

A phrase says only what was counted, so that a reader can count again; where nothing was found there is no phrase. The
same functions measure both answers, so swapping the answers swaps the measurements. The model decides what they weigh.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from ...constraints.english import read_constraints
from ...constraints.measuring import Measurement, measure
from ...models.constraints import Constraint
from ...text import Spot
from ...text.evidence import MAX_WORDS
from ...text.flaws import find_cut_off
from ...text.hidden import find_hidden
from ...text.injection import find_control_tokens, find_injection
from ...text.sentences import sentence_spans, word_set
from ...text.structure import READ as LISTS_READ
from ...text.structure import Listing, read_structure
from ...text.words import count_words, each_word, split_words
from .phrases import declines

DEPTH, TASK, CLARITY = "depth_coverage_usefulness", "task_understanding", "clarity_structure"

_READ = 40_000  # characters of a text that are read word by word; in the rest, words are only counted
_COUNTED = 400_000
_LONGER = 4  # characters; most shorter words are "the", "of" and the like
_RUN = 4  # words in a row
_SHORT = 60  # words; a longer answer says something besides the apology
_HEAD = 120  # characters; an answer that declines does so in its first ones
_QUOTED = 9  # words of a sentence that are shown
_PLACEHOLDER = re.compile(r"\W*(?:no ?(?:out|in)put|n/?a|todo|tbd|no (?:answer|response))\W*")
# The kinds of demand whose measurement says what was found, whether or not it is what was asked for.
_STATED = word_set("words characters sentences paragraphs items table json code_block language")


class Measure(NamedTuple):
    """A measure. `sign` says whether more of it may count for (1) or against (-1) an answer; 0: the labels decide."""

    title: str
    criterion: str
    sign: int = 0


MEASURES: Mapping[str, Measure] = {
    "own_words": Measure("different longer words that the task does not have", DEPTH, 1),
    "items": Measure("list items", CLARITY),
    "blocks": Measure("blocks of text with blank lines between", CLARITY),
    "coverage": Measure("share of the task's longer words that it uses", TASK, 1),
    "empty": Measure("no words, or a placeholder", TASK, -1),
    "repeated": Measure("share of repeated runs of four words", CLARITY, -1),
    "cut_off": Measure("a broken-off end", CLARITY, -1),
    "steers": Measure("text that addresses the judge or hides something", CLARITY, -1),
    "broken": Measure("counted demands of the task that are not met", TASK, -1),
}
COUNTS = ("own_words", "items", "blocks")  # the measures of which more than the labels hold is unlike anything fitted


class Found(NamedTuple):
    """What was measured in one answer. `says` is the predicate of a sentence about it, or "" if there is nothing to
    say; `place` is where it can be seen."""

    value: float
    says: str = ""
    place: tuple[int, int] | None = None


class Measured(NamedTuple):
    """The measures of both answers. `shared` of all `different` words are in both, `task` is the length of the task.

    For A and B, `words` is the number of words, and `refusals` is what at the beginning may decline the task, or "".
    """

    a: Mapping[str, Found]
    b: Mapping[str, Found]
    words: tuple[int, int]
    refusals: tuple[str, str]
    same: bool
    shared: int
    different: int
    task: float

    @property
    def alike(self) -> float:
        """The share of all different words that are in both answers."""
        return self.shared / self.different if self.different else 1.0


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with its words in lower case. `count` is the number of words, which may be more than `words` holds."""

    text: str
    words: tuple[str, ...]
    count: int
    different: frozenset[str]
    longer: frozenset[str]


@lru_cache(maxsize=2)
def measure_pair(task: str, a: str, b: str) -> Measured:
    """Take all measures of both answers. Cached, because both orders of a case are asked for one after the other."""
    asked, first, second = _read(task), _read(a), _read(b)
    broken = _broken(task, a, b)
    return Measured(
        a=_measure(asked, first) | {"broken": broken[0]},
        b=_measure(asked, second) | {"broken": broken[1]},
        words=(first.count, second.count),
        refusals=(_refusal(first), _refusal(second)),
        same=_canonical(a) == _canonical(b),
        shared=len(first.different & second.different),
        different=len(first.different | second.different),
        task=_level(asked.count),
    )


def _read(text: str) -> _Text:
    words = tuple(split_words(_lower(text[:_READ])))
    count = len(words) if len(text) <= _READ else count_words(text[:_COUNTED])
    return _Text(text, words, count, frozenset(words), frozenset(word for word in words if len(word) >= _LONGER))


def _lower(text: str) -> str:
    return text.lower().replace("’", "'")


def _canonical(text: str) -> str:
    """Return a text without differences of Unicode form, line ends and white space at the end of lines."""
    return "\n".join(line.rstrip() for line in unicodedata.normalize("NFC", text).rstrip().splitlines())


def _level(count: int) -> float:
    """Return a count on the scale on which it is weighed: twice as many is always one more."""
    return math.log2(1 + count)


def count_of(level: float) -> float:
    """Return the count that a level stands for."""
    return 2**level - 1


def _measure(task: _Text, answer: _Text) -> dict[str, Found]:
    blocks = sum(1 for block in re.split(r"\n[ \t]*\n", answer.text[:_READ]) if block.strip())
    own, limit = len(answer.longer - task.longer), _within(answer.text)
    words = f"{_several(own, 'different word')} of {_LONGER} or more characters"
    return {
        "own_words": Found(_level(own), f"has {words} that {_name(task)} does not have{limit}"),
        "items": _items(answer.text),
        "blocks": Found(_level(blocks), f"has {_several(blocks, 'block')} of text with blank lines between{limit}"),
        "coverage": _coverage(task, answer),
        "empty": _empty(answer),
        "repeated": _repeated(answer),
        "cut_off": _spotted(find_cut_off(answer.text, task.text)),
        "steers": _steers(task, answer),
    }


def _name(task: _Text) -> str:
    return "the task" if len(task.text) <= _READ else f"the task (its first {_READ:,} characters)"


def _within(text: str, limit: int = _READ) -> str:
    """Return words that say how much of a long text was looked at."""
    return "" if len(text) <= limit else f" in its first {limit:,} characters"


def _lists(text: str) -> list[Listing]:
    # A single entry is not a list.
    return [one for one in read_structure(text).listings if one.count > 1 and one.style != "table"]


def _items(text: str) -> Found:
    """Count the items of lists that give each item a line of its own, with a number or bullet."""
    lists, limit = _lists(text), _within(text, LISTS_READ)
    count = sum(one.count for one in lists)
    if not lists:
        return Found(0.0, f"has no list with a numbered or bulleted line for each item{limit}")
    what = f"a list of {count} items" if len(lists) == 1 else f"{len(lists)} lists with {count} items"
    return Found(_level(count), f"has {what}{limit}", _first_item(text, lists))


def _first_item(text: str, lists: list[Listing]) -> tuple[int, int] | None:
    for one in lists[:1]:
        return one.start, one.start + len(text[one.start : one.end].split("\n")[0])
    return None


def _coverage(task: _Text, answer: _Text) -> Found:
    """Count the task's longer words that occur in the answer, and find the sentence whose beginning has most."""
    terms = task.longer
    if not terms:
        return Found(0.0)
    held = terms & answer.longer
    place, most = None, 1  # a single word shows nothing
    for start, end in sentence_spans(answer.text[:_READ]) if len(held) > most else ():
        words = islice(each_word(_lower(answer.text[start:end])), MAX_WORDS)
        place, most = ((start, end), here) if (here := len(held.intersection(words))) > most else (place, most)
    every = f"{_several(len(terms), 'different word')} of {_LONGER} or more characters in {_name(task)}"
    return Found(len(held) / len(terms), f"uses {len(held)} of the {every}{_within(answer.text)}", place)


def _empty(answer: _Text) -> Found:
    if not answer.count:
        return Found(1.0, "has no words")
    if len(answer.text) <= _HEAD and _PLACEHOLDER.fullmatch(answer.text[:_HEAD].lower()):
        return Found(1.0, f"says only “{' '.join(answer.text.split())}”", (0, len(answer.text)))
    return Found(0.0)


def _repeated(answer: _Text) -> Found:
    runs = list(zip(*(answer.words[at:] for at in range(_RUN)), strict=False))
    again = len(runs) - len(set(runs))
    says = f"repeats {again:,} of its {_several(len(runs), 'run')} of four words{_within(answer.text)}"
    return Found(again / len(runs), says) if again else Found(0.0)


def _steers(task: _Text, answer: _Text) -> Found:
    text = answer.text
    hostile = find_injection(text, task.text) or find_hidden(text) or find_control_tokens(text)
    return _spotted(hostile[0] if hostile else None)


def _spotted(spot: Spot | None) -> Found:
    return Found(0.0) if spot is None else Found(1.0, spot.found, (spot.start, spot.end))


def _refusal(answer: _Text) -> str:
    """Return the sentence at the beginning of a short answer that may decline the task, or ""."""
    place = declines(answer.text[:_HEAD]) if answer.count <= _SHORT else None
    if place is None:
        return ""
    start, end = next(span for span in sentence_spans(answer.text) if place[0] < span[1])
    words = answer.text[start:end].split()
    return " ".join(words[:_QUOTED]) + ("…" if len(words) > _QUOTED else "")


# -- demands of the task -----------------------------------------------------------------------------------------------


def _broken(task: str, a: str, b: str) -> tuple[Found, Found]:
    """Count the demands that each answer breaks. A demand that cannot be measured in both answers counts for neither.

    The phrases name the demands that at least one of the answers breaks.
    """
    demands = [(demand, measure(demand, a), measure(demand, b)) for demand in read_constraints(task)]
    missed = [(one, x, y) for one, x, y in demands if x is not None and y is not None and not (x.met and y.met)]
    return (
        _kept([(one, x) for one, x, _ in missed], a),
        _kept([(one, y) for one, _, y in missed], b),
    )


def _kept(measured: list[tuple[Constraint, Measurement]], text: str) -> Found:
    """Say how one answer does on these demands, and where the first that it breaks, else the first, can be seen."""
    findings = [found.says.replace("; ", ", where ") for one, found in measured if not found.met or one.kind in _STATED]
    says = ", and ".join([*findings[:1], *(one.removeprefix("has ") for one in findings[1:])])
    broken = [one for one, found in measured if not found.met]
    place = None
    for shown in (broken or [one for one, _ in measured])[:1]:
        if shown.kind == "items":
            place = _first_item(text, _lists(text))
        elif shown.kind == "must_not_contain" and (match := re.search(re.escape(shown.text), text, re.IGNORECASE)):
            place = match.span()
    return Found(len(broken), says, place)


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
