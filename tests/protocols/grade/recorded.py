"""Records the shipped example of claims against sources: the replies of its written judge are journalled.

    PYTHONPATH=tests python -m protocols.grade.recorded

It is needed after a change of grade's prompts; the test of the example says so.
"""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import orjson
from protocols.grade.judging import answers, claim, demand, first_reply, point

import adjudge
from adjudge import GradeSettings
from adjudge.engine import Engine
from adjudge.journal import open_journal
from adjudge.llm.base import Delivery, WrappedWire
from adjudge.protocols.grade.reading import grading_from
from adjudge.protocols.rubrics import shipped

FOLDER = Path(adjudge.__file__).parent / "protocols/grade"
CASE, JOURNAL = FOLDER / "example_claims.json", FOLDER / "example_claims.db"
JUDGE = "written:demo"
OPEN = "On Saturdays and Sundays the Harbour Museum is open from 10 am to 6 pm."
SAID = {
    "does_the_task": answers(
        3,
        OPEN,
        "It answers all three questions, but the price and the way are wrong.",
    ),
    "covers_the_reference": [
        point("On weekends the museum is open from 10 am to 6 pm.", "covered", OPEN),
        point("Adults pay 14 euros", "contradicted", "A ticket for adults costs 12 euros"),
        point("children under 12 pay nothing", "covered", "children under 12 get in free"),
        point("Take tram 4 to Fish Market", "covered", "Tram 4 stops at Fish Market"),
        point("walk five minutes along the quay", "contradicted", "right in front of the entrance"),
    ],
    "rests_on_the_sources": [
        claim(OPEN, "supported", "on Saturdays and Sundays from 10 am to 6 pm"),
        claim("A ticket for adults costs 12 euros", "contradicted", "adults 14 euros"),
        claim("children under 12 get in free", "supported", "children under 12 are free"),
        claim("Tram 4 stops at Fish Market", "supported", "The nearest stop is Fish Market (tram 4)."),
        claim(
            "right in front of the entrance",
            "contradicted",
            "From there it is a walk of five minutes along the water.",
        ),
        claim("a café on the roof with a view of the old cranes", "not_found"),
    ],
    "clear": answers(5, "There is also a café on the roof", "Short sentences in the order of the questions."),
}
DEMANDS = [demand("at most 5 sentences", "sentences", 5, "at_most")]


class WritingWire(WrappedWire):
    """Answers with what is written above."""

    async def send(self, prompt, sampling, *, key=""):
        return Delivery(orjson.dumps(first_reply(prompt.schema["properties"], SAID, DEMANDS)), 1)


def record(place: Path) -> str:
    """Judge the example, and keep the replies and the verdict in a new journal. Return the verdict's id."""
    place.unlink(missing_ok=True)
    with closing(open_journal(place, secret=bytes(32))) as journal:
        outcome = asyncio.run(_judged(journal))
    with closing(sqlite3.connect(place)) as connection:  # as small as it can be
        connection.execute("pragma journal_mode = delete")
        connection.execute("pragma page_size = 512")
        connection.execute("vacuum")
    place.with_name(f"{place.name}.claims").unlink(missing_ok=True)  # only locks of the recording process
    return outcome.verdict_id


async def _judged(journal):
    case, settings = grading_from(json.loads(CASE.read_bytes()), shipped("grade")), GradeSettings(judge=JUDGE)
    async with Engine(journal) as engine:
        engine.open_judge(JUDGE, settings)
        engine.wrap_wires(WritingWire)
        return await engine.judge(case, settings)


if __name__ == "__main__":
    print(record(JOURNAL))
