"""The Evaluator: a score, a one-sentence reason and a quote for every criterion of a conversation."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from ... import prompts
from ...rubric import Rubric
from ...verdicts import Evaluation, Mark, Warning
from ..base import EvaluateQuestion
from .base import Prompt, Reading, Shape, object_of
from .transcripts import (
    BadQuote,
    Quote,
    Transcript,
    as_reply,
    ask_again,
    criteria_of,
    dropped,
    empty_words,
    example,
    fits_example,
    replacements,
    scale_of,
    scores_of,
    shown,
    still_dropped,
)


@lru_cache(maxsize=16)
def _shape(rubric: Rubric) -> Shape:
    """Quote and reason stand before the score, so that the score follows from them."""
    mark = object_of("mark", {"quotes": list[Quote], "reason": str, "score": scores_of(rubric)})
    criteria = object_of("criteria", {item.key: mark for item in rubric.criteria})
    return Shape(object_of("evaluation", {"criteria": criteria}))


@lru_cache(maxsize=16)
def _system(rubric: Rubric) -> str:
    known = example()
    reply = as_reply(
        {
            key: {
                "quotes": [{"speaker": mark["speaker"], "quote": mark["quote"]}],
                "reason": mark["reason"],
                "score": mark["score"],
            }
            for key, mark in known["evaluation"].items()
        }
    )
    return prompts.load("evaluator").render(
        "system",
        criteria=criteria_of(rubric),
        example=f"An example, shortened\n{known['transcript']}{reply}" if fits_example(rubric) else "",
        **scale_of(rubric),
    )


class Evaluator:
    """Asks for and reads evaluations."""

    def prompt(self, question: EvaluateQuestion) -> Prompt:
        transcript = shown(question.case)
        fence = prompts.Fence.around(transcript)
        user = prompts.load("evaluator").render(
            "user", code=fence.code, transcript=fence.wrap("TRANSCRIPT", transcript)
        )
        return Prompt(_system(question.rubric), (user,), _shape(question.rubric).schema, "evaluation")

    def read(self, question: EvaluateQuestion, text: str, judge: str) -> Reading[Evaluation]:
        reply = _shape(question.rubric).parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        if empty := empty_words(reply, "reason"):
            return Reading(None, empty)
        transcript = Transcript(question.case)
        marks: dict[str, Mark] = {}
        bad: list[BadQuote] = []
        for item in question.rubric.criteria:
            given = reply["criteria"][item.key]
            quotes, wrong = transcript.locate(item.key, given["quotes"])
            reason, invented = transcript.without_inventions(item.key, given["reason"])
            bad += [*wrong, *invented]
            marks[item.key] = Mark(Decimal(str(given["score"])), reason, quotes)
        opinion = Evaluation(judge=judge, marks=marks, warnings=(*dropped(bad), *_unsupported(marks)))
        missing = [f"{key}: no usable quote" for key, mark in marks.items() if not mark.quotes]
        return Reading(opinion, (*(quote.told for quote in bad), *missing), tuple(bad))

    def repair(self, question: EvaluateQuestion, prompt: Prompt, text: str, reading: Reading[Evaluation]) -> Prompt:
        return ask_again("evaluator", question.rubric, prompt, text, reading)

    def read_repair(
        self, question: EvaluateQuestion, first: Reading[Evaluation], text: str, judge: str
    ) -> Reading[Evaluation]:
        if first.opinion is None:
            return self.read(question, text, judge)
        transcript = Transcript(question.case)
        marks = dict(first.opinion.marks)
        came: list[str] = []
        for key, given in replacements(question.rubric, text).items():
            quotes, _ = transcript.locate(key, given)
            came += [key] if quotes else []
            marks[key] = marks[key]._replace(quotes=tuple(dict.fromkeys((*marks[key].quotes, *quotes))))
        warnings = (*still_dropped(first.unusable, came), *_unsupported(marks))
        return Reading(replace(first.opinion, marks=marks, warnings=warnings))


def _unsupported(marks: dict[str, Mark]) -> tuple[Warning, ...]:
    return tuple(
        Warning(code="missing_evidence", message=f"{key}: the evaluator gave no usable quote")
        for key, mark in marks.items()
        if not mark.quotes
    )


EVALUATOR = Evaluator()
