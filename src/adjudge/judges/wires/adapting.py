"""Sending to a server whose dialect is learned by asking: what it does not take is left out the next time.

The two HTTP wires share this; what a dialect is, and what a complaint means, is each wire's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from ...verdicts import Failure
from ..roles.base import Prompt
from .base import Delivery, Sampling
from .http import Answered, IsReply, Poster, Refused

D = TypeVar("D")
Sent = Mapping[str, str | int | float | None]
Post = Callable[[bytes, Sent], Awaitable[Answered | Refused | Failure]]


class Adaptable(Protocol[D]):
    """A wire that remembers what its server takes."""

    model: str
    poster: Poster
    headers: Mapping[str, str]
    dialect: D


async def deliver(
    wire: Adaptable[D],
    prompt: Prompt,
    sampling: Sampling,
    post: Post | None = None,
    *,
    encode: Callable[[str, Prompt, Sampling, D], bytes],
    adapt: Callable[[D, Refused], D | None],
    is_reply: IsReply,
    really_sent: Callable[[D, Sampling], dict[str, Any]],
) -> Delivery | Failure:
    """One reply; a refusal that names what it does not take is met without it, as often as there is something left.

    `post` is another way there than the wire's own poster.
    """
    attempts = 0
    tried: set[D] = set()
    while True:
        # Another call may change the dialect while this one waits: what was sent is what is judged and recorded.
        dialect = wire.dialect
        tried.add(dialect)
        body = encode(wire.model, prompt, sampling, dialect)
        if post is None:
            reply = await wire.poster.post(body, wire.headers, is_reply)
        else:
            reply = await post(body, really_sent(dialect, sampling))
        if isinstance(reply, Failure):
            return reply
        attempts += reply.attempts
        if isinstance(reply, Answered):
            return Delivery(reply.body, attempts, really_sent(dialect, sampling))
        if wire.dialect in tried:
            adapted = adapt(dialect, reply)
            if adapted is None or adapted in tried:
                return refusal_as_failure(reply, wire.poster)
            wire.dialect = adapted


def refusal_as_failure(refused: Refused, poster: Poster) -> Failure:
    """A 4xx that nothing can be done about."""
    return Failure(
        reason="unauthorized" if refused.status in (401, 403) else "rejected",
        message=f"{poster.url}: HTTP {refused.status}: {refused.message}",
        judge=poster.judge,
    )
