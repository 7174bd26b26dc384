"""A wire over HTTP that learns its server's dialect: what the server refuses is left out of later requests.

The two formats, OpenAI's and Anthropic's, say what a dialect is and what an error message complains about.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from ..models import Failure
from .base import Completion, Delivery, Prompt, Sampling, Sent
from .retry import Answered, Endpoint, Refused

D = TypeVar("D")
Post = Callable[[bytes, Sent], Awaitable[Answered | Refused | Failure]]


@dataclass(slots=True)
class HttpWire(ABC, Generic[D]):
    """One model behind one URL."""

    format: ClassVar[str]

    provider: str
    model: str
    endpoint: Endpoint
    headers: Mapping[str, str]
    dialect: D

    def identity(self) -> Mapping[str, Any]:
        return {"wire": self.format, "url": self.endpoint.url, "model": self.model}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        async def post(body: bytes, _: Sent) -> Answered | Refused | Failure:
            return await self.endpoint.post(body, self.headers, self.is_reply)

        return await self.send_by(post, prompt, sampling)

    async def send_by(self, post: Post, prompt: Prompt, sampling: Sampling) -> Delivery | Failure:
        """One reply by `post`, which may be a batch; asks again without a parameter that the server refuses."""
        attempts = 0
        tried: set[D] = set()
        while True:
            # Another call may change the dialect during this one: judge and record what was sent here.
            dialect = self.dialect
            tried.add(dialect)
            sent = self.parameters(dialect, sampling)
            reply = await post(self.encode(prompt, sampling, dialect), sent)
            if isinstance(reply, Failure):
                return reply
            attempts += reply.attempts
            if isinstance(reply, Answered):
                return Delivery(reply.body, attempts, sent)
            if self.dialect in tried:
                adapted = self.adapt(dialect, reply)
                if adapted is None or adapted in tried:
                    return refusal_as_failure(reply, self.endpoint)
                self.dialect = adapted

    async def close(self) -> None:
        await self.endpoint.close()

    @staticmethod
    @abstractmethod
    def is_reply(content: bytes) -> bool:
        """Whether this is a model's reply; some gateways send errors with status 200."""

    @staticmethod
    @abstractmethod
    def adapt(dialect: D, refused: Refused) -> D | None:
        """The dialect without what the server complains about; None if that is unclear or already left out."""

    @staticmethod
    @abstractmethod
    def parameters(dialect: D, sampling: Sampling) -> Sent:
        """The parameters that are really sent, and how the schema is."""

    @abstractmethod
    def encode(self, prompt: Prompt, sampling: Sampling, dialect: D) -> bytes:
        """The request's body, byte by byte."""

    @abstractmethod
    def decode(self, body: bytes) -> Completion:
        """A reply's content."""


def refusal_as_failure(refused: Refused, endpoint: Endpoint) -> Failure:
    """A 4xx that no change of the request helps."""
    return Failure(
        reason="unauthorized" if refused.status in (401, 403) else "rejected",
        message=f"{endpoint.url}: HTTP {refused.status}: {refused.message}",
        judge=endpoint.judge,
    )
