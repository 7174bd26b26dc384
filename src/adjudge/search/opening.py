"""Which search service: `searxng:http://host:8080`, or `brave` with its key in the environment."""

from __future__ import annotations

import os

from ..errors import InputError, SetupError
from ..journal import Journal
from .searcher import JournalledSearcher

ALLOWED = "searxng:http://HOST:PORT or brave"
BRAVE_KEYS = ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")
_BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"


def open_searcher(spec: str, journal: Journal) -> JournalledSearcher:
    """The search service of this name."""
    from ..llm.retry import Endpoint, Retries
    from .services import Brave, SearXNG

    name, _, address = spec.strip().partition(":")
    retries = Retries(attempts=3, timeout=30.0, longest_wait=10.0)
    if name == "searxng" and address.startswith(("http://", "https://")):
        endpoint = Endpoint(address.rstrip("/") + "/search", spec, retries)
        return JournalledSearcher(SearXNG(), endpoint, journal)
    if name == "brave" and not address:
        key = next((value for variable in BRAVE_KEYS if (value := os.environ.get(variable, "").strip())), "")
        needs = None if key else SetupError(f"brave: no key; set {' or '.join(BRAVE_KEYS)} in the environment")
        url = os.environ.get("BRAVE_BASE_URL", "").strip() or _BRAVE_URL
        headers = {"accept": "application/json", "x-subscription-token": key}
        return JournalledSearcher(Brave(headers), Endpoint(url, spec, retries, needs), journal)
    raise InputError("search", f"{spec[:80]!r} names no search service", f"allowed: {ALLOWED}")
