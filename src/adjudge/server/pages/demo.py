"""The shipped examples, which a form can load and `adjudge serve --demo` judges with the embedded judge.

Besides single cases there are two small files of cases, which become runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...api import one_dialogue, one_review
from ...engine import Engine
from ...inputs.json import parse_object
from ...models.common import Failure
from ...protocols.compare.reading import WANTED, comparison_from
from ...protocols.compare.settings import CompareSettings
from ...protocols.dialogue.settings import DialogueSettings
from ...protocols.review.settings import ReviewSettings
from ...protocols.rubrics import shipped
from ...reports import view_of
from ...runs.hosted_run import HostedRun
from ...runs.hosting import HostedRuns, NewRun

_FOLDER = Path(__file__).parents[1] / "examples"
_FILES = {"compare": "compare.json", "dialogue": "dialogue.txt", "review": "review.txt"}
_TITLES = {
    "compare": "Two answers to a nurse who cannot sleep by day",
    "dialogue": "A parcel that is in Leeds, and then is not",
    "review": "A person’s ratings of advice on a wet phone",
}
# For each run: its name, its settings and the file with its cases.
_RUNS = (
    ("Everyday questions, two assistants", CompareSettings(), "comparisons.jsonl"),
    ("Ratings by Ines, Jonas and Mara", ReviewSettings(), "reviews.jsonl"),
)


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """The verdict of an example, for the list of examples on the first page."""

    protocol: str
    title: str
    verdict_id: str
    headline: str


def example(protocol: str) -> str:
    """Return the text of a protocol's shipped example file."""
    return (_FOLDER / _FILES[protocol]).read_text("utf-8")


async def judge_examples(engine: Engine) -> tuple[JudgedExample, ...]:
    """Judge the examples and store their verdicts in the journal, like all others. Failures are left out."""
    data = parse_object(example("compare").encode(), "example", WANTED)
    outcomes: dict[str, Any] = {
        "compare": await engine.judge(comparison_from(data, shipped("compare")), CompareSettings()),
        "dialogue": await engine.judge(one_dialogue(example("dialogue")), DialogueSettings()),
        "review": await engine.judge(one_review(example("review"), shipped("review")), ReviewSettings()),
    }
    return tuple(
        JudgedExample(protocol, _TITLES[protocol], outcome.verdict_id, view_of(outcome).headline)
        for protocol, outcome in outcomes.items()
        if not isinstance(outcome, Failure)
    )


async def judge_runs(runs: HostedRuns) -> list[HostedRun]:
    """Begin the example runs in the background. Runs that exist from an earlier start are returned unchanged."""
    known = {status.name: run for run, status in runs.statuses()}
    return [
        known.get(name)
        or await runs.begin(NewRun((_FOLDER / file).read_bytes(), file, settings.protocol, settings, name=name))
        for name, settings, file in _RUNS
    ]
