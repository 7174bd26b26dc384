"""What a wire is: it sends a prompt to one model and returns raw bytes. Decoding these is free and can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol

from ..models import Failure, Usage
from ..text.control_tokens import defuse

Structure = Literal["json_schema", "tool", "text"]
Sent = Mapping[str, str | int | float | None]

_EMPTY_REPLY = "(no text)"


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that a model is sent; each wire gives it the provider's form."""

    system: str
    turns: tuple[str, ...]
    schema: Mapping[str, Any]
    schema_name: str

    def continued(self, reply: str, message: str, schema: Mapping[str, Any] | None = None) -> Prompt:
        """The same conversation after one more round. Turns alternate: ours, the model's, ours.

        Both new turns are defused, for they may quote the material with its markers; providers refuse an empty turn.
        """
        turns = (*self.turns, defuse(reply) if reply.strip() else _EMPTY_REPLY, defuse(message))
        return replace(self, turns=turns, schema=self.schema if schema is None else schema)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters; part of every journal key.

    `attempt` is how often a question may be asked anew whose stored reply turned out to be unusable.
    """

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 8192
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Delivery:
    """A reply as it came, not yet decoded; `sent` holds the parameters that were really sent."""

    body: bytes
    attempts: int
    sent: Sent = field(default_factory=dict)


class Completion(NamedTuple):
    """A decoded reply."""

    text: str
    finish: Literal["stop", "length", "refusal"]
    model: str
    usage: Usage


class UnreadableReplyError(ValueError):
    """The reply does not have the provider's documented form."""


class Wire(Protocol):
    """The connection to one model."""

    @property
    def provider(self) -> str:
        """The provider whose prices apply; empty if there are none."""
        ...

    @property
    def model(self) -> str: ...

    def identity(self) -> Mapping[str, Any]:
        """What identifies the model: part of every journal key, free of secrets."""
        ...

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        """Pay for one reply. `key` is the request's key in the journal, by which a batch names it."""
        ...

    def decode(self, body: bytes) -> Completion:
        """Decode a reply, new or stored."""
        ...

    async def close(self) -> None: ...
