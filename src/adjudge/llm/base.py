"""The types of a wire, which sends a prompt to a model and returns raw bytes. Decoding is free and can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import orjson

from ..journal import call_key
from ..models.common import Failure, Usage
from ..prompts.fence import Message

Structure = Literal["json_schema", "tool", "text"]
Sent = Mapping[str, str | int | float | None]

# The name under which a prompt's fence code is stored among the parameters that were sent.
FENCE_CODE = "fence_code"
# What a model reads before the schema of its reply, and about the tool with which it replies.
SCHEMA_TITLE = "The schema of your reply:\n"
TOOL_DESCRIPTION = "Hand in your reply."


class ReplySchema(dict[str, Any]):
    """The JSON schema of a reply. The prompts of a rubric share one, so that what follows from it is computed once."""

    @cached_property
    def key(self) -> str:
        """Its hash, for the keys of the journal."""
        return call_key(self)

    @cached_property
    def size(self) -> int:
        """Its length as JSON."""
        return len(orjson.dumps(self))


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything a model is sent; `code` is its fence code. Each wire converts it to the provider's format."""

    system: str
    user: str
    schema: ReplySchema
    schema_name: str
    code: str = ""

    @property
    def system_with_schema(self) -> str:
        """The instructions with the schema below them, for a model that can take it only as text."""
        return f"{self.system}\n\n{SCHEMA_TITLE}{orjson.dumps(self.schema).decode()}"


@dataclass(frozen=True, slots=True)
class BlankPrompt:
    """A prompt without a fence code. Journal keys are made from it, so that they do not depend on the code.

    `earlier_code` is the code of the previous round, so that text repeated from that round stays the same to the byte.
    """

    system: str
    user: Message
    schema: ReplySchema
    schema_name: str
    earlier_code: str = ""

    def with_secret(self, secret: bytes) -> Prompt:
        """Return the prompt with the code that is derived from this journal secret."""
        return self.with_code(self.user.code(secret, self.earlier_code))

    def with_code(self, code: str) -> Prompt:
        """Return the prompt with this code."""
        return Prompt(self.system, self.user.with_code(code), self.schema, self.schema_name, code)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters; part of every journal key.

    `attempt` is how often a request may be sent again if its stored reply turned out to be unusable.
    """

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 8192
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Delivery:
    """A raw reply, not yet decoded; `sent` holds the parameters that were actually sent."""

    body: bytes
    attempts: int
    sent: Sent = field(default_factory=dict)


class Completion(NamedTuple):
    """A decoded reply; `code` is the fence code of its prompt, if the journal has it."""

    text: str
    finish: Literal["stop", "length", "refusal"]
    model: str
    usage: Usage
    code: str = ""


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
        """Return what identifies the model. It is part of every journal key and contains no secrets."""
        ...

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        """Get one reply, which is paid for. `key` is the request's journal key, which identifies it in a batch."""
        ...

    def decode(self, body: bytes) -> Completion:
        """Decode a reply, new or stored."""
        ...

    async def close(self) -> None: ...


class WrappedWire:
    """Wraps another wire and has the same identity."""

    def __init__(self, inner: Wire) -> None:
        self.inner = inner
        self.provider, self.model = inner.provider, inner.model

    def identity(self) -> Mapping[str, Any]:
        return self.inner.identity()

    def decode(self, body: bytes) -> Completion:
        return self.inner.decode(body)

    async def close(self) -> None:
        await self.inner.close()
