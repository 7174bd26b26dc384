"""Evaluator and Critic: how a transcript is shown to a model, what is asked of it, and how its quotes and reasons are
checked. Shown are speaker and words only; acts, ratings and ids stay behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

import orjson
import yaml

from ... import prompts
from ...llm.base import BlankPrompt
from ...models import Critique, Evaluation, Mark, Objection, Warning
from ...models.cases import Dialogue, Speaker
from ...prompts.fence import fenced, in_one_line
from ...rubric import Rubric
from ..base import CriticizeQuestion, EvaluateQuestion
from .base import Reading, Role, Shape, object_of, scores_of
from .transcript_checks import (
    Quote,
    TranscriptChecker,
    UnusableQuote,
    UnusableReason,
    mended,
    problems_of,
    read_replacements,
    replaced,
    warnings_of,
    with_missing,
)

# -- asking -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _evaluation_shape(rubric: Rubric) -> Shape:
    """Each criterion has a quote of its own, in a field that cannot be left out.

    Quote and reason stand before the score, so that the score follows from them.
    """
    return _by_criterion(rubric, {"speaker": Speaker, "quote": str, "reason": str, "score": scores_of(rubric)})


@lru_cache(maxsize=16)
def _critique_shape(rubric: Rubric) -> Shape:
    judged = {"comment": str, "missing": str, "agree": bool, "contradicts": bool, "score": scores_of(rubric)}
    return _by_criterion(rubric, {"quotes": list[Quote], **judged})


def _by_criterion(rubric: Rubric, fields: Mapping[str, Any]) -> Shape:
    entry = object_of("entry", fields)
    return Shape(object_of("reply", {"criteria": object_of("criteria", dict.fromkeys(rubric.weights, entry))}))


@lru_cache(maxsize=16)
def _replacements_shape(rubric: Rubric, reasons: bool) -> Shape:
    """The reply to a request for better quotes, and for better reasons where some cannot be used."""
    key: Any = Literal[tuple(rubric.weights)]
    quote = object_of("quote", {"criterion": key, "speaker": Speaker, "quote": str})
    reason = object_of("reason", {"criterion": key, "words": str})
    fields = {"quotes": list[quote], **({"reasons": list[reason]} if reasons else {})}  # type: ignore[valid-type]
    return Shape(object_of("replacements", fields))


@lru_cache(maxsize=1)
def example() -> dict[str, Any]:
    """The example in the prompts, as data."""
    text = (resources.files("adjudge") / "prompts" / "dialogue_example.yaml").read_text("utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


@lru_cache(maxsize=32)
def _system(file: str, rubric: Rubric) -> str:
    """What a role is told before it sees a transcript: criteria, scale, and the example if it fits the rubric."""
    known = example()
    scores = {Decimal(mark["score"]) for mark in known["evaluation"].values()}
    fits = list(rubric.weights) == list(known["evaluation"]) and scores <= set(rubric.scale.values)
    if file == "evaluator":
        shown = _as_reply(known["evaluation"])
    else:
        told = "\n".join(f"{key}: {mark['score']}. {mark['reason']}" for key, mark in known["evaluation"].items())
        shown = f"{told}\n{_as_reply(example_critique())}"
    return prompts.load(file).render(
        "system",
        criteria="\n".join(f"- {item.key}: {' '.join(item.guidance.split())}" for item in rubric.criteria),
        example=f"An example, shortened\n{known['transcript']}{shown}" if fits else "",
        scale=", ".join(str(value) for value in rubric.scale.values),
        bands="; ".join(f"{value} {meaning}" for value, meaning in rubric.bands) or "low to high",
    )


def example_critique() -> dict[str, Any]:
    """The example's critique, in the form of a reply."""
    known = example()
    return {
        key: {
            "quotes": [{"speaker": entry["speaker"], "quote": entry["quote"]}] if "quote" in entry else [],
            "comment": entry["comment"],
            "missing": entry.get("missing", ""),
            "agree": entry["agree"],
            "contradicts": entry.get("contradicts", False),
            "score": entry.get("score", known["evaluation"][key]["score"]),
        }
        for key, entry in known["critique"].items()
    }


def _as_reply(criteria: Mapping[str, Any]) -> str:
    return orjson.dumps({"criteria": criteria}).decode()


def shown(case: Dialogue) -> str:
    """The transcript as a model sees it; an utterance of several lines is indented, so that it cannot begin a turn."""
    return "\n".join(
        f"[{number}] {turn.speaker}: " + "\n    ".join(turn.text.splitlines())
        for number, turn in enumerate(case.turns, start=1)
    )


def _ask(file: str, rubric: Rubric, shape: Shape, schema_name: str, **texts: str) -> BlankPrompt:
    user = prompts.load(file).message("user", **{name: fenced(name.upper(), text) for name, text in texts.items()})
    return BlankPrompt(_system(file, rubric), user, shape.schema, schema_name)


def _replacements(rubric: Rubric, reading: Reading[Any]) -> Shape:
    return _replacements_shape(rubric, any(isinstance(bad, UnusableReason) for bad in reading.unusable))


# -- reading ----------------------------------------------------------------------------------------------------------


def _criteria(shape: Shape, text: str, field: str) -> Mapping[str, Any] | tuple[str, ...]:
    """What a reply says of each criterion, or why it cannot be used; `field` is the sentence that none may lack."""
    reply = shape.parse(text)
    if isinstance(reply, tuple):
        return reply
    criteria: dict[str, Any] = reply["criteria"]
    empty = tuple(f"{key}.{field}: empty" for key, given in criteria.items() if not given[field].strip())
    for given in criteria.values():
        given[field] = " ".join(given[field].split())
    return empty or criteria


