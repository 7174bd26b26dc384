"""A wire over HTTP that learns its server's dialect: a parameter that the server rejects is left out from then on.

The two formats, OpenAI's and Anthropic's, define how a request is encoded and a reply is decoded.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

from ..models.common import Failure
from .base import Completion, Delivery, Prompt, Sampling, Sent, Structure
from .retry import Endpoint, Refused

Post = Callable[[bytes, Sent], Awaitable[Delivery | Refused | Failure]]
TokenField = Literal["max_tokens", "max_completion_tokens"]
SeedField = Literal["seed", "random_seed"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which parameters a server or model accepts; None or False means that it does not accept this one.

    `other_token_field` is another name to try for the token field. `max_tokens` is the model's limit, once it is known.
    """

    token_field: TokenField | None = "max_tokens"
    other_token_field: TokenField | None = None
    seed_field: SeedField | None = "seed"
    temperature: bool = True
    structure: Structure = "json_schema"
    max_tokens: int | None = None

    def parameters(self, sampling: Sampling) -> Sent:
        """Return the parameters that are actually sent, and in which form the schema is sent."""
        limit = min(sampling.max_tokens, self.max_tokens or sampling.max_tokens)
        return {
            "temperature": sampling.temperature if self.temperature else None,
            "seed": sampling.seed if self.seed_field else None,
            "max_tokens": limit if self.token_field else None,
            "structure": self.structure,
        }

    def adapted(self, refused: Refused) -> Dialect | None:
        """Return the dialect without what the server rejected; None if that is unclear or already left out."""
        if refused.status not in (400, 404, 415, 422, 501):
            return None
        message = refused.message.lower()
        if limit := re.search(r"max_tokens: \d+ > (\d+)", message):
            return replace(self, max_tokens=int(limit[1]))
        if re.search(r"max_(?:completion_)?tokens", message) and self.token_field:
            if re.search(r"too (?:large|long|high)|maximum|at most|exceed", message):
                # The server allows fewer tokens, so leave the field out and use the server's own limit.
                return replace(self, token_field=None)
            return replace(self, token_field=self.other_token_field, other_token_field=self.token_field)
        if "temperature" in message and self.temperature:
            return replace(self, temperature=False)
        if "seed" in message and self.seed_field:
            return replace(self, seed_field=None)
        about_schema = re.search(r"response_format|output_config|output_format|schema|structured", message)
        if about_schema and self.structure == "json_schema":
            return replace(self, structure="tool")
        if re.search(r"tool|function", message) and self.structure == "tool":
            return replace(self, structure="text")
        return None


class Format(NamedTuple):
    """A provider's format. `is_reply` tells replies from errors, because some gateways send errors with status 200."""

    name: str
    is_reply: Callable[[bytes], bool]
    encode: Callable[[str, Prompt, Sampling, Dialect], bytes]
    decode: Callable[[bytes], Completion]


@dataclass(slots=True)
class HttpWire:
    """One model behind one URL."""

    format: ClassVar[Format]

    provider: str
    model: str
    endpoint: Endpoint
    headers: Mapping[str, str]
    dialect: Dialect = Dialect()

    def identity(self) -> Mapping[str, Any]:
        return {"wire": self.format.name, "url": self.endpoint.url, "model": self.model}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        async def post(body: bytes, _: Sent) -> Delivery | Refused | Failure:
            return await self.endpoint.ask(self.headers, self.format.is_reply, body)

        return await self.send_by(post, prompt, sampling)

    async def send_by(self, post: Post, prompt: Prompt, sampling: Sampling) -> Delivery | Failure:
        """Get one reply through `post`, which may be a batch; ask again without a parameter that the server rejects."""
        attempts = 0
        tried: set[Dialect] = set()
        while True:
            # Another call may change the dialect during this one, so keep the one that is used here.
            dialect = self.dialect
            tried.add(dialect)
            sent = dialect.parameters(sampling)
            reply = await post(self.format.encode(self.model, prompt, sampling, dialect), sent)
            if isinstance(reply, Failure):
                return reply
            attempts += reply.attempts
            if isinstance(reply, Delivery):
                return replace(reply, attempts=attempts, sent=reply.sent or sent)
            if self.dialect in tried:
                adapted = dialect.adapted(reply)
                if adapted is None or adapted in tried:
                    return refusal_as_failure(reply, self.endpoint)
                self.dialect = adapted

    def decode(self, body: bytes) -> Completion:
        return self.format.decode(body)

    async def close(self) -> None:
        await self.endpoint.close()


def refusal_as_failure(refused: Refused, endpoint: Endpoint) -> Failure:
    """Build the failure for a 4xx status that no change of the request can avoid."""
    return Failure(
        reason="unauthorized" if refused.status in (401, 403) else "rejected",
        message=f"{endpoint.url}: HTTP {refused.status}: {refused.message}",
        judge=endpoint.judge,
    )
