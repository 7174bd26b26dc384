"""A wire over HTTP that learns its server's dialect: what the server refuses is left out of later requests.

The two formats, OpenAI's and Anthropic's, say what a dialect is and what an error message complains about.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from ..models import Failure
from .base import Completion, Delivery, Prompt, Sampling, Sent
from .retry import Endpoint, Refused

D = TypeVar("D")
Post = Callable[[bytes, Sent], Awaitable[Delivery | Refused | Failure]]


class Format(NamedTuple, Generic[D]):
    """A provider's format; `is_reply`: whether this is a model's reply, for some gateways send errors with status 200.

    `adapt` takes what the server complains about out of a dialect (None: unclear, or already left out), and
    `parameters` are those really sent.
    """

    name: str
    is_reply: Callable[[bytes], bool]
    adapt: Callable[[D, Refused], D | None]
    parameters: Callable[[D, Sampling], Sent]
    encode: Callable[[str, Prompt, Sampling, D], bytes]
    decode: Callable[[bytes], Completion]


@dataclass(slots=True)
class HttpWire(Generic[D]):
    """One model behind one URL."""

    format: ClassVar[Format[Any]]

    provider: str
    model: str
    endpoint: Endpoint
    headers: Mapping[str, str]
    dialect: D

    def identity(self) -> Mapping[str, Any]:
        return {"wire": self.format.name, "url": self.endpoint.url, "model": self.model}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        async def post(body: bytes, _: Sent) -> Delivery | Refused | Failure:
            return await self.endpoint.ask(self.headers, self.format.is_reply, body)

        return await self.send_by(post, prompt, sampling)

    async def send_by(self, post: Post, prompt: Prompt, sampling: Sampling) -> Delivery | Failure:
        """One reply by `post`, which may be a batch; asks again without a parameter that the server refuses."""
        attempts = 0
        tried: set[D] = set()
        while True:
            # Another call may change the dialect during this one: judge and record what was sent here.
            dialect = self.dialect
            tried.add(dialect)
            sent = self.format.parameters(dialect, sampling)
            reply = await post(self.format.encode(self.model, prompt, sampling, dialect), sent)
            if isinstance(reply, Failure):
                return reply
            attempts += reply.attempts
            if isinstance(reply, Delivery):
                return replace(reply, attempts=attempts, sent=reply.sent or sent)
            if self.dialect in tried:
                adapted = self.format.adapt(dialect, reply)
                if adapted is None or adapted in tried:
                    return refusal_as_failure(reply, self.endpoint)
                self.dialect = adapted

    def decode(self, body: bytes) -> Completion:
        return self.format.decode(body)

    async def close(self) -> None:
        await self.endpoint.close()


def refusal_as_failure(refused: Refused, endpoint: Endpoint) -> Failure:
    """A 4xx that no change of the request helps."""
    return Failure(
        reason="unauthorized" if refused.status in (401, 403) else "rejected",
        message=f"{endpoint.url}: HTTP {refused.status}: {refused.message}",
        judge=endpoint.judge,
    )
