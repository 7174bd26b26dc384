"""The shipped examples: to load into a form, and judged with the embedded judge for `adjudge serve --demo`.

Beside single cases there are two small files of cases, which become runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...api import one_dialogue, one_review
from ...engine import CompareSettings, DialogueSettings, Engine, ReviewSettings
from ...inputs.comparison import WANTED, comparison_from
from ...inputs.json import parse_object
from ...models import Failure
from ...reports import view_of
from ...rubric import shipped
from ...runs.hosted_run import HostedRun
from ...runs.hosting import HostedRuns, Wanted

_FOLDER = Path(__file__).parents[1] / "examples"
_FILES = {"compare": "compare.json", "dialogue": "dialogue.txt", "review": "review.txt"}
_TITLES = {
    "compare": "Two answers to a nurse who cannot sleep by day",
    "dialogue": "A parcel that is in Leeds, and then is not",
    "review": "A person’s ratings of advice on a wet phone",
}
# What the runs are called, how they are judged, and the files of their cases.
_RUNS = (
    ("Everyday questions, two assistants", CompareSettings(), "comparisons.jsonl"),
    ("Ratings by Ines, Jonas and Mara", ReviewSettings(), "reviews.jsonl"),
)


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """A verdict to look at: where it is, and what it says."""

    protocol: str
    title: str
    verdict_id: str
    headline: str


def example(protocol: str) -> str:
    """The shipped example of a protocol, as its file holds it."""
    return (_FOLDER / _FILES[protocol]).read_text("utf-8")


async def judge_examples(engine: Engine) -> tuple[JudgedExample, ...]:
    """The examples with their verdicts, which the journal keeps like all others."""
    data = parse_object(example("compare").encode(), "example", WANTED)
    outcomes: dict[str, Any] = {
        "compare": await engine.compare(comparison_from(data, shipped("compare")), CompareSettings()),
        "dialogue": await engine.dialogue(one_dialogue(example("dialogue")), DialogueSettings()),
        "review": await engine.review(one_review(example("review"), shipped("review")), ReviewSettings()),
    }
    return tuple(
        JudgedExample(protocol, _TITLES[protocol], outcome.verdict_id, view_of(outcome).headline)
        for protocol, outcome in outcomes.items()
        if not isinstance(outcome, Failure)
    )


async def judge_runs(runs: HostedRuns) -> list[HostedRun]:
    """The example runs, to be executed in the background; those that an earlier start began are left as they are."""
    known = {status.name: run for run, status in runs.statuses()}
    return [
        known.get(name)
        or await runs.begin(Wanted((_FOLDER / file).read_bytes(), file, settings.protocol, settings, name=name))
        for name, settings, file in _RUNS
    ]
