"""What every JSON document of ours has in common: exact numbers, fixed bytes, and how calls and tokens are written.

It knows no protocol; each renderer brings its own document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import orjson

from ..arithmetic import plain
from ..verdicts import Call, Fact, Failure, Usage, total_cost, total_usage
from . import escaping

_LINE_START = re.compile(rb'\n *(?:("(?:[^"\\]|\\.)*":) )?')


def dump(document: dict[str, Any], *, indent: bool = True) -> bytes:
    """The document's bytes, with a line end after them; without indent it is one line."""
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0)
    return escaping.json(orjson.dumps(document, default=_exact, option=option))


def on_one_line(document: bytes) -> bytes:
    """A document that may be indented, as earlier journals keep them, as the one line that `dump` makes of it."""
    if document.find(b"\n", 0, -1) < 0:
        return document
    # In JSON a line end stands between tokens only, and a line of an indented document has one key, at its beginning.
    return _LINE_START.sub(rb"\1", document[:-1]) + b"\n"


def spent(calls: Sequence[Call]) -> dict[str, Any]:
    """What the calls used and cost together, and each of them."""
    return {
        "usage": _usage(total_usage(calls)),
        "cost_usd": total_cost(calls),
        "calls": [_call(call) for call in calls],
    }


def fact_json(fact: Fact) -> dict[str, Any]:
    """A fact; how bad it is stands there only where that can be said."""
    told: dict[str, Any] = {
        "name": fact.name,
        "where": fact.where,
        "start": fact.start,
        "end": fact.end,
        "found": fact.found,
        "certain": fact.certain,
    }
    return told if fact.severity is None else {**told, "severity": fact.severity}


def failed(failure: Failure) -> dict[str, Any]:
    """A judgment that did not come about: the one line every client shows, and what is known beside it."""
    return {
        "error": escaping.one_line(f"no verdict from {failure.judge} ({failure.reason}): {failure.message}"),
        "failure": {
            "reason": failure.reason,
            "message": failure.message,
            "judge": failure.judge,
            **spent(failure.calls),
        },
    }


def _usage(tokens: Usage) -> dict[str, int]:
    return {
        "input_tokens": tokens.input_tokens,
        "output_tokens": tokens.output_tokens,
        "total_tokens": tokens.total_tokens,
        "reasoning_tokens": tokens.reasoning_tokens,
    }


def _call(call: Call) -> dict[str, Any]:
    return {
        "key": call.key,
        "purpose": call.purpose,
        "model": call.model,
        "usage": {
            **_usage(call.usage),
            "cache_read_tokens": call.usage.cache_read_tokens,
            "cache_write_tokens": call.usage.cache_write_tokens,
        },
        "cost_usd": call.cost,
        "attempts": call.attempts,
        "sent": call.sent,
    }


def _exact(value: object) -> orjson.Fragment:
    # A float would lose digits, a string would change the type: the number is written as it stands.
    if isinstance(value, Decimal):
        text = str(value)  # three times as fast as the format, and the same unless it has an exponent
        return orjson.Fragment(text if "E" not in text else format(value, "f"))
    raise TypeError(f"{type(value).__name__} has no JSON form")


class _Written(dict[Decimal, orjson.Fragment]):
    """Numbers as they are written, kept: a table is asked in half the time that a cached function takes."""

    def __missing__(self, number: Decimal) -> orjson.Fragment:
        if len(self) >= 1024:
            self.clear()
        fragment = self[number] = _exact(plain(number))
        return fragment


# A score or a weight without trailing zeros, as `dump` writes it: a document has dozens, and few differ.
written = _Written().__getitem__
