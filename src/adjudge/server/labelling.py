"""Who labels which cases of a run, and what is still open: the picks and files of `adjudge label`, shared by many.

`labels/setup.json` in the run's folder says how many cases are labelled, by how many people each, and by whom. A file
`NAME.seen` says which verdicts somebody has looked at. All state is on the disk.
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
from ..models.comparison import Order
from ..results import require_extra
from ..results.run import CASES, Reader, Run, open_run
from ..runs.hosted_run import HostedRun
from .callers import Caller
from .common import State

MOST_PEOPLE = 100
_SETUP = "setup.json"
_WAIT = 3.0  # seconds that a label waits for another one of the same person
_WAIT_STEP = 0.02
_KEPT = 16
_TOGETHER = 50  # cases whose texts are read at once


class LabelSetup(Frozen):
    """How a run is labelled: so many cases, by so many people each; `named` are these people, none: anybody.

    `criteria`: each criterion is rated, too, and not only the whole.
    """

    cases: int = Field(ge=1, le=MAX_PICKS)
    people: int = Field(ge=1, le=MOST_PEOPLE)
    named: tuple[str, ...] = Field(default=(), max_length=MOST_PEOPLE)
    criteria: bool = False


@dataclass(frozen=True)
class Task:
    """A case to label under the number that everybody knows it by, with what people have said of it.

    `asked` are those who get it, None: anybody; `criteria` what is rated beside the whole.
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
        """Whether somebody has answered or skipped it; a flag or a note alone is no answer."""
        label = self.labels.get(person)
        return label is not None and (label.skipped or self._is_answer(label))

    def _is_answer(self, label: HumanLabel) -> bool:
        return label.value is not None and self.criteria <= label.criteria.keys()

    def is_complete(self, people: int) -> bool:
        """Whether nobody is asked for it any more."""
        wanted = 1 if self.pick.annotator else people
        return self.answers >= wanted or (self.asked is not None and all(map(self.is_done_by, self.asked)))


@dataclass(frozen=True)
class Labelling:
    """All that is known of the labelling of a run at one moment; `seen` is which verdicts people have looked at."""

    run: Run
    setup: LabelSetup
    selection: Selection
    labels: Mapping[str, Mapping[int, HumanLabel]]
    seen: Mapping[str, SeenVerdicts]

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All cases to label, in the order of the selection: the first of everybody's, and people's own."""
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
        """Who of the named people gets a case: those who have fewest so far, and chance among equals."""
        if not self.setup.named:
            return None

        def turn(name: str) -> tuple[int, bytes]:
            return given[name], blake2b(f"{self.selection.seed} {name} {number}".encode(), digest_size=8).digest()

        chosen = sorted(self.setup.named, key=turn)[: self.setup.people]
        given.update(chosen)
        return frozenset(chosen)

    def queue(self, person: str) -> list[Task]:
        """What a person has labelled, and what she is asked for and still wants people."""
        return [task for task in self.tasks if person in task.labels or self._wants(task, person)]

    def open(self, person: str) -> list[Task]:
        """What a person has still to label."""
        return [task for task in self.tasks if self._wants(task, person)]

    def _wants(self, task: Task, person: str) -> bool:
        is_asked = task.asked is None or person in task.asked
        knows_all = person in self.seen and self.seen[person].all
        return is_asked and not knows_all and not task.is_done_by(person) and not task.is_complete(self.setup.people)

    def knows_verdict(self, person: str, task: Task) -> bool:
        """Whether somebody has looked at what the judge said of a case."""
        return person in self.seen and self.seen[person].has(task.pick.position)

    def order(self, person: str, task: Task) -> Order:
        return order_for(self.selection, person, task.pick.position)

    def shown(self, task: Task) -> ShownCase:
        """All that a person may see of a case."""
        begin = (task.number - 1) // _TOGETHER * _TOGETHER
        positions = tuple(pick.position for pick in self.selection.picks[begin : begin + _TOGETHER])
        folder = self.run.folder
        return _kept_texts(folder, (folder / CASES).stat().st_size, positions)[task.pick.position]


# -- runs -------------------------------------------------------------------------------------------------------------


@lru_cache(_KEPT)
def _kept_texts(run_folder: Path, _size: int, positions: tuple[int, ...]) -> Mapping[int, ShownCase]:
    """What is shown of some cases, read at once: to find one among 50,000 takes half a second."""
    with Reader(open_run(run_folder)) as reader:
        return {position: shown_case(reader.given(position)) for position in positions}


def sees_verdicts(caller: Caller, hosted: HostedRun) -> bool:
    """Whether the caller may see what the judge says in this run: reviewers may, and whoever began it."""
    return caller.scope in (None, hosted.owner)


def may_review(caller: Caller, hosted: HostedRun) -> bool:
    """Whether the caller may set the labelling of this run up, and see what everybody said."""
    return caller.may("reviewer") and sees_verdicts(caller, hosted)


def check_review(caller: Caller, hosted: HostedRun) -> None:
    """Refuse one who may not, as if there were no such run."""
    if not may_review(caller, hosted):
        raise NotFoundError(f"{hosted.run_id}: no such run")


def find_to_label(state: State, caller: Caller, run_id: str) -> tuple[HostedRun, Labelling | None]:
    """A run that the caller may label or set up; None for one that is not set up."""
    hosted = state.runs.find(run_id)
    found = labelling_of(hosted)
    if sees_verdicts(caller, hosted) or (found is not None and may_label(found, caller.person)):
        return hosted, found
    raise NotFoundError(f"{run_id}: no such run")


def find_set_up(state: State, caller: Caller, run_id: str) -> tuple[HostedRun, Labelling]:
    """The same of a run that is set up."""
    hosted, found = find_to_label(state, caller, run_id)
    if found is None:
        raise NotFoundError(f"{run_id}: nobody labels this run yet")
    return hosted, found


def may_label(found: Labelling, person: str) -> bool:
    """Whether a run is anything to this person: anybody may label it, or she is named, or has labelled."""
    named = found.setup.named
    return not named or person in named or person in found.labels or bool(found.selection.of(person))


def labelling_of(hosted: HostedRun) -> Labelling | None:
    """The labelling of a run as it is now; None if it is not set up."""
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
    """Errors about files, without saying where on this machine they are."""
    try:
        yield
    except InputError as error:
        place = error.place.replace(f"{hosted.directory.path}/", "")
        raise ConflictError(f"{hosted.run_id}: {place}: {error.found}") from None


def set_up(hosted: HostedRun, setup: LabelSetup) -> None:
    """Pick cases, more if there were fewer, and say who labels them; what is labelled stays."""
    require_extra("labelling")
    with _without_folders(hosted):
        run = open_run(hosted.directory.path)
        select_cases(run, setup.cases, seed=None, random_share=None)
    with replacing(run.folder / FOLDER / _SETUP) as file:
        file.write(to_json(setup))


def note_seen(hosted: HostedRun, person: str, positions: Collection[int] | None = None) -> None:
    """From now on a person knows the verdicts of these cases; None: of all, and she is asked for no more labels."""
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

    A file of labels is written by one at a time, so that of two labels at the same moment none is lost.
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
            raise ConflictError(f"the label cannot be kept: {error.found}") from None
        except ConflictError:
            if time.monotonic() > until:
                said = f"{person} is labelling this run in a terminal, too; end that, and try again"
                raise ConflictError(said) from None
        time.sleep(_WAIT_STEP)
