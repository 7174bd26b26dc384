"""The Asker answers the questions of a rubric: yes or no, or a level, each with a reason and a quote of the answer.

Every quote is looked up in the answer, and so are the quotations inside reasons. What fails is asked for once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from ... import prompts
from ...judges.role import Reading, Role, Shape, object_of, scores_of
from ...models.common import QuoteCount, Warning
from ...prompts.fence import Message, fenced, in_one_line
from ...rubric import Rubric
from ...text.reasons import WordChecker
from .questions import AskQuestion, Findings, ItemFinding, State
from .quotes import MIN_WORDS, TOO_SHORT, Texts, answer_shown, sources_shown
from .rubric import Item, items_of
from .verdict import Quote

PROMPTS = Path(__file__).parent / "prompts"
_SHOWN = 120
_STEPPED = (
    "\n- The answer is a series of steps, with the calls of tools and their results. A quote may come from any of them;"
    " `step` is the number of the step it is from. The last ASSISTANT step is what the person got to read."
)


@lru_cache(maxsize=32)
def _shape(rubric: Rubric, stepped: bool) -> Shape:
    """Return the form of a reply: for each item the quote and the reason before the answer."""
    return Shape(object_of("answers", {item.key: _answer(item, stepped) for item in _asked(rubric)}))


def _answer(item: Item, stepped: bool) -> Any:
    quote = _quote_fields(stepped) if item.quote else {}
    if item.kind == "scale":
        return object_of(item.key, {**quote, "reason": str, "level": scores_of(item.scale)})
    allowed = ("yes", "no") if item.required else ("yes", "no", "not_applicable")
    return object_of(item.key, {**quote, "reason": str, "answer": Literal[allowed]})


def _quote_fields(stepped: bool) -> dict[str, Any]:
    return {"quote": str, "step": int} if stepped else {"quote": str}


@lru_cache(maxsize=32)
def _replacements_shape(rubric: Rubric, stepped: bool) -> Shape:
    key: Any = Literal[tuple(item.key for item in _asked(rubric))]
    entry = object_of("replacement", {"item": key, **_quote_fields(stepped), "reason": str})
    return Shape(object_of("replacements", {"items": list[entry]}))  # type: ignore[valid-type]


def _asked(rubric: Rubric) -> tuple[Item, ...]:
    return tuple(item for item in items_of(rubric) if item.kind in ("ask", "scale"))


@lru_cache(maxsize=32)
def _system(rubric: Rubric, stepped: bool) -> str:
    lines = []
    for item in _asked(rubric):
        question = in_one_line(item.guidance)
        if item.kind == "scale":
            levels = "".join(f"\n  {level}: {meaning}" for level, meaning in item.bands)
            lines.append(f"- {item.key}: {question} Choose a level:{levels}")
        else:
            allowed = "yes or no" if item.required else "yes, no or not_applicable"
            lines.append(f"- {item.key}: {question} ({allowed}{'' if item.quote else '; no quote'})")
    return prompts.load(PROMPTS, "asker").render(
        "system", items="\n".join(lines), min_words=str(MIN_WORDS), steps=_STEPPED if stepped else ""
    )


class Asker(Role[AskQuestion, Findings]):
    """Asks for and reads the answers to a rubric's questions."""

    folder, file, schema_name = PROMPTS, "asker", "answers"
    terms = {"min_words": str(MIN_WORDS)}  # noqa: RUF012  # as in the base class

    def shape(self, question: AskQuestion) -> Shape:
        return _shape(question.rubric, bool(question.case.steps))

    def messages(self, question: AskQuestion) -> tuple[str, Message]:
        case, shown = question.case, sources_shown(question.case)
        sources = Message.of("\n", shown) if len(shown.pieces) > 1 else Message.of("")
        user = self.prompts.message("user", task=fenced("TASK", case.task), sources=sources, answer=answer_shown(case))
        return _system(question.rubric, bool(case.steps)), user

    def build(
        self, question: AskQuestion, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str
    ) -> Reading[Findings]:
        texts = Texts(question.case)
        check = WordChecker(texts.all)
        if empty := tuple(f"{key}.reason: empty" for key, given in reply.items() if not given["reason"].strip()):
            return Reading(None, empty)
        better = {given["item"]: given for given in again.get("items", ())}
        found: dict[str, ItemFinding] = {}
        warnings: list[Warning] = []
        problems: list[str] = []
        there: list[bool] = []
        for item in question.items:
            given, new = reply[item.key], better.get(item.key, {})
            quote, wrong = _located(item, given, texts)
            if item.quote and given["quote"].strip():
                there.append(isinstance(quote, Quote) or TOO_SHORT in wrong)
            if wrong and not _needs_quote(item, given):
                warnings.append(Warning(code="dropped_quote", message=f"{item.key}: {wrong}"))
            elif wrong:
                problems.append(f"{item.key}: {wrong}")
                second, still = _located(item, {**given, **new}, texts) if new else (None, wrong)
                if isinstance(second, Quote):
                    quote = second
                else:
                    warnings.append(Warning(code=_lost(item, given), message=f"{item.key}: {still}"))
            reason = in_one_line(given["reason"])
            if invented := check.invented_quote(reason):
                problems.append(f"{item.key}.reason: {invented}")
                reason = in_one_line(new.get("reason", ""))
                if not reason or check.invented_quote(reason):
                    answer = given["level" if item.kind == "scale" else "answer"]
                    reason = f"Answered {answer}; the judge's reason quoted words that are not in the text."
                    warnings.append(Warning(code="replaced_reason", message=f"{item.key}: {invented}"))
            found[item.key] = _finding(item, given, quote, reason)
        opinion = Findings(judge=judge, items=found, warnings=tuple(warnings), quoted=QuoteCount.of(there))
        shape = _replacements_shape(question.rubric, bool(question.case.steps))
        return Reading(opinion, tuple(problems), reply, shape)


def _needs_quote(item: Item, given: Mapping[str, Any]) -> bool:
    return item.quote and (item.kind == "scale" or given["answer"] == "yes")


def _lost(item: Item, given: Mapping[str, Any]) -> Any:
    return "unproven" if item.kind == "ask" and given["answer"] == "yes" else "dropped_quote"


def _located(item: Item, given: Mapping[str, Any], texts: Texts) -> tuple[Quote | None, str]:
    """Return the quote, if it is there, and what is wrong with it, if it matters."""
    words = given.get("quote", "") if item.quote else ""
    if not words.strip():
        return None, "no quote of the answer" if _needs_quote(item, given) else ""
    found = texts.in_answer(words, given.get("step"))
    if isinstance(found, Quote):
        return found, ""
    return None, f"the quote {words[:_SHOWN]!r} {found}"


def _finding(item: Item, given: Mapping[str, Any], quote: Quote | None, reason: str) -> ItemFinding:
    evidence = (quote,) if quote else ()
    if item.kind == "scale":
        level = Fraction(Decimal(str(given["level"])))
        return ItemFinding(state="level", level=level, reason=reason, evidence=evidence)
    answer = given["answer"]
    state: State = "unproven" if answer == "yes" and item.quote and not quote else answer
    return ItemFinding(state=state, reason=reason, evidence=evidence)


ASKER = Asker()
