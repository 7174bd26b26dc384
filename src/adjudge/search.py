"""Web search for facts; off unless a service is named. A reply is stored in the journal first, so it is paid for once.

`searxng:http://host:8080` is a SearXNG server (its settings must allow the json format); `brave` is Brave's web search.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from .errors import InputError, SetupError
from .journal import Journal, Stored, call_key
from .llm.base import Delivery
from .llm.providers import SEARXNG_AUTH, refuse_password
from .llm.retry import Endpoint, Retries
from .models.common import Failure, Finding, Lookup
from .redaction import holds_password

MAX_FINDINGS = 5
BRAVE_KEYS = ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")
_MAX_SNIPPET = 500
_ALLOWED = "searxng:http://HOST:PORT or brave"
_BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
_RETRIES = Retries(attempts=3, timeout=30.0, longest_wait=10.0)


@dataclass(frozen=True, slots=True)
class JournalledSearcher:
    """A search service whose replies are stored in the journal: each query is sent and paid for once.

    `marker` is a string that only a real reply contains; `text` is the field that holds a result's snippet.
    """

    name: str
    endpoint: Endpoint
    headers: Mapping[str, str]
    params: Mapping[str, str]
    marker: bytes
    text: str
    journal: Journal

    async def look_up(self, query: str) -> Lookup:
        key = call_key({"search": self.name, "url": self.endpoint.url, "query": query})
        async with self.journal.claim(key) as stored:
            if stored is None:
                params = {"q": query, **self.params}
                reply = await self.endpoint.ask(self.headers, lambda content: self.marker in content, params=params)
                if not isinstance(reply, Delivery):
                    problem = reply.message if isinstance(reply, Failure) else f"HTTP {reply.status}: {reply.message}"
                    return Lookup(query=query, provider=self.name, error=problem)
                stored = Stored.now(reply.body, reply.attempts)
                await self.journal.put(key, stored, is_call=False)
        try:
            found = orjson.loads(stored.body)
            results = found["results"] if self.name == "searxng" else (found.get("web") or {}).get("results") or []
            findings = tuple(
                Finding(title=_line(result, "title"), url=str(result["url"]), snippet=_line(result, self.text))
                for result in list(results)[:MAX_FINDINGS]
                if str(result["url"]).startswith(("http://", "https://"))
            )
        except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
            return Lookup(query=query, provider=self.name, error=f"unreadable reply: {error}")
        return Lookup(query=query, provider=self.name, findings=findings)

    async def close(self) -> None:
        await self.endpoint.close()


@dataclass(frozen=True, slots=True)
class RecordedSearcher:
    """Returns what the searches of a verdict found when it was made, including failures."""

    lookups: tuple[Lookup, ...]

    async def look_up(self, query: str) -> Lookup:
        for lookup in self.lookups:
            if lookup.query == query:
                return lookup
        return Lookup(query=query, provider="", error="not among the recorded searches")

    async def close(self) -> None: ...


def open_searcher(spec: str, journal: Journal) -> JournalledSearcher:
    """Open the search service of this name. A missing key is reported at the first search that is not stored."""
    refuse_password("search", spec)
    name, _, address = spec.strip().partition(":")
    accept = {"accept": "application/json"}
    if name == "searxng" and address.startswith(("http://", "https://")):
        if login := os.environ.get(SEARXNG_AUTH, "").strip():
            accept["authorization"] = f"Basic {b64encode(login.encode()).decode()}"
        endpoint = Endpoint(address.rstrip("/") + "/search", spec, _RETRIES)
        return JournalledSearcher(name, endpoint, accept, {"format": "json"}, b'"results"', "content", journal)
    if name == "brave" and not address:
        key = next((value for variable in BRAVE_KEYS if (value := os.environ.get(variable, "").strip())), "")
        needs = None if key else SetupError(f"brave: no key found; set {' or '.join(BRAVE_KEYS)} in the environment")
        url = os.environ.get("BRAVE_BASE_URL", "").strip() or _BRAVE_URL
        if holds_password(url):
            raise SetupError(f"BRAVE_BASE_URL: must not contain a user or a password; set the key in {BRAVE_KEYS[0]}")
        params = {"count": str(MAX_FINDINGS), "text_decorations": "false"}
        endpoint, headers = Endpoint(url, spec, _RETRIES, needs), {**accept, "x-subscription-token": key}
        return JournalledSearcher(name, endpoint, headers, params, b'"type"', "description", journal)
    raise InputError("search", f"{spec[:80]!r} is not a search service", f"allowed: {_ALLOWED}")


def _line(result: Mapping[str, Any], field: str) -> str:
    return " ".join(str(result.get(field) or "").split())[:_MAX_SNIPPET]
