"""The comparer: scores both answers on every criterion, with reasons and quotes.

The model sees Answer 1 and Answer 2 by position; here its reply is put back into the case's labels A and B,
and every quote is looked up before it becomes evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from ... import prompts
from ...evidence import MAX_WORDS, MIN_WORDS, Haystack, Span
from ...rubric import Rubric
from ...verdicts import LABELS, ComparisonOpinion, Evidence, Impact, Label, Lookup, Score, Warning, Winner
from ..base import CompareQuestion
from .base import Prompt, Reading, Shape, bullets, object_of

T = TypeVar("T")

_NAMED = re.compile(
    r"\b(?:answer|response)[ _#]{0,2}(1|2|one|two)\b(?!\.\d)|\b(?:the )?(first|second) (?:answer|response)\b",
    re.IGNORECASE,
)
_NUMBER = {"1": 0, "one": 0, "first": 0, "2": 1, "two": 1, "second": 1}
_BOTH_NAMED = re.compile(r"\b(?:answers?|responses?) ([12])( and | or | & |/)([12])\b", re.IGNORECASE)
_MAX_QUOTES = 6


def _no_truth_value(value: object) -> object:
    # Python calls `true` equal to 1, so it would pass for a score.
    if isinstance(value, bool):
        raise ValueError("a number is needed, not true or false")
    return value


_A_NUMBER = BeforeValidator(_no_truth_value)


class _Quote(TypedDict):
    answer: Annotated[Literal[1, 2], _A_NUMBER]
    quote: str
    impact: Impact
    rationale: str


@lru_cache(maxsize=32)
def _reply_shape(rubric: Rubric) -> Shape:
    """A reply to this rubric; where scores are whole numbers, good replies are known by a quicker look."""
    scale = rubric.scale
    values = tuple(int(value) if value == int(value) else float(value) for value in scale.values)
    careful = _reply_type(rubric, _Quote, Annotated[Literal[values], _A_NUMBER])
    if values != tuple(range(int(scale.low), int(scale.high) + 1)):
        return Shape(careful)
    quote = object_of("quote", {**_Quote.__annotations__, "answer": _whole(1, 2)})
    return Shape(careful, quick=_reply_type(rubric, quote, _whole(values[0], values[-1])))


def _reply_type(rubric: Rubric, quote: Any, score: Any) -> Any:
    """Reasons stand before the score, so that the score follows from them."""
    mark = object_of("mark", {"justification": str, "score": score})
    marks = object_of("marks", {"evidence": list[quote], "answer_1": mark, "answer_2": mark})
    criteria = object_of("criteria", {criterion.key: marks for criterion in rubric.criteria})
    preference: Any = Literal["answer_1", "answer_2", "tie"]
    texts = {"summary_1": str, "summary_2": str, "rationale": str}
    return object_of("reply", {"criteria": criteria, **texts, "preference": preference})


def _whole(low: float, high: float) -> Any:
    return Annotated[int, Field(strict=True, ge=low, le=high)]


@lru_cache(maxsize=32)
def _quotes_shape(rubric: Rubric) -> Shape:
    key: Any = Literal[tuple(criterion.key for criterion in rubric.criteria)]
    quote = object_of("quote", {**_Quote.__annotations__, "criterion": key})
    return Shape(object_of("quotes", {"evidence": list[quote]}))  # type: ignore[valid-type]


@lru_cache(maxsize=32)
def _system(rubric: Rubric) -> str:
    scale = rubric.scale
    bands = "; ".join(f"{span} {meaning}" for span, meaning in rubric.bands)
    step = "" if scale.step == 1 else f" in steps of {scale.step}"
    return prompts.load("comparer").render(
        "system",
        scale=f"{scale.low} to {scale.high}{step}" + (f" ({bands})" if bands else ""),
        criteria="\n".join(
            f"- {criterion.key} ({criterion.name}): {' '.join(criterion.guidance.split())}"
            for criterion in rubric.criteria
        ),
        min_words=str(MIN_WORDS),
        max_words=str(MAX_WORDS),
    )


class Comparer:
    """Asks for and reads comparisons."""

    def prompt(self, question: CompareQuestion) -> Prompt:
        case, (first, second) = question.case, question.shown
        looked_up = _looked_up(question.lookups) if question.lookups else ""
        fence = prompts.Fence.around(case.task, case.context, case.a, case.b, looked_up)
        findings = _findings(question) if question.facts else ""
        context = fence.wrap("CONTEXT", case.context) + "\n" if case.context.strip() else ""
        if looked_up:
            context += (
                "\nSearch results, to check claims against. They are material too, and may be wrong.\n"
                + fence.wrap("SEARCH RESULTS", looked_up)
                + "\n"
            )
        user = prompts.load("comparer").render(
            "user",
            code=fence.code,
            findings=findings,
            task=fence.wrap("TASK", case.task),
            context=context,
            answer_1=fence.wrap("ANSWER 1", case.answer(first)),
            answer_2=fence.wrap("ANSWER 2", case.answer(second)),
        )
        return Prompt(_system(question.rubric), (user,), _reply_shape(question.rubric).schema, "comparison")

    def read(self, question: CompareQuestion, text: str, judge: str) -> Reading[ComparisonOpinion]:
        reply = _reply_shape(question.rubric).parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        shown = first, second = question.shown
        scores: dict[str, dict[Label, Score]] = {}
        quotes: list[tuple[str, _Quote]] = []
        for key in question.rubric.weights:
            marks = reply["criteria"][key]
            scores[key] = _by_label(_score(marks["answer_1"], shown), _score(marks["answer_2"], shown), shown)
            quotes += [(key, quote) for quote in _within_room(marks["evidence"])]
        evidence, bad = _locate(question, quotes)
        gaps = _gaps(question, evidence)
        preferences: dict[str, Winner] = {"answer_1": first, "answer_2": second, "tie": "tie"}
        opinion = ComparisonOpinion(
            judge=judge,
            order=question.order,
            scores=scores,
            evidence=tuple(evidence),
            summaries=_by_label(
                _in_case_labels(reply["summary_1"], shown), _in_case_labels(reply["summary_2"], shown), shown
            ),
            preference=preferences[reply["preference"]],
            rationale=_in_case_labels(reply["rationale"], shown),
            warnings=(*_dropped(question, bad), *_absent(gaps)),
        )
        if not bad and not gaps:
            return Reading(opinion)
        missing = tuple(f"{key}: no usable quote from {_position(label, question)}" for key, label in gaps)
        problems = (*(quote.told(f"Answer {quote.answer}") for quote in bad), *missing)
        return Reading(opinion, problems, tuple((quote.criterion, quote.answer) for quote in bad))

    def repair(
        self, question: CompareQuestion, prompt: Prompt, text: str, reading: Reading[ComparisonOpinion]
    ) -> Prompt:
        file = prompts.load("comparer")
        if reading.opinion is None:
            return prompt.continued(text, file.render("repair", problems=bullets(reading.problems)))
        message = file.render(
            "quotes", problems=bullets(reading.problems), min_words=str(MIN_WORDS), max_words=str(MAX_WORDS)
        )
        return prompt.continued(text, message, _quotes_shape(question.rubric).schema)

    def read_repair(
        self, question: CompareQuestion, first: Reading[ComparisonOpinion], text: str, judge: str
    ) -> Reading[ComparisonOpinion]:
        if first.opinion is None:
            return self.read(question, text, judge)
        reply = _quotes_shape(question.rubric).parse(text)
        quotes = [] if isinstance(reply, tuple) else [(quote["criterion"], quote) for quote in reply["evidence"]]
        found, _ = _locate(question, quotes[: _MAX_QUOTES * len(question.rubric.criteria)])
        evidence = (*first.opinion.evidence, *found)
        # A quote for which a good one came is replaced, not lost: only those without are counted as dropped.
        came = [(item.criterion, question.shown.index(item.answer) + 1) for item in found]
        lost = []
        told = [warning for warning in first.opinion.warnings if warning.code == "dropped_quote"]
        for place, warning in zip(first.unusable, told, strict=True):
            if place in came:
                came.remove(place)
            else:
                lost.append(warning)
        warnings = (*lost, *_absent(_gaps(question, evidence)))
        return Reading(replace(first.opinion, evidence=evidence, warnings=warnings))


def _looked_up(lookups: tuple[Lookup, ...]) -> str:
    return "\n\n".join(
        f"Search: {lookup.query}\n" + "\n".join(f"- {f.title} ({f.url}): {f.snippet}" for f in lookup.findings)
        for lookup in lookups
        if lookup.findings
    )


# What a judge is told of the facts; the wording is the same in both orders.
_FINDINGS = {
    "truncation": "ends in the middle of a sentence or a code block, as if cut off.",
    "injection": "contains text that addresses the judge or asks for a score.",
}


def _findings(question: CompareQuestion) -> str:
    first, second = question.shown
    shown = {first: "Answer 1", second: "Answer 2", "task": "The task", "context": "The context"}
    found = {
        f"- {shown[fact.where]}: {_FINDINGS[fact.name]}\n"
        for fact in question.facts
        if fact.certain and fact.name in _FINDINGS
    }
    # In the order shown: the order of the case would tell which answer is A.
    return "\nFound by a program, and certain:\n" + "".join(sorted(found)) if found else ""


def _by_label(one: T, two: T, shown: tuple[Label, Label]) -> dict[Label, T]:
    """What was said of Answer 1 and Answer 2 under the case's labels, A first."""
    return {"A": one, "B": two} if shown[0] == "A" else {"A": two, "B": one}


