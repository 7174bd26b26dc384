"""Arguments and cases for the script of every peer. Uses only the standard library.

A peer is started as `python peers/NAME.py URL CASES.jsonl CONCURRENCY` and prints nothing unless something fails.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

CRITERION = "Which answer helps the person who asked more: correct, complete, specific, to the point?"


class NewRun(NamedTuple):
    """The judgments to make: the URL, the cases with `task`, `a` and `b`, and how many at a time."""

    url: str
    cases: list[dict[str, str]]
    concurrency: int


def wanted() -> NewRun:
    """Parse the command line."""
    url, cases, concurrency = sys.argv[1:]
    return NewRun(url, [json.loads(line) for line in Path(cases).read_text().splitlines()], int(concurrency))


def completion(content: str | None, **more: Any) -> dict[str, Any]:
    """Build a chat completion with this content."""
    message = {"role": "assistant", "content": content, **more}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 900, "total_tokens": 2400},
    }


async def at_a_time(
    cases: list[dict[str, str]], concurrency: int, judge: Callable[[dict[str, str]], Awaitable[None]]
) -> None:
    """Judge all cases with this concurrency, as a user of an async library would."""
    room = asyncio.Semaphore(concurrency)

    async def one(case: dict[str, str]) -> None:
        async with room:
            await judge(case)

    await asyncio.gather(*map(one, cases))
