"""The embedded judge measures the texts, weighs the measures, and says in plain words what it found.

It is deterministic and works offline. It knows nothing about the world, follows no argument, and says so. How it
answers a question belongs to the question's protocol; what several protocols measure is here.
"""

from __future__ import annotations

from functools import partial
from typing import TypeVar, cast

from ...computing import computed
from ...models.common import Failure
from ..base import ASKED, Question
from .model import Model

O = TypeVar("O")


class EmbeddedJudge:
    """Gives opinions from measures alone. Comparisons use the shipped model or a model of the user's own."""

    def __init__(self, model: Model | None = None, name: str = "embedded") -> None:
        self._model = model
        self.name = name

    async def opine(self, question: Question[O]) -> O | Failure:
        """Return the opinion asked for. It is the same for both orders of the same case."""
        asked = ASKED.get(type(question))
        if asked is None or (answer := asked.embedded) is None:
            message = f"cannot answer a {type(question).__name__}"
            return Failure(reason="rejected", message=message, judge=self.name)
        return cast(O, await computed(question.case.size, partial(answer, question, self.name, self._model)))

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""