class Evaluator(Role[EvaluateQuestion, Evaluation]):
    """A score, a one-sentence reason and a quote for every criterion of a conversation."""

    file = "evaluator"

    def prompt(self, question: EvaluateQuestion) -> BlankPrompt:
        shape = _evaluation_shape(question.rubric)
        return _ask("evaluator", question.rubric, shape, "evaluation", transcript=shown(question.case))

    def read(self, question: EvaluateQuestion, text: str, judge: str) -> Reading[Evaluation]:
        reply = _criteria(_evaluation_shape(question.rubric), text, "reason")
        if isinstance(reply, tuple):
            return Reading(None, reply)
        check = TranscriptChecker(question.case)
        marks: dict[str, Mark] = {}
        unusable: list[UnusableQuote | UnusableReason] = []
        for key in question.rubric.weights:
            given = reply[key]
            value = Decimal(str(given["score"]))
            # An empty field is no quote: it is missing, not wrong.
            quotes, wrong = check.locate(key, [given] if given["quote"].strip() else [])
            bad = check.bad_reason(key, given["reason"])
            unusable += [*wrong, *([bad] if bad else [])]
            reason = replaced(bad, value, quotes) if bad else given["reason"]
            marks[key] = Mark(value=value, reason=reason, quotes=quotes)
        opinion = Evaluation(judge=judge, marks=marks, warnings=(*warnings_of(unusable), *_unsupported(marks)))
        missing = [f"{key}: no usable quote" for key, mark in marks.items() if not mark.quotes]
        return Reading(opinion, (*problems_of(unusable), *missing), tuple(unusable))

    def replacements(self, question: EvaluateQuestion, reading: Reading[Evaluation]) -> Shape:
        return _replacements(question.rubric, reading)

    def mend(
        self, question: EvaluateQuestion, first: Reading[Evaluation], given: Mapping[str, Any], judge: str
    ) -> Evaluation:
        assert first.opinion is not None
        again = read_replacements(TranscriptChecker(question.case), first, given)
        marks = mended(first.opinion.marks, first, again, lambda _, mark: mark.value, "reason")
        return first.opinion.updated(marks=marks, warnings=(*again.warnings, *_unsupported(marks)))


def _unsupported(marks: Mapping[str, Mark]) -> tuple[Warning, ...]:
    return tuple(
        Warning(code="missing_evidence", message=f"{key}: the evaluator gave no usable quote")
        for key, mark in marks.items()
        if not mark.quotes
    )


class Critic(Role[CriticizeQuestion, Critique]):
    """For every score of an evaluation, whether it holds, and if not, the quote that shows it."""

    file = "critic"

    def prompt(self, question: CriticizeQuestion) -> BlankPrompt:
        shape, transcript = _critique_shape(question.rubric), shown(question.case)
        evaluation = "\n".join(_evaluated(question))
        return _ask("critic", question.rubric, shape, "critique", transcript=transcript, evaluation=evaluation)

    def read(self, question: CriticizeQuestion, text: str, judge: str) -> Reading[Critique]:
        reply = _criteria(_critique_shape(question.rubric), text, "comment")
        if isinstance(reply, tuple):
            return Reading(None, reply)
        check = TranscriptChecker(question.case, _evaluated(question))
        entries: dict[str, Objection] = {}
        unusable: list[UnusableQuote | UnusableReason] = []
        for key in question.rubric.weights:
            given = reply[key]
            quotes, wrong = check.locate(key, given["quotes"])
            score = Decimal(str(given["score"]))
            agree = given["agree"] or score == question.evaluation.marks[key].value
            bad = check.bad_reason(key, given["comment"], given["missing"])
            # An agreement's quote is worth having, but not worth another call.
            unusable += [*(() if agree else wrong), *([bad] if bad else [])]
            value = question.evaluation.marks[key].value if agree else score
            entries[key] = Objection(
                agree=agree,
                comment=replaced(bad, value, quotes) if bad else with_missing(given["comment"], given["missing"]),
                suggested=None if agree else score,
                contradicts=given["contradicts"] and not agree,
                quotes=quotes,
                wanted_quote=bool(given["quotes"]),
            )
        missing = [
            f"{key}: a disagreement needs a quote from the transcript"
            for key, entry in entries.items()
            if not entry.agree and not entry.wanted_quote
        ]
        opinion = Critique(judge=judge, entries=entries, warnings=warnings_of(unusable))
        return Reading(opinion, (*problems_of(unusable), *missing), tuple(unusable))

    def replacements(self, question: CriticizeQuestion, reading: Reading[Critique]) -> Shape:
        return _replacements(question.rubric, reading)

    def mend(
        self, question: CriticizeQuestion, first: Reading[Critique], given: Mapping[str, Any], judge: str
    ) -> Critique:
        assert first.opinion is not None
        again = read_replacements(TranscriptChecker(question.case, _evaluated(question)), first, given)
        marks = question.evaluation.marks

        def value(key: str, entry: Objection) -> Decimal:
            return marks[key].value if entry.suggested is None else entry.suggested

        entries = mended(first.opinion.entries, first, again, value, "comment")
        for key in again.quotes:
            entries[key] = entries[key].updated(wanted_quote=True)
        return first.opinion.updated(entries=entries, warnings=again.warnings)


def _evaluated(question: CriticizeQuestion) -> list[str]:
    """The evaluation as the Critic sees it, a line for each criterion."""
    return [
        f"{key}: {mark.value}. {in_one_line(mark.justification)}" for key, mark in question.evaluation.marks.items()
    ]


EVALUATOR, CRITIC = Evaluator(), Critic()
