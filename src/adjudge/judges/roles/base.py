"""What a role is: a prompt to send, a reading of what came back, and one repair round between them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar

import orjson
from pydantic import BeforeValidator, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ... import prompts
from ...llm.base import BlankPrompt
from ...prompts.fence import Message, fenced
from ...rubric import Scale

O = TypeVar("O")
Q = TypeVar("Q")

_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A<think>.*?</think>", re.DOTALL)
_MAX_PROBLEMS = 12


@dataclass(frozen=True, slots=True)
class Reading(Generic[O]):
    """What could be read from a reply: an opinion, what is wrong with it, or both.

    `replacements` is the shape of what is asked for where only parts of `reply` are wrong; None to ask for all again.
    """

    opinion: O | None
    problems: tuple[str, ...] = ()
    reply: Mapping[str, Any] | None = None
    replacements: Shape | None = None


class Shape:
    """What a reply must look like: it checks replies, and it is the JSON schema that is sent along.

    A reply becomes plain dicts, which costs half of what model objects would.
    """

    def __init__(self, typed_dict: Any) -> None:
        self._adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(typed_dict)

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        return _inlined(self._adapter.json_schema())

    def parse(self, text: str) -> dict[str, Any] | tuple[str, ...]:
        """The whole reply as an object, or what is wrong with it. Never a part of it that happens to fit."""
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
    """The type of an object with these fields, all of them needed, for shapes that depend on a rubric."""
    make: Any = TypedDict  # made at run time, so no type checker can follow
    return make(name, dict(fields))


def _no_truth_value(value: object) -> object:
    # Python calls `true` equal to 1, so it would pass for a score.
    if isinstance(value, bool):
        raise ValueError("a number is needed, not true or false")
    return value


A_NUMBER = BeforeValidator(_no_truth_value)


def scores_of(scale: Scale) -> Any:
    """The type of a score on this scale."""
    values = tuple(int(value) if value == int(value) else float(value) for value in scale.values)
    return Annotated[Literal[values], A_NUMBER]


def _say(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"]) or "the reply"
    if error["type"] == "missing":
        return f"{place}: missing"
    return f"{place}: {str(error['input'])[:80]!r}: {error['msg']}"


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema with no references, titles or defaults, and closed objects: the common ground of all providers."""
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
    """How an LLM is asked one kind of question: the first message, the reading of its reply, and one repair round."""

    file: str  # the prompt file, with the parts `repair` and, where parts of a reply can be mended, `replacements`
    schema_name: str
    terms: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def shape(self, question: Q) -> Shape:
        """What a reply must look like."""

    @abstractmethod
    def messages(self, question: Q) -> tuple[str, Message]:
        """The system prompt and the first message."""

    @abstractmethod
    def build(self, question: Q, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str) -> Reading[O]:
        """The opinion in a reply of the right shape, checked; `again` is what came to replace wrong parts of it."""

    def prompt(self, question: Q) -> BlankPrompt:
        """All that is sent first."""
        return BlankPrompt(*self.messages(question), self.shape(question).schema, self.schema_name)

    def read(self, question: Q, text: str, judge: str) -> Reading[O]:
        """The reply, parsed and checked."""
        reply = self.shape(question).parse(text)
        return Reading(None, reply) if isinstance(reply, tuple) else self.build(question, reply, {}, judge)

    def repair(self, question: Q, prompt: BlankPrompt, text: str, reading: Reading[O]) -> BlankPrompt:
        """The first message again, with the reply to it and exactly what was wrong with that.

        Both hold words of the model's, and these may be the material's: so they are fenced, and no turn of the model's.
        """
        shape = reading.replacements
        reply = fenced("YOUR REPLY", text)
        problems = fenced("PROBLEMS", "\n".join(f"- {problem}" for problem in reading.problems))
        part = "repair" if shape is None else "replacements"
        message = prompts.load(self.file).message(part, reply=reply, problems=problems, **self.terms)
        schema = prompt.schema if shape is None else shape.schema
        return replace(prompt, user=Message.of(prompt.user, "\n\n", message), schema=schema)

    def read_repair(self, question: Q, first: Reading[O], text: str, judge: str) -> Reading[O]:
        """The reply to that, together with what was already good."""
        if first.reply is None or first.replacements is None:
            return self.read(question, text, judge)
        again = first.replacements.parse(text)
        given = {} if isinstance(again, tuple) else again
        return Reading(self.build(question, first.reply, given, judge).opinion)
