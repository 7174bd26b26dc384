"""The OpenAI-compatible wire: `POST …/chat/completions`, as OpenAI, Azure, Google, Mistral, Groq, OpenRouter,
vLLM, Ollama, llama.cpp and LM Studio speak it. What a server does not take is left out the next time, and recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from ...verdicts import Failure, Usage
from ..roles.base import Prompt
from .adapting import Post, deliver
from .base import Completion, Delivery, Sampling, Structure, UnreadableReplyError, written
from .http import Poster, Refused

# OpenAI's reasoning models take no temperature.
_NO_TEMPERATURE = re.compile(r"(?:o\d|gpt-5)")
_ROLES = ("user", "assistant")


TokenField = Literal["max_tokens", "max_completion_tokens"]
SeedField = Literal["seed", "random_seed"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one server differs from the next; None and False: it does not take that at all."""

    token_field: TokenField | None = "max_tokens"
    seed_field: SeedField | None = "seed"
    temperature: bool = True
    structure: Structure = "json_schema"


@dataclass(slots=True)
class OpenAIWire:
    """One model behind one OpenAI-compatible server."""

    provider: str
    model: str
    poster: Poster
    headers: Mapping[str, str]
    dialect: Dialect = field(default_factory=Dialect)

    def identity(self) -> Mapping[str, Any]:
        return {"wire": "openai", "url": self.poster.url, "model": self.model}

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


# With and without a space, as the two common ways of writing JSON have it.
_LONGEST_ERROR = 4000
_NO_REPLY = (
    *(b'"choices":[]', b'"choices": []', b'"choices":null', b'"choices": null'),
    *(b'"finish_reason":"error"', b'"finish_reason": "error"'),
)


def is_reply(content: bytes) -> bool:
    """Is this a model's reply? Some gateways send their errors with status 200, in a completion's clothes."""
    if b'"choices"' not in content:
        return False
    # Errors are short; a long reply need not be searched for what only they contain.
    if len(content) > _LONGEST_ERROR:
        return True
    return not content.lstrip().startswith(b'{"error"') and not any(mark in content for mark in _NO_REPLY)


def adapt(dialect: Dialect, refused: Refused) -> Dialect | None:
    """The dialect without what the server complains of; None if that cannot be told or is already left out."""
    if refused.status not in (400, 404, 415, 422, 501):
        return None
    said = refused.message.lower()
    about_tokens = re.search(r"max_(?:completion_)?tokens", said)
    if about_tokens and re.search(r"too (?:large|long|high)|maximum|at most|exceed", said):
        # The room asked for is more than there is: then the server's own limit has to do.
        return replace(dialect, token_field=None) if dialect.token_field else None
    if about_tokens and dialect.token_field:
        other: TokenField = "max_tokens" if dialect.token_field == "max_completion_tokens" else "max_completion_tokens"
        return replace(dialect, token_field=other)
    if "temperature" in said and dialect.temperature:
        return replace(dialect, temperature=False)
    if "seed" in said and dialect.seed_field:
        return replace(dialect, seed_field=None)
    if re.search(r"response_format|schema|structured output", said) and dialect.structure == "json_schema":
        return replace(dialect, structure="tool")
    if re.search(r"tool|function", said) and dialect.structure == "tool":
        return replace(dialect, structure="text")
    return None


def default_dialect(provider: str, model: str) -> Dialect:
    """What is known of a provider before the first call."""
    return Dialect(
        token_field="max_completion_tokens" if provider in ("openai", "azure") else "max_tokens",
        seed_field="random_seed" if provider == "mistral" else None if provider == "google" else "seed",
        temperature=not (provider in ("openai", "azure") and _NO_TEMPERATURE.match(model)),
    )


def request(model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect, schema: Any = None) -> dict[str, Any]:
    """The request as an object; keys stand in the order they are sent. `schema`: the prompt's own in another form."""
    schema = prompt.schema if schema is None else schema
    system = prompt.system
    if dialect.structure == "text":
        system += "\n\nThe schema of your reply:\n" + orjson.dumps(schema).decode()
    turns = [{"role": _ROLES[at % 2], "content": text} for at, text in enumerate(prompt.turns)]
    body: dict[str, Any] = {"model": model, "messages": [{"role": "system", "content": system}, *turns]}
    if dialect.temperature:
        body["temperature"] = sampling.temperature
    if dialect.seed_field:
        body[dialect.seed_field] = sampling.seed
    if dialect.token_field:
        body[dialect.token_field] = sampling.max_tokens
    if dialect.structure == "json_schema":
        named = {"name": prompt.schema_name, "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif dialect.structure == "tool":
        function = {"name": prompt.schema_name, "description": "Hand in your reply.", "parameters": schema}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": prompt.schema_name}}
    return body


def encode(model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect) -> bytes:
    """The request as the bytes that are sent."""
    return orjson.dumps(request(model, prompt, sampling, dialect, written(prompt.schema)))


def decode(body: bytes) -> Completion:
    """A chat completion's content; tool arguments count as content."""
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
    """Content as text. Some servers give it in parts, of which thoughts are not the reply, or arguments unencoded."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    if isinstance(content, dict):
        return orjson.dumps(content).decode()
    return str(content or "")


def really_sent(dialect: Dialect, sampling: Sampling) -> dict[str, str | int | float | None]:
    """What was really sent of the sampling and how the schema was asked for."""
    return {
        "temperature": sampling.temperature if dialect.temperature else None,
        "seed": sampling.seed if dialect.seed_field else None,
        "max_tokens": sampling.max_tokens if dialect.token_field else None,
        "structure": dialect.structure,
    }
