"""Named measurements of one answer, given the task and the length of the other answer.

Each feature has a value from -1 (speaks against the answer) to 1 (speaks for it) and says in words what was counted.
Nothing here knows whether the answer is A or B, or whether what it says is true.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...facts.sentences import sentence_spans
from ...verdicts import Fact
from ...words import split_words
from . import cues
from .instructions import Check, Requests, check_requests, count_items, read_requests

_HEADING = re.compile(r"^(?:#{1,6} |\*\*[^*\n]{1,80}\*\*:?[ \t]*$)", re.MULTILINE)
_GAP = re.compile(r"\n[ \t\r]*\n\s*")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_TERMS = 40  # key terms read from a task
_VARIETY_WORDS = 300


@dataclass(frozen=True, slots=True)
class Feature:
    """One measurement; `counted` is its bare figure, to set beside the other answer's."""

    value: float
    says: str
    counted: str


@dataclass(frozen=True, slots=True)
class TaskReading:
    """What both answers are measured against."""

    terms: tuple[str, ...]
    requests: Requests
    phrases: frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """What is counted in one answer before anything is weighed; `repeated` is the share that stood there before."""

    text: str
    words: tuple[str, ...]
    sentences: tuple[tuple[int, int], ...]
    facts: tuple[Fact, ...]
    repeated: float

    @property
    def new_words(self) -> int:
        """The words without those of repeated sentences: saying it again makes no answer longer."""
        return round(len(self.words) * (1 - self.repeated))


def read_task(task: str) -> TaskReading:
    """The task's key terms, its countable wishes and its wording."""
    words = split_words(task.lower())[:4000]
    terms: dict[str, None] = {}
    for word in words:
        if word not in cues.STOP_WORDS and (len(word) > 2 or not word.isascii()) and not word.isdigit():
            terms.setdefault(stem(word))
            if len(terms) >= _TERMS:
                break
    return TaskReading(tuple(terms), read_requests(task), frozenset(_fours(words)))


def read_answer(text: str, facts: Iterable[Fact]) -> AnswerReading:
    """The answer's words and sentences, with the facts found in it."""
    words = tuple(split_words(text.lower()))
    spans = tuple(sentence_spans(text))
    found = tuple(facts)
    repeated = _repeated_share(text, spans) if any(fact.name == "repetition" for fact in found) else 0.0
    return AnswerReading(text, words, spans, found, repeated)


def stem(word: str) -> str:
    """A word without most of its endings: enough to see `summarise` in `summarised`."""
    return word[:6] if len(word) > 6 else word.rstrip("s") if len(word) > 3 else word


def measure(task: TaskReading, answer: AnswerReading, other_words: int) -> dict[str, Feature]:
    """All features of one answer."""
    count = len(answer.words)
    features = {
        "coverage": _coverage(task.terms, answer.words),
        "instructions": _instructions(check_requests(task.requests, answer.text, count)),
        "length": _length(answer, other_words, task.requests),
        "structure": _structure(answer),
        "specificity": _specificity(answer),
        "caution": _cues(answer, cues.CAUTIONS, cues.CAUTION_PHRASES, "of caution, cost or trade-off"),
        "reasoning": _cues(answer, cues.REASONS, cues.REASON_PHRASES, "giving a reason"),
        "freshness": _cues(answer, cues.FRESH, (), "announcing a distinction or an angle"),
        "variety": _variety(answer.words),
        "echo": _echo(answer.words, task.phrases),
    }
    for name in ("truncation", "repetition", "refusal", "injection"):
        features[name] = _from_facts(name, answer)
    return features


def _coverage(terms: tuple[str, ...], words: tuple[str, ...]) -> Feature:
    if not terms:
        return Feature(0.0, "the task has no key terms to look for", "none")
    stems = {stem(word) for word in set(words)}
    found = sum(1 for term in terms if term in stems)
    value = _clamp((found / len(terms) - 0.35) / 0.65)
    return Feature(value, f"it takes up {found} of the task's {len(terms)} key terms", f"{found}")


def _instructions(checks: tuple[Check, ...]) -> Feature:
    if not checks:
        return Feature(0.0, "the task sets nothing that can be counted", "nothing to count")
    kept = sum(check.kept for check in checks)
    told = "; ".join(f"asked for {check.asked}, found {check.found}" for check in checks)
    value = 0.4 if kept == len(checks) else -(len(checks) - kept) / len(checks)
    return Feature(value, f"it keeps {kept} of {len(checks)} countable wishes of the task ({told})", f"{kept}")


