"""Measures the overhead of adjudge: judgments per second and CPU per judgment, compared with a bare loop and an SDK.

All contenders send the same prompts to the same local server, which answers after 50 ms, with 100 calls in flight. A
judgment is one opinion of a judge: prompt rendered, reply journalled on disk, parsed and validated, every quote
located. A whole comparison (here in one order) adds facts, exact rules, and the verdict rendered and stored. Rounds
alternate, so that other load on the machine affects all contenders; the ratio within one run is the figure to read.

    python bench/overhead.py [--calls 2000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from adjudge.engine import open_engine
from adjudge.llm.base import Sampling
from adjudge.llm.openai import default_dialect, request
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.roles import COMPARER
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.compare.verdict import ComparisonOpinion, ComparisonVerdict
from adjudge.protocols.rubrics import shipped

CONCURRENCY = 100
DELAY = 0.05
SENTENCES = [
    "Start by writing down the three outcomes that matter most to the people who will use this.",
    "For each of them, name one number that you can measure every week without extra work.",
    "Keep the first version small enough that two people can finish it within a fortnight.",
    "If the budget is tight, drop the dashboard first, because nobody needs it in the first month.",
    "I am assuming that you already have the customer list; if not, that comes before anything else.",
    "Write the rollback plan before the launch plan, and rehearse it once with the whole team.",
    "Ask two customers to try it in the second week, and watch them without helping.",
    "What they stumble over goes to the top of the list, whatever was planned for that week.",
    "A weekly note of five lines keeps everybody informed and costs ten minutes.",
    "After a month, compare the three numbers with where they stood and decide whether to go on.",
    "If none of them has moved, stop; that is a result too, and cheaper than another quarter.",
    "Whatever happens, leave the tool with a named owner, since an orphan is worse than no tool.",
]


def cases(count: int) -> list[Comparison]:
    body = " ".join(SENTENCES)
    return [
        Comparison(
            f"Plan the launch of internal tool number {n}.", f"Plan {n}. {body}", f"Draft {n}. {body} Good luck."
        )
        for n in range(count)
    ]


def reply_body() -> bytes:
    """Build a realistic reply: seven criteria with two quotes each, all of which are in both answers."""
    keys = [criterion.key for criterion in shipped("compare").criteria]
    quotes = [" ".join(sentence.split()[:10]) for sentence in SENTENCES]
    criteria = {
        key: {
            "quote_1": quotes[(at + 1) % len(quotes)],
            "impact_1": "favorable",
            "rationale_1": "Concrete and checkable.",
            "quote_2": quotes[(at + 2) % len(quotes)],
            "impact_2": "favorable",
            "rationale_2": "Concrete and checkable.",
            "justification_1": "It names outcomes, numbers and an order of work that fits.",
            "score_1": 7,
            "justification_2": "It does the same, and closes with a phrase that adds nothing.",
            "score_2": 6,
        }
        for at, key in enumerate(keys)
    }
    content = {
        "criteria": criteria,
        "more_evidence": [],
        "summary_1": "A plan with outcomes, measures and a rollback.",
        "summary_2": "The same plan with a pleasantry at its end.",
        "rationale": "Answer 1 says the same in fewer words.",
        "preference": "answer_1",
    }
    message = {"role": "assistant", "content": orjson.dumps(content).decode()}
    usage = {"prompt_tokens": 1500, "completion_tokens": 900, "total_tokens": 2400}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return orjson.dumps(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": choices, "usage": usage}
    )


def requests(todo: list[Comparison]) -> list[dict[str, Any]]:
    rubric, sampling, dialect = shipped("compare"), Sampling(), default_dialect("", "m")
    prompts = (COMPARER.prompt(CompareQuestion(case, rubric, "ab")) for case in todo)
    return [request("m", prompt.with_secret(b"bench"), sampling, dialect) for prompt in prompts]


async def at_a_time(jobs: list[Callable[[], Awaitable[None]]], concurrency: int = CONCURRENCY) -> None:
    queue = iter(jobs)

    async def worker() -> None:
        for job in queue:
            await job()

    await asyncio.gather(*(worker() for _ in range(concurrency)))


async def bare_loop(port: int, todo: list[Comparison], concurrency: int = CONCURRENCY) -> None:
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        def job(body: dict[str, Any]) -> Callable[[], Awaitable[None]]:
            async def ask() -> None:
                async with session.post(url, json=body) as response:
                    content = (await response.json())["choices"][0]["message"]["content"]
                    assert orjson.loads(content)["preference"] == "answer_1"

            return ask

        await at_a_time([job(body) for body in requests(todo)], concurrency)


async def openai_sdk(port: int, todo: list[Comparison]) -> None:
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0) as client:

        def job(body: dict[str, Any]) -> Callable[[], Awaitable[None]]:
            async def ask() -> None:
                done = await client.chat.completions.create(**body)
                assert orjson.loads(done.choices[0].message.content or "")["preference"] == "answer_1"

            return ask

        await at_a_time([job(body) for body in requests(todo)])


async def adjudge_opinion(port: int, todo: list[Comparison]) -> None:
    rubric = shipped("compare")
    with tempfile.TemporaryDirectory() as folder:
        async with open_engine(Path(folder) / "journal.db") as engine:
            judge = engine.open_judge(f"http://127.0.0.1:{port}/v1#m", CompareSettings())

            def job(case: Comparison) -> Callable[[], Awaitable[None]]:
                async def ask() -> None:
                    opinion = await judge.opine(CompareQuestion(case, rubric, "ab"))
                    assert isinstance(opinion, ComparisonOpinion), opinion
                    assert len(opinion.evidence) == 14

                return ask

            await at_a_time([job(case) for case in todo])


async def adjudge_comparison(port: int, todo: list[Comparison]) -> None:
    settings = CompareSettings(judge=f"http://127.0.0.1:{port}/v1#m", one_order=True)
    with tempfile.TemporaryDirectory() as folder:
        async with open_engine(Path(folder) / "journal.db") as engine:

            def job(case: Comparison) -> Callable[[], Awaitable[None]]:
                async def ask() -> None:
                    verdict = await engine.judge(case, settings)
                    assert isinstance(verdict, ComparisonVerdict), verdict
                    assert len(verdict.calls) == 1
                    assert not verdict.warnings, verdict.warnings

                return ask

            await at_a_time([job(case) for case in todo])


CONTENDERS = {
    "bare aiohttp loop": bare_loop,
    "adjudge, judgment": adjudge_opinion,
    "adjudge, whole comparison": adjudge_comparison,
    "bare OpenAI SDK": openai_sdk,
}


def measure(name: str, port: int, calls: int) -> dict[str, float]:
    """Run one round of one contender in this process. Return judgments per second, CPU ms per judgment and peak MB."""

    async def run() -> dict[str, float]:
        contender = CONTENDERS[name]
        await contender(port, cases(20))
        todo = cases(calls)
        # Exclude imported objects from garbage collection, so that scanning them is charged to no contender.
        gc.collect()
        gc.freeze()
        wall, cpu = time.perf_counter(), time.process_time()
        await contender(port, todo)
        rate, each = calls / (time.perf_counter() - wall), (time.process_time() - cpu) / calls * 1000
        return {"rate": rate, "cpu": each, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}

    return asyncio.run(run())


def measure_apart(name: str, port: int, calls: int) -> dict[str, float]:
    """Run `measure` in a separate process, so that no contender carries the imports of another."""
    command = [sys.executable, __file__, "--calls", str(calls), "--only", name, "--port", str(port)]
    result: dict[str, float] = orjson.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only:
        print(orjson.dumps(measure(args.only, args.port, args.calls)).decode())
        return
    with tempfile.TemporaryDirectory() as folder:
        reply = Path(folder) / "reply.json"
        reply.write_bytes(reply_body())
        command = [sys.executable, str(Path(__file__).with_name("instant_server.py")), str(reply), str(DELAY)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            rounds = [{name: measure_apart(name, port, args.calls) for name in CONTENDERS} for _ in range(args.rounds)]
        finally:
            server.terminate()
            server.wait()
    print(
        f"{args.calls} judgments, {DELAY * 1000:g} ms server, {CONCURRENCY} at a time, median of {args.rounds} rounds"
    )
    print(f"{'':28}{'judgments/s':>12}{'CPU-ms each':>13}{'peak MB':>9}{'of the bare loop':>18}")
    for name in CONTENDERS:
        rate, cpu, peak = (statistics.median(r[name][key] for r in rounds) for key in ("rate", "cpu", "peak"))
        share = statistics.median(r[name]["rate"] / r["bare aiohttp loop"]["rate"] for r in rounds)
        print(f"{name:28}{rate:12.0f}{cpu:13.2f}{peak:9.0f}{share:18.0%}")


if __name__ == "__main__":
    main()
