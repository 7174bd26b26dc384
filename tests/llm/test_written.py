"""A written judge: it says what the journal holds, and nothing else; nothing is paid."""

import orjson
import pytest

from adjudge.engine import open_engine
from adjudge.journal import Stored
from adjudge.llm.base import Delivery, UnreadableReplyError, WrappedWire
from adjudge.llm.written import WrittenWire
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.rubrics import shipped

CASE = Comparison("Say hello.", "Hello, how are you today?", "Hello to you and to all of yours.")
SETTINGS = CompareSettings(judge="written:demo", one_order=True)


def reply():
    quotes = {f"quote_{n}": "Hello" for n in (1, 2)}
    marks = {f"{name}_{n}": "It is so." for n in (1, 2) for name in ("rationale", "justification")}
    marks |= quotes | {f"impact_{n}": "favorable" for n in (1, 2)} | {"score_1": 7, "score_2": 7}
    said = {"summary_1": "Short.", "summary_2": "Long.", "rationale": "Both greet.", "preference": "tie"}
    return {"criteria": dict.fromkeys(shipped("compare").weights, marks), "more_evidence": [], **said}


class Keys(WrappedWire):
    """Notes the key of each call."""

    asked: list[str]

    async def send(self, prompt, sampling, *, key=""):
        self.asked = [*getattr(self, "asked", ()), key]
        return await self.inner.send(prompt, sampling, key=key)


async def test_what_nobody_wrote_is_a_failure_that_says_so_and_a_stored_reply_is_the_verdict(tmp_path):
    async with open_engine(tmp_path / "journal.db") as engine:
        engine.open_judge("written:demo", SETTINGS)
        (wire,) = engine.wrap_wires(Keys).values()
        outcome = await engine.judge(CASE, SETTINGS)
        assert isinstance(outcome, Failure) and outcome.reason == "rejected"
        assert "there is none for this case; choose another judge" in outcome.message
        await engine.journal.put(wire.asked[0], Stored.now(orjson.dumps(reply()), 1))
        verdict = await engine.judge(CASE, SETTINGS)
        assert (verdict.winner, verdict.provenance.judge) == ("tie", "written:demo")
        assert {call.cost for call in verdict.calls} == {0}


async def test_it_sends_nothing_and_reads_only_text(tmp_path):
    wire = WrittenWire("demo")
    assert not isinstance(await wire.send(None, None), Delivery)
    with pytest.raises(UnreadableReplyError):
        wire.decode(b"\xff")
