"""The shipped examples, which a form can load, and what `adjudge serve --demo` shows besides: runs with labels and
decisions. Their judges and people are written, or the judge is the embedded one, so nothing is asked or paid.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from ...agreement.labels.files import LabelFile
from ...agreement.labels.questions import begun_label
from ...agreement.labels.sampling import select_cases
from ...engine import Engine, verdict_of
from ...errors import ConflictError
from ...journal import Journal, Stored, open_journal
from ...models.common import Failure
from ...protocols.base import Protocol, names, protocol_of
from ...protocols.form import ExampleRun, RecordedExample
from ...protocols.rubrics import load, shipped
from ...reports import view_of
from ...results.run import open_run
from ...rubric import Rubric
from ...runs.directory import read_case
from ...runs.hosted_run import HostedRun
from ...runs.uploads import NewRun
from ..callers import Caller
from ..common import State
from ..labelling import Labelling, LabelSetup, labelling_of, set_up
from ..rubrics import keep_version
from .common import DEMO

_LOOK_EVERY = 0.05  # seconds


class DemoNotice:
    """ASGI middleware: every page says that it is one of the demo."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        DEMO.set(True)
        await self._app(scope, receive, send)


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


# -- runs -------------------------------------------------------------------------------------------------------------


class ShippedRun(NamedTuple):
    """A run of the demo, what is shipped of it, and its protocol."""

    run: HostedRun
    example: ExampleRun
    protocol: Protocol


def cases_of(protocol: Protocol, example: ExampleRun) -> bytes:
    """Return the cases of a shipped run, one per line."""
    content = (protocol.folder / example.file).read_bytes()
    if example.only is None:
        return content
    column, value = example.only
    chosen = (line for line in content.splitlines(keepends=True) if str(orjson.loads(line).get(column)) == value)
    return b"".join(chosen)


async def begin_runs(state: State) -> list[ShippedRun]:
    """Begin the shipped runs, which are executed in the background. Those of an earlier start are not judged again."""
    known = {status.name: run for run, status in state.runs.statuses()}
    shipped = [(each, protocol) for protocol in map(protocol_of, names()) for each in protocol.form.example_runs]
    new = [(each, protocol) for each, protocol in shipped if each.name not in known]
    for file in sorted({protocol.folder / each.replies for each, protocol in new if each.replies}):
        await _put_replies(file.read_bytes(), state.engine.journal)
    for each, protocol in new:
        if each.rubric:
            with suppress(ConflictError):  # another one of this name and version stays
                await keep_version(state, Caller(), _rubric(protocol, each))
    return [
        ShippedRun(known.get(each.name) or await state.runs.begin(_new_run(protocol, each)), each, protocol)
        for each, protocol in shipped
    ]


async def add_people(state: State, begun: Iterable[ShippedRun]) -> None:
    """Add to each shipped run what people did about it, as soon as it is judged."""
    for each in begun:
        while each.run.marker.exists():  # noqa: ASYNC110 -- another process may be judging it
            await asyncio.sleep(_LOOK_EVERY)
        await asyncio.to_thread(_add_people, state, *each)


def _rubric(protocol: Protocol, each: ExampleRun) -> Rubric:
    return load(protocol.folder / each.rubric, protocol.name) if each.rubric else shipped(protocol.name)


def _new_run(protocol: Protocol, each: ExampleRun) -> NewRun:
    return NewRun(
        cases_of(protocol, each),
        Path(each.file).name,
        protocol.settings(**each.settings, rubric=_rubric(protocol, each)),
        name=each.name,
        created=datetime.fromisoformat(each.created) if each.created else None,
    )


async def _put_replies(content: bytes, journal: Journal) -> None:
    """Store the replies of written judges, so that nothing has to be asked."""
    given = map(orjson.loads, content.splitlines())
    await asyncio.gather(*(journal.put(one["key"], Stored.now(orjson.dumps(one["reply"]), 1)) for one in given))


def _add_people(state: State, hosted: HostedRun, each: ExampleRun, protocol: Protocol) -> None:
    """Set up the labelling of a shipped run and store its labels and decisions, unless that was done before."""
    if each.labelling is not None and labelling_of(hosted) is None:
        setup = LabelSetup.model_validate(each.labelling)
        select_cases(open_run(hosted.directory.path), setup.cases, seed=None, random_share=Decimal(1))
        set_up(hosted, setup)
        if each.labels and (found := labelling_of(hosted)) is not None:
            _add_labels(found, (protocol.folder / each.labels).read_bytes())
    if each.acts:
        lines = hosted.directory.cases.read_bytes().splitlines()
        position = {line.case_id: line.position for line in map(read_case, lines)}
        verdicts = {at: found for at, found, _ in state.engine.journal.outcomes(hosted.run_id)}
        for line in (protocol.folder / each.acts).read_bytes().splitlines():
            act = orjson.loads(line)
            if about := verdicts.get(position[act["case"]]):
                state.audit.record(act["person"], act["action"], about, after=0, **act["detail"])


def _add_labels(found: Labelling, content: bytes) -> None:
    given: dict[str, dict[str, Any]] = {}
    for label in map(orjson.loads, content.splitlines()):
        given.setdefault(label["person"], {})[label["case"]] = label
    for person, own in given.items():
        with LabelFile(found.run, person) as file:
            for task in found.queue(person):
                if (label := own.get(task.pick.case)) is None:
                    continue  # still to be labelled
                begun = begun_label(None, task.pick, person, found.shown(task), found.order(person, task))
                more = {name: label[name] for name in ("note", "flagged") if name in label}
                file.add(begun.updated(value=label["value"], skipped=label["value"] is None, **more))
