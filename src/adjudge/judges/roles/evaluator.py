"""The Evaluator: a score, a one-sentence reason and a quote for every criterion of a conversation."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from ... import prompts
from ...llm.base import Prompt
from ...models import Evaluation, Mark, Warning
from ...rubric import Rubric
from ..base import EvaluateQuestion
from .base import Reading, Shape, object_of, scores_of
from .transcripts import (
    BadQuote,
    Speaker,
    Transcript,
    as_reply,
    ask_again,
    dropped,
    example,
    read_criteria,
    repaired,
    shown,
    system_prompt,
)


@lru_cache(maxsize=16)
def _shape(rubric: Rubric) -> Shape:
    """Each criterion has a quote of its own, in a field that cannot be left out.

    Quote and reason stand before the score, so that the score follows from them.
    """
    mark = object_of("mark", {"speaker": Speaker, "quote": str, "reason": str, "score": scores_of(rubric)})
    criteria = object_of("criteria", {item.key: mark for item in rubric.criteria})
    return Shape(object_of("evaluation", {"criteria": criteria}))


@lru_cache(maxsize=16)
def _system(rubric: Rubric) -> str:
    return system_prompt("evaluator", rubric, as_reply(example()["evaluation"]))


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
        reply = read_criteria(_shape(question.rubric), text, "reason")
        if isinstance(reply, tuple):
            return Reading(None, reply)
        transcript = Transcript(question.case)
        marks: dict[str, Mark] = {}
        bad: list[BadQuote] = []
        for item in question.rubric.criteria:
            given = reply[item.key]
            # An empty field is no quote: it is missing, not wrong.
            quotes, wrong = transcript.locate(item.key, [given] if given["quote"].strip() else [])
            reason, invented = transcript.without_inventions(item.key, given["reason"])
            bad += [*wrong, *invented]
            marks[item.key] = Mark(value=Decimal(str(given["score"])), reason=reason, quotes=quotes)
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
        marks = dict(first.opinion.marks)
        had = {key: mark.quotes for key, mark in marks.items()}
        together, lost = repaired(question.case, question.rubric, text, first.unusable, had)
        for key, quotes in together.items():
            marks[key] = marks[key].updated(quotes=quotes)
        warnings = (*lost, *_unsupported(marks))
        return Reading(first.opinion.updated(marks=marks, warnings=warnings))


def _unsupported(marks: dict[str, Mark]) -> tuple[Warning, ...]:
    return tuple(
        Warning(code="missing_evidence", message=f"{key}: the evaluator gave no usable quote")
        for key, mark in marks.items()
        if not mark.quotes
    )


EVALUATOR = Evaluator()
