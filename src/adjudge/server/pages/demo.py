"""The shipped examples, which a form can load and `adjudge serve --demo` judges with the embedded judge.

Besides single cases there are small files of cases, which become runs.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from ...engine import Engine, verdict_of
from ...journal import Journal, open_journal
from ...models.common import Failure
from ...protocols.base import Protocol, names, protocol_of
from ...protocols.form import RecordedExample
from ...protocols.rubrics import load, shipped
from ...reports import view_of
from ...rubric import Rubric
from ...runs.hosted_run import HostedRun
from ...runs.hosting import HostedRuns, NewRun


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """The verdict of an example, for the list of examples on the first page."""

    protocol: str
    title: str
    verdict_id: str
    headline: str


def example(name: str) -> str:
    """Return the text of a protocol's shipped example file."""
    protocol = protocol_of(name)
    return (protocol.folder / protocol.form.example).read_text("utf-8")


def example_rubric(protocol: Protocol) -> Rubric:
    """Return the rubric that a protocol's example is judged by."""
    file = protocol.form.example_rubric
    return load(protocol.folder / file, protocol.name) if file else shipped(protocol.name)


async def judge_examples(engine: Engine) -> tuple[JudgedExample, ...]:
    """Judge the examples and store their verdicts in the journal, like all others. Failures are left out. Recorded
    verdicts are copied from their shipped journals."""
    judged = []
    for protocol in map(protocol_of, names()):
        judged += [await _copied(protocol, each, engine.journal) for each in protocol.form.recorded]
        form, settings = protocol.form, protocol.settings(rubric=example_rubric(protocol))
        case = form.case(form.fill(example(protocol.name), settings.rubric), settings.rubric)
        outcome = await engine.judge(case, settings)
        if not isinstance(outcome, Failure):
            headline = view_of(outcome).headline
            judged.append(JudgedExample(protocol.name, form.example_title, outcome.verdict_id, headline))
    return tuple(judged)


async def _copied(protocol: Protocol, recorded: RecordedExample, journal: Journal) -> JudgedExample:
    with TemporaryDirectory() as folder:
        # A journal is opened for writing, and the installation may be read-only.
        place = Path(copyfile(protocol.folder / recorded.journal, f"{folder}/journal.db"))
        with closing(open_journal(place)) as shipped_journal:
            found, *_ = shipped_journal.verdicts_before(None, 1)
            verdict = verdict_of(found.inputs, found.verdict)
            for call in verdict.calls:
                if (reply := shipped_journal.get(call.key)) is not None:
                    await journal.put(call.key, reply)
    await journal.put_verdict(found.verdict_id, found.inputs, found.verdict)
    return JudgedExample(protocol.name, recorded.title, found.verdict_id, view_of(verdict).headline)


async def judge_runs(runs: HostedRuns) -> list[HostedRun]:
    """Begin the example runs in the background. Runs that exist from an earlier start are returned unchanged."""
    known = {status.name: run for run, status in runs.statuses()}
    shipped = [(each, protocol) for protocol in map(protocol_of, names()) for each in protocol.form.example_runs]
    begun = []
    for each, protocol in shipped:
        cases = (protocol.folder / each.file).read_bytes()
        new = NewRun(cases, each.file, protocol.settings(), name=each.name)
        begun.append(known.get(each.name) or await runs.begin(new))
    return begun
