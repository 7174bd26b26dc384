"""A comparison: two answers to one task."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, Field

from ...models.cases import Case, OptionalText, Text
from ...models.common import LABELS, Label
from ...text.evidence import Haystack
from ...text.injection import without_attempts


class Comparison(Case, kw_only=False):
    """Two answers to one task."""

    protocol: ClassVar[str] = "compare"

    task: Text
    a: Text
    b: Text
    context: OptionalText = ""
    weights: Annotated[dict[str, Decimal], BeforeValidator(lambda given: given or {})] = Field(default_factory=dict)

    def answer(self, label: str) -> str:
        """Return the text of answer `A` or `B`."""
        return self.a if label == "A" else self.b

    @cached_property
    def haystacks(self) -> dict[Label, Haystack]:
        """Both answers, in which quotes are looked up. All orders, rounds and judges share them, so that the words of
        an answer are told apart once."""
        return {label: Haystack(self.answer(label)) for label in LABELS}

    @property
    def size(self) -> int:
        """The number of characters of all texts."""
        return sum(map(len, (self.task, self.a, self.b, self.context)))

    def without_attempts(self) -> Self:
        # The task is left: judging needs it.
        return self.updated(
            **{name: without_attempts(getattr(self, name), self.task) for name in ("a", "b", "context")}
        )
