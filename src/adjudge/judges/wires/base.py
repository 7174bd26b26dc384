"""What a wire is: it sends a prompt and brings back raw bytes. Reading those costs nothing and can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import orjson

from ...verdicts import Failure, Usage

if TYPE_CHECKING:
    from ..roles.base import Prompt

Structure = Literal["json_schema", "tool", "text"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is asked; part of every journal key."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 8192


@dataclass(frozen=True, slots=True)
class Delivery:
    """A reply as it came, before anybody looked into it; `sent` says how it was really asked for."""

    body: bytes
    attempts: int
    sent: Mapping[str, str | int | float | None] = field(default_factory=dict)


class Completion(NamedTuple):
    """A reply's content."""

    text: str
    finish: Literal["stop", "length", "refusal"]
    model: str
    usage: Usage


class UnreadableReplyError(ValueError):
    """The provider's envelope is not what its documentation says."""


class Wire(Protocol):
    """A way to one model."""

    @property
    def provider(self) -> str:
        """Whose prices apply; empty if nobody's."""
        ...

    @property
    def model(self) -> str: ...

    def identity(self) -> Mapping[str, Any]:
        """What makes this model this model: part of every journal key, free of secrets."""
        ...

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        """Pay for one reply. `key` is the journal's: a wire whose replies come much later names the question by it."""
        ...

    def decode(self, body: bytes) -> Completion:
        """Read a reply, new or stored."""
        ...

    async def close(self) -> None: ...


_written: dict[int, tuple[Mapping[str, Any], orjson.Fragment]] = {}


def written(schema: Mapping[str, Any]) -> Any:
    """A schema as the JSON it is sent as, made once: it is half of every request, and the same in thousands."""
    known = _written.get(id(schema))
    if known is None or known[0] is not schema:
        if len(_written) >= 64:
            _written.clear()  # there are a few schemas to a rubric; whoever uses many rubrics pays now and then
        known = _written[id(schema)] = schema, orjson.Fragment(orjson.dumps(schema))
    return known[1]
