"""autoevals: its own comparison of two answers, `Battle`, with the async OpenAI client that its manual shows."""

from __future__ import annotations

import asyncio
import json

from peer_cases import at_a_time, completion, wanted

REQUIREMENTS = ("autoevals==0.4.1", "openai==3.49.0")
_CHOICE = {"reasons": "1. Both name outcomes. 2. The first says the same in fewer words.", "choice": "Yes"}
_CALL = {"id": "1", "type": "function", "function": {"name": "select_choice", "arguments": json.dumps(_CHOICE)}}
REPLY = completion(None, tool_calls=[_CALL])


async def main() -> None:
    from autoevals import Battle  # type: ignore[import-not-found]
    from openai import AsyncOpenAI

    todo = wanted()
    async with AsyncOpenAI(base_url=todo.url, api_key="none") as client:
        battle = Battle(client=client, model="m")

        async def judge(case: dict[str, str]) -> None:
            judged = await battle.eval_async(instructions=case["task"], output=case["a"], expected=case["b"])
            assert judged.score == 1, judged

        await at_a_time(todo.cases, todo.concurrency, judge)


if __name__ == "__main__":
    asyncio.run(main())
