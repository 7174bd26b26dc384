"""The providers that are built in: where they are and which environment variables hold their keys.

A key never stands in a judge's name, in the journal or in a verdict.
"""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import InputError, JudgeSpecError, SetupError
from ..redaction import holds_password


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider; `url_variables` override its URL, as in the providers' own clients."""

    name: str
    title: str
    url: str
    keys: tuple[str, ...]
    url_variables: tuple[str, ...] = ()
    example: str = ""
    wire: str = "openai"

    @property
    def key(self) -> str | None:
        return next((value for name in self.keys if (value := os.environ.get(name, "").strip())), None)

    @property
    def base_url(self) -> str:
        set_to = next((value for name in self.url_variables if (value := os.environ.get(name, "").strip())), "")
        return (set_to or self.url).rstrip("/")

    @property
    def missing(self) -> SetupError | None:
        """What must still be set, or None."""
        wanted = [] if self.key else [" or ".join(self.keys)]
        wanted += [] if self.base_url else [" or ".join(self.url_variables)]
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            wanted.append(f"{' or '.join(self.url_variables)} to an address that begins with http:// or https://")
        if holds_password(self.base_url):
            wanted.append(f"{' or '.join(self.url_variables)} to an address without user and password")
            wanted.append(f"the key in {' or '.join(self.keys)}")
        return SetupError(f"{self.name}: set {' and '.join(wanted)} in the environment") if wanted else None


def _provider(name: str, title: str, url: str, example: str, wire: str = "openai", *more_keys: str) -> Provider:
    """Most providers name their variables after themselves."""
    prefix = {"google": "GEMINI", "azure": "AZURE_OPENAI"}.get(name, name.upper())
    address = f"{prefix}_ENDPOINT" if name == "azure" else f"{prefix}_BASE_URL"
    return Provider(name, title, url, (f"{prefix}_API_KEY", *more_keys), (address,), example, wire)


PROVIDERS = {
    provider.name: provider
    for provider in (
        _provider("openai", "OpenAI", "https://api.openai.com/v1", "gpt-5.1"),
        _provider("anthropic", "Anthropic", "https://api.anthropic.com", "claude-sonnet-4-5", "anthropic"),
        _provider(
            *("google", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
            *("gemini-2.5-flash", "openai", "GOOGLE_API_KEY"),
        ),
        _provider("mistral", "Mistral", "https://api.mistral.ai/v1", "mistral-large-latest"),
        _provider("azure", "Azure OpenAI", "", "<deployment>", "azure"),
        _provider("groq", "Groq", "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile"),
        _provider("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5"),
    )
}

# Any other OpenAI-compatible server is named by its URL; this variable, or one with its host, holds its key.
URL_KEY = "ADJUDGE_API_KEY"
# What a SearXNG server wants to know of us, as user:password.
SEARXNG_AUTH = "SEARXNG_AUTH"
# A host name has three punctuation marks, a variable only one: the number of underscores tells them apart.
_SIGNS = {".": "_", "-": "__", "_": "___"}


def url_keys(address: str) -> tuple[str, ...]:
    """The variables that may hold a server's key: that of its host and port, of its host, and the one for all."""
    parts = urlsplit(address)
    name = ".".join(map(_ascii, (parts.hostname or "").split(".")))
    host = f"{URL_KEY}_{re.sub('[^A-Z0-9]', lambda sign: _SIGNS.get(sign[0], '_'), name.upper())}"
    return (*((f"{host}_{parts.port}",) if parts.port else ()), host, URL_KEY)


def _ascii(label: str) -> str:
    """A label of a host name in its IDNA form."""
    if label.isascii():
        return label
    return "xn--" + unicodedata.normalize("NFKC", label).encode("punycode").decode()


def url_key(address: str) -> str | None:
    """A server's key. The first variable that is set decides; if it is empty, no key is sent."""
    return (
        next((value.strip() for name in url_keys(address) if (value := os.environ.get(name)) is not None), "") or None
    )


def refuse_password(place: str, named: str) -> None:
    """Refuse a judge or a search service whose address holds a user or a password: names are stored and shown."""
    if not holds_password(named):
        return
    found = "an address may hold no user and no password"
    if place == "search":
        raise InputError(place, found, f"the address alone, with user:password in {SEARXNG_AUTH}")
    raise JudgeSpecError(place, found, f"the address alone, with the key in {URL_KEY}_HOST or {URL_KEY}")
