"""The base class of a role: it builds the prompt, reads the reply, and can ask once more for a repaired reply."""

from __future__ import annotations

import copyreg
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar

import orjson
from pydantic import BeforeValidator, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from .. import prompts
from ..llm.base import BlankPrompt, ReplySchema
from ..prompts import PromptFile
from ..prompts.fence import Message, fenced
from ..rubric import Scale

O = TypeVar("O")
Q = TypeVar("Q")

_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A<think>.*?</think>", re.DOTALL)
_MAX_PROBLEMS = 12


@dataclass(frozen=True, slots=True)
class Reading(Generic[O]):
    """The result of reading a reply: an opinion, the problems with the reply, or both.

    If only parts of `reply` are wrong, `replacements` is the shape of the parts to ask for. If None, ask for all again.
    """

    opinion: O | None
    problems: tuple[str, ...] = ()
    reply: Mapping[str, Any] | None = None
    replacements: Shape | None = None


class Shape:
    """The form that a reply must have. It checks replies and gives the JSON schema that is sent with the prompt.

    Replies are parsed into plain dicts, which takes half the time of model objects.
    """

    def __init__(self, typed_dict: Any) -> None:
        self._type = typed_dict
        self._adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(typed_dict)

    def __reduce__(self) -> tuple[Any, ...]:
        """Make it again from its type: replies to long texts are read in another process."""
        return Shape, (self._type,)

    @cached_property
    def schema(self) -> ReplySchema:
        return ReplySchema(_inlined(self._adapter.json_schema()))

    def parse(self, text: str) -> dict[str, Any] | tuple[str, ...]:
        """Return the whole reply as an object, or what is wrong with it. A part that happens to fit is never used."""
        body = text.strip()
        if not body.startswith("{"):
            body = _THOUGHT.sub("", body).strip()
            if fenced := _FENCED.match(body):
                body = fenced[1]
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            return (f"the reply is not one JSON object: {error.msg} at character {error.pos}",)
        try:
            return self._adapter.validate_python(data)
        except ValidationError as error:
            problems = [_say(item) for item in error.errors(include_url=False, include_context=False)]
            rest = len(problems) - _MAX_PROBLEMS
            return (*problems[:_MAX_PROBLEMS], *((f"and {rest} more like these",) if rest > 0 else ()))


def object_of(name: str, fields: Mapping[str, Any]) -> Any:
    """Return the type of an object with these fields, all required, for shapes that depend on a rubric."""
    make: Any = TypedDict  # the type is made at run time, which type checkers do not support
    return make(name, dict(fields))


def _made_again(made: Any) -> str | tuple[Any, ...]:
    """Tell pickle how to find a type of an object, or how to make it if it is no module's."""
    name: str = made.__qualname__
    found = getattr(sys.modules[made.__module__], name, None)
    return name if found is made else (object_of, (made.__name__, dict(made.__annotations__)))


copyreg.pickle(type(object_of("any", {})), _made_again)


def _no_truth_value(value: object) -> object:
    # In Python True == 1, so `true` would pass as a score.
    if isinstance(value, bool):
        raise ValueError("a number is needed, not true or false")
    return value


A_NUMBER = BeforeValidator(_no_truth_value)


def scores_of(scale: Scale) -> Any:
    """Return the type of a score on this scale."""
    values = tuple(int(value) if value == int(value) else float(value) for value in scale.values)
    return Annotated[Literal[values], A_NUMBER]


def _say(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"]) or "the reply"
    if error["type"] == "missing":
        return f"{place}: missing"
    return f"{place}: {str(error['input'])[:80]!r}: {error['msg']}"


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without references, titles and defaults and with closed objects: all providers accept that."""
    definitions = schema.pop("$defs", {})

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return walk(definitions[node["$ref"].rpartition("/")[2]])
        out: dict[str, Any] = {}
        for key, value in node.items():
            if key == "properties":
                out[key] = {name: walk(child) for name, child in value.items()}
            elif key == "const":
                out["enum"] = [value]
            elif key not in ("title", "default", "description"):
                out[key] = walk(value)
        if "enum" in out and "type" not in out and not any(isinstance(value, str) for value in out["enum"]):
            out["type"] = "number"
        if "properties" in out:
            out["additionalProperties"] = False
        return out

    inlined: dict[str, Any] = walk(schema)
    return inlined


class Role(ABC, Generic[Q, O]):
    """How an LLM is asked one kind of question: its first message, how its reply is read, and one repair round."""

    folder: Path  # where its prompt file is
    # The prompt file has a part `repair` and, if parts of a reply can be replaced, a part `replacements`.
    file: str
    schema_name: str
    extra_files: tuple[str, ...] = ()  # prompt files whose text is added for some questions only
    terms: Mapping[str, str] = MappingProxyType({})

    @property
    def prompts(self) -> PromptFile:
        """The role's prompts."""
        return prompts.load(self.folder, self.file)

    @abstractmethod
    def shape(self, question: Q) -> Shape:
        """Return the form that a reply must have."""

    @abstractmethod
    def messages(self, question: Q) -> tuple[str, Message]:
        """Return the system prompt and the first message."""

    @abstractmethod
    def build(self, question: Q, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str) -> Reading[O]:
        """Build and check the opinion from a reply of the right shape. `again` holds replacements for wrong parts."""

    def prompt(self, question: Q) -> BlankPrompt:
        """Return the first prompt, without its fence code."""
        return BlankPrompt(*self.messages(question), self.shape(question).schema, self.schema_name)

    def read(self, question: Q, text: str, judge: str) -> Reading[O]:
        """Parse and check the reply."""
        reply = self.shape(question).parse(text)
        return Reading(None, reply) if isinstance(reply, tuple) else self.build(question, reply, {}, judge)

    def repair(self, question: Q, prompt: BlankPrompt, text: str, reading: Reading[O]) -> BlankPrompt:
        """Return a prompt with the first message, the reply to it, and exactly what is wrong with that reply.

        The reply and the problems may repeat words of the judged material, so both are fenced inside the user message.
        """
        shape = reading.replacements
        reply = fenced("YOUR REPLY", text)
        problems = fenced("PROBLEMS", "\n".join(f"- {problem}" for problem in reading.problems))
        part = "repair" if shape is None else "replacements"
        message = self.prompts.message(part, reply=reply, problems=problems, **self.terms)
        schema = prompt.schema if shape is None else shape.schema
        return replace(prompt, user=Message.of(prompt.user, "\n\n", message), schema=schema)

    def read_repair(self, question: Q, first: Reading[O], text: str, judge: str) -> Reading[O]:
        """Read the reply to the repair prompt, together with the parts of the first reply that were good."""
        if first.reply is None or first.replacements is None:
            return self.read(question, text, judge)
        again = first.replacements.parse(text)
        given = {} if isinstance(again, tuple) else again
        return Reading(self.build(question, first.reply, given, judge).opinion)
