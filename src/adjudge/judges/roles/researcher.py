"""The researcher: says what should be looked up before two answers are compared. It judges nothing."""

from __future__ import annotations

from typing_extensions import TypedDict

from ... import prompts
from ...llm.base import Prompt
from ...models import Research
from ..base import MAX_QUERIES, ResearchQuestion
from .base import Reading, Role, Shape

_MAX_QUERY_CHARACTERS = 200


class _Queries(TypedDict):
    queries: list[str]


_SHAPE = Shape(_Queries)


class Researcher(Role[ResearchQuestion, Research]):
    """Asks for and reads lists of searches."""

    file = "researcher"

    def prompt(self, question: ResearchQuestion) -> Prompt:
        case, file = question.case, prompts.load("researcher")
        fence = prompts.Fence.around(case.task, case.context, case.a, case.b)
        user = file.render(
            "user",
            code=fence.code,
            task=fence.wrap("TASK", case.task),
            context=fence.wrap("CONTEXT", case.context) + "\n" if case.context.strip() else "",
            answer_1=fence.wrap("ANSWER 1", case.a),
            answer_2=fence.wrap("ANSWER 2", case.b),
        )
        return Prompt(file.render("system", limit=str(MAX_QUERIES)), (user,), _SHAPE.schema, "searches")

    def read(self, question: ResearchQuestion, text: str, judge: str) -> Reading[Research]:
        reply = _SHAPE.parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        cleaned = (" ".join(query.split())[:_MAX_QUERY_CHARACTERS] for query in reply["queries"])
        unique = dict.fromkeys(query for query in cleaned if query)
        return Reading(Research(judge=judge, queries=tuple(unique)[:MAX_QUERIES]))


RESEARCHER = Researcher()
