"""Anthropic's format: `POST /v1/messages`, with the instructions marked for the provider's prompt cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from ..models.common import Usage
from .base import TOOL_DESCRIPTION, Completion, Prompt, Sampling, UnreadableReplyError
from .http import Dialect, Format, HttpWire

VERSION = "2023-06-01"
DIALECT = Dialect(seed_field=None)
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")


def is_reply(content: bytes) -> bool:
    """Return whether this is a model's reply and not an error."""
    return b'"content"' in content and b'"type":"error"' not in content[:200].replace(b" ", b"")


def encode(model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect) -> bytes:
    """Encode the request as the bytes to send."""
    structure = dialect.structure
    system = prompt.system_with_schema if structure == "text" else prompt.system
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": min(sampling.max_tokens, dialect.max_tokens or sampling.max_tokens),
        "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": prompt.user}],
    }
    if dialect.temperature:
        body["temperature"] = sampling.temperature
    if structure == "json_schema":
        body["output_config"] = {"format": {"type": "json_schema", "schema": prompt.schema}}
    elif structure == "tool":
        tool = {"name": prompt.schema_name, "description": TOOL_DESCRIPTION, "input_schema": prompt.schema}
        body["tools"] = [tool]
        body["tool_choice"] = {"type": "tool", "name": prompt.schema_name}
    return orjson.dumps(body)


def decode(body: bytes) -> Completion:
    """Decode a message. If it uses a tool, the tool's input is the text."""
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


@dataclass(slots=True)
class AnthropicWire(HttpWire):
    """One Claude model."""

    format = Format("anthropic", is_reply, encode, decode)
    dialect: Dialect = DIALECT
