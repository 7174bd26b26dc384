"""The built-in providers: their URLs, and the environment variables that hold their keys.

A key is never part of a judge's name, and never stored in the journal or in a verdict.
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
    """One provider; `url_variables` override its URL, as in the providers' own clients. `example` is the model that we
    name and that `--judge auto` takes; one in angle brackets must be replaced."""

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
        """The error about environment variables that must still be set, or None."""
        wanted = [] if self.key else [" or ".join(self.keys)]
        wanted += [] if self.base_url else [" or ".join(self.url_variables)]
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            wanted.append(f"{' or '.join(self.url_variables)} to an address that begins with http:// or https://")
        if holds_password(self.base_url):
            wanted.append(f"{' or '.join(self.url_variables)} to an address without user and password")
            wanted.append(f"the key in {' or '.join(self.keys)}")
        return SetupError(f"{self.name}: set {' and '.join(wanted)} in the environment") if wanted else None


def _provider(name: str, title: str, url: str, example: str, wire: str = "openai", *more_keys: str) -> Provider:
    """Build a provider whose environment variables begin with its name, as most providers' do."""
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

# Any other OpenAI-compatible server is named by its URL. Its key is in this variable, or in one that includes its host.
URL_KEY = "ADJUDGE_API_KEY"
# The variable that holds the login for a SearXNG server, as user:password.
SEARXNG_AUTH = "SEARXNG_AUTH"
# Host names may contain three punctuation marks, variable names only the underscore: their number tells them apart.
_SIGNS = {".": "_", "-": "__", "_": "___"}


def url_keys(address: str) -> tuple[str, ...]:
    """Return the variables that may hold a server's key: for its host and port, for its host, and for all servers."""
    parts = urlsplit(address)
    name = ".".join(map(_ascii, (parts.hostname or "").split(".")))
    host = f"{URL_KEY}_{re.sub('[^A-Z0-9]', lambda sign: _SIGNS.get(sign[0], '_'), name.upper())}"
    return (*((f"{host}_{parts.port}",) if parts.port else ()), host, URL_KEY)


def _ascii(label: str) -> str:
    """Convert a label of a host name to its IDNA form."""
    if label.isascii():
        return label
    return "xn--" + unicodedata.normalize("NFKC", label).encode("punycode").decode()


def url_key(address: str) -> str | None:
    """Return a server's key from the first variable that is set; None, so that no key is sent, if it is empty."""
    return (
        next((value.strip() for name in url_keys(address) if (value := os.environ.get(name)) is not None), "") or None
    )


def refuse_password(place: str, named: str) -> None:
    """Raise an error if a judge's or search service's address contains a login, because names are stored and shown."""
    if not holds_password(named):
        return
    found = "an address must not contain a user or password"
    if place == "search":
        raise InputError(place, found, f"give the address alone, and user:password in {SEARXNG_AUTH}")
    raise JudgeSpecError(place, found, f"give the address alone, and the key in {URL_KEY}_HOST or {URL_KEY}")
