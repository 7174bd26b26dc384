"""The comparer: scores both answers on every criterion, with reasons and quotes.

The model sees Answer 1 and Answer 2 by position; here its reply is put back into the case's labels A and B,
and every quote is looked up before it becomes evidence.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args

from pydantic import BeforeValidator
from typing_extensions import TypedDict

from ... import prompts
from ...evidence import MAX_WORDS, MIN_WORDS, Haystack, Span
from ...rubric import Rubric
from ...verdicts import LABELS, ComparisonOpinion, Evidence, Impact, Label, Lookup, Score, Warning, Winner
from ..base import CompareQuestion
from .base import Prompt, Reading, Shape, bullets, object_of
from .naming import in_case_labels

T = TypeVar("T")

_MAX_QUOTES = 6
_Preference = Literal["answer_1", "answer_2", "tie"]


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
    """A reply to this rubric. Reasons stand before the score, so that the score follows from them."""
    score: Any = Annotated[Literal[tuple(_values(rubric))], _A_NUMBER]
    mark = object_of("mark", {"justification": str, "score": score})
    marks = object_of("marks", {"evidence": list[_Quote], "answer_1": mark, "answer_2": mark})
    criteria = object_of("criteria", {criterion.key: marks for criterion in rubric.criteria})
    texts = {"summary_1": str, "summary_2": str, "rationale": str}
    return Shape(object_of("reply", {"criteria": criteria, **texts, "preference": _Preference}))


@lru_cache(maxsize=32)
def _values(rubric: Rubric) -> dict[float, Decimal]:
    """The rubric's scores as JSON has them, and what each is exactly."""
    numbers = [int(value) if value == int(value) else float(value) for value in rubric.scale.values]
    return {number: Decimal(str(number)) for number in numbers}


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


_Given = tuple[str, int, str, Impact, str]  # criterion, answer, quote, impact, rationale
_quoted = itemgetter("answer", "quote", "impact", "rationale")
_ended = itemgetter("summary_1", "summary_2", "rationale")
_SIDES = ("answer_1", "answer_2")
_NUMBERS = frozenset((int, float))  # a truth value equals a number, and is of another type
_IMPACTS = frozenset(get_args(Impact))
_PREFERENCES = frozenset(get_args(_Preference))


class _Gathered(NamedTuple):
    """What stands in a reply; scores and reasons are those of Answer 1 and Answer 2 in turn."""

    scores: list[Decimal]
    reasons: list[str]
    quotes: list[_Given]
    ending: tuple[str, str, str]
    preference: str


def _gather(reply: Any, rubric: Rubric) -> _Gathered | None:
    """The reply taken apart and checked on the way; None if anything in it needs the shape's closer look."""
    values = _values(rubric)
    scores: list[Decimal] = []
    reasons: list[str] = []
    quotes: list[_Given] = []
    try:
        for key in rubric.weights:
            part = reply["criteria"][key]
            for side in _SIDES:
                mark = part[side]
                why, score = mark["justification"], mark["score"]
                if type(why) is not str or type(score) not in _NUMBERS:
                    return None
                reasons.append(why)
                scores.append(values[score])
            if type(part["evidence"]) is not list:
                return None
            given: list[_Given] = []
            for quote in part["evidence"]:
                answer, words, impact, why = _quoted(quote)
                if type(answer) is not int or not 1 <= answer <= 2 or impact not in _IMPACTS:
                    return None
                if type(words) is not str or type(why) is not str:
                    return None
                given.append((key, answer, words, impact, why))
            quotes += _within_room(given)
        ending, preference = _ended(reply), reply["preference"]
    except (LookupError, TypeError):
        return None
    if {*map(type, ending)} != {str} or type(preference) is not str or preference not in _PREFERENCES:
        return None
    return _Gathered(scores, reasons, quotes, ending, preference)


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
        shape = _reply_shape(question.rubric)
        reply = shape.load(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        gathered = _gather(reply, question.rubric)
        if gathered is None:
            checked = shape.check(reply)
            if isinstance(checked, tuple):
                return Reading(None, checked)
            gathered = _gather(checked, question.rubric)
            assert gathered is not None, "what has the shape can be taken apart"
        values, reasons, quotes, ending, preference = gathered
        shown = first, second = question.shown
        said = in_case_labels([*reasons, *[quote[4] for quote in quotes], *ending], shown)
        # As Score(…) does it, at half the price: so are the scores and quotes of a reply made, and there are dozens.
        made = [tuple.__new__(Score, (value, why, True)) for value, why in zip(values, said, strict=False)]
        pairs = map(_by_label, made[::2], made[1::2], repeat(shown))
        scores = dict(zip(question.rubric.weights, pairs, strict=True))
        evidence, bad = _locate(question, quotes, said[len(made) : -3])
        gaps = _gaps(question, evidence)
        preferences: dict[str, Winner] = {"answer_1": first, "answer_2": second, "tie": "tie"}
        opinion = ComparisonOpinion(
            judge=judge,
            order=question.order,
            scores=scores,
            evidence=tuple(evidence),
            summaries=_by_label(said[-3], said[-2], shown),
            preference=preferences[preference],
            rationale=said[-1],
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
        given = [] if isinstance(reply, tuple) else reply["evidence"][: _MAX_QUOTES * len(question.rubric.criteria)]
        quotes = [(quote["criterion"], *_quoted(quote)) for quote in given]
        rationales = in_case_labels([quote["rationale"] for quote in given], question.shown)
        found, _ = _locate(question, quotes, rationales)
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


def _position(label: Label, question: CompareQuestion) -> str:
    return f"Answer {question.shown.index(label) + 1}"


class _BadQuote(NamedTuple):
    criterion: str
    quote: str
    answer: int
    reason: str

    def told(self, answer: str) -> str:
        return f"{self.criterion}: the quote {self.quote[:120]!r} from {answer} {self.reason}"


def _within_room(quotes: list[_Given]) -> list[_Given]:
    """The first quotes from each answer, as many as there is room for."""
    if len(quotes) <= _MAX_QUOTES:
        return quotes
    by_answer = {answer: [quote for quote in quotes if quote[1] == answer][:_MAX_QUOTES] for answer in (1, 2)}
    return [quote for quote in quotes if any(quote is kept for kept in by_answer[quote[1]])]


def _locate(
    question: CompareQuestion, quotes: list[_Given], rationales: list[str]
) -> tuple[list[Evidence], list[_BadQuote]]:
    by_answer = [(label, Haystack(question.case.answer(label))) for label in question.shown]
    evidence: list[Evidence] = []
    bad: list[_BadQuote] = []
    for (criterion, answer, quote, impact, _), rationale in zip(quotes, rationales, strict=True):
        label, haystack = by_answer[answer - 1]
        plain = quote.strip()
        start = haystack.stands_plainly(plain)
        end = start + len(plain)
        if start < 0:
            place = haystack.locate(quote)
            if not isinstance(place, Span):
                bad.append(_BadQuote(criterion, quote, answer, place.reason))
                continue
            start, end = place
            plain = haystack.text[start:end]
        evidence.append(tuple.__new__(Evidence, (criterion, label, impact, plain, rationale, start, end)))
    return evidence, bad


def _gaps(question: CompareQuestion, evidence: tuple[Evidence, ...] | list[Evidence]) -> list[tuple[str, Label]]:
    there: dict[Label, set[str]] = {"A": set(), "B": set()}
    for item in evidence:
        there[item.answer].add(item.criterion)
    return [(key, label) for key in question.rubric.weights for label in LABELS if key not in there[label]]


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
