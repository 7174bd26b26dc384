"""What a role is: a prompt to send, a reading of what came back, and one repair round between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar

import orjson
from pydantic import BeforeValidator, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ...llm.base import Prompt
from ...rubric import Rubric

O = TypeVar("O")
Q_contra = TypeVar("Q_contra", contravariant=True)

_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A<think>.*?</think>", re.DOTALL)
_MAX_PROBLEMS = 12


@dataclass(frozen=True, slots=True)
class Reading(Generic[O]):
    """What could be read from a reply: an opinion, what is wrong with it, or both; `unusable`: bad quotes."""

    opinion: O | None
    problems: tuple[str, ...] = ()
    unusable: tuple[Any, ...] = ()


class Role(Protocol[Q_contra, O]):
    """How an LLM is asked one kind of question."""

    def prompt(self, question: Q_contra) -> Prompt:
        """The first message."""
        ...

    def read(self, question: Q_contra, text: str, judge: str) -> Reading[O]:
        """The reply, parsed and checked."""
        ...

    def repair(self, question: Q_contra, prompt: Prompt, text: str, reading: Reading[O]) -> Prompt:
        """The message that says exactly what was wrong."""
        ...

    def read_repair(self, question: Q_contra, first: Reading[O], text: str, judge: str) -> Reading[O]:
        """The reply to that, together with what was already good."""
        ...


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


def scores_of(rubric: Rubric) -> Any:
    """The type of a score on the rubric's scale."""
    values = tuple(int(value) if value == int(value) else float(value) for value in rubric.scale.values)
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


def bullets(problems: tuple[str, ...]) -> str:
    """Problems as the lines of a list."""
    return "\n".join(f"- {problem}" for problem in problems)
