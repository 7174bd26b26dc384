"""Removes secrets from everything that people, files and other programs can see.

A server may repeat the key it was sent in its error message. So every error, failure and warning passes through
`redact` when it is made, and every new reply through `redact_reply` before it is stored.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from functools import lru_cache
from urllib.parse import quote, unquote

HIDDEN = "***"
# Shorter values ("none", "ollama") are not real secrets and occur in ordinary text.
SHORTEST = 8

_VARIABLE = re.compile(r"API_?KEY(?:_\w+)?$|(?:ACCESS_KEY|TOKEN|PASSWORD|SECRET|SEARXNG_AUTH)$", re.IGNORECASE)
_PASSWORD = re.compile(r"://[^\s/?#:@]*:(\S+)@")
_SHAPES = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        # Passwords in URLs. In http:// URLs the user name may be a token too.
        (r"""(https?://)[^\s/?#"'<>]+@""", rf"\1{HIDDEN}@"),
        (r"""(://[^\s/?#:@"'<>]*:)[^\s/?#"'<>]+@""", rf"\1{HIDDEN}@"),
        # Headers and fields that carry a key of any form.
        (
            r"""\b((?:authorization|api[-_]?key|x-subscription-token)\\?["']?\s*[:=]\s*\\?["']?"""
            r"""(?:basic\s+|bearer\s+)?)[^\s"',;)}\]\\]{8,}""",
            rf"\1{HIDDEN}",
        ),
        (r"""(password\s*=\s*["']?)[^\s"'&;]+""", rf"\1{HIDDEN}"),
        (r"\b(bearer\s+)[\w.~+/=-]{8,}", rf"\1{HIDDEN}"),
        # Keys with a known form: OpenAI, Anthropic, OpenRouter, Groq, Google.
        (r"\b(sk-|gsk_|AIza)[\w-]{20,}", rf"\1{HIDDEN}"),
    )
)


def redact(text: str) -> str:
    """Remove this process's keys, passwords in URLs, and anything that looks like a key from a text."""
    for secret in known_secrets():
        text = text.replace(secret, HIDDEN)
    for pattern, replacement in _SHAPES:
        text = pattern.sub(replacement, text)
    return text


def redact_reply(body: bytes) -> bytes:
    """Remove this process's keys from a reply. Nothing else is changed, even if it looks like a key."""
    for secret in known_secrets():
        body = body.replace(secret.encode("utf-8", "surrogateescape"), HIDDEN.encode())
    return body


def holds_password(address: str) -> bool:
    """Check whether a URL, or the URL in a judge's name, holds a user or a password. A model's name may hold an @."""
    after_scheme = (re.split("https?://", part, maxsplit=1, flags=re.IGNORECASE)[1:] for part in address.split("#"))
    return any("@" in rest for found in after_scheme for rest in found)


def names_secret(variable: str) -> bool:
    """Check whether an environment variable of this name holds a key or a password."""
    return _VARIABLE.search(variable) is not None


def known_secrets() -> tuple[str, ...]:
    """Return the keys and passwords in the environment, in every form that a server may repeat, longest first."""
    return _secrets_in(tuple(os.environ.items()))


@lru_cache(maxsize=4)
def _secrets_in(environment: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    found: set[str] = set()
    for name, value in environment:
        if names_secret(name):
            found |= {value.strip(), value.partition(":")[2], b64encode(os.fsencode(value)).decode()}
        elif "@" in value and (address := _PASSWORD.search(value)):
            found |= {address[1], unquote(address[1])}
    long = [secret for secret in found if len(secret) >= SHORTEST]
    written = {form for secret in long for form in (secret, json.dumps(secret)[1:-1])}
    # Some servers escape slashes in JSON, and a model's reply is JSON inside JSON.
    forms = {form.replace("/", slash) for form in written for slash in ("/", r"\/", r"\\/")}
    forms |= {quote(secret, "", errors="replace") for secret in long}
    return tuple(sorted(forms, key=len, reverse=True))
