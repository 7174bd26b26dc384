"""The head of every page of a run: its name, and the tabs between its pages, as far as the caller may open them.

A page passes `tabs=run_tabs(…)` to its template, or puts it into the `home` of a case; the frame shows them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from ...errors import ConflictError
from ...protocols.base import protocol_of
from ...runs.hosted_run import HostedRun, RunStatus
from ..callers import Caller
from ..common import State
from ..labelling import Labelling, labelling_of, may_label, may_review, progress_of, sees_verdicts


@dataclass(frozen=True, slots=True)
class TabLink:
    """A tab: its key, which is the last part of its address, its name, and what there is to count in it."""

    key: str
    name: str
    address: str
    count: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class RunTabs:
    """A run's name, the tabs that the caller may open, and the buttons of its protocol, by address and name."""

    run_id: str
    name: str
    links: tuple[TabLink, ...]
    acts: tuple[tuple[str, str], ...] = ()


def name_of(status: RunStatus) -> str:
    """Return the run's display name: its own name, or else its source or its id."""
    return status.name or status.source or status.run_id


def run_tabs(
    state: State, caller: Caller, hosted: HostedRun, current: str, status: RunStatus | None = None, name: str = ""
) -> RunTabs:
    """Return the tabs of a run with the `current` one marked. A page on which the file's name would break the blindness
    of labels gives another `name`."""
    status = status or hosted.status()
    found = None
    with suppress(ConflictError):  # its labels cannot be read, which the label page says
        found = labelling_of(hosted)
    links = [("label", "Label", _labelled(found))] if _may_open_labels(caller, hosted, found, status) else []
    acts: tuple[tuple[str, str], ...] = ()
    if sees_verdicts(caller, hosted) and not _must_label_first(caller, found):
        own = [tab for tab in protocol_of(status.protocol).service().run_tabs if caller.may(tab.role)]
        if current == "results":
            acts = tuple(act for tab in own if tab.act and (act := tab.act(state, hosted)))
        links = [
            ("", "Results", ""),
            ("cases", "Cases", f"{status.cases:,}"),
            *links,
            *([("agreement", "Agreement", "")] if status.verdicts else []),
            *((it.key, it.name, it.count(state, hosted) if it.count else "") for it in own),
            ("settings", "Settings", ""),
        ]
    home = f"/runs/{hosted.run_id}"
    return RunTabs(
        hosted.run_id,
        name or name_of(status),
        tuple(
            TabLink(key, title, f"{home}/{key}".rstrip("/"), count, (key or "results") == current)
            for key, title, count in links
        ),
        acts,
    )


def _must_label_first(caller: Caller, found: Labelling | None) -> bool:
    """Return whether the run's results are closed to an annotator, who still has cases of it to label."""
    return caller.role == "annotator" and found is not None and bool(found.open(caller.person))


def _may_open_labels(caller: Caller, hosted: HostedRun, found: Labelling | None, status: RunStatus) -> bool:
    if found is None:
        return may_review(caller, hosted) and status.state in ("finished", "stopped") and bool(status.verdicts)
    return caller.may("annotator") and (sees_verdicts(caller, hosted) or may_label(found, caller.person))


def _labelled(found: Labelling | None) -> str:
    if found is None:
        return ""
    progress = progress_of(found)
    return f"{progress['done']:,} of {progress['of']:,}"
