"""The Rater: both responses of a review, rated criterion by criterion without anything a person entered.

Every quote must stand in the response it is about; a quotation inside a justification, in any of the texts shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from ... import prompts
from ...cases import Review
from ...evidence import Haystack
from ...facts.markers import without_end_markers
from ...rubric import OVERALL, Criterion, Rubric
from ...verdicts import (
    LABELS,
    Fact,
    Label,
    Passage,
    RatedResponse,
    Rating,
    ReviewOpinion,
    TaskType,
    Warning,
)
from ...words import count_words
from ..base import RateQuestion
from .base import Prompt, Reading, Shape, bullets, object_of

MAX_QUOTE_WORDS = 40
_NUMBER: Mapping[Label, int] = {"A": 1, "B": 2}
_LABEL: Mapping[int, Label] = {1: "A", 2: "B"}
_INLINE = re.compile(r"[\"“«]([^\"”»]{1,300})[\"”»]")
_INLINE_WORDS = 3  # shorter ones are terms, not quotations
_REMOVED = "[a quote that is not in the texts]"
_FOUND_SHOWN = 200


class _Bad(NamedTuple):
    """An entry that cannot be used as it stands, and why."""

    label: Label
    key: str
    code: Literal["dropped_quote", "not_in_english"]
    reason: str

    @property
    def told(self) -> str:
        return f"response {_NUMBER[self.label]}, {self.key}: {self.reason}"


@lru_cache(maxsize=16)
def _shape(rubric: Rubric) -> Shape:
    """Quote and justification stand before the rating, and the ratings before the preference."""
    fields: dict[str, Any] = {
        item.key: object_of(f"rating_{item.key}", {"quote": str, "justification": str, "rating": _values(item)})
        for item in rubric.criteria
    }
    response = object_of("response", {**fields, "largely_unusable": bool, "still_good": str})
    return Shape(
        object_of(
            "rating",
            {
                "task_type": Literal[get_args(TaskType)],
                "request_is_harmful": bool,
                "invalid_because": str,
                "response_1": response,
                "response_2": response,
                "reasons": str,
                "preference": Literal[1, 2, 3, 4, 5, 6, 7],
            },
        )
    )


@lru_cache(maxsize=16)
def _replacements_shape(rubric: Rubric) -> Shape:
    key: Any = Literal[tuple(item.key for item in rubric.criteria)]
    entry = object_of("entry", {"response": Literal[1, 2], "criterion": key, "quote": str, "justification": str})
    return Shape(object_of("replacements", {"entries": list[entry]}))  # type: ignore[valid-type]


def _values(criterion: Criterion) -> Any:
    return Literal[tuple(int(value) for value in criterion.scale.values)]


@lru_cache(maxsize=16)
def _system(rubric: Rubric) -> str:
    lines = []
    for item in rubric.criteria:
        bands = "; ".join(f"{value} {meaning}" for value, meaning in item.bands)
        allowed = bands or ", ".join(str(value) for value in item.scale.values)
        lines.append(f"- {item.key} ({item.name}): {' '.join(item.guidance.split())} Ratings: {allowed}.")
    return prompts.load("rater").render("system", criteria="\n".join(lines))


class Rater:
    """Asks for and reads ratings."""

    def prompt(self, question: RateQuestion) -> Prompt:
        case = question.case
        findings = _findings(question.facts)
        texts = _texts(case)
        fence = prompts.Fence.around(*texts.values(), findings)
        measured = fence.wrap("FINDINGS", findings)
        user = prompts.load("rater").render(
            "user",
            code=fence.code,
            texts="\n".join(fence.wrap(name, text) for name, text in texts.items()),
            findings=f"\nMeasured by a program; words quoted in it are the responses' own.\n{measured}\n"
            if findings
            else "",
        )
        return Prompt(_system(question.rubric), (user,), _shape(question.rubric).schema, "rating")

    def read(self, question: RateQuestion, text: str, judge: str) -> Reading[ReviewOpinion]:
        reply = _shape(question.rubric).parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        if empty := _empty(question.rubric, reply):
            return Reading(None, empty)
        checker = _Checker(question.case)
        bad: list[_Bad] = []
        responses: dict[Label, RatedResponse] = {}
        for label in LABELS:
            given = reply[f"response_{_NUMBER[label]}"]
            ratings: dict[str, Rating] = {}
            for item in question.rubric.criteria:
                entry = given[item.key]
                quotes, words, wrong = checker.check(label, item, entry)
                bad += wrong
                ratings[item.key] = Rating(entry["rating"], words, quotes)
            responses[label] = RatedResponse(ratings, given["largely_unusable"], _one_line(given["still_good"]))
        opinion = ReviewOpinion(
            judge=judge,
            task_type=reply["task_type"],
            harmful_request=reply["request_is_harmful"],
            invalid=_one_line(reply["invalid_because"]),
            responses=responses,
            preference=reply["preference"],
            reasons=_one_line(reply["reasons"]),
            warnings=_warnings(bad),
        )
        return Reading(opinion, tuple(entry.told for entry in bad), tuple(bad))

    def repair(self, question: RateQuestion, prompt: Prompt, text: str, reading: Reading[ReviewOpinion]) -> Prompt:
        problems = bullets(reading.problems)
        if reading.opinion is None:
            return prompt.continued(text, prompts.load("rater").render("repair", problems=problems))
        message = prompts.load("rater").render("replacements", problems=problems)
        return prompt.continued(text, message, _replacements_shape(question.rubric).schema)

    def read_repair(
        self, question: RateQuestion, first: Reading[ReviewOpinion], text: str, judge: str
    ) -> Reading[ReviewOpinion]:
        if first.opinion is None:
            return self.read(question, text, judge)
        reply = _replacements_shape(question.rubric).parse(text)
        wanted = {(entry.label, entry.key) for entry in first.unusable}
        checker = _Checker(question.case)
        criteria = {item.key: item for item in question.rubric.criteria}
        responses = {
            label: rated._replace(ratings=dict(rated.ratings)) for label, rated in first.opinion.responses.items()
        }
        mended: set[tuple[Label, str]] = set()
        for given in [] if isinstance(reply, tuple) else reply["entries"]:
            place = _LABEL[given["response"]], given["criterion"]
            if place not in wanted or not given["justification"].strip():
                continue
            quotes, words, wrong = checker.check(place[0], criteria[place[1]], given)
            if not wrong:
                mended.add(place)
                rating = responses[place[0]].ratings[place[1]]
                responses[place[0]].ratings[place[1]] = rating._replace(justification=words, quotes=quotes)
        left = [entry for entry in first.unusable if (entry.label, entry.key) not in mended]
        return Reading(replace(first.opinion, responses=responses, warnings=_warnings(left)))


class _Checker:
    """Checks entries against the texts of a case."""

    def __init__(self, case: Review) -> None:
        self._answers = {label: Haystack(case.answer(label)) for label in LABELS}
        others = (case.prompt, case.system_prompt, case.history, case.task_config)
        self._others = [Haystack(text) for text in others if text.strip()]

    def check(
        self, label: Label, criterion: Criterion, entry: Mapping[str, Any]
    ) -> tuple[tuple[Passage, ...], str, list[_Bad]]:
        """The verified quote, the words that may be shown, and what was wrong."""
        bad: list[_Bad] = []
        quotes: tuple[Passage, ...] = ()
        if entry["quote"].strip() and criterion.key != OVERALL:
            place = self._place(label, entry["quote"])
            if isinstance(place, str):
                bad.append(_Bad(label, criterion.key, "dropped_quote", place))
            else:
                quotes = (place,)

        def keep_real(match: re.Match[str]) -> str:
            if count_words(match[1]) < _INLINE_WORDS or self._stands_somewhere(match[1]):
                return match[0]
            said = f"the quotation {match[1][:120]!r} in the justification stands in none of the texts"
            bad.append(_Bad(label, criterion.key, "dropped_quote", said))
            return _REMOVED

        words = _INLINE.sub(keep_real, _one_line(entry["justification"]))
        if (language := _foreign(words)) is not None:
            said = f"the justification is in {language}; English is needed"
            bad.append(_Bad(label, criterion.key, "not_in_english", said))
            words = by_band(criterion, entry.get("rating"))
        return quotes, words, bad

    def _place(self, label: Label, quote: str) -> Passage | str:
        haystack = self._answers[label]
        span = haystack.find(quote)
        if span is None:
            other: Label = "B" if label == "A" else "A"
            said = f"the quote {quote[:120]!r} does not stand in response {_NUMBER[label]} word for word"
            stands = self._answers[other].find(quote) is not None
            return said + (f"; it stands in response {_NUMBER[other]}" if stands else "")
        found = haystack.text[span.start : span.end]
        if count_words(found) > MAX_QUOTE_WORDS:
            return f"the quote has {count_words(found)} words; at most {MAX_QUOTE_WORDS} are allowed"
        return Passage(found, span.start, span.end)

    def _stands_somewhere(self, quote: str) -> bool:
        return any(haystack.find(quote) is not None for haystack in (*self._answers.values(), *self._others))


def _foreign(words: str) -> str | None:
    """The language of some words if it is surely not English; what they quote does not count."""
    # Loaded when first wanted: most processes never rate.
    from ...facts.language import foreign_language

    return foreign_language(_INLINE.sub(" ", words))


def by_band(criterion: Criterion, value: int | None) -> str:
    """What the rubric itself says of a rating, for want of better words."""
    meaning = next((meaning for band, meaning in criterion.bands if band == str(value)), "")
    return f"Rated {value}: {meaning}." if meaning else f"Rated {value} by the judge."


def _texts(case: Review) -> dict[str, str]:
    """What the judge is shown, by the name on its fence; empty texts are left out."""
    texts = {
        "TASK CONFIGURATION": case.task_config,
        "SYSTEM PROMPT": case.system_prompt,
        "CONVERSATION": case.history,
        "PROMPT": case.prompt,
        "RESPONSE 1": without_end_markers(case.a),
        "RESPONSE 2": without_end_markers(case.b),
    }
    return {name: text for name, text in texts.items() if text.strip()}


def _findings(facts: tuple[Fact, ...]) -> str:
    lines = [
        f"- Response {_NUMBER[fact.where]}, {'certain' if fact.certain else 'a hint'}: {fact.name.replace('_', ' ')}: "
        f"{_one_line(fact.found)[:_FOUND_SHOWN]}"
        for fact in facts
        if fact.where in ("A", "B") and fact.name not in ("system_marker", "control_token")
    ]
    return "\n".join(dict.fromkeys(lines))


def _empty(rubric: Rubric, reply: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        f"{side}.{item.key}.justification: empty"
        for side in ("response_1", "response_2")
        for item in rubric.criteria
        if not reply[side][item.key]["justification"].strip()
    )


def _warnings(bad: list[_Bad]) -> tuple[Warning, ...]:
    return tuple(Warning(code=entry.code, message=entry.told) for entry in bad)


def _one_line(text: str) -> str:
    return " ".join(text.split())


RATER = Rater()
