"""The Rater: what the task demands, what is to be seen in both responses, and their ratings, criterion by criterion.

It sees nothing that a person entered. Every quote must stand in the text it is from, and everything people will read
goes through the same checks: real quotations, English, not empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

from ... import prompts
from ...constraints.verifying import OBSERVED, verify_constraints, verify_observations
from ...llm.base import BlankPrompt
from ...models import (
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
from ...models.cases import Review
from ...models.constraints import Bound, ConstraintKind, Source
from ...prompts.fence import Message, all_fenced, fenced, in_one_line
from ...rubric import OVERALL, Criterion, Rubric
from ...text.control_tokens import without_end_markers
from ...text.evidence import Haystack
from ...text.reasons import WordChecker, language_of_reply, not_english, scored
from ...text.sentences import sentences
from ...text.words import count_words
from ..base import RateQuestion
from .base import A_NUMBER, Reading, Role, Shape, object_of

MAX_QUOTE_WORDS = 40
REASONS = 2, 3  # sentences that explain a preference, behind the verdict that a rule writes
_NUMBER: Mapping[Label, int] = {"A": 1, "B": 2}
_LABEL: Mapping[int, Label] = {1: "A", 2: "B"}
_FOUND_SHOWN = 200
_MOST_CONSTRAINTS = 20
_MOST_OBSERVATIONS = 40
_FEW_WORDS = 4
# Fields that people read beside the ratings; `still_good` belongs to one response, the others to both.
STILL_GOOD, BECAUSE, INVALID = "still_good", "reasons", "invalid_because"
_INVALID_UNSAID = "The judge finds that this task cannot be rated; the reason it gave cannot be shown."

_CONSTRAINT = object_of(
    "constraint",
    {
        "quote": str,
        "kind": Literal[get_args(ConstraintKind)],
        "bound": Literal[get_args(Bound)],
        "amount": int,
        "up_to": int,
        "text": str,
        "strict": bool,
    },
)
_OBSERVATION = object_of("observation", {"response": Literal[1, 2], "quote": str, "kind": Literal[OBSERVED]})


class _Bad(NamedTuple):
    """An entry that cannot be used as it stands, and why."""

    label: Label | None
    key: str
    code: Literal["dropped_quote", "replaced_reason", "not_in_english", "composed_by_rule"]
    reason: str

    @property
    def told(self) -> str:
        where = f"response {_NUMBER[self.label]}, " if self.label is not None else ""
        return f"{where}{self.key}: {self.reason}"


@lru_cache(maxsize=16)
def _shape(rubric: Rubric) -> Shape:
    """Demands and observations come first, quote and justification before each rating, ratings before preference."""
    fields: dict[str, Any] = {
        item.key: object_of(f"rating_{item.key}", {"quote": str, "justification": str, "rating": _values(item)})
        for item in rubric.criteria
    }
    response = object_of("response", {**fields, "largely_unusable": bool, STILL_GOOD: str})
    return Shape(
        object_of(
            "rating",
            {
                "constraints": list[_CONSTRAINT],  # type: ignore[valid-type]
                "task_type": Literal[get_args(TaskType)],
                INVALID: str,
                "observations": list[_OBSERVATION],  # type: ignore[valid-type]
                "response_1": response,
                "response_2": response,
                BECAUSE: str,
                "preference": Annotated[Literal[1, 2, 3, 4, 5, 6, 7], A_NUMBER],
            },
        )
    )


@lru_cache(maxsize=16)
def _replacements_shape(rubric: Rubric, invalid: bool) -> Shape:
    key: Any = Literal[(*(item.key for item in rubric.criteria), STILL_GOOD)]
    entry = object_of("entry", {"response": Literal[1, 2], "criterion": key, "quote": str, "justification": str})
    fields = {"entries": list[entry], BECAUSE: str, **({INVALID: str} if invalid else {})}  # type: ignore[valid-type]
    return Shape(object_of("replacements", fields))


def _values(criterion: Criterion) -> Any:
    return Annotated[Literal[tuple(int(value) for value in criterion.scale.values)], A_NUMBER]


@lru_cache(maxsize=16)
def _system(rubric: Rubric) -> str:
    lines = []
    for item in rubric.criteria:
        bands = "; ".join(f"{value} {meaning}" for value, meaning in item.bands)
        allowed = bands or ", ".join(str(value) for value in item.scale.values)
        lines.append(f"- {item.key} ({item.name}): {' '.join(item.guidance.split())} Ratings: {allowed}.")
    return prompts.load("rater").render("system", criteria="\n".join(lines))


class Rater(Role[RateQuestion, ReviewOpinion]):
    """Asks for and reads ratings."""

    file = "rater"

    def prompt(self, question: RateQuestion) -> BlankPrompt:
        findings = _findings(question.facts)
        lead = "\nMeasured by a program; words quoted in it are the responses' own.\n"
        user = prompts.load("rater").message(
            "user",
            texts=all_fenced(shown_texts(question.case)),
            findings=Message.of(lead, fenced("FINDINGS", findings), "\n") if findings else "",
        )
        return BlankPrompt(_system(question.rubric), user, _shape(question.rubric).schema, "rating")

    def read(self, question: RateQuestion, text: str, judge: str) -> Reading[ReviewOpinion]:
        reply = _shape(question.rubric).parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        if empty := _empty(question.rubric, reply):
            return Reading(None, empty)
        case = question.case
        check = _Check(case, foreign=language_of_reply(_prose(question.rubric, reply)))
        responses: dict[Label, RatedResponse] = {}
        for label in LABELS:
            given = reply[f"response_{_NUMBER[label]}"]
            ratings = {
                item.key: check.rating(label, item, given[item.key], given[item.key]["rating"])
                for item in question.rubric.criteria
            }
            responses[label] = RatedResponse(
                ratings=ratings,
                unusable=given["largely_unusable"],
                still_good=check.still_good(label, given[STILL_GOOD]),
            )
        demanded = verify_constraints(reply["constraints"][:_MOST_CONSTRAINTS], _material(case), (case.a, case.b))
        bodies: dict[Label, str] = {label: case.answer(label) for label in LABELS}
        seen = verify_observations(reply["observations"][:_MOST_OBSERVATIONS], bodies)
        reasons, invalid = check.reasons(reply[BECAUSE]), check.invalid(reply[INVALID])
        opinion = ReviewOpinion(
            judge=judge,
            task_type=reply["task_type"],
            invalid=invalid,
            response1=responses["A"],
            response2=responses["B"],
            preference=reply["preference"],
            reasons=reasons,
            constraints=demanded.constraints,
            observations=seen.observations,
            warnings=(
                *(Warning(code="dropped_constraint", message=said) for said in demanded.dropped),
                *(Warning(code="dropped_observation", message=said) for said in seen.dropped),
                *_warnings(check.bad),
            ),
        )
        return Reading(opinion, tuple(entry.told for entry in check.bad), tuple(check.bad))

    def replacements(self, question: RateQuestion, reading: Reading[ReviewOpinion]) -> Shape:
        return _replacements_shape(question.rubric, any(entry.key == INVALID for entry in reading.unusable))

    def mend(
        self, question: RateQuestion, first: Reading[ReviewOpinion], given: Mapping[str, Any], judge: str
    ) -> ReviewOpinion:
        assert first.opinion is not None
        wanted = {(entry.label, entry.key) for entry in first.unusable}
        criteria = {item.key: item for item in question.rubric.criteria}
        responses = dict(first.opinion.responses)
        mended: set[tuple[Label | None, str]] = set()
        words_again = [entry["justification"] for entry in given.get("entries", [])]
        words_again += [given.get(BECAUSE, ""), given.get(INVALID, "")]
        # A few words are enough to see that it goes on in the language it was asked to leave.
        foreign = language_of_reply(words_again, _FEW_WORDS)
        if not any(not_english(" ", foreign) == entry.reason for entry in first.unusable):
            foreign = language_of_reply(words_again)
        for entry in given.get("entries", []):
            label, key = _LABEL[entry["response"]], entry["criterion"]
            if (label, key) not in wanted or not entry["justification"].strip():
                continue
            check = _Check(question.case, foreign)
            if key == STILL_GOOD:
                rated = responses[label].updated(still_good=check.still_good(label, entry["justification"]))
            else:
                rating = check.rating(label, criteria[key], entry, responses[label].ratings[key].value)
                rated = responses[label].updated(ratings={**responses[label].ratings, key: rating})
            if not check.bad:
                mended.add((label, key))
                responses[label] = rated
        whole = {BECAUSE: first.opinion.reasons, INVALID: first.opinion.invalid}
        for key in whole:
            check = _Check(question.case, foreign)
            words = (check.reasons if key == BECAUSE else check.invalid)(given.get(key, ""))
            if (None, key) in wanted and words and not check.bad:
                mended.add((None, key))
                whole[key] = words
        left = [entry for entry in first.unusable if (entry.label, entry.key) not in mended]
        lists = [told for told in first.opinion.warnings if told.code in ("dropped_constraint", "dropped_observation")]
        warnings = (*lists, *_warnings(left))
        return first.opinion.updated(
            response1=responses["A"],
            response2=responses["B"],
            reasons=whole[BECAUSE],
            invalid=whole[INVALID],
            warnings=warnings,
        )


class _Check:
    """Checks the entries of one reply against the texts of a case, and notes what is wrong.

    `foreign` names the language of the reply as a whole where that is not English.
    """

    def __init__(self, case: Review, foreign: str = "") -> None:
        self._answers = {label: Haystack(case.answer(label)) for label in LABELS}
        self._words = WordChecker(case.texts)
        self._foreign = foreign
        self.bad: list[_Bad] = []

    def rating(self, label: Label, criterion: Criterion, entry: Mapping[str, Any], value: int) -> Rating:
        """The rating with its verified quote, and the judge's words if they may be shown."""
        quotes: tuple[Passage, ...] = ()
        if entry["quote"].strip() and criterion.key != OVERALL:
            place = self._place(label, entry["quote"])
            if isinstance(place, str):
                self.bad.append(_Bad(label, criterion.key, "dropped_quote", place))
            else:
                quotes = (place,)
        words = in_one_line(entry["justification"])
        if why := self._words.invented_quote(words):
            self.bad.append(_Bad(label, criterion.key, "replaced_reason", why))
            words = scored(value)
        elif why := not_english(words, self._foreign):
            self.bad.append(_Bad(label, criterion.key, "not_in_english", why))
            words = scored(value, "was not in English")
        return Rating(value=value, justification=words, quotes=quotes)

    def still_good(self, label: Label, given: str) -> str:
        """What is good in a response all the same; empty if the words cannot be shown."""
        words = in_one_line(given)
        return "" if self._is_bad(label, STILL_GOOD, words) else words

    def reasons(self, given: str) -> str:
        """The sentences that explain the preference; empty if they cannot be shown."""
        words = in_one_line(given)
        if not words or self._is_bad(None, BECAUSE, words):
            return ""
        least, most = REASONS
        if not least <= (count := len(sentences(words))) <= most:
            said = f"{count} sentence{'' if count == 1 else 's'}; {least} or {most} are needed"
            self.bad.append(_Bad(None, BECAUSE, "composed_by_rule", said))
            return ""
        return words

    def invalid(self, given: str) -> str:
        """Why the task cannot be rated; ours if the judge's words cannot be shown."""
        words = in_one_line(given)
        return _INVALID_UNSAID if words and self._is_bad(None, INVALID, words) else words

    def _is_bad(self, label: Label | None, key: str, words: str) -> bool:
        if why := self._words.invented_quote(words):
            self.bad.append(_Bad(label, key, "replaced_reason", why))
        elif why := not_english(words, self._foreign):
            self.bad.append(_Bad(label, key, "not_in_english", why))
        return bool(why)

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
        return Passage(quote=found, start=span.start, end=span.end)


