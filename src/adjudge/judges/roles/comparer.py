"""The comparer: scores both answers on every criterion, with reasons and quotes.

The model sees Answer 1 and Answer 2 by position; here its reply is put back into the case's labels A and B. Every quote
is looked up before it becomes evidence, and so are the quotations inside its reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from ... import prompts
from ...llm.base import BlankPrompt
from ...models import LABELS, ComparisonOpinion, Evidence, Impact, Label, Lookup, Score, Warning, Winner
from ...prompts.fence import Message, fenced, in_one_line
from ...rubric import Rubric
from ...text.evidence import MAX_WORDS, MIN_WORDS, Haystack, Miss, Span
from ...text.reasons import NOT_IN_THE_TEXT, WordChecker, scored
from ..base import CompareQuestion
from .base import A_NUMBER, Reading, Role, Shape, object_of, scores_of
from .naming import in_case_labels

_MOST_QUOTES = 6  # further quotes that are looked at, for each criterion on average
_ANSWERS = (1, 2)
_REASONED = ("rationale", "justification")  # the reasons of each criterion and answer
_WHOLE = ("summary_1", "summary_2", "rationale")  # and those of the whole reply


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
def _replacements_shape(rubric: Rubric, reasons: bool) -> Shape:
    """Quotes to take the place of bad ones; and reasons, where some quoted words that are not in the texts."""
    fields = {"evidence": _quotes(rubric)}
    if reasons:
        parts = [f"{key}.{field}_{n}" for key in rubric.weights for field in _REASONED for n in _ANSWERS]
        place: Any = Literal[(*parts, *_WHOLE)]
        reason = object_of("reason", {"place": place, "words": str})
        fields["reasons"] = list[reason]  # type: ignore[valid-type]
    return Shape(object_of("replacements", fields))


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
        **Comparer.terms,
    )


class _BadQuote(NamedTuple):
    """A quote that is no evidence, and why."""

    criterion: str
    answer: Label
    quote: str
    reason: str

    def told(self, answer: str) -> str:
        return f"{self.criterion}: the quote {self.quote[:120]!r} from {answer} {self.reason}"


class _BadReason(NamedTuple):
    """A reason that quotes words which stand in none of the texts: where it stands in the reply, and what is wrong."""

    place: str
    why: str

    def told(self, shown: tuple[Label, Label]) -> str:
        part, _, number = self.place.rpartition("_")
        where = f"{part} of response {shown[int(number) - 1]}" if number.isdigit() else self.place
        return f"{where}: {self.why}"


class Comparer(Role[CompareQuestion, ComparisonOpinion]):
    """Asks for and reads comparisons."""

    file = "comparer"
    terms = MappingProxyType({"min_words": str(MIN_WORDS), "max_words": str(MAX_WORDS)})

    def prompt(self, question: CompareQuestion) -> BlankPrompt:
        case, (first, second) = question.case, question.shown
        looked_up = _looked_up(question.lookups) if question.lookups else ""
        context: list[str | Message] = [fenced("CONTEXT", case.context), "\n"] if case.context.strip() else []
        if looked_up:
            context += [
                "\nSearch results, to check claims against. They are material too, and may be wrong.\n",
                fenced("SEARCH RESULTS", looked_up),
                "\n",
            ]
        user = prompts.load("comparer").message(
            "user",
            findings=_findings(question) if question.facts else "",
            task=fenced("TASK", case.task),
            context=Message.of(*context),
            answer_1=fenced("ANSWER 1", case.answer(first)),
            answer_2=fenced("ANSWER 2", case.answer(second)),
        )
        return BlankPrompt(_system(question.rubric), user, _reply_shape(question.rubric).schema, "comparison")

    def read(self, question: CompareQuestion, text: str, judge: str) -> Reading[ComparisonOpinion]:
        reply = _reply_shape(question.rubric).parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        shown = first, second = question.shown
        preferences: dict[str, Winner] = {"answer_1": first, "answer_2": second, "tie": "tie"}
        found, bad = _locate(question, _quotes_in(reply, question.rubric))
        reasons = {place: reply[place] for place in _WHOLE}
        for key, marks in reply["criteria"].items():
            reasons |= {f"{key}.justification_{n}": marks[f"justification_{n}"] for n in _ANSWERS}
        empty = [f"{place}: empty" for place, words in reasons.items() if not words.strip()]
        empty += [f"{_place_of(item, shown)}: empty" for item in found if not item.rationale]
        if empty:
            return Reading(None, tuple(dict.fromkeys(empty)))
        check = _checker(question)
        wrong = [_BadReason(place, why) for place, words in reasons.items() if (why := check.invented_quote(words))]
        invented = [(item, why) for item in found if (why := check.invented_quote(item.rationale))]
        unusable = {reason.place for reason in wrong}
        wrong += [_BadReason(_place_of(item, shown), why) for item, why in invented]
        scores = {
            key: {label: Decimal(str(marks[f"score_{_number(label, shown)}"])) for label in LABELS}
            for key, marks in reply["criteria"].items()
        }

        def words(place: str, said: str, ours: str = NOT_IN_THE_TEXT) -> str:
            return ours if place in unusable else in_case_labels(said, shown)

        def score(key: str, label: Label) -> Score:
            place, value = f"{key}.justification_{_number(label, shown)}", scores[key][label]
            return Score(value=value, justification=words(place, reasons[place], scored(value)))

        opinion = ComparisonOpinion(
            judge=judge,
            order=question.order,
            scores={key: {label: score(key, label) for label in LABELS} for key in scores},
            # Two quotes may be about the same: only the rationale that is bad goes.
            evidence=tuple(
                _because(item, scored(scores[item.criterion][item.answer]))
                if any(item is bad for bad, _ in invented)
                else item
                for item in found
            ),
            unquoted=_gaps(question, found),
            summaries={label: words(place := f"summary_{_number(label, shown)}", reasons[place]) for label in LABELS},
            preference=preferences[reply["preference"]],
            rationale=words("rationale", reasons["rationale"]),
            warnings=(*_dropped(bad), *_replaced(wrong, shown)),
        )
        problems = (
            *(quote.told(f"Answer {_number(quote.answer, shown)}") for quote in bad),
            *(f"{key}: no usable quote from Answer {_number(label, shown)}" for key, label in opinion.unquoted),
            *(f"{reason.place}: {reason.why}" for reason in wrong),
        )
        return Reading(opinion, problems, (*bad, *wrong))

    def replacements(self, question: CompareQuestion, reading: Reading[ComparisonOpinion]) -> Shape:
        return _replacements_shape(question.rubric, any(isinstance(bad, _BadReason) for bad in reading.unusable))

    def mend(
        self, question: CompareQuestion, first: Reading[ComparisonOpinion], given: Mapping[str, Any], judge: str
    ) -> ComparisonOpinion:
        assert first.opinion is not None
        check, shown = _checker(question), question.shown
        quotes = [
            quote
            for quote in _first(given.get("evidence", []), question.rubric)
            if quote["rationale"].strip() and not check.invented_quote(quote["rationale"])
        ]
        found, _ = _locate(question, quotes)
        # A quote for which a good one came is replaced, not lost: only those without are counted as dropped.
        came = Counter((item.criterion, item.answer) for item in found)
        lost: list[_BadQuote] = []
        for bad in (bad for bad in first.unusable if isinstance(bad, _BadQuote)):
            if came[bad.criterion, bad.answer]:
                came[bad.criterion, bad.answer] -= 1
            else:
                lost.append(bad)
        wrong = [bad for bad in first.unusable if isinstance(bad, _BadReason)]
        mended = {
            reason["place"]: in_case_labels(reason["words"], shown)
            for reason in given.get("reasons", [])
            if reason["words"].strip() and not check.invented_quote(reason["words"])
        }
        opinion = _with_reasons(first.opinion, {reason.place: mended.get(reason.place) for reason in wrong}, shown)
        left = [reason for reason in wrong if reason.place not in mended]
        evidence = _each_once((*opinion.evidence, *found))
        warnings = (*_dropped(lost), *_replaced(left, shown))
        return opinion.updated(evidence=evidence, unquoted=_gaps(question, evidence), warnings=warnings)


def _with_reasons(
    opinion: ComparisonOpinion, mended: Mapping[str, str | None], shown: tuple[Label, Label]
) -> ComparisonOpinion:
    """The opinion with the reasons that came in the place of bad ones; None where none came."""

    def score(key: str, label: Label, given: Score) -> Score:
        words = mended.get(f"{key}.justification_{_number(label, shown)}")
        return given.updated(justification=words) if words else given

    return opinion.updated(
        scores={key: {label: score(key, label, by[label]) for label in LABELS} for key, by in opinion.scores.items()},
        summaries={
            label: mended.get(f"summary_{_number(label, shown)}") or said for label, said in opinion.summaries.items()
        },
        rationale=mended.get("rationale") or opinion.rationale,
        evidence=tuple(
            _because(item, words)
            if item.rationale == scored(opinion.scores[item.criterion][item.answer].value)
            and (words := mended.get(_place_of(item, shown)))
            else item
            for item in opinion.evidence
        ),
    )


def _checker(question: CompareQuestion) -> WordChecker:
    """Checks words against all that the judge was shown."""
    case = question.case
    return WordChecker((case.task, case.context, case.a, case.b, _looked_up(question.lookups)))


def _looked_up(lookups: tuple[Lookup, ...]) -> str:
    return "\n\n".join(
        "\n".join(
            (
                f"Search: {in_one_line(lookup.query)}",
                *(f"- {in_one_line(f'{one.title} ({one.url}): {one.snippet}')}" for one in lookup.findings),
            )
        )
        for lookup in lookups
        if lookup.findings
    )


# What a judge is told of the facts; the wording is the same in both orders.
_FINDINGS = {
    "truncation": "breaks off: it ends on a comma, or on the number of a list item that never comes.",
    "injection": "contains text that addresses the judge or asks for a score.",
    "hidden_characters": "contains invisible characters that hide or turn text.",
}


def _findings(question: CompareQuestion) -> str:
    first, second = question.shown
    shown = {
        first: "Answer 1",
        second: "Answer 2",
        "task": "The task",
        "context": "The context",
        "search": "The search results",
    }
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


def _place_of(item: Evidence, shown: tuple[Label, Label]) -> str:
    """Where the rationale of a quote stands in a reply."""
    return f"{item.criterion}.rationale_{_number(item.answer, shown)}"


def _because(item: Evidence, rationale: str) -> Evidence:
    return item.model_copy(update={"rationale": rationale})


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
    asked = [(given, question.shown[given["answer"] - 1]) for given in quotes]
    answers = {label: Haystack(question.case.answer(label)) for label in LABELS}
    places = {
        label: iter(_places(answers[label], [given["quote"] for given, named in asked if named == label]))
        for label in LABELS
    }
    found: list[Evidence] = []
    bad: list[_BadQuote] = []
    for given, label in asked:
        place, text = next(places[label]), answers[label].text
        if isinstance(place, Span):
            found.append(
                Evidence(
                    criterion=given["criterion"],
                    answer=label,
                    impact=given["impact"],
                    quote=text[place.start : place.end],
                    rationale=in_case_labels(given["rationale"], question.shown),
                    start=place.start,
                    end=place.end,
                )
            )
        elif place is not None:
            bad.append(_BadQuote(given["criterion"], label, given["quote"], place.reason))
    return _each_once(found), bad


def _places(answer: Haystack, quotes: list[str]) -> list[Span | Miss | None]:
    """Where quotes stand. A short answer is quoted whole, whatever the judge wrote; None where there is no quote."""
    if answer.word_count == 0:
        return [None] * len(quotes)
    if answer.word_count < MIN_WORDS:
        whole = answer.text.strip()
        start = answer.text.index(whole)
        return [Span(start, start + len(whole))] * len(quotes)
    located = iter(answer.locate(quote for quote in quotes if quote.strip()))
    return [next(located) if quote.strip() else None for quote in quotes]


def _each_once(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The same span with the same impact stands once a criterion."""
    found: dict[tuple[str, Label, Impact, int, int], Evidence] = {}
    for item in evidence:
        found.setdefault((item.criterion, item.answer, item.impact, item.start, item.end), item)
    return tuple(found.values())


def _gaps(question: CompareQuestion, evidence: Iterable[Evidence]) -> tuple[tuple[str, Label], ...]:
    """Criteria and answers without a quote; an answer without a word needs none."""
    there = {(item.criterion, item.answer) for item in evidence}
    gaps = [(key, label) for key in question.rubric.weights for label in LABELS if (key, label) not in there]
    words = {label: Haystack(question.case.answer(label)).word_count for label in {label for _, label in gaps}}
    return tuple(gap for gap in gaps if words[gap[1]])


def _dropped(bad: Iterable[_BadQuote]) -> list[Warning]:
    return [Warning(code="dropped_quote", message=quote.told(f"response {quote.answer}")) for quote in bad]


def _replaced(wrong: Iterable[_BadReason], shown: tuple[Label, Label]) -> list[Warning]:
    return [Warning(code="replaced_reason", message=reason.told(shown)) for reason in wrong]


COMPARER = Comparer()
