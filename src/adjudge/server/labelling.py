"""Decides who labels which cases of a run, and what is still open. The cases and files are those of `adjudge label`.

`labels/setup.json` in the run's folder says how many cases are labelled, by how many people each, and by whom. A file
`NAME.seen` lists the verdicts that a person has looked at. All state is on the disk.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path

from pydantic import Field, ValidationError

from ..agreement.labels.files import (
    SEEN,
    HumanLabel,
    LabelFile,
    SeenVerdicts,
    ShownCase,
    criterion_scales,
    read_label_file,
    read_seen,
    shown_case,
)
from ..agreement.labels.questions import begun_label
from ..agreement.labels.sampling import FOLDER, MAX_PICKS, Pick, Selection, order_for, read_selection, select_cases
from ..errors import ConflictError, InputError, NotFoundError
from ..files import replacing
from ..models.base import Frozen, from_json, to_json
from ..models.common import Order
from ..results.run import CASES, Reader, Run, open_run
from ..runs.hosted_run import HostedRun
from .callers import Caller
from .common import State

MOST_PEOPLE = 100
_SETUP = "setup.json"
_WAIT = 3.0  # seconds to wait while another label of the same person is written
_WAIT_STEP = 0.02
_KEPT = 16
_TOGETHER = 50  # cases whose texts are read together


class LabelSetup(Frozen):
    """How a run is labelled: how many cases, by how many people each, and by whom (`named`; empty means anybody).

    With `criteria`, people rate each criterion as well as the whole.
    """

    cases: int = Field(ge=1, le=MAX_PICKS)
    people: int = Field(ge=1, le=MOST_PEOPLE)
    named: tuple[str, ...] = Field(default=(), max_length=MOST_PEOPLE)
    criteria: bool = False


@dataclass(frozen=True)
class Task:
    """A case to label, with its number, which is the same for everybody, and the labels it has so far.

    `asked` are the people who get it, None means anybody; `criteria` are the criteria to rate besides the whole.
    """

    number: int
    pick: Pick
    labels: Mapping[str, HumanLabel]
    asked: frozenset[str] | None
    criteria: frozenset[str] = frozenset()

    @property
    def answers(self) -> int:
        return sum(self._is_answer(label) for label in self.labels.values())

    def is_done_by(self, person: str) -> bool:
        """Return whether this person has answered or skipped it. A flag or a note alone does not count."""
        label = self.labels.get(person)
        return label is not None and (label.skipped or self._is_answer(label))

    def _is_answer(self, label: HumanLabel) -> bool:
        return label.value is not None and self.criteria <= label.criteria.keys()

    def is_complete(self, people: int) -> bool:
        """Return whether the case needs no more labels."""
        wanted = 1 if self.pick.annotator else people
        return self.answers >= wanted or (self.asked is not None and all(map(self.is_done_by, self.asked)))


@dataclass(frozen=True)
class Labelling:
    """A snapshot of the labelling of a run; `seen` says which verdicts each person has looked at."""

    run: Run
    setup: LabelSetup
    selection: Selection
    labels: Mapping[str, Mapping[int, HumanLabel]]
    seen: Mapping[str, SeenVerdicts]

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All cases to label, in the order of the selection: the first shared picks, and picks for one person."""
        found, shared = [], 0
        given: Counter[str] = Counter()
        criteria = frozenset(criterion_scales(self.run) if self.setup.criteria else ())
        for number, pick in enumerate(self.selection.picks, 1):
            labels = {name: own[pick.position] for name, own in self.labels.items() if pick.position in own}
            if pick.annotator is not None:
                found.append(Task(number, pick, labels, frozenset((pick.annotator,)), criteria))
                continue
            shared += 1
            if shared <= self.setup.cases:
                found.append(Task(number, pick, labels, self._asked(number, given), criteria))
        return tuple(found)

    def _asked(self, number: int, given: Counter[str]) -> frozenset[str] | None:
        """Choose the named people who get a case: those with the fewest so far; a seeded hash breaks ties."""
        if not self.setup.named:
            return None

        def turn(name: str) -> tuple[int, bytes]:
            return given[name], blake2b(f"{self.selection.seed} {name} {number}".encode(), digest_size=8).digest()

        chosen = sorted(self.setup.named, key=turn)[: self.setup.people]
        given.update(chosen)
        return frozenset(chosen)

    def queue(self, person: str) -> list[Task]:
        """Return the cases that a person has labelled or has still to label."""
        return [task for task in self.tasks if person in task.labels or self._wants(task, person)]

    def open(self, person: str) -> list[Task]:
        """Return the cases that a person has still to label."""
        return [task for task in self.tasks if self._wants(task, person)]

    def _wants(self, task: Task, person: str) -> bool:
        is_asked = task.asked is None or person in task.asked
        knows_all = person in self.seen and self.seen[person].all
        return is_asked and not knows_all and not task.is_done_by(person) and not task.is_complete(self.setup.people)

    def knows_verdict(self, person: str, task: Task) -> bool:
        """Return whether this person has looked at the verdict on a case."""
        return person in self.seen and self.seen[person].has(task.pick.position)

    def order(self, person: str, task: Task) -> Order:
        return order_for(self.selection, person, task.pick.position)

    def shown(self, task: Task) -> ShownCase:
        """Return what people who label a case may see of it."""
        begin = (task.number - 1) // _TOGETHER * _TOGETHER
        positions = tuple(pick.position for pick in self.selection.picks[begin : begin + _TOGETHER])
        folder = self.run.folder
        return _kept_texts(folder, (folder / CASES).stat().st_size, positions)[task.pick.position]


