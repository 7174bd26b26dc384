"""Judges over the scripted provider, with waits so short that tests can try again."""

from __future__ import annotations

from collections.abc import Callable

from scripted.provider import ScriptedProvider

from adjudge.journal import Journal
from adjudge.judges.llm import LLMJudge
from adjudge.llm.anthropic import AnthropicWire
from adjudge.llm.base import Sampling
from adjudge.llm.openai import OpenAIWire, default_dialect
from adjudge.llm.retry import Endpoint, Retries

FAST = Retries(attempts=3, first_wait=0.001, longest_wait=0.5, timeout=60.0, connect_timeout=30.0)

OpenJudge = Callable[..., LLMJudge]


def open_openai(
    provider: ScriptedProvider, journal: Journal, model: str = "gpt-4o", *, max_tokens: int = 8192, sample: int = 0
) -> LLMJudge:
    """A judge that asks in OpenAI's format, priced as OpenAI's."""
    name = f"openai:{model}"
    headers = {"content-type": "application/json", "authorization": "Bearer key"}
    endpoint = Endpoint(provider.chat_url, name, FAST)
    wire = OpenAIWire("openai", model, endpoint, headers, default_dialect("openai", model))
    return LLMJudge(name, wire, journal, Sampling(max_tokens=max_tokens), sample)


def open_anthropic(
    provider: ScriptedProvider, journal: Journal, model: str = "claude-sonnet-4-5", *, max_tokens: int = 8192
) -> LLMJudge:
    """The same in Anthropic's format."""
    name = f"anthropic:{model}"
    headers = {"content-type": "application/json", "x-api-key": "key"}
    wire = AnthropicWire("anthropic", model, Endpoint(provider.messages_url, name, FAST), headers)
    return LLMJudge(name, wire, journal, Sampling(max_tokens=max_tokens))
