"""What every peer's script starts from: its arguments and its cases. Needs nothing but Python itself.

A peer is started as `python peers/NAME.py URL CASES.jsonl CONCURRENCY` and says nothing unless something went wrong.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

CRITERION = "Which answer helps the person who asked more: correct, complete, specific, to the point?"


class Wanted(NamedTuple):
    """The judgments to make: cases with `task`, `a` and `b`, where, and how many at a time."""

    url: str
    cases: list[dict[str, str]]
    concurrency: int


def wanted() -> Wanted:
    """What the command line asks for."""
    url, cases, concurrency = sys.argv[1:]
    return Wanted(url, [json.loads(line) for line in Path(cases).read_text().splitlines()], int(concurrency))


def completion(content: str | None, **more: Any) -> dict[str, Any]:
    """A chat completion that says this."""
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
    """Judge all of them, so many at a time, as a user of an asynchronous library does it."""
    room = asyncio.Semaphore(concurrency)

    async def one(case: dict[str, str]) -> None:
        async with room:
            await judge(case)

    await asyncio.gather(*map(one, cases))
