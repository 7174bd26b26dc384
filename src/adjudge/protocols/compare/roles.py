"""The comparer scores both answers on every criterion, with reasons and quotes. The researcher says beforehand what
should be looked up.

The model sees Answer 1 and Answer 2 by position. This module translates its reply back to the case's labels A and B.
Every quote is looked up in the text before it becomes evidence, and so are the quotations inside its reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from ... import prompts
from ...judges.role import A_NUMBER, Reading, Role, Shape, object_of, scores_of
from ...models.common import LABELS, Label, Lookup, QuoteCount, Warning, Winner
from ...prompts.fence import Message, fenced, in_one_line
from ...rubric import Rubric
from ...text.evidence import MAX_WORDS, MIN_WORDS, Haystack, Miss, Span
from ...text.reasons import NOT_IN_THE_TEXT, WordChecker, scored
from .case import Comparison
from .naming import in_case_labels
from .questions import MAX_QUERIES, CompareQuestion, ResearchQuestion
from .verdict import ComparisonOpinion, Evidence, Impact, Research, Score

_PROMPTS = Path(__file__).parent / "prompts"
_MOST_QUOTES = 6  # further quotes that are read, per criterion on average
_MAX_QUERY_CHARACTERS = 200
_ANSWERS = (1, 2)
_REASONED = ("rationale", "justification")  # the reasons for each criterion and answer
_WHOLE = ("summary_1", "summary_2", "rationale")  # the reasons for the whole reply
# What a judge is told about the facts, in the same words for both orders.
_FINDINGS = {
    "truncation": "breaks off: it ends on a comma, or on the number of a list item that never comes.",
    "injection": "contains text that addresses the judge or asks for a score.",
    "hidden_characters": "contains invisible characters that hide or turn text.",
}

# -- asking -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _reply_shape(rubric: Rubric) -> Shape:
    """Return the form of a reply. The quote from each answer has its own required field, so none can be left out.

    Quotes and reasons come before the scores, so that the scores follow from them. Fields are numbered instead of
    nested, and further quotes are one list for all criteria, because some providers allow only 100 properties.
    """
    marks: dict[str, Any] = {}
    for n in _ANSWERS:
        marks |= {f"quote_{n}": str, f"impact_{n}": Impact, f"rationale_{n}": str}
    for n in _ANSWERS:
        marks |= {f"justification_{n}": str, f"score_{n}": scores_of(rubric.scale)}
    fields = {
        "criteria": object_of("criteria", dict.fromkeys(rubric.weights, object_of("marks", marks))),
        "more_evidence": _quotes(rubric),
        **dict.fromkeys(_WHOLE, str),
        "preference": Literal["answer_1", "answer_2", "tie"],
    }
    return Shape(object_of("reply", fields))


@lru_cache(maxsize=32)
def _replacements_shape(rubric: Rubric, reasons: bool) -> Shape:
    """Return the form of a repair reply: new quotes, and new reasons if some quoted words that are not in the texts."""
    fields = {"evidence": _quotes(rubric)}
    if reasons:
        parts = [f"{key}.{field}_{n}" for key in rubric.weights for field in _REASONED for n in _ANSWERS]
        reason = object_of("reason", {"place": Literal[(*parts, *_WHOLE)], "words": str})
        fields["reasons"] = list[reason]  # type: ignore[valid-type]
    return Shape(object_of("replacements", fields))


def _quotes(rubric: Rubric) -> Any:
    """Return the type of a list of quotes, each with its criterion and answer."""
    place = {"criterion": Literal[tuple(rubric.weights)], "answer": Annotated[Literal[_ANSWERS], A_NUMBER]}
    quote = object_of("quote", {**place, "quote": str, "impact": Impact, "rationale": str})
    return list[quote]  # type: ignore[valid-type]


@lru_cache(maxsize=32)
def _system(rubric: Rubric) -> str:
    scale = rubric.scale
    bands = "; ".join(f"{span} {meaning}" for span, meaning in rubric.bands)
    step = "" if scale.step == 1 else f" in steps of {scale.step}"
    criteria = (f"- {item.key} ({item.name}): {' '.join(item.guidance.split())}" for item in rubric.criteria)
    return prompts.load(_PROMPTS, "comparer").render(
        "system",
        scale=f"{scale.low} to {scale.high}{step}" + (f" ({bands})" if bands else ""),
        criteria="\n".join(criteria),
        **Comparer.terms,
    )


def _shown_texts(case: Comparison, shown: tuple[Label, Label] = LABELS, looked_up: str = "") -> dict[str, Message]:
    """Return the fenced texts of a case, by the name of their place in the prompt."""
    context: list[str | Message] = [fenced("CONTEXT", case.context), "\n"] if case.context.strip() else []
    if looked_up:
        lead = "\nSearch results, to check claims against. They are material too, and may be wrong.\n"
        context += [lead, fenced("SEARCH RESULTS", looked_up), "\n"]
    answers = {f"answer_{n}": fenced(f"ANSWER {n}", case.answer(label)) for n, label in enumerate(shown, start=1)}
    return {"task": fenced("TASK", case.task), "context": Message.of(*context), **answers}


def _looked_up(lookups: tuple[Lookup, ...]) -> str:
    searches = []
    for lookup in lookups:
        lines = [f"- {in_one_line(f'{one.title} ({one.url}): {one.snippet}')}" for one in lookup.findings]
        searches += ["\n".join((f"Search: {in_one_line(lookup.query)}", *lines))] if lines else []
    return "\n\n".join(searches)


def _findings(question: CompareQuestion) -> str:
    names = {"task": "The task", "context": "The context", "search": "The search results"}
    names |= {label: f"Answer {n}" for n, label in enumerate(question.shown, start=1)}
    found = {
        f"- {names[fact.where]}: {_FINDINGS[fact.name]}\n"
        for fact in question.facts
        if fact.certain and fact.name in _FINDINGS
    }
    # Sort the findings by the order shown. The order of the case would reveal which answer is A.
    return "\nFound by a program, and certain:\n" + "".join(sorted(found)) if found else ""


# -- reading ----------------------------------------------------------------------------------------------------------


class _BadQuote(NamedTuple):
    """A quote that cannot be used as evidence, and why."""

    criterion: str
    answer: Label
    quote: str
    reason: str

    def described(self, answer: str) -> str:
        return f"{self.criterion}: the quote {self.quote[:120]!r} from {answer} {self.reason}"


class Comparer(Role[CompareQuestion, ComparisonOpinion]):
    """Asks for and reads comparisons."""

    folder, file = _PROMPTS, "comparer"
    schema_name = "comparison"
    terms = MappingProxyType({"min_words": str(MIN_WORDS), "max_words": str(MAX_WORDS)})

    def shape(self, question: CompareQuestion) -> Shape:
        return _reply_shape(question.rubric)

    def messages(self, question: CompareQuestion) -> tuple[str, Message]:
        texts = _shown_texts(question.case, question.shown, _looked_up(question.lookups))
        user = prompts.load(_PROMPTS, "comparer").message("user", findings=_findings(question), **texts)
        return _system(question.rubric), user

    def build(
        self, question: CompareQuestion, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str
    ) -> Reading[ComparisonOpinion]:
        case, shown, criteria = question.case, question.shown, reply["criteria"]
        number = {label: n for n, label in enumerate(shown, start=1)}
        answers = case.haystacks
        check = WordChecker((case.task, case.context, *answers.values(), _looked_up(question.lookups)))
        most = _MOST_QUOTES * len(question.rubric.criteria)
        found, bad, counted = _locate(shown, answers, [*_required_quotes(criteria), *reply["more_evidence"][:most]])
        reasons = _Reasons(reply, found, shown, check)
        if reasons.empty:
            return Reading(None, reasons.empty)
        reasons.replace(again.get("reasons", []))
        came = [quote for quote in again.get("evidence", [])[:most] if reasons.is_good(quote["rationale"])]
        more, _, _ = _locate(shown, answers, came)

        def score(key: str, n: int) -> Score:
            value = Decimal(str(criteria[key][f"score_{n}"]))
            return Score(value=value, justification=reasons.shown(f"{key}.justification_{n}", scored(value)))

        scores = {key: {label: score(key, number[label]) for label in LABELS} for key in criteria}
        evidence = _each_once((*(reasons.mended(item, scores) for item in found), *more))
        quoted = {(item.criterion, item.answer) for item in evidence}
        unquoted = tuple(
            # An answer without words needs no quote.
            (key, label)
            for key in criteria
            for label in LABELS
            if (key, label) not in quoted and answers[label].word_count
        )
        dropped = (quote.described(f"response {quote.answer}") for quote in _lost(bad, more))
        replaced = (f"{_in_case(place, shown)}: {why}" for place, why in reasons.wrong if not reasons.has_new(place))
        preferences: dict[str, Winner] = {"answer_1": shown[0], "answer_2": shown[1], "tie": "tie"}
        opinion = ComparisonOpinion(
            judge=judge,
            order=question.order,
            scores=scores,
            evidence=evidence,
            unquoted=unquoted,
            quoted=counted,
            summaries={label: reasons.shown(f"summary_{number[label]}") for label in LABELS},
            preference=preferences[reply["preference"]],
            rationale=reasons.shown("rationale"),
            warnings=(
                *(Warning(code="dropped_quote", message=message) for message in dropped),
                *(Warning(code="replaced_reason", message=message) for message in replaced),
            ),
        )
        problems = [quote.described(f"Answer {number[quote.answer]}") for quote in bad]
        problems += [f"{key}: no usable quote from Answer {number[label]}" for key, label in unquoted]
        problems += [f"{place}: {why}" for place, why in reasons.wrong]
        return Reading(opinion, tuple(problems), reply, _replacements_shape(question.rubric, bool(reasons.wrong)))


class _Reasons:
    """The reasons of one reply, by their places in it. A reason that quotes invented words is never shown."""

    def __init__(
        self, reply: Mapping[str, Any], found: list[Evidence], shown: tuple[Label, Label], check: WordChecker
    ) -> None:
        self._shown, self._check, self._new = shown, check, dict[str, str]()
        self._words = {place: reply[place] for place in _WHOLE}
        for key, marks in reply["criteria"].items():
            self._words |= {f"{key}.justification_{n}": marks[f"justification_{n}"] for n in _ANSWERS}
        written = [*self._words.items(), *((self._place(item), item.rationale) for item in found)]
        self.empty = tuple(dict.fromkeys(f"{place}: empty" for place, words in written if not words.strip()))
        self._faults = {words: why for _, words in written if (why := check.invented_quote(words))}
        self.wrong = [(place, self._faults[words]) for place, words in written if words in self._faults]

    def is_good(self, words: str) -> bool:
        """Tell whether words of a repair round may be shown."""
        return bool(words.strip()) and not self._check.invented_quote(words)

    def replace(self, given: Iterable[Mapping[str, str]]) -> None:
        """Take the good ones of a repair round's reasons."""
        self._new = {
            new["place"]: in_case_labels(new["words"], self._shown) for new in given if self.is_good(new["words"])
        }

    def has_new(self, place: str) -> bool:
        """Tell whether the repair round brought a good reason for this place."""
        return place in self._new

    def shown(self, place: str, ours: str = NOT_IN_THE_TEXT) -> str:
        """Return the reason at a place; if it is wrong, the new one, or else our own words."""
        words = self._words[place]
        return self._new.get(place, ours) if words in self._faults else in_case_labels(words, self._shown)

    def mended(self, item: Evidence, scores: Mapping[str, Mapping[Label, Score]]) -> Evidence:
        """Return a piece of evidence with a rationale that may be shown."""
        if item.rationale not in self._faults:
            return item
        ours = scored(scores[item.criterion][item.answer].value)
        return item.updated(rationale=self._new.get(self._place(item), ours))

    def _place(self, item: Evidence) -> str:
        return f"{item.criterion}.rationale_{self._shown.index(item.answer) + 1}"


