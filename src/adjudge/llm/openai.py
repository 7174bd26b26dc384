"""The OpenAI-compatible format: `POST …/chat/completions`, for OpenAI, Azure, Google, Mistral, Groq, OpenRouter, vLLM,
Ollama, llama.cpp and LM Studio. A parameter that a server rejects is left out of later requests, and this is recorded.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from ..models.common import Usage
from .base import TOOL_DESCRIPTION, Completion, Prompt, Sampling, UnreadableReplyError
from .http import Dialect, Format, HttpWire

# OpenAI's reasoning models accept no temperature.
_NO_TEMPERATURE = re.compile(r"(?:o\d|gpt-5)")

_LONGEST_ERROR = 4000
# JSON is commonly written with or without a space after the colon.
_NO_REPLY = (
    *(b'"choices":[]', b'"choices": []', b'"choices":null', b'"choices": null'),
    *(b'"finish_reason":"error"', b'"finish_reason": "error"'),
)


def is_reply(content: bytes) -> bool:
    """Return whether this is a model's reply; some gateways send errors as a completion with status 200."""
    if b'"choices"' not in content:
        return False
    # Errors are short. A long reply may quote one, so it is not searched.
    if len(content) > _LONGEST_ERROR:
        return True
    return not content.lstrip().startswith(b'{"error"') and not any(mark in content for mark in _NO_REPLY)


def default_dialect(provider: str, model: str) -> Dialect:
    """Return the dialect that a provider is known to use before the first call."""
    ours = provider in ("openai", "azure")
    return Dialect(
        token_field="max_completion_tokens" if ours else "max_tokens",
        other_token_field="max_tokens" if ours else "max_completion_tokens",
        seed_field="random_seed" if provider == "mistral" else None if provider == "google" else "seed",
        temperature=not (ours and _NO_TEMPERATURE.match(model)),
    )


def request(model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect) -> dict[str, Any]:
    """Build the request as a dict, with its keys in the order in which they are sent."""
    schema = prompt.schema
    system = prompt.system_with_schema if dialect.structure == "text" else prompt.system
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt.user}]
    body: dict[str, Any] = {"model": model, "messages": messages}
    if dialect.temperature:
        body["temperature"] = sampling.temperature
    if dialect.seed_field:
        body[dialect.seed_field] = sampling.seed
    if dialect.token_field:
        body[dialect.token_field] = dialect.parameters(sampling)["max_tokens"]
    if dialect.structure == "json_schema":
        named = {"name": prompt.schema_name, "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif dialect.structure == "tool":
        function = {"name": prompt.schema_name, "description": TOOL_DESCRIPTION, "parameters": schema}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": prompt.schema_name}}
    return body


def encode(model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect) -> bytes:
    """Encode the request as the bytes to send."""
    return orjson.dumps(request(model, prompt, sampling, dialect))


def decode(body: bytes) -> Completion:
    """Decode a chat completion. If it calls a tool, the arguments are the text."""
    try:
        data = orjson.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
        calls = message.get("tool_calls") or ()
        text = _flat(calls[0]["function"]["arguments"] if calls else message.get("content"))
        usage = data.get("usage") or {}
        finish = choice.get("finish_reason")
        refused = bool(message.get("refusal")) or finish == "content_filter"
        return Completion(
            text=str(message.get("refusal") or text) if refused else text,
            finish="refusal" if refused else "length" if finish == "length" else "stop",
            model=str(data.get("model") or ""),
            usage=Usage(
                input_tokens=int(usage.get("prompt_tokens") or 0),
                output_tokens=int(usage.get("completion_tokens") or 0),
                reasoning_tokens=int((usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0),
                cache_read_tokens=int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0),
            ),
        )
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError, ValueError) as error:
        raise UnreadableReplyError(f"not a chat completion: {error}") from None


def _flat(content: Any) -> str:
    """Return content as text. Some servers send it in parts, thoughts among them, or send arguments as an object."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    if isinstance(content, dict):
        return orjson.dumps(content).decode()
    return str(content or "")


class OpenAIWire(HttpWire):
    """One model behind one OpenAI-compatible server."""

    format = Format("openai", is_reply, encode, decode)