def _length(answer: AnswerReading, other: int, requests: Requests) -> Feature:
    count = answer.new_words
    says = f"it has {count} words{' besides its repetitions' if answer.repeated else ''}, the other answer {other}"
    if requests.words is not None or requests.sentences is not None:
        return Feature(0.0, says + ", and the task itself sets the length", str(count))
    # Twice as long is worth a lot between 20 and 40 words and little between 400 and 800.
    value = math.log2((count + 8) / (other + 8)) / (1 + max(count, other) / 400)
    return Feature(_clamp(value * (0.35 if requests.brief else 1.0)), says, str(count))


def _structure(answer: AnswerReading) -> Feature:
    count = len(answer.words)
    items, headings = count_items(answer.text), len(_HEADING.findall(answer.text))
    paragraphs = len(_GAP.findall(answer.text.strip())) + 1
    sentence_words = count / max(1, len(answer.sentences))
    kinds = ((paragraphs, "paragraph"), (items, "list item"), (headings, "heading"))
    counted = ", ".join(_several(number, noun) for number, noun in kinds if number)
    says = f"its {count} words stand in {counted}, about {sentence_words:.0f} words to a sentence"
    value = 0.0
    if count >= 60:
        value += 0.5 if items > 1 or headings > 1 else 0.0
        value += 0.3 if paragraphs > 1 else -0.2
    if count >= 200 and paragraphs == 1 and items < 2:
        value -= 0.4
    if sentence_words > 40:
        value -= 0.4
    return Feature(_clamp(value), says, counted)


def _specificity(answer: AnswerReading) -> Feature:
    numbers = len({word for word in answer.words if word[0].isdigit()})
    lowered = answer.text.lower()
    examples = sum(lowered.count(phrase) for phrase in cues.EXAMPLE_PHRASES)
    names = len(set(_NAME.findall(answer.text)))
    code = answer.text.count("```") // 2
    kinds = ((numbers, "number"), (examples, "example"), (names, "name"), (code, "code block"))
    counted = ", ".join(_several(number, noun) for number, noun in kinds if number) or "no numbers, examples or names"
    weight = numbers * 0.7 + examples + names * 0.5 + code * 3
    return Feature(math.tanh(math.log1p(weight) / 2) * 1.3 - 0.4, f"it has {counted}", counted)


def _cues(answer: AnswerReading, single: frozenset[str], phrases: tuple[str, ...], what: str) -> Feature:
    count = sum(1 for word in answer.words if word in single)
    if phrases:
        lowered = answer.text.lower()
        count += sum(lowered.count(phrase) for phrase in phrases)
    return Feature(math.tanh(math.log1p(count) / 2) * 1.3 - 0.3, f"it has {_several(count, 'word')} {what}", str(count))


def _variety(words: tuple[str, ...]) -> Feature:
    read = words[:_VARIETY_WORDS]
    if len(read) < 20:
        return Feature(0.0, f"its {len(read)} words are too few to speak of variety", "too few words")
    share = len(set(read)) / len(read)
    # Long texts repeat words by nature; what is expected falls with the logarithm of the length.
    expected = 1.08 - 0.105 * math.log(len(read))
    percent = f"{share * 100:.0f} %"
    return Feature(
        _clamp((share - expected) * 4), f"{percent} of its first {len(read)} words are different ones", percent
    )


def _echo(words: tuple[str, ...], phrases: frozenset[tuple[str, ...]]) -> Feature:
    fours = _fours(words[:4000])
    if len(fours) < 2 or not phrases:
        return Feature(0.0, "it does not repeat the task", "0 %")
    share = sum(1 for four in fours if four in phrases) / len(fours)
    percent = f"{share * 100:.0f} %"
    return Feature(
        -_clamp(max(0.0, share - 0.6) / 0.4), f"{percent} of its wording stands in the task already", percent
    )


def _from_facts(name: str, answer: AnswerReading) -> Feature:
    found = [fact for fact in answer.facts if fact.name == name]
    if not found:
        return Feature(0.0, f"there is no sign of {name}", "no")
    first = found[0]
    if name == "repetition":
        percent = f"{answer.repeated * 100:.0f} %"
        says = f"a sentence {first.found}, and {percent} of the text is such repetition"
        return Feature(-min(1.0, 0.3 + 2 * answer.repeated), says, percent)
    says = f"it {first.found}" + ("" if first.certain else ", as it seems")
    return Feature(-1.0 if first.certain else -0.7, says, "yes")


def _repeated_share(text: str, spans: tuple[tuple[int, int], ...]) -> float:
    lengths = {text[start:end]: end - start for start, end in spans}
    return 1 - sum(lengths.values()) / (sum(end - start for start, end in spans) or 1)


def _fours(words: Iterable[str]) -> list[tuple[str, ...]]:
    listed = list(words)
    return list(zip(listed, listed[1:], listed[2:], listed[3:], strict=False))


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _clamp(value: float) -> float:
    return max(-1.0, min(1.0, value))
