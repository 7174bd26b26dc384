"""The comparer: scores both answers on every criterion, with reasons and quotes.

The model sees Answer 1 and Answer 2 by position; here its reply is put back into the case's labels A and B,
and every quote is looked up before it becomes evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from ... import prompts
from ...llm.base import Prompt
from ...models import LABELS, ComparisonOpinion, Evidence, Impact, Label, Lookup, Score, Warning, Winner
from ...rubric import Rubric
from ...text.evidence import MAX_WORDS, MIN_WORDS, Haystack, Miss, Span
from ..base import CompareQuestion
from .base import A_NUMBER, Reading, Shape, bullets, object_of, scores_of
from .naming import in_case_labels

_MOST_QUOTES = 6  # further quotes that are looked at, for each criterion on average
_ANSWERS = (1, 2)


@lru_cache(maxsize=32)
def _reply_shape(rubric: Rubric) -> Shape:
    """A reply to this rubric: a quote from each answer is a field of its own, so that none can be left out.

    Quotes and reasons stand before the scores, so that the scores follow from them. Fields are numbered instead of
    nested, and further quotes are one list for all criteria, because some providers take no more than 100 properties.
    """
    marks: dict[str, Any] = {}
    for n in _ANSWERS:
        marks |= {f"quote_{n}": str, f"impact_{n}": Impact, f"rationale_{n}": str}
    for n in _ANSWERS:
        marks |= {f"justification_{n}": str, f"score_{n}": scores_of(rubric)}
    criteria = object_of("criteria", dict.fromkeys(rubric.weights, object_of("marks", marks)))
    fields = {
        "criteria": criteria,
        "more_evidence": _quotes(rubric),
        "summary_1": str,
        "summary_2": str,
        "rationale": str,
        "preference": Literal["answer_1", "answer_2", "tie"],
    }
    return Shape(object_of("reply", fields))


@lru_cache(maxsize=32)
def _replacements_shape(rubric: Rubric) -> Shape:
    return Shape(object_of("quotes", {"evidence": _quotes(rubric)}))


def _quotes(rubric: Rubric) -> Any:
    """The type of a list of quotes that say themselves what they are about."""
    criterion: Any = Literal[tuple(rubric.weights)]
    answer: Any = Annotated[Literal[_ANSWERS], A_NUMBER]
    quote = object_of(
        "quote", {"criterion": criterion, "answer": answer, "quote": str, "impact": Impact, "rationale": str}
    )
    return list[quote]  # type: ignore[valid-type]


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


class _BadQuote(NamedTuple):
    """A quote that is no evidence, and why."""

    criterion: str
    answer: Label
    quote: str
    reason: str

    def told(self, answer: str) -> str:
        return f"{self.criterion}: the quote {self.quote[:120]!r} from {answer} {self.reason}"


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
        preferences: dict[str, Winner] = {"answer_1": first, "answer_2": second, "tie": "tie"}
        evidence, bad = _locate(question, _quotes_in(reply, question.rubric))
        gaps = _gaps(question, evidence)
        opinion = ComparisonOpinion(
            judge=judge,
            order=question.order,
            scores={key: _scores(marks, shown) for key, marks in reply["criteria"].items()},
            evidence=evidence,
            summaries={label: in_case_labels(reply[f"summary_{_number(label, shown)}"], shown) for label in LABELS},
            preference=preferences[reply["preference"]],
            rationale=in_case_labels(reply["rationale"], shown),
            warnings=(*_dropped(bad), *_absent(gaps)),
        )
        wrong = [quote.told(f"Answer {_number(quote.answer, shown)}") for quote in bad]
        missing = [f"{key}: no usable quote from Answer {_number(label, shown)}" for key, label in gaps]
        return Reading(opinion, (*wrong, *missing), tuple(bad))

    def repair(
        self, question: CompareQuestion, prompt: Prompt, text: str, reading: Reading[ComparisonOpinion]
    ) -> Prompt:
        file = prompts.load("comparer")
        if reading.opinion is None:
            return prompt.continued(text, file.render("repair", problems=bullets(reading.problems)))
        message = file.render(
            "quotes", problems=bullets(reading.problems), min_words=str(MIN_WORDS), max_words=str(MAX_WORDS)
        )
        return prompt.continued(text, message, _replacements_shape(question.rubric).schema)

    def read_repair(
        self, question: CompareQuestion, first: Reading[ComparisonOpinion], text: str, judge: str
    ) -> Reading[ComparisonOpinion]:
        if first.opinion is None:
            return self.read(question, text, judge)
        reply = _replacements_shape(question.rubric).parse(text)
        found, _ = _locate(question, [] if isinstance(reply, tuple) else _first(reply["evidence"], question.rubric))
        evidence = _each_once((*first.opinion.evidence, *found))
        # A quote for which a good one came is replaced, not lost: only those without are counted as dropped.
        came = Counter((item.criterion, item.answer) for item in found)
        lost: list[_BadQuote] = []
        for bad in first.unusable:
            if came[bad.criterion, bad.answer]:
                came[bad.criterion, bad.answer] -= 1
            else:
                lost.append(bad)
        warnings = (*_dropped(lost), *_absent(_gaps(question, evidence)))
        return Reading(first.opinion.updated(evidence=evidence, warnings=warnings))


def _looked_up(lookups: tuple[Lookup, ...]) -> str:
    return "\n\n".join(
        f"Search: {lookup.query}\n" + "\n".join(f"- {f.title} ({f.url}): {f.snippet}" for f in lookup.findings)
        for lookup in lookups
        if lookup.findings
    )


# What a judge is told of the facts; the wording is the same in both orders.
_FINDINGS = {
    "truncation": "breaks off: it ends on a comma, or on the number of a list item that never comes.",
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


def _number(label: Label, shown: tuple[Label, Label]) -> int:
    """What the judge calls this answer."""
    return shown.index(label) + 1


def _scores(marks: Mapping[str, Any], shown: tuple[Label, Label]) -> dict[Label, Score]:
    def score(n: int) -> Score:
        return Score(
            value=Decimal(str(marks[f"score_{n}"])), justification=in_case_labels(marks[f"justification_{n}"], shown)
        )

    return {label: score(_number(label, shown)) for label in LABELS}


def _quotes_in(reply: Mapping[str, Any], rubric: Rubric) -> list[Mapping[str, Any]]:
    """All quotes of a reply, in the form of a list: the one for each criterion and answer, then the further ones."""
    demanded = [
        {"criterion": key, "answer": n, **{field: marks[f"{field}_{n}"] for field in ("quote", "impact", "rationale")}}
        for key, marks in reply["criteria"].items()
        for n in _ANSWERS
    ]
    return [*demanded, *_first(reply["more_evidence"], rubric)]


def _first(quotes: list[Mapping[str, Any]], rubric: Rubric) -> list[Mapping[str, Any]]:
    return quotes[: _MOST_QUOTES * len(rubric.criteria)]


def _locate(
    question: CompareQuestion, quotes: Iterable[Mapping[str, Any]]
) -> tuple[tuple[Evidence, ...], list[_BadQuote]]:
    """The quotes with their places, and those that have none. An empty field is no quote at all."""
    answers = {label: Haystack(question.case.answer(label)) for label in LABELS}
    found: list[Evidence] = []
    bad: list[_BadQuote] = []
    for given in quotes:
        criterion, quote, label = given["criterion"], given["quote"], question.shown[given["answer"] - 1]
        text = answers[label].text
        place = _place(answers[label], quote)
        if isinstance(place, Span):
            rationale = in_case_labels(given["rationale"], question.shown)
            found.append(
                Evidence(
                    criterion=criterion,
                    answer=label,
                    impact=given["impact"],
                    quote=text[place.start : place.end],
                    rationale=rationale,
                    start=place.start,
                    end=place.end,
                )
            )
        elif place is not None:
            bad.append(_BadQuote(criterion, label, quote, place.reason))
    return _each_once(found), bad


def _place(answer: Haystack, quote: str) -> Span | Miss | None:
    """Where a quote stands. A short answer is quoted whole, whatever the judge wrote; None if there is no quote."""
    if answer.word_count == 0:
        return None
    if answer.word_count < MIN_WORDS:
        whole = answer.text.strip()
        start = answer.text.index(whole)
        return Span(start, start + len(whole))
    return answer.locate(quote) if quote.strip() else None


def _each_once(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The same span with the same impact stands once a criterion."""
    found: dict[tuple[str, Label, Impact, int, int], Evidence] = {}
    for item in evidence:
        found.setdefault((item.criterion, item.answer, item.impact, item.start, item.end), item)
    return tuple(found.values())


def _gaps(question: CompareQuestion, evidence: Iterable[Evidence]) -> list[tuple[str, Label]]:
    """Criteria and answers without a quote; an answer without a word needs none."""
    there = {(item.criterion, item.answer) for item in evidence}
    quotable = [label for label in LABELS if Haystack(question.case.answer(label)).word_count]
    return [(key, label) for key in question.rubric.weights for label in quotable if (key, label) not in there]


def _absent(gaps: Iterable[tuple[str, Label]]) -> list[Warning]:
    return [
        Warning(code="missing_evidence", message=f"{key}: the judge gave no usable quote from response {label}")
        for key, label in gaps
    ]


def _dropped(bad: Iterable[_BadQuote]) -> list[Warning]:
    return [Warning(code="dropped_quote", message=quote.told(f"response {quote.answer}")) for quote in bad]


COMPARER = Comparer()
