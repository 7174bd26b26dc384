"""A process that judges a few cases in batches, made to be killed: `python -m scripted.asking JUDGE JOURNAL LEDGER`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from adjudge import Comparison, ComparisonVerdict, Failure
from adjudge.engine import Engine, open_engine
from adjudge.llm.batch.base import BatchSettings
from adjudge.protocols.compare.settings import CompareSettings

CASES = 4


def quick(ledger: Path) -> BatchSettings:
    """Batches that wait for nobody."""
    return BatchSettings(ledger, idle=0.3, poll=0.02, longest_poll=0.05)


async def judge_all(engine: Engine, judge: str) -> list[ComparisonVerdict | Failure]:
    settings = CompareSettings(judge=judge, one_order=True)
    cases = [Comparison("Say hello.", f"Hello number {n}, how are you today?", "Hi.") for n in range(CASES)]
    return await asyncio.gather(*(engine.judge(case, settings) for case in cases))


async def main() -> None:
    judge, journal, ledger = sys.argv[1:4]
    async with open_engine(journal, batches=quick(Path(ledger))) as engine:
        await judge_all(engine, judge)


if __name__ == "__main__":
    asyncio.run(main())
