"""The embedded judge: reads two answers, measures, weighs, quotes, and says in plain words what moved each score.

Deterministic and offline. It works from the form of the texts and the facts found in them; it knows nothing of the
world and says so. Conversations go to its Evaluator and its Critic, reviews to its Rater, which have
modules of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TypeVar, cast

from ...evidence import Span
from ...rubric import Rubric
from ...verdicts import LABELS, ComparisonOpinion, Evidence, Failure, Label, Research, Score, Warning, Winner
from ..base import CompareQuestion, CriticizeQuestion, EvaluateQuestion, Question, RateQuestion, ResearchQuestion
from .critic import criticize
from .evaluator import evaluate
from .features import AnswerReading, Feature, TaskReading, measure, read_answer, read_task
from .quoting import SHOWN, quote_for
from .rater import rate
from .weighing import TIE, Weighing, impression, on_scale, weigh
from .wording import justify, lead, rationale, summarize

O = TypeVar("O")
_OTHER: Mapping[Label, Label] = {"A": "B", "B": "A"}
_Features = Mapping[str, Feature]
LARGE = 100_000  # characters that take long enough for others to notice


class EmbeddedJudge:
    """Gives opinions from text features alone."""

    @property
    def name(self) -> str:
        """How this judge is called everywhere."""
        return "embedded"

    async def opine(self, question: Question[O]) -> O | Failure:
        """The opinion asked for; the same for both orders of the same case."""
        if isinstance(question, CompareQuestion):
            if len(question.case.a) + len(question.case.b) > LARGE:
                return cast(O, await asyncio.to_thread(compare_texts, question))
            return cast(O, compare_texts(question))
        if isinstance(question, EvaluateQuestion):
            return cast(O, evaluate(question))
        if isinstance(question, CriticizeQuestion):
            return cast(O, criticize(question))
        if isinstance(question, RateQuestion):
            return cast(O, rate(question))
        if isinstance(question, ResearchQuestion):
            return cast(O, Research(judge=self.name, queries=()))
        return Failure(reason="rejected", message=f"cannot answer a {type(question).__name__}", judge=self.name)

    async def close(self) -> None:
        """Nothing to let go of."""


def compare_texts(question: CompareQuestion) -> ComparisonOpinion:
    """One opinion on both answers. Each is measured by the same function, so exchanging them exchanges the result."""
    case, rubric = question.case, question.rubric
    task = read_task(case.task)
    answers = {
        label: read_answer(case.answer(label), [fact for fact in question.facts if fact.where == label])
        for label in LABELS
    }
    features = {label: measure(task, answers[label], answers[_OTHER[label]].new_words) for label in LABELS}
    weighings = {
        label: {criterion.key: weigh(criterion.key, features[label]) for criterion in rubric.criteria}
        for label in LABELS
    }
    weights = {key: case.weights.get(key, weight) for key, weight in rubric.weights.items()}
    impressions = {label: impression(weighings[label], weights) for label in LABELS}
    evidence, warnings = _quote(rubric, task, answers, features, weighings)
    preference = _prefer(impressions)
    values = rubric.scale.values
    return ComparisonOpinion(
        judge="embedded",
        order=question.order,
        scores={
            criterion.key: {
                label: Score(
                    value=on_scale(weighings[label][criterion.key].place, values),
                    justification=justify(criterion.key, weighings[label][criterion.key], features[label]),
                )
                for label in LABELS
            }
            for criterion in rubric.criteria
        },
        evidence=tuple(evidence),
        summaries={label: summarize(weighings[label].values(), features[label]) for label in LABELS},
        preference=preference,
        rationale=rationale(preference, weighings, features, weights),
        warnings=tuple(warnings),
    )


def _prefer(impressions: Mapping[Label, float]) -> Winner:
    difference = impressions["A"] - impressions["B"]
    if abs(difference) < TIE:
        return "tie"
    return "A" if difference > 0 else "B"


def _quote(
    rubric: Rubric,
    task: TaskReading,
    answers: Mapping[Label, AnswerReading],
    features: Mapping[Label, _Features],
    weighings: Mapping[Label, Mapping[str, Weighing]],
) -> tuple[list[Evidence], list[Warning]]:
    """For each criterion and answer the passage that shows what set the two answers apart."""
    evidence: list[Evidence] = []
    warnings: list[Warning] = []
    spans: dict[tuple[Label, str], Span | None] = {}
    for key in (criterion.key for criterion in rubric.criteria):
        for label in LABELS:
            own, other = weighings[label][key], weighings[_OTHER[label]][key]
            feature, favorable = lead(own, other)
            if (label, feature) not in spans:
                spans[label, feature] = quote_for(feature, task, answers[label])
            span = spans[label, feature]
            if span is None:
                message = f"{key}: response {label} has no passage that can be quoted"
                warnings.append(Warning(code="missing_evidence", message=message))
                continue
            mine, theirs = features[label][feature], features[_OTHER[label]][feature]
            beside = "" if mine.counted == theirs.counted or feature == "length" else f" (the other: {theirs.counted})"
            evidence.append(
                Evidence(
                    criterion=key,
                    answer=label,
                    impact="favorable" if favorable else "unfavorable",
                    quote=answers[label].text[span.start : span.end],
                    rationale=f"{SHOWN[feature]}: {mine.says}{beside}.",
                    start=span.start,
                    end=span.end,
                )
            )
    return evidence, warnings
