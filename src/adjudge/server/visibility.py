"""Which runs a caller may look into: their own or everybody's, but none with cases that they still have to label.

Labels must stay blind, so an annotator sees no verdict of such a run, and no figure that is computed from one.
Reviewers set up the labelling and see everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ..errors import ConflictError, NotFoundError
from ..runs.hosted_run import HostedRun, RunStatus
from .callers import Caller
from .common import State
from .labelling import labelling_of


def open_positions(caller: Caller, hosted: HostedRun) -> tuple[int, ...]:
    """Return the positions of the cases of a run that the caller, an annotator, still has to label."""
    if caller.role != "annotator" or (found := labelling_of(hosted)) is None:
        return ()
    return tuple(task.pick.position for task in found.open(caller.person))


def find_run(state: State, caller: Caller, run_id: str) -> HostedRun:
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


def sees_verdict(state: State, caller: Caller, verdict_id: str, runs: list[str] | tuple[str, ...]) -> bool:
    """Return whether the caller may see a verdict: one that they were given, or one of their runs'."""
    if caller.role == "annotator" and any(_waits(state, caller, run) for run in runs):
        return False
    return caller.may_see(verdict_id) or any(state.runs.is_of(run, caller.name) for run in runs)


def _waits(state: State, caller: Caller, run_id: str) -> bool:
    try:
        return bool(open_positions(caller, state.runs.find(run_id)))
    except NotFoundError:  # a run of the command line, or a deleted one
        return False
