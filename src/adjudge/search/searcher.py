"""One search, paid and kept like any other call; what differs between services is how they are asked and read."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from ..journal import Journal, Stored, call_key
from ..llm.retry import Answered, Endpoint
from ..models import Failure, Finding, Lookup

MAX_FINDINGS = 5
_MAX_SNIPPET = 500


class Service(Protocol):
    """How a search service is asked and read."""

    @property
    def name(self) -> str: ...

    @property
    def marker(self) -> bytes:
        """What only a real reply contains."""
        ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def params(self, query: str) -> Mapping[str, str]: ...

    def results(self, data: Any) -> list[tuple[str, str, str]]:
        """(title, address, snippet) of each result in a reply."""
        ...


@dataclass(frozen=True, slots=True)
class JournalledSearcher:
    """A search service behind the journal: the same query is paid once, and a replay needs no network."""

    service: Service
    endpoint: Endpoint
    journal: Journal

    async def look_up(self, query: str) -> Lookup:
        name = self.service.name
        key = call_key({"search": name, "url": self.endpoint.url, "query": query})
        async with self.journal.claim(key) as stored:
            if stored is None:
                reply = await self.endpoint.get(self.service.params(query), self.service.headers, self._is_reply)
                if not isinstance(reply, Answered):
                    said = reply.message if isinstance(reply, Failure) else f"HTTP {reply.status}: {reply.message}"
                    return Lookup(query=query, provider=name, error=said)
                stored = Stored(reply.body, round(time.time(), 3), reply.attempts)
                await self.journal.put(key, stored)
        return self._read(query, stored.body)

    def _is_reply(self, content: bytes) -> bool:
        return self.service.marker in content

    def _read(self, query: str, body: bytes) -> Lookup:
        try:
            results = self.service.results(orjson.loads(body))[:MAX_FINDINGS]
        except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
            return Lookup(query=query, provider=self.service.name, error=f"unreadable reply: {error}")
        findings = tuple(
            Finding(title=_line(title), url=url, snippet=_line(snippet))
            for title, url, snippet in results
            if url.startswith(("http://", "https://"))
        )
        return Lookup(query=query, provider=self.service.name, findings=findings)

    async def close(self) -> None:
        await self.endpoint.close()


def _line(text: str) -> str:
    return " ".join(text.split())[:_MAX_SNIPPET]


@dataclass(frozen=True, slots=True)
class RecordedSearcher:
    """Gives back what a verdict's searches found when it was made, failures included."""

    lookups: tuple[Lookup, ...]

    async def look_up(self, query: str) -> Lookup:
        for lookup in self.lookups:
            if lookup.query == query:
                return lookup
        return Lookup(query=query, provider="", error="not among the recorded searches")