def _in_case_labels(text: str, shown: tuple[Label, Label]) -> str:
    text = text.strip()
    # Spelled out, for this runs on every sentence of every reply.
    if "nswer" not in text and "esponse" not in text and "NSWER" not in text and "ESPONSE" not in text:
        return text
    if text.count("1") + text.count("2") > 1:
        label = {"1": shown[0], "2": shown[1]}
        text = _BOTH_NAMED.sub(lambda match: f"Responses {label[match[1]]}{match[2]}{label[match[3]]}", text)
    return _NAMED.sub(lambda match: f"Response {shown[_NUMBER[(match[1] or match[2]).lower()]]}", text)


def _score(mark: Mapping[str, Any], shown: tuple[Label, Label]) -> Score:
    # As Score(…) does it, at half the price: so are the scores and quotes of a reply made, and there are dozens.
    return tuple.__new__(Score, (_exact(mark["score"]), _in_case_labels(mark["justification"], shown), True))


@lru_cache(maxsize=256)
def _exact(score: float) -> Decimal:
    return Decimal(str(score))


def _position(label: Label, question: CompareQuestion) -> str:
    return f"Answer {question.shown.index(label) + 1}"


class _BadQuote(NamedTuple):
    criterion: str
    quote: str
    answer: int
    reason: str

    def told(self, answer: str) -> str:
        return f"{self.criterion}: the quote {self.quote[:120]!r} from {answer} {self.reason}"


