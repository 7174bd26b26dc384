"""What a wire is: it sends a prompt to one model and returns raw bytes. Decoding these is free and can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from ..models import Failure, Usage
from ..prompts.fence import Message

Structure = Literal["json_schema", "tool", "text"]
Sent = Mapping[str, str | int | float | None]


# How the code of a prompt's fence is called among what was really sent.
FENCE_CODE = "fence_code"


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that a model is sent, in the fence of this code; each wire gives it the provider's form."""

    system: str
    user: str
    schema: Mapping[str, Any]
    schema_name: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class BlankPrompt:
    """A prompt before its fence has a code: what a journal key is made of, so that the key does not depend on the code.

    `earlier_code` is that of the round before, so that what is repeated of it stays the same to the byte.
    """

    system: str
    user: Message
    schema: Mapping[str, Any]
    schema_name: str
    earlier_code: str = ""

    def with_secret(self, secret: bytes) -> Prompt:
        """The prompt with the code that it has in a journal with this secret."""
        return self.with_code(self.user.code(secret, self.earlier_code))

    def with_code(self, code: str) -> Prompt:
        """The prompt as it was sent with this code."""
        return Prompt(self.system, self.user.with_code(code), self.schema, self.schema_name, code)


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
    """A decoded reply; `code` is that of the prompt it answers, where the journal knows it."""

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
        """What identifies the model: part of every journal key, free of secrets."""
        ...

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        """Pay for one reply. `key` is the request's key in the journal, by which a batch names it."""
        ...

    def decode(self, body: bytes) -> Completion:
        """Decode a reply, new or stored."""
        ...

    async def close(self) -> None: ...


class WrappedWire:
    """Stands before another wire, and has its identity."""

    def __init__(self, inner: Wire) -> None:
        self.inner = inner
        self.provider, self.model = inner.provider, inner.model

    def identity(self) -> Mapping[str, Any]:
        return self.inner.identity()

    def decode(self, body: bytes) -> Completion:
        return self.inner.decode(body)

    async def close(self) -> None:
        await self.inner.close()