def progress_of(found: Labelling, person: str | None = None) -> dict[str, int]:
    """Count how many of a person's cases are done, or without a person, how many of all cases need no more labels."""
    if person is None:
        return {"done": sum(task.is_complete(found.setup.people) for task in found.tasks), "of": len(found.tasks)}
    queue = found.queue(person)
    return {"done": sum(task.is_done_by(person) for task in queue), "of": len(queue)}


# -- runs -------------------------------------------------------------------------------------------------------------


@lru_cache(_KEPT)
def _kept_texts(run_folder: Path, _size: int, positions: tuple[int, ...]) -> Mapping[int, ShownCase]:
    """Read what is shown of some cases. They are read together, as finding one among 50,000 takes half a second."""
    with Reader(open_run(run_folder)) as reader:
        return {position: shown_case(reader.given(position)) for position in positions}


def sees_verdicts(caller: Caller, hosted: HostedRun) -> bool:
    """Return whether the caller may see the verdicts of this run: its owner, and callers who see everybody's runs."""
    return caller.scope in (None, hosted.owner)


def may_review(caller: Caller, hosted: HostedRun) -> bool:
    """Return whether the caller may set up the labelling of this run and see everybody's labels."""
    return caller.may("reviewer") and sees_verdicts(caller, hosted)


def check_review(caller: Caller, hosted: HostedRun) -> None:
    """Raise NotFoundError, as for an unknown run, unless the caller may review this one."""
    if not may_review(caller, hosted):
        raise NotFoundError(f"{hosted.run_id}: no such run")


def find_to_label(state: State, caller: Caller, run_id: str) -> tuple[HostedRun, Labelling | None]:
    """Return a run that the caller may label or set up, and its labelling; None if that is not set up."""
    hosted = state.runs.find(run_id)
    found = labelling_of(hosted)
    if sees_verdicts(caller, hosted) or (found is not None and may_label(found, caller.person)):
        return hosted, found
    raise NotFoundError(f"{run_id}: no such run")


def find_set_up(state: State, caller: Caller, run_id: str) -> tuple[HostedRun, Labelling]:
    """Return a run that the caller may label or set up, and its labelling; raise NotFoundError if that is missing."""
    hosted, found = find_to_label(state, caller, run_id)
    if found is None:
        raise NotFoundError(f"{run_id}: labelling is not set up for this run yet")
    return hosted, found


def may_label(found: Labelling, person: str) -> bool:
    """Return whether this person may label a run: it is open to anybody, or they are named or have labels or picks."""
    named = found.setup.named
    return not named or person in named or person in found.labels or bool(found.selection.of(person))


def labelling_of(hosted: HostedRun) -> Labelling | None:
    """Read the labelling of a run; None if it is not set up."""
    folder = hosted.directory.path / FOLDER
    try:
        setup = from_json(LabelSetup, (folder / _SETUP).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, ValidationError):
        raise ConflictError(f"{hosted.run_id}: labels/{_SETUP} cannot be read") from None
    with _without_folders(hosted):
        run = open_run(hosted.directory.path)
        labels = {
            path.stem: {label.position: label for label in read_label_file(path)[0]}
            for path in sorted(folder.glob("*.jsonl"))
        }
        seen = {path.stem: found for path in folder.glob(f"*{SEEN}") if (found := read_seen(path))}
        return Labelling(run, setup, read_selection(run) or Selection(), labels, seen)


@contextmanager
def _without_folders(hosted: HostedRun) -> Iterator[None]:
    """Turn input errors about files into conflicts whose message does not name the folder on this machine."""
    try:
        yield
    except InputError as error:
        place = error.place.replace(f"{hosted.directory.path}/", "")
        raise ConflictError(f"{hosted.run_id}: {place}: {error.found}") from None


def set_up(hosted: HostedRun, setup: LabelSetup) -> None:
    """Pick cases, or more if too few were picked before, and store who labels them. Existing labels stay."""
    with _without_folders(hosted):
        run = open_run(hosted.directory.path)
        select_cases(run, setup.cases, seed=None, random_share=None)
    with replacing(run.folder / FOLDER / _SETUP) as file:
        file.write(to_json(setup))


def record_seen(hosted: HostedRun, person: str, positions: Collection[int] | None = None) -> None:
    """Record that a person has seen the verdicts of these cases. None means all; then no more labels are asked for."""
    path = hosted.directory.path / FOLDER / f"{person}{SEEN}"
    known = read_seen(path) or SeenVerdicts(all=False)
    together = () if positions is None else tuple(sorted({*known.positions, *positions}))
    now = SeenVerdicts(all=known.all or positions is None, positions=together)
    if now != known:
        with replacing(path) as file:
            file.write(to_json(now))


# -- labels -----------------------------------------------------------------------------------------------------------


def keep_label(found: Labelling, task: Task, person: str, change: Callable[[HumanLabel], HumanLabel]) -> HumanLabel:
    """Change a person's label of a case; it is on the disk when this returns.

    The person's file of labels is locked meanwhile, so that no label is lost when two are written at once.
    """
    shown, until = found.shown(task), time.monotonic() + _WAIT
    while True:
        try:
            with LabelFile(found.run, person) as file:
                known = file.labels.get(task.pick.position)
                label = begun_label(known, task.pick, person, shown, found.order(person, task))
                changed = change(label)
                if known is None or changed.updated(time=known.time) != known:
                    file.add(changed)
                return changed
        except InputError as error:
            raise ConflictError(f"the label cannot be saved: {error.found}") from None
        except ConflictError:
            if time.monotonic() > until:
                message = f"{person} is also labelling this run in a terminal; end that and try again"
                raise ConflictError(message) from None
        time.sleep(_WAIT_STEP)
