"""Which runs a caller may look into: their own or everybody's, but none with cases that they still have to label.

Labels must stay blind, so an annotator sees no verdict of such a run, and no figure that is computed from one.
Reviewers set up the labelling and see everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from ..errors import ConflictError, NotFoundError
from ..runs.hosted_run import HostedRun, RunStatus
from .callers import Caller, CallerOf
from .common import State, StateOf
from .labelling import labelling_of


def open_positions(caller: Caller, hosted: HostedRun) -> tuple[int, ...]:
    """Return the positions of the cases of a run that the caller, an annotator, still has to label."""
    if caller.role != "annotator" or (found := labelling_of(hosted)) is None:
        return ()
    return tuple(task.pick.position for task in found.open(caller.person))


def find_run(state: StateOf, caller: CallerOf, run_id: str) -> HostedRun:
    """Return a run that the caller may look into."""
    hosted = state.runs.find(run_id, caller.scope)
    if waiting := open_positions(caller, hosted):
        raise ConflictError(f"{run_id}: {len(waiting)} cases wait for your label; label them before you look")
    return hosted


def listed_runs(state: State, caller: Caller, before: str | None = None) -> Iterator[tuple[HostedRun, RunStatus]]:
    """Yield the runs that the caller may look into, the newest first."""
    for hosted, status in state.runs.statuses(caller.scope, before):
        with suppress(ConflictError):  # one run's broken file must not hide the others
            if not open_positions(caller, hosted):
                yield hosted, status


class VisibleVerdicts:
    """Which verdicts a caller may see: those that they were given, and those of their runs. Made for one request, so
    that the labels of each run are looked at once."""

    def __init__(self, state: State, caller: Caller) -> None:
        self._state, self._caller = state, caller
        self._waits: dict[str, bool] = {}

    def sees(self, verdict_id: str, runs: Iterable[str]) -> bool:
        """Return whether the caller may see a verdict, which is an outcome of these runs."""
        caller, runs = self._caller, tuple(runs)
        if caller.role == "annotator" and any(map(self._is_waited_for, runs)):
            return False
        return caller.may_see(verdict_id) or any(self._state.runs.is_of(run, caller.name) for run in runs)

    def _is_waited_for(self, run_id: str) -> bool:
        if run_id not in self._waits:
            try:
                self._waits[run_id] = bool(open_positions(self._caller, self._state.runs.find(run_id)))
            except NotFoundError:  # a run of the command line, or a deleted one
                self._waits[run_id] = False
            except ConflictError:  # its labels cannot be read, so nobody knows
                self._waits[run_id] = True
        return self._waits[run_id]