def _required_quotes(criteria: Mapping[str, Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """Yield the required quote of each criterion and answer, in the form of the further quotes."""
    for key, marks in criteria.items():
        for n in _ANSWERS:
            parts = {part: marks[f"{part}_{n}"] for part in ("quote", "impact", "rationale")}
            yield {"criterion": key, "answer": n, **parts}


def _locate(
    shown: tuple[Label, Label], answers: Mapping[Label, Haystack], quotes: Iterable[Mapping[str, Any]]
) -> tuple[list[Evidence], list[_BadQuote], QuoteCount]:
    """Return the quotes that were found, with their places, those that were not, and how many are invented.

    Empty quotes are skipped. Quotes of a very short answer are not counted, because it is quoted whole in any case.
    """
    found: list[Evidence] = []
    bad: list[_BadQuote] = []
    there: list[bool] = []
    for given in quotes:
        label = shown[given["answer"] - 1]
        answer = answers[label]
        place = _place(answer, given["quote"])
        if place is None:
            continue
        if answer.word_count >= MIN_WORDS:
            there.append(isinstance(place, Span) or not place.absent)
        if isinstance(place, Miss):
            bad.append(_BadQuote(given["criterion"], label, given["quote"], place.reason))
            continue
        found.append(
            Evidence(
                criterion=given["criterion"],
                answer=label,
                impact=given["impact"],
                quote=answer.text[place.start : place.end],
                rationale=in_case_labels(given["rationale"], shown),
                start=place.start,
                end=place.end,
            )
        )
    return list(_each_once(found)), bad, QuoteCount.of(there)


def _place(answer: Haystack, quote: str) -> Span | Miss | None:
    """Locate a quote; None for an empty one. A very short answer is quoted whole, whatever the judge wrote."""
    if 0 < answer.word_count < MIN_WORDS:
        whole = answer.text.strip()
        start = answer.text.index(whole)
        return Span(start, start + len(whole))
    return answer.locate([quote])[0] if answer.word_count and quote.strip() else None


def _each_once(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Return the evidence without duplicates: each span and impact once per criterion."""
    found: dict[tuple[str, Label, Impact, int, int], Evidence] = {}
    for item in evidence:
        found.setdefault((item.criterion, item.answer, item.impact, item.start, item.end), item)
    return tuple(found.values())


def _lost(bad: list[_BadQuote], more: Iterable[Evidence]) -> Iterable[_BadQuote]:
    """Yield the bad quotes that no good quote of the repair round replaces."""
    came = Counter((item.criterion, item.answer) for item in more)
    for quote in bad:
        came[quote.criterion, quote.answer] -= 1
        if came[quote.criterion, quote.answer] < 0:
            yield quote


def _in_case(place: str, shown: tuple[Label, Label]) -> str:
    """Return the name of a place in the reply, with the case's labels."""
    part, _, number = place.rpartition("_")
    return f"{part} of response {shown[int(number) - 1]}" if number.isdigit() else place


_QUERIES = Shape(object_of("queries", {"queries": list[str]}))


class Researcher(Role[ResearchQuestion, Research]):
    """Asks for and reads lists of searches. It judges nothing."""

    folder, file = _PROMPTS, "researcher"
    schema_name = "searches"

    def shape(self, question: ResearchQuestion) -> Shape:
        return _QUERIES

    def messages(self, question: ResearchQuestion) -> tuple[str, Message]:
        file = prompts.load(_PROMPTS, "researcher")
        return file.render("system", limit=str(MAX_QUERIES)), file.message("user", **_shown_texts(question.case))

    def build(
        self, question: ResearchQuestion, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str
    ) -> Reading[Research]:
        cleaned = (" ".join(query.split())[:_MAX_QUERY_CHARACTERS] for query in reply["queries"])
        unique = dict.fromkeys(query for query in cleaned if query)
        return Reading(Research(judge=judge, queries=tuple(unique)[:MAX_QUERIES]))


COMPARER, RESEARCHER = Comparer(), Researcher()
