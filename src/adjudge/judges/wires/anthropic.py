"""The Anthropic wire: `POST /v1/messages`, the instructions marked for the provider's prompt cache."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from ...verdicts import Failure, Usage
from ..roles.base import Prompt
from .adapting import Post, deliver
from .base import Completion, Delivery, Sampling, Structure, UnreadableReplyError, written
from .http import Poster, Refused

VERSION = "2023-06-01"
_ROLES = ("user", "assistant")
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one Claude model takes; `max_tokens` is the most it will write, where it has said so."""

    temperature: bool = True
    structure: Structure = "json_schema"
    max_tokens: int | None = None


@dataclass(slots=True)
class AnthropicWire:
    """One Claude model."""

    provider: str
    model: str
    poster: Poster
    headers: Mapping[str, str]
    dialect: Dialect = Dialect()

    def identity(self) -> Mapping[str, Any]:
        return {"wire": "anthropic", "url": self.poster.url, "model": self.model}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        return await self.send_by(None, prompt, sampling)

    async def send_by(self, post: Post | None, prompt: Prompt, sampling: Sampling) -> Delivery | Failure:
        """The same by another way than straight over HTTP."""
        return await deliver(
            self, prompt, sampling, post, encode=encode, adapt=adapt, is_reply=is_reply, really_sent=really_sent
        )

    def decode(self, body: bytes) -> Completion:
        return decode(body)

    async def close(self) -> None:
        await self.poster.close()


def is_reply(content: bytes) -> bool:
    """Is this a model's reply?"""
    return b'"content"' in content and b'"type":"error"' not in content[:200].replace(b" ", b"")


def adapt(dialect: Dialect, refused: Refused) -> Dialect | None:
    """The dialect without what the server complains of; None if that cannot be told or is already left out."""
    if refused.status not in (400, 422):
        return None
    said = refused.message.lower()
    if limit := re.search(r"max_tokens: \d+ > (\d+)", said):
        return replace(dialect, max_tokens=int(limit[1]))
    if "temperature" in said and dialect.temperature:
        return replace(dialect, temperature=False)
    if re.search(r"output_config|output_format|schema|structured", said) and dialect.structure == "json_schema":
        return replace(dialect, structure="tool")
    if "tool" in said and dialect.structure == "tool":
        return replace(dialect, structure="text")
    return None


def really_sent(dialect: Dialect, sampling: Sampling) -> dict[str, str | int | float | None]:
    """What was really sent of the sampling and how the schema was asked for."""
    return {
        "temperature": sampling.temperature if dialect.temperature else None,
        "seed": None,
        "max_tokens": min(sampling.max_tokens, dialect.max_tokens or sampling.max_tokens),
        "structure": dialect.structure,
    }


def encode(model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect) -> bytes:
    """The request as the bytes that are sent."""
    system, structure = prompt.system, dialect.structure
    if structure == "text":
        system += "\n\nThe schema of your reply:\n" + orjson.dumps(prompt.schema).decode()
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": really_sent(dialect, sampling)["max_tokens"],
        "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": _ROLES[at % 2], "content": text} for at, text in enumerate(prompt.turns)],
    }
    if dialect.temperature:
        body["temperature"] = sampling.temperature
    if structure == "json_schema":
        body["output_config"] = {"format": {"type": "json_schema", "schema": written(prompt.schema)}}
    elif structure == "tool":
        body["tools"] = [
            {"name": prompt.schema_name, "description": "Hand in your reply.", "input_schema": written(prompt.schema)}
        ]
        body["tool_choice"] = {"type": "tool", "name": prompt.schema_name}
    return orjson.dumps(body)


def decode(body: bytes) -> Completion:
    """A message's content; a tool's input counts as content."""
    try:
        data = orjson.loads(body)
        blocks = data["content"]
        tools = [block["input"] for block in blocks if block["type"] == "tool_use"]
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        usage = data.get("usage") or {}
        read = int(usage.get("cache_read_input_tokens") or 0)
        kept = int(usage.get("cache_creation_input_tokens") or 0)
        stop = data.get("stop_reason")
        return Completion(
            text=orjson.dumps(tools[0]).decode() if tools else text,
            finish="refusal" if stop == "refusal" else "length" if stop in _CUT_OFF else "stop",
            model=str(data.get("model") or ""),
            usage=Usage(
                input_tokens=int(usage.get("input_tokens") or 0) + read + kept,
                output_tokens=int(usage.get("output_tokens") or 0),
                reasoning_tokens=int((usage.get("output_tokens_details") or {}).get("thinking_tokens") or 0),
                cache_read_tokens=read,
                cache_write_tokens=kept,
            ),
        )
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError, ValueError) as error:
        raise UnreadableReplyError(f"not a message: {error}") from None
