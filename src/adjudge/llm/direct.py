"""All other providers (Bedrock, Cohere, xAI, …) through pydantic-ai's `direct` requests: no agent, no added text.

Models have pydantic-ai's names, `provider:model`. pydantic-ai is an extra, imported at the first call. Replies are
stored in a small format of our own, because pydantic-ai does not expose the provider's bytes.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import orjson

from ..errors import JudgeSpecError, SetupError
from ..extras import missing_extra
from ..models.common import Failure, Reason, Usage
from .base import SCHEMA_TITLE, TOOL_DESCRIPTION, Completion, Delivery, Prompt, Sampling, UnreadableReplyError
from .client import Bounds, RequestError
from .http import Dialect
from .providers import PROVIDERS
from .rate_limiter import RateLimiter, retry_after
from .retry import Refused, Retries, limiter_of_one_call, shortened, with_retries

_TIMEOUT = 600.0
_RETRIES = Retries()
_PROVIDER_FAILURES = frozenset({"rate_limited", "server_error", "timeout", "connection"})
_KNOWN = f"one of {', '.join(PROVIDERS)}, or one that pydantic-ai knows; a server is http://HOST:PORT/v1#MODEL"
# Providers that have another name in the price list.
_PRICED_AS = {"bedrock": "aws", "xai": "x-ai", "google-cloud": "google"}


class DirectWire:
    """One model of a provider for which adjudge has no wire of its own."""

    def __init__(self, spec: str, timeout: float = _TIMEOUT) -> None:
        provider, _, self.model = spec.partition(":")
        self.provider = _PRICED_AS.get(provider, provider)
        self._spec = spec
        self._timeout = timeout
        self.limiter: RateLimiter | None = None
        self._dialect: Dialect | None = None
        self._models: dict[asyncio.AbstractEventLoop, Any] = {}

    @property
    def needs(self) -> SetupError | None:
        """What must be set up before the first call: a provider of another name, if pydantic-ai does not know it."""
        provider = self._spec.partition(":")[0]
        if find_spec("pydantic_ai") is None or is_known(provider):
            return None
        return SetupError(f"{self._spec!r}: unknown provider; {_KNOWN}")

    def identity(self) -> Mapping[str, Any]:
        return {"wire": "direct", "model": self._spec}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        limiter = self.limiter or limiter_of_one_call(_RETRIES)
        try:
            return await with_retries(lambda _: self._send(prompt, sampling), _RETRIES, limiter)
        except RequestError as error:
            return self._failure(error.reason, error)

    async def _send(self, prompt: Prompt, sampling: Sampling) -> Delivery | Failure:
        model = await self._open()
        from pydantic_ai import direct, exceptions

        tried: set[Dialect] = set()
        while True:
            dialect = self._dialect or _first_dialect(model.profile)
            tried.add(dialect)
            messages, settings, output = _request(prompt, sampling, dialect, model.profile)
            try:
                async with asyncio.timeout(self._timeout):
                    response = await direct.model_request(
                        model, messages, model_settings=settings, model_request_parameters=output, instrument=False
                    )
            except (exceptions.ModelAPIError, exceptions.UnexpectedModelBehavior) as error:
                adapted = dialect.adapted(Refused(getattr(error, "status_code", 0), str(error), 1))
                if adapted is None or adapted in tried:
                    return self._failed(_reason(error), error)
                self._dialect = adapted
            except TimeoutError:
                return self._failed("timeout", f"no reply within {self._timeout:g} s")
            else:
                return Delivery(_stored_form(response), len(tried), dialect.parameters(sampling))

    def decode(self, body: bytes) -> Completion:
        try:
            data = orjson.loads(body)
            usage = Usage(**{name: int(tokens) for name, tokens in data["usage"].items()})
            return Completion(data["text"], data["finish"], data["model"], usage)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise UnreadableReplyError(f"not a stored reply: {error}") from None

    async def close(self) -> None:
        model = self._models.pop(asyncio.get_running_loop(), None)
        if model is not None:
            await model.__aexit__(None, None, None)

    async def _open(self) -> Any:
        loop = asyncio.get_running_loop()
        if loop not in self._models:
            self._models[loop] = model = _load(self._spec)
            await model.__aenter__()
            _bound_replies(model)
        return self._models[loop]

    def _failed(self, reason: Reason, error: object) -> Failure:
        """Return a failure, or raise RequestError if the provider failed. Only an overload is retried, because
        pydantic-ai's clients retry the rest themselves."""
        if reason not in _PROVIDER_FAILURES:
            return self._failure(reason, error)
        headers = getattr(getattr(getattr(error, "__cause__", None), "response", None), "headers", None) or {}
        overloaded = reason == "rate_limited"
        raise RequestError(
            reason, str(error), retry_after(headers), overloaded=overloaded, counts=False, final=not overloaded
        )

    def _failure(self, reason: Reason, error: object) -> Failure:
        return Failure(reason=reason, message=shortened(str(error)), judge=self._spec)


def is_known(provider: str) -> bool:
    """Say whether pydantic-ai knows this provider; False if it is not installed."""
    try:
        from pydantic_ai.providers import infer_provider_class

        infer_provider_class(provider)
    except ImportError as error:  # of pydantic-ai, or of the package that its provider needs
        return not str(error.name or "").startswith("pydantic_ai")
    except ValueError:
        return False
    return True


