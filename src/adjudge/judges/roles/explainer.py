"""The Explainer: two or three sentences on final tables that did not come out as the judge first told them."""

from __future__ import annotations

from typing import Any

from ... import prompts
from ...verdicts import LABELS, Explanation
from ..base import ExplainQuestion
from .base import Prompt, Reading, Shape, bullets, object_of

_SHAPE = Shape(object_of("explanation", {"reasons": str}))


class Explainer:
    """Asks for and reads explanations."""

    def prompt(self, question: ExplainQuestion) -> Prompt:
        tables = "\n\n".join(
            f"Response {number}\n"
            + "\n".join(
                f"- {item.name}: {question.tables[label][item.key][0]}. {question.tables[label][item.key][1]}"
                for item in question.rubric.criteria
            )
            for number, label in enumerate(LABELS, start=1)
        )
        fence = prompts.Fence.around(tables, *question.problems)
        system = prompts.load("explainer").render("system")
        user = prompts.load("explainer").render(
            "user",
            code=fence.code,
            tables=fence.wrap("TABLES", tables),
            verdict=question.verdict,
            problems=prompts.defuse(bullets(question.problems)) or "- nothing",
        )
        return Prompt(system, (user,), _SHAPE.schema, "explanation")

    def read(self, question: ExplainQuestion, text: str, judge: str) -> Reading[Explanation]:
        reply = _SHAPE.parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        reasons = " ".join(reply["reasons"].split())
        if not reasons:
            return Reading(None, ("reasons: empty",))
        return Reading(Explanation(judge=judge, reasons=reasons))

    def repair(self, question: ExplainQuestion, prompt: Prompt, text: str, reading: Reading[Any]) -> Prompt:
        return prompt.continued(text, prompts.load("explainer").render("repair", problems=bullets(reading.problems)))

    def read_repair(
        self, question: ExplainQuestion, first: Reading[Explanation], text: str, judge: str
    ) -> Reading[Explanation]:
        return self.read(question, text, judge)


EXPLAINER = Explainer()