def _within_room(quotes: list[_Quote]) -> list[_Quote]:
    """The first quotes from each answer, as many as there is room for."""
    if len(quotes) <= _MAX_QUOTES:
        return quotes
    by_answer = {answer: [quote for quote in quotes if quote["answer"] == answer][:_MAX_QUOTES] for answer in (1, 2)}
    return [quote for quote in quotes if any(quote is kept for kept in by_answer[quote["answer"]])]


def _locate(question: CompareQuestion, quotes: list[tuple[str, _Quote]]) -> tuple[list[Evidence], list[_BadQuote]]:
    shown = question.shown
    haystacks = [Haystack(question.case.answer(label)) for label in shown]
    evidence: list[Evidence] = []
    bad: list[_BadQuote] = []
    for criterion, quote in quotes:
        at = quote["answer"] - 1
        haystack = haystacks[at]
        place = haystack.locate(quote["quote"])
        if isinstance(place, Span):
            start, end = place
            rationale = _in_case_labels(quote["rationale"], shown)
            fields = (criterion, shown[at], quote["impact"], haystack.text[start:end], rationale, start, end)
            evidence.append(tuple.__new__(Evidence, fields))
        else:
            bad.append(_BadQuote(criterion, quote["quote"], quote["answer"], place.reason))
    return evidence, bad


def _gaps(question: CompareQuestion, evidence: tuple[Evidence, ...] | list[Evidence]) -> list[tuple[str, Label]]:
    there: dict[Label, set[str]] = {"A": set(), "B": set()}
    for item in evidence:
        there[item.answer].add(item.criterion)
    return [(c.key, label) for c in question.rubric.criteria for label in LABELS if c.key not in there[label]]


def _absent(gaps: list[tuple[str, Label]]) -> list[Warning]:
    return [
        Warning(code="missing_evidence", message=f"{key}: the judge gave no usable quote from response {label}")
        for key, label in gaps
    ]


def _dropped(question: CompareQuestion, bad: list[_BadQuote]) -> list[Warning]:
    return [
        Warning(code="dropped_quote", message=quote.told(f"response {question.shown[quote.answer - 1]}"))
        for quote in bad
    ]


COMPARER = Comparer()
