"""A grading: one answer to a task, with what it is held against: a reference, and the sources it must rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ...errors import InputError
from ...models.base import Frozen, absent
from ...models.cases import AnyText, Case, OptionalText, Text, check_text
from ...text.injection import without_attempts

StepKind = Literal["instructions", "user", "assistant", "tool call", "tool result"]
_OWN_STEPS = ("assistant", "tool call", "tool result")
MAX_SOURCES = 200
MAX_ID = 100
MAX_STEPS = 10_000


class AnswerStep(Frozen):
    """One step of an answer that was given as messages. `name` is the tool's, if it is a call or a result; `failed`
    means that the result is marked as an error."""

    kind: StepKind
    text: AnyText
    name: str = Field(default="", exclude_if=lambda name: not name)
    failed: bool = Field(default=False, exclude_if=lambda failed: not failed)

    @property
    def label(self) -> str:
        """What the step is: `assistant`, `tool call get_weather`, `tool result get_weather (error)`."""
        return " ".join(filter(None, (self.kind, self.name, "(error)" if self.failed else "")))


class ContextText(Frozen):
    """One of the sources that the answer must rest on."""

    id: str
    text: str


def _sources(given: object) -> object:
    """Read the context: one text, or a list of texts or of objects with id and text. Blank texts are left out."""
    if given is None:
        return ()
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Sequence):
        raise InputError("context", "neither a text nor a list", 'a text, or a list of {"id": …, "text": …}')
    if len(given) > MAX_SOURCES:
        raise InputError("context", f"{len(given):,} texts", f"at most {MAX_SOURCES} are allowed")
    found: dict[str, ContextText] = {}
    for number, each in enumerate(given, start=1):
        one = _source(each, number)
        if one.id in found:
            raise InputError(f"context.{number}.id", f"{one.id!r} appears twice", "each id once")
        if one.text.strip():
            found[one.id] = one
    return tuple(found.values())


def _source(given: object, number: int) -> ContextText:
    place = f"context.{number}"
    if isinstance(given, ContextText):
        return given
    if isinstance(given, Mapping):
        if unknown := next((name for name in given if name not in ("id", "text")), None):
            raise InputError(f"{place}.{unknown}", "unknown field", "id and text are allowed")
        text, name = given.get("text"), given.get("id")
    else:
        text, name = given, None
    check_text(f"{place}.text", text, may_be_empty=True)
    name = str(number) if name is None or name == "" else str(name)
    check_text(f"{place}.id", name)
    if len(name) > MAX_ID or not name.isprintable():
        raise InputError(f"{place}.id", f"{name[:40]!r}", f"one line of at most {MAX_ID} characters is allowed")
    return ContextText(id=name, text=str(text))


class Grading(Case, kw_only=False):
    """One answer to a task.

    `answer` is the text that checks, claims and constraints read. If the answer was given as messages, `steps` holds
    all of them, numbered from 1, and `answer` is the last assistant text, or "" if there is none.
    """

    protocol: ClassVar[str] = "grade"

    task: Text
    answer: AnyText
    reference: OptionalText = ""
    context: Annotated[tuple[ContextText, ...], BeforeValidator(_sources)] = ()
    steps: tuple[AnswerStep, ...] = Field(default=(), exclude_if=absent)

    @model_validator(mode="after")
    def _answer_is_the_last_text(self) -> Self:
        if len(self.steps) > MAX_STEPS:
            raise InputError("answer", f"{len(self.steps):,} steps", f"at most {MAX_STEPS:,} are allowed")
        if self.steps and self.answer != final_text(self.steps):
            raise InputError("answer", "is not the last assistant text of its steps", "the same text")
        return self

    @property
    def size(self) -> int:
        """The number of characters of all texts."""
        return sum(map(len, (self.task, self.reference, *self.answer_texts, *(one.text for one in self.context))))

    @property
    def answer_texts(self) -> tuple[str, ...]:
        """What a quote of the answer may come from: the text of each step, or the answer alone."""
        return tuple(step.text for step in self.steps) if self.steps else (self.answer,)

    @property
    def is_empty(self) -> bool:
        """Whether no step of the answer has text. What the user or the instructions say is no part of the answer."""
        own = [step.text for step in self.steps if step.kind in _OWN_STEPS] if self.steps else [self.answer]
        return not any(text.strip() for text in own)

    @property
    def final_step(self) -> int | None:
        """The number of the step that is the answer, from 1. None if there are no steps, or none is."""
        return _final(self.steps)

    def without_attempts(self) -> Self:
        # The task is left: judging needs it.
        def clean(text: str) -> str:
            return without_attempts(text, self.task)

        steps = tuple(step.updated(text=clean(step.text)) for step in self.steps)
        return self.updated(
            answer=final_text(steps) if steps else clean(self.answer),
            steps=steps,
            reference=clean(self.reference),
            context=tuple(one.updated(text=clean(one.text)) for one in self.context),
        )


def _final(steps: Sequence[AnswerStep]) -> int | None:
    texts = [number for number, step in enumerate(steps, start=1) if step.kind == "assistant" and step.text.strip()]
    return texts[-1] if texts else None


def final_text(steps: Sequence[AnswerStep]) -> str:
    """Return the last assistant text, or "" if there is none."""
    number = _final(steps)
    return "" if number is None else steps[number - 1].text
