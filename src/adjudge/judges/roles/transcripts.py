"""What Evaluator and Critic share: how a transcript is shown to a model, and how its quotes are found in it.

Shown are speaker and words only; acts, ratings and ids stay behind. A quote counts only under the speaker who said it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, NamedTuple

import orjson
import yaml
from typing_extensions import TypedDict

from ... import prompts
from ...llm.base import Prompt
from ...models import Utterance, Warning
from ...models.cases import Dialogue
from ...rubric import Rubric
from ...text.evidence import Haystack
from ...text.words import count_words
from .base import Reading, Shape, bullets, object_of

MAX_QUOTES = 3
MIN_WORDS = 3  # or the whole utterance, if it is shorter
_INLINE = re.compile(r"\b(SYSTEM|USER):\s*[\"“]([^\"”]{1,300})[\"”]")


Speaker = Literal["SYSTEM", "USER"]


class Quote(TypedDict):
    """A quote as a model gives it."""

    speaker: Speaker
    quote: str


class BadQuote(NamedTuple):
    """A quote that cannot be used, or one that is missing, and why."""

    criterion: str
    reason: str

    @property
    def told(self) -> str:
        return f"{self.criterion}: {self.reason}"


def shown(case: Dialogue) -> str:
    """The transcript as a model sees it; an utterance of several lines is indented, so that it cannot begin a turn."""
    return "\n".join(
        f"[{number}] {turn.speaker}: " + "\n    ".join(turn.text.splitlines())
        for number, turn in enumerate(case.turns, start=1)
    )


def system_prompt(file: str, rubric: Rubric, shortened: str) -> str:
    """What a role is told before it sees a transcript: criteria, scale, and an example if it is of use here."""
    return prompts.load(file).render(
        "system",
        criteria="\n".join(f"- {item.key}: {' '.join(item.guidance.split())}" for item in rubric.criteria),
        example=f"An example, shortened\n{example()['transcript']}{shortened}" if _fits_example(rubric) else "",
        scale=", ".join(str(value) for value in rubric.scale.values),
        bands="; ".join(f"{value} {meaning}" for value, meaning in rubric.bands) or "low to high",
    )


class Transcript:
    """A dialogue that quotes are looked up in."""

    def __init__(self, case: Dialogue) -> None:
        self._turns = [(turn, Haystack(turn.text)) for turn in case.turns]

    def locate(self, criterion: str, quotes: Iterable[Quote]) -> tuple[tuple[Utterance, ...], list[BadQuote]]:
        """Where the quotes stand, and those that stand nowhere."""
        found: dict[tuple[int, int, int], Utterance] = {}
        bad: list[BadQuote] = []
        for quote in list(quotes)[:MAX_QUOTES]:
            place = self._find(quote["speaker"], quote["quote"])
            if place is None:
                other = "USER" if quote["speaker"] == "SYSTEM" else "SYSTEM"
                said = f"the quote {quote['quote'][:120]!r} does not stand in any utterance of {quote['speaker']}"
                said += f" with at least {MIN_WORDS} words"
                if self._find(other, quote["quote"]) is not None:
                    said += f"; {other} said it"
                bad.append(BadQuote(criterion, said))
            else:
                found.setdefault((place.turn, place.start, place.end), place)
        return tuple(found.values()), bad

    def _find(self, speaker: str, quote: str) -> Utterance | None:
        for number, (turn, haystack) in enumerate(self._turns):
            if turn.speaker == speaker and (span := haystack.find(quote)) is not None:
                words = turn.text[span.start : span.end]
                if count_words(words) >= min(MIN_WORDS, count_words(turn.text)) and count_words(words):
                    return Utterance(
                        speaker=turn.speaker, quote=words, turn=number, line=turn.line, start=span.start, end=span.end
                    )
        return None

    def without_inventions(self, criterion: str, words: str) -> tuple[str, list[BadQuote]]:
        """A reason without the quotes in it that nobody said: a reader would take them for evidence."""
        bad: list[BadQuote] = []

        def check(match: re.Match[str]) -> str:
            if self._find(match[1], match[2]) is not None:
                return match[0]
            bad.append(BadQuote(criterion, f"the quote {match[2][:120]!r} in the reason was never said by {match[1]}"))
            return match[1]

        return " ".join(_INLINE.sub(check, words).split()), bad


@lru_cache(maxsize=16)
def replacements_shape(rubric: Rubric) -> Shape:
    """The reply to a request for better quotes."""
    key: Any = Literal[tuple(item.key for item in rubric.criteria)]
    quote = object_of("quote", {"criterion": key, "speaker": Speaker, "quote": str})
    return Shape(object_of("quotes", {"quotes": list[quote]}))  # type: ignore[valid-type]


def repaired(
    case: Dialogue, rubric: Rubric, text: str, unusable: Iterable[BadQuote], had: Mapping[str, tuple[Utterance, ...]]
) -> tuple[dict[str, tuple[Utterance, ...]], tuple[Warning, ...]]:
    """After a repair round: by criterion the quotes it had and those that came, and a warning for what is still lost.

    A quote for whose criterion a good one came is replaced, not lost.
    """
    transcript = Transcript(case)
    found = {key: transcript.locate(key, given)[0] for key, given in _replacements(rubric, text).items()}
    together = {key: tuple(dict.fromkeys((*had[key], *quotes))) for key, quotes in found.items()}
    return together, dropped(quote for quote in unusable if not found.get(quote.criterion))


def _replacements(rubric: Rubric, text: str) -> Mapping[str, list[Quote]]:
    """Replacement quotes by criterion; none if the reply cannot be read."""
    reply = replacements_shape(rubric).parse(text)
    by_criterion: dict[str, list[Quote]] = {}
    for item in [] if isinstance(reply, tuple) else reply["quotes"]:
        by_criterion.setdefault(item["criterion"], []).append({"speaker": item["speaker"], "quote": item["quote"]})
    return by_criterion


def dropped(bad: Iterable[BadQuote]) -> tuple[Warning, ...]:
    """Quotes that could not be used, as warnings."""
    return tuple(Warning(code="dropped_quote", message=quote.told) for quote in bad)


def ask_again(file: str, rubric: Rubric, prompt: Prompt, text: str, reading: Reading[Any]) -> Prompt:
    """The repair round: the whole reply if it could not be read, only the quotes if they alone are wrong."""
    problems = bullets(reading.problems)
    if reading.opinion is None:
        return prompt.continued(text, prompts.load(file).render("repair", problems=problems))
    message = prompts.load(file).render("quotes", problems=problems)
    return prompt.continued(text, message, replacements_shape(rubric).schema)


def read_criteria(shape: Shape, text: str, field: str) -> Mapping[str, Any] | tuple[str, ...]:
    """What a reply says of each criterion, or why it cannot be used; `field` is the sentence that none may lack."""
    reply = shape.parse(text)
    if isinstance(reply, tuple):
        return reply
    criteria: dict[str, Any] = reply["criteria"]
    empty = tuple(f"{key}.{field}: empty" for key, given in criteria.items() if not given[field].strip())
    return empty or criteria


def _fits_example(rubric: Rubric) -> bool:
    """Is the example of use for this rubric? One with other criteria or scores would only confuse."""
    shown = example()["evaluation"]
    scores = {Decimal(mark["score"]) for mark in shown.values()}
    return [item.key for item in rubric.criteria] == list(shown) and scores <= set(rubric.scale.values)


@lru_cache(maxsize=1)
def example() -> dict[str, Any]:
    """The example in the prompts, as data."""
    text = (resources.files("adjudge") / "prompts" / "dialogue_example.yaml").read_text("utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def as_reply(criteria: Mapping[str, Any]) -> str:
    """A reply in the schema's form, as an example shows it."""
    return orjson.dumps({"criteria": criteria}).decode()
