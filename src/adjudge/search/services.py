"""The search services we know: SearXNG and whatever speaks its JSON, and Brave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SearXNG:
    """`GET /search?q=…&format=json` of a SearXNG server (its settings must allow the json format)."""

    name: str = "searxng"
    marker: bytes = b'"results"'
    headers: Mapping[str, str] = field(default_factory=lambda: {"accept": "application/json"})

    def params(self, query: str) -> Mapping[str, str]:
        return {"q": query, "format": "json"}

    def results(self, data: Any) -> list[tuple[str, str, str]]:
        return [(str(r.get("title") or ""), str(r["url"]), str(r.get("content") or "")) for r in data["results"]]


@dataclass(frozen=True, slots=True)
class Brave:
    """Brave's web search."""

    headers: Mapping[str, str]
    name: str = "brave"
    marker: bytes = b'"type"'

    def params(self, query: str) -> Mapping[str, str]:
        return {"q": query, "count": "5", "text_decorations": "false"}

    def results(self, data: Any) -> list[tuple[str, str, str]]:
        found = (data.get("web") or {}).get("results") or []
        return [(str(r.get("title") or ""), str(r["url"]), str(r.get("description") or "")) for r in found]