def shown_texts(case: Review) -> dict[str, str]:
    """What a judge is shown, by the name on its fence; empty texts are left out."""
    texts = {
        "TASK CONFIGURATION": case.task_config,
        "SYSTEM PROMPT": case.system_prompt,
        "CONVERSATION": case.history,
        "PROMPT": case.prompt,
        "RESPONSE 1": without_end_markers(case.a),
        "RESPONSE 2": without_end_markers(case.b),
    }
    return {name: text for name, text in texts.items() if text.strip()}


def _material(case: Review) -> dict[Source, str]:
    """The texts that may demand something, the strongest first."""
    return {"system_prompt": case.system_prompt, "conversation": case.history, "prompt": case.prompt}


def _findings(facts: tuple[Fact, ...]) -> str:
    lines = [
        f"- Response {_NUMBER[fact.where]}, {'certain' if fact.certain else 'a hint'}: {fact.name.replace('_', ' ')}: "
        f"{in_one_line(fact.found)[:_FOUND_SHOWN]}"
        for fact in facts
        if fact.where in ("A", "B") and fact.name not in ("system_marker", "control_token")
    ]
    return "\n".join(dict.fromkeys(lines))


def _prose(rubric: Rubric, reply: Mapping[str, Any]) -> list[str]:
    """Everything in a reply that people will read."""
    sides = [reply[f"response_{number}"] for number in _NUMBER.values()]
    words = [side[item.key]["justification"] for side in sides for item in rubric.criteria]
    return [*words, *(side[STILL_GOOD] for side in sides), reply[BECAUSE], reply[INVALID]]


def _empty(rubric: Rubric, reply: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        f"{side}.{item.key}.justification: empty"
        for side in ("response_1", "response_2")
        for item in rubric.criteria
        if not reply[side][item.key]["justification"].strip()
    )


def _warnings(bad: list[_Bad]) -> tuple[Warning, ...]:
    return tuple(Warning(code=entry.code, message=entry.told) for entry in bad)


RATER = Rater()
