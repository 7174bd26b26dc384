"""Rate limits in the headers of a reply: how long to wait, and how much is left until the limit is reset.

OpenAI's form (`x-ratelimit-remaining-requests`, a time such as `6m0.5s`), which most others use, and Anthropic's
(`anthropic-ratelimit-requests-remaining`, a date).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")
_PART_SECONDS = (86400.0, 3600.0, 60.0, 1.0, 0.001)


class Allowance(NamedTuple):
    """How many calls are left, and for how many seconds."""

    calls: float
    seconds: float


def retry_after(headers: Mapping[str, Any]) -> float | None:
    """The seconds that the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    if milliseconds := headers.get("retry-after-ms"):
        try:
            return max(0.0, float(milliseconds) / 1000)
        except ValueError:
            pass
    value = headers.get("retry-after")
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def allowance(headers: Mapping[str, Any], tokens_per_call: float) -> Allowance | None:
    """What is left of requests or of tokens, whichever is scarcer; None if the headers do not say."""
    if "x-ratelimit-remaining-requests" in headers or "x-ratelimit-remaining-tokens" in headers:
        remaining, reset = "x-ratelimit-remaining-{}", "x-ratelimit-reset-{}"
    elif "anthropic-ratelimit-requests-remaining" in headers:
        remaining, reset = "anthropic-ratelimit-{}-remaining", "anthropic-ratelimit-{}-reset"
    else:
        return None
    scarcest: Allowance | None = None
    for what, size in (("requests", 1.0), ("tokens", max(1.0, tokens_per_call))):
        left, seconds = _number(headers.get(remaining.format(what))), _seconds(headers.get(reset.format(what)))
        if left is None or not seconds:
            continue
        calls = left / size
        if scarcest is None or calls * scarcest.seconds < scarcest.calls * seconds:
            scarcest = Allowance(calls, seconds)
    return scarcest


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _seconds(text: str | None) -> float | None:
    """Seconds until a limit is reset: `20ms`, `1m30s`, `12`, or a date."""
    if not text:
        return None
    if (plain := _number(text)) is not None:
        return plain
    if (parts := _DURATION.fullmatch(text.strip())) and any(parts.groups()):
        try:
            return sum(float(part) * unit for part, unit in zip(parts.groups(), _PART_SECONDS, strict=True) if part)
        except ValueError:
            return None
    try:
        return max(0.0, (datetime.fromisoformat(text.strip()) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
