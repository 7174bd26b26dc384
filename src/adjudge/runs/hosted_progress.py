"""The progress of a run of a service: written to a file for its pages; requests to pause or stop are noticed here."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import orjson

from ..files import TEMPORARY, open_private
from .directory import without_verdict
from .execute import Halt
from .hosted_run import HostedRun
from .job import Outcome
from .progress import JsonProgress
from .state import LATEST, RunState, Tally


class FileProgress(JsonProgress):
    """Writes progress to a file in the run's folder, and stops or pauses the run if its marker says so."""

    def __init__(self, run: HostedRun, state: RunState, halt: Halt) -> None:
        super().__init__()
        self._path, self._run, self._state, self._halt = run.progress, run, state, halt
        self._before = run.live["latest"]

    def begin(self, tally: Tally, goal: int) -> None:
        super().begin(tally, goal)
        self._write(self._line(tally))

    def show(self, tally: Tally, waits_for: str = "") -> None:
        super().show(tally, waits_for)
        if not self._run.marker.exists():
            self._halt.ask("cancelled")
        elif self._run.is_pausing:
            self._halt.pause()

    def _shown(self, tally: Tally, waits_for: str) -> dict[str, Any]:
        return {
            **super()._shown(tally, waits_for),
            "left_between": self._throughput.left_between(self._goal - tally.done),
            "latest": [*self._before, *map(_judged, self._state.latest)][-LATEST:],
        }

    def _write(self, line: str) -> None:
        # This need not survive a power cut, because the run's files contain the same facts.
        aside = self._path.with_name(f"{TEMPORARY}{self._path.name}")
        with suppress(OSError):
            with open_private(aside, "wb") as file:
                file.write(line.encode())
            aside.replace(self._path)


def _judged(outcome: Outcome) -> dict[str, Any]:
    """Return what a page shows of a case that was just judged."""
    failed = outcome.status == "failure"
    return {
        "position": outcome.position,
        "case": orjson.loads(without_verdict(outcome.line))["case"],
        "answer": outcome.answer,
        "outcome": "failed" if failed else "decided" if outcome.decided else "undecided",
    }
