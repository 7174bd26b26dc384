"""The Rater of a review: it lists what the task demands and what it observes in both responses, and rates them.

It sees nothing that a person entered. Every quote is looked up in its text, and everything people will read is checked
in the same way: real quotations, English, not empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from ... import prompts
from ...constraints.verifying import OBSERVED, verify_constraints, verify_observations
from ...judges.role import A_NUMBER, Reading, Role, Shape, object_of, scores_of
from ...models.common import LABELS, Fact, Label, QuoteCount, Warning
from ...models.constraints import Source
from ...prompts.fence import Message, all_fenced, fenced, in_one_line
from ...rubric import OVERALL, Rubric
from ...text.control_tokens import without_end_markers
from ...text.evidence import Haystack
from ...text.reasons import WordChecker, language_of_reply, not_english, scored
from ...text.words import count_words
from ..demands import LISTED_CONSTRAINT, MOST_CONSTRAINTS
from .arguments import BECAUSE, Reasons, read_reasons, reasons_of, sentences_of
from .case import Review
from .questions import RateQuestion
from .verdict import Argument, Passage, RatedResponse, Rating, ReviewOpinion, TaskType

_PROMPTS = Path(__file__).parent / "prompts"
MAX_QUOTE_WORDS = 40
_NUMBER: Mapping[Label, int] = {"A": 1, "B": 2}
_Place = tuple[Label | None, str]
_FOUND_SHOWN = 200
_MOST_OBSERVATIONS = 40
_FEW_WORDS = 4
# Fields besides the ratings that people read. `still_good` is about one response, the others are about both.
STILL_GOOD, INVALID = "still_good", "invalid_because"
_INVALID_UNSAID = "The judge finds that this task cannot be rated; the reason it gave cannot be shown."

_OBSERVATION = object_of("observation", {"response": Literal[1, 2], "quote": str, "kind": Literal[OBSERVED]})


# -- asking -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _shape(rubric: Rubric) -> Shape:
    """Return the form of a reply: demands and observations, then quote, justification and rating, then preference."""
    fields: dict[str, Any] = {
        item.key: object_of(f"rating_{item.key}", {"quote": str, "justification": str, "rating": scores_of(item.scale)})
        for item in rubric.criteria
    }
    response = object_of("response", {**fields, "largely_unusable": bool, STILL_GOOD: str})
    return Shape(
        object_of(
            "rating",
            {
                "constraints": list[LISTED_CONSTRAINT],  # type: ignore[valid-type]
                "task_type": Literal[get_args(TaskType)],
                INVALID: str,
                "observations": list[_OBSERVATION],  # type: ignore[valid-type]
                "response_1": response,
                "response_2": response,
                BECAUSE: reasons_of(rubric),
                "preference": Annotated[Literal[1, 2, 3, 4, 5, 6, 7], A_NUMBER],
            },
        )
    )


@lru_cache(maxsize=16)
def _replacements_shape(rubric: Rubric, invalid: bool) -> Shape:
    key: Any = Literal[(*(item.key for item in rubric.criteria), STILL_GOOD)]
    entry = object_of("entry", {"response": Literal[1, 2], "criterion": key, "quote": str, "justification": str})
    fields = {"entries": list[entry], BECAUSE: reasons_of(rubric), **({INVALID: str} if invalid else {})}  # type: ignore[valid-type]
    return Shape(object_of("replacements", fields))


@lru_cache(maxsize=16)
def _system(rubric: Rubric) -> str:
    lines = []
    for item in rubric.criteria:
        bands = "; ".join(f"{value} {meaning}" for value, meaning in item.bands)
        allowed = bands or ", ".join(str(value) for value in item.scale.values)
        lines.append(f"- {item.key} ({item.name}): {' '.join(item.guidance.split())} Ratings: {allowed}.")
    return prompts.load(_PROMPTS, "rater").render("system", criteria="\n".join(lines))


def shown_texts(case: Review) -> dict[str, str]:
    """Return the texts that a judge is shown, by the name on their fence. Empty texts are left out."""
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
        f"{in_one_line(fact.found)[:_FOUND_SHOWN]}"
        for fact in facts
        if fact.where in ("A", "B") and fact.name not in ("system_marker", "control_token")
    ]
    return "\n".join(dict.fromkeys(lines))


# -- reading ----------------------------------------------------------------------------------------------------------


class Rater(Role[RateQuestion, ReviewOpinion]):
    """Asks for and reads ratings."""

    folder, file, schema_name = _PROMPTS, "rater", "rating"

    def shape(self, question: RateQuestion) -> Shape:
        return _shape(question.rubric)

    def messages(self, question: RateQuestion) -> tuple[str, Message]:
        findings = _findings(question.facts)
        lead = "\nMeasured by a program; words quoted in it are the responses' own.\n"
        user = prompts.load(_PROMPTS, "rater").message(
            "user",
            texts=all_fenced(shown_texts(question.case)),
            findings=Message.of(lead, fenced("FINDINGS", findings), "\n") if findings else "",
        )
        return _system(question.rubric), user

    def build(
        self, question: RateQuestion, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str
    ) -> Reading[ReviewOpinion]:
        case = question.case
        given = _entries(question.rubric, reply)
        if empty := tuple(
            f"response_{_NUMBER[label]}.{key}.justification: empty"
            for (label, key), entry in given.items()
            if label is not None and key != STILL_GOOD and not entry["justification"].strip()
        ):
            return Reading(None, empty)
        check = _Check(case)
        # Put the words of the ratings first, because CLD3's result depends on the order.
        places = sorted(given, key=lambda place: (place[0] is None, place[1] == STILL_GOOD))
        foreign = language_of_reply([*(given[place]["justification"] for place in places), *sentences_of(reply)])
        read = {place: check.entry(*place, entry, foreign) for place, entry in given.items()}
        values: dict[_Place, Any] = {place: words for place, (words, _) in read.items()}
        bad = {place: wrong for place, (_, wrong) in read.items() if wrong}
        reasons = check.reasons(reply[BECAUSE], foreign)
        # The entries that a repair round gave to replace bad ones. Those that are good themselves are used below.
        came: list[tuple[_Place, Mapping[str, Any]]] = [
            ((LABELS[entry["response"] - 1], entry["criterion"]), entry) for entry in again.get("entries", [])
        ]
        came.append(((None, INVALID), {"justification": again.get(INVALID, "")}))
        texts = [*(entry["justification"] for _, entry in came), *sentences_of(again)]
        # If the first reply was not in English, a few words are enough to see that the repair is in the same language.
        if not foreign or language_of_reply(texts, _FEW_WORDS) != foreign:
            foreign = language_of_reply(texts)
        left = dict(bad)
        for place, entry in came:
            if place in bad and entry["justification"].strip():
                words, wrong = check.entry(*place, {"rating": given[place].get("rating"), **entry}, foreign)
                if not wrong:
                    values[place] = words
                    left.pop(place, None)

        wanted = reasons.problems
        if wanted and again.get(BECAUSE):
            reasons = reasons.or_better(check.reasons(again[BECAUSE], foreign))

        def rated(label: Label) -> RatedResponse:
            ratings = {item.key: values[label, item.key] for item in question.rubric.criteria}
            unusable = reply[f"response_{_NUMBER[label]}"]["largely_unusable"]
            return RatedResponse(ratings=ratings, unusable=unusable, still_good=values[label, STILL_GOOD])

        # The texts that may hold demands, the one with the most authority first.
        material: dict[Source, str] = {
            "system_prompt": case.system_prompt, "conversation": case.history, "prompt": case.prompt
        }  # fmt: skip
        demanded = verify_constraints(reply["constraints"][:MOST_CONSTRAINTS], material, (case.a, case.b))
        seen = verify_observations(reply["observations"][:_MOST_OBSERVATIONS], {"A": case.a, "B": case.b})
        opinion = ReviewOpinion(
            judge=judge,
            task_type=reply["task_type"],
            invalid=values[None, INVALID],
            response1=rated("A"),
            response2=rated("B"),
            preference=reply["preference"],
            reasons=reasons.good,
            constraints=demanded.constraints,
            observations=seen.observations,
            quoted=check.quoted(given) + demanded.quoted + seen.quoted,
            warnings=(
                *(Warning(code="dropped_constraint", message=message) for message in demanded.dropped),
                *(Warning(code="dropped_observation", message=message) for message in seen.dropped),
                *(warning for wrong in left.values() for warning in wrong),
                *reasons.dropped,
            ),
        )
        replacements = _replacements_shape(question.rubric, (None, INVALID) in bad)
        problems = tuple(warning.message for wrong in bad.values() for warning in wrong)
        return Reading(opinion, (*problems, *wanted), reply, replacements)


def _entries(rubric: Rubric, reply: Mapping[str, Any]) -> dict[_Place, Mapping[str, Any]]:
    """Return what people will read of a reply, but for the reasons, by response (None: about both) and field."""
    entries: dict[_Place, Mapping[str, Any]] = {}
    for label in LABELS:
        side = reply[f"response_{_NUMBER[label]}"]
        entries |= {(label, item.key): side[item.key] for item in rubric.criteria}
        entries[label, STILL_GOOD] = {"justification": side[STILL_GOOD]}
    return entries | {(None, INVALID): {"justification": reply[INVALID]}}


class _Check:
    """Checks entries against the texts of a case. Returns each as it may be shown, with what is wrong with it."""

    def __init__(self, case: Review) -> None:
        self._answers = {label: Haystack(case.answer(label)) for label in LABELS}
        self._words = WordChecker(case.texts)

    def entry(
        self, label: Label | None, key: str, entry: Mapping[str, Any], foreign: str
    ) -> tuple[Rating | str, list[Warning]]:
        """Return a rating with its verified quote and words that may be shown, or such words alone; and its problems.

        `foreign` is the name of the whole reply's language if that is not English, else empty.
        """
        place = key if label is None else f"response {_NUMBER[label]}, {key}"
        bad: list[Warning] = []
        words = in_one_line(entry["justification"])
        if invented := self._words.invented_quote(words):
            bad.append(Warning(code="replaced_reason", message=f"{place}: {invented}"))
        elif why := not_english(words, foreign):
            bad.append(Warning(code="not_in_english", message=f"{place}: {why}"))
        if label is not None and key != STILL_GOOD:
            if bad:
                words = scored(entry["rating"]) if invented else scored(entry["rating"], "was not in English")
            quotes: tuple[Passage, ...] = ()
            if entry["quote"].strip() and key != OVERALL:
                found = self._place(label, entry["quote"])
                if isinstance(found, str):
                    bad.insert(0, Warning(code="dropped_quote", message=f"{place}: {found}"))
                else:
                    quotes = (found,)
            return Rating(value=entry["rating"], justification=words, quotes=quotes), bad
        return (_INVALID_UNSAID if key == INVALID else "") if bad else words, bad

    def reasons(self, given: Sequence[Mapping[str, Any]], foreign: str) -> Reasons:
        """Read the sentences on the preference. Whether they fit is known only once the tables are final."""

        def wrong(argument: Argument) -> Warning | None:
            if invented := self._words.invented_quote(argument.sentence):
                return Warning(code="replaced_reason", message=invented)
            why = not_english(argument.sentence, foreign)
            return Warning(code="not_in_english", message=why) if why else None

        return read_reasons(given, wrong)

    def quoted(self, entries: Mapping[_Place, Mapping[str, Any]]) -> QuoteCount:
        """Count the quotes of ratings that are in their response and those that are not."""
        given = [
            (label, entry["quote"])
            for (label, key), entry in entries.items()
            if label is not None and key not in (OVERALL, STILL_GOOD) and entry["quote"].strip()
        ]
        return QuoteCount.of(self._answers[label].find(quote) is not None for label, quote in given)

    def _place(self, label: Label, quote: str) -> Passage | str:
        haystack = self._answers[label]
        span = haystack.find(quote)
        if span is None:
            other: Label = "B" if label == "A" else "A"
            problem = f"the quote {quote[:120]!r} is not in response {_NUMBER[label]} word for word"
            swapped = self._answers[other].find(quote) is not None
            return problem + (f"; it is in response {_NUMBER[other]}" if swapped else "")
        found = haystack.text[span.start : span.end]
        if (count := count_words(found)) > MAX_QUOTE_WORDS:
            return f"the quote has {count} words; at most {MAX_QUOTE_WORDS} are allowed"
        return Passage(quote=found, start=span.start, end=span.end)


RATER = Rater()
