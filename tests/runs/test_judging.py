"""The chunk function: who waits for the disk holds no place that another case could have."""

import asyncio

from scripted.provider import ScriptedProvider

from adjudge.engine import CompareSettings, Engine
from adjudge.inputs.rows import Row
from adjudge.journal import open_journal
from adjudge.models.cases import Comparison
from adjudge.runs.judging import Judging
from adjudge.runs.lines import write_case
from adjudge.runs.plan import Plan

from .conftest import SENTENCE


class SlowDisk:
    """A journal that keeps no verdict until it is told to."""

    def __init__(self, kept):
        self._kept, self.waiting, self.go_on = kept, 0, asyncio.Event()

    def __getattr__(self, name):
        return getattr(self._kept, name)

    async def put_verdict(self, *args):
        self.waiting += 1
        await self.go_on.wait()
        await self._kept.put_verdict(*args)


async def test_a_case_that_waits_for_the_disk_keeps_no_other_from_being_asked_about(tmp_path):
    async with ScriptedProvider() as provider:
        judge = f"{provider.url}/v1#m"
        journal = SlowDisk(open_journal(tmp_path / "journal.db"))
        async with Engine(journal) as engine:
            plan = Plan.of("r1", "compare", CompareSettings(judge=judge))
            cases = [Comparison(f"Plan tool {n}.", f"{n}. {SENTENCE}", f"{SENTENCE} {n}.") for n in range(3)]
            lines = [write_case(n, Row(f"case-{n}", f"line {n}", case)) for n, case in enumerate(cases)]
            running = asyncio.create_task(Judging(plan, engine, at_once=1).judge_chunk(lines))
            for _ in range(1000):
                if journal.waiting == 3:
                    break
                await asyncio.sleep(0.01)
            assert journal.waiting == 3
            assert not running.done()
            journal.go_on.set()
            assert [outcome.status for outcome in await running] == ["verdict"] * 3
            assert len(list(journal.outcomes("r1"))) == 3
