"""The researcher: says what should be looked up before two answers are compared. It judges nothing."""

from __future__ import annotations

from typing_extensions import TypedDict

from ... import prompts
from ...llm.base import BlankPrompt
from ...models import Research
from ...prompts.fence import Message, fenced
from ..base import MAX_QUERIES, ResearchQuestion
from .base import Reading, Role, Shape

_MAX_QUERY_CHARACTERS = 200


class _Queries(TypedDict):
    queries: list[str]


_SHAPE = Shape(_Queries)


class Researcher(Role[ResearchQuestion, Research]):
    """Asks for and reads lists of searches."""

    file = "researcher"

    def prompt(self, question: ResearchQuestion) -> BlankPrompt:
        case, file = question.case, prompts.load("researcher")
        user = file.message(
            "user",
            task=fenced("TASK", case.task),
            context=Message.of(fenced("CONTEXT", case.context), "\n") if case.context.strip() else "",
            answer_1=fenced("ANSWER 1", case.a),
            answer_2=fenced("ANSWER 2", case.b),
        )
        return BlankPrompt(file.render("system", limit=str(MAX_QUERIES)), user, _SHAPE.schema, "searches")

    def read(self, question: ResearchQuestion, text: str, judge: str) -> Reading[Research]:
        reply = _SHAPE.parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        cleaned = (" ".join(query.split())[:_MAX_QUERY_CHARACTERS] for query in reply["queries"])
        unique = dict.fromkeys(query for query in cleaned if query)
        return Reading(Research(judge=judge, queries=tuple(unique)[:MAX_QUERIES]))


RESEARCHER = Researcher()