def _load(spec: str) -> Any:
    """Load pydantic-ai's model of this name. Raise an error that says what is missing."""
    provider = spec.partition(":")[0]
    try:
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import infer_provider_class
    except ImportError:
        raise missing_extra(f"{provider}: not one of {', '.join(PROVIDERS)}, so it", "providers") from None
    try:
        infer_provider_class(provider)
    except ValueError:
        raise JudgeSpecError("judge", f"{spec!r}: unknown provider", _KNOWN) from None
    except ImportError as error:
        raise SetupError(f"{provider}: {error}") from None
    try:
        return infer_model(spec)
    except Exception as error:
        # Each provider raises its own kind of exception for a missing key, region or package.
        raise SetupError(f"{provider}: {' '.join(str(error).split())}") from None


def _bound_replies(model: Any) -> None:
    """Give the HTTP client of a provider's SDK our own size limit. An SDK without such a client is left as it is."""
    client: Any = getattr(getattr(model, "client", None), "_client", None)
    if hasattr(client, "event_hooks"):
        hooks = client.event_hooks
        client.event_hooks = {**hooks, "response": [*hooks.get("response", []), _read_within_bounds]}


async def _read_within_bounds(response: Any) -> None:
    packed = response.headers.get("content-encoding", "identity").lower()
    if packed not in ("identity", "gzip", "deflate"):
        found = f"the reply is compressed as {packed[:40]!r}; only gzip or deflate, applied once, can be read"
        raise RequestError("malformed", found, final=True)
    unpack = None if packed == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)
    limit, received, content = Bounds().reply_bytes, 0, bytearray()
    async for part in response.aiter_raw():
        received += len(part)
        content += part if unpack is None else unpack.decompress(part, limit + 1 - len(content))
        if max(received, len(content)) > limit:
            await response.aclose()
            raise RequestError("malformed", f"the reply is larger than {limit // 2**20} MB", final=True)
    response._content = bytes(content)  # what `read` returns from now on


def _first_dialect(profile: Mapping[str, Any]) -> Dialect:
    if profile.get("supports_json_schema_output", False):
        return Dialect()  # no other name for the token field, because pydantic-ai chooses the name
    return Dialect(structure="tool" if profile.get("supports_tools", True) else "text")


def _request(
    prompt: Prompt, sampling: Sampling, dialect: Dialect, profile: Mapping[str, Any]
) -> tuple[list[Any], Any, Any]:
    """Convert the prompt to pydantic-ai's messages, settings and request parameters."""
    from pydantic_ai import messages as m
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    schema, system = dict(prompt.schema), prompt.system
    if dialect.structure == "json_schema":
        output = ModelRequestParameters(
            output_mode="native",
            output_object=OutputObjectDefinition(json_schema=schema, name=prompt.schema_name, strict=True),
        )
        if profile.get("native_output_requires_schema_in_instructions", False):
            output = replace(output, prompted_output_template=SCHEMA_TITLE + "{schema}")
    elif dialect.structure == "tool":
        tool = ToolDefinition(
            name=prompt.schema_name, parameters_json_schema=schema, description=TOOL_DESCRIPTION, kind="output"
        )
        output = ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    else:
        output = ModelRequestParameters(output_mode="text")
        system = prompt.system_with_schema
    messages = [m.ModelRequest(parts=[m.SystemPromptPart(system), m.UserPromptPart(prompt.user)])]
    settings: dict[str, Any] = {"max_tokens": sampling.max_tokens} if dialect.token_field else {}
    if dialect.temperature:
        settings["temperature"] = sampling.temperature
    if dialect.seed_field:
        settings["seed"] = sampling.seed
    return messages, settings, output


def _stored_form(response: Any) -> bytes:
    """Build the stored form of a response: the reply, how it ended, the model's name, and its usage."""
    calls = [part.args_as_json_str() for part in response.parts if part.part_kind == "tool-call"]
    text = "".join(part.content for part in response.parts if part.part_kind == "text")
    refused = response.finish_reason == "content_filter"
    usage = response.usage
    return orjson.dumps(
        {
            "text": calls[0] if calls else text,
            "finish": "refusal" if refused else "length" if response.finish_reason == "length" else "stop",
            "model": response.model_name or "",
            "usage": {
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "reasoning_tokens": usage.output_reasoning_tokens,
                "cache_read_tokens": usage.cache_read_tokens,
                "cache_write_tokens": usage.cache_write_tokens,
            },
        }
    )


def _reason(error: Exception) -> Reason:
    from pydantic_ai import exceptions as e

    status = getattr(error, "status_code", 0)
    if isinstance(error, e.ContentFilterError):
        return "refused"
    if isinstance(error, e.UnexpectedModelBehavior):
        return "malformed"
    if isinstance(error, (e.ModelTimeoutError, e.ModelRequestTimeout)):
        return "timeout"
    if status in (401, 403) or isinstance(error, e.ModelAuthenticationError):
        return "unauthorized"
    if status == 429 or isinstance(error, e.ModelRateLimitError):
        return "rate_limited"
    if status >= 500 or isinstance(error, (e.ModelServerError, e.ModelUnavailableError)):
        return "server_error"
    return "connection" if isinstance(error, e.ModelConnectionError) else "rejected"
