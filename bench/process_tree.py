"""Measures memory and CPU time of a command and all its child processes.

It reads /proc, so it works on Linux only, and for contenders in any language.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Process:
    """One process. `cpu` includes its ended children; `began` tells it from a later process with the same pid."""

    pid: int
    parent: int
    state: str
    cpu: float
    rss: int
    began: int

    @property
    def runs(self) -> bool:
        return self.state not in "ZX"


def process(pid: int) -> Process | None:
    """Return the process with this pid, or None."""
    try:
        # The name, in brackets, may contain anything, so parse only the fields after it.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    cpu = sum(map(int, fields[11:15])) / _TICK
    return Process(pid, int(fields[1]), fields[0], cpu, int(fields[21]) * _PAGE, int(fields[19]))


def tree(root: int) -> list[Process]:
    """Return a process and all its descendants, parents before children."""
    under: dict[int, list[Process]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (found := process(int(folder.name))) is not None:
            under.setdefault(found.parent, []).append(found)
    first = process(root)
    found_all = [first] if first is not None else []
    for parent in found_all:
        found_all += under.get(parent.pid, [])
    return found_all


def still_runs(known: Process) -> bool:
    """Check whether this same process is still running."""
    now = process(known.pid)
    return now is not None and now.began == known.began and now.runs


@dataclass(frozen=True)
class Sample:
    """The sums over a process tree at one time of the monotonic clock."""

    at: float
    cpu: float
    rss: int


@dataclass(frozen=True)
class Measured:
    """What a command used from start to end."""

    status: int
    said: str
    wall: float
    cpu: float
    samples: Sequence[Sample] = field(repr=False)

    @property
    def peak(self) -> float:
        """The peak memory of all its processes together, in MB (shared pages count once for each process)."""
        return max((sample.rss for sample in self.samples), default=0) / 2**20

    def cpu_between(self, begin: float, end: float) -> float:
        """Return the CPU seconds between two times."""
        return max(0.0, self._cpu_at(end) - self._cpu_at(begin))

    def _cpu_at(self, moment: float) -> float:
        after = bisect_left(self.samples, moment, key=lambda sample: sample.at)
        if after == len(self.samples):
            return self.cpu
        if after == 0:
            return 0.0
        left, right = self.samples[after - 1], self.samples[after]
        return left.cpu + (right.cpu - left.cpu) * (moment - left.at) / (right.at - left.at)


def measured(
    command: Sequence[str], *, every: float = 0.2, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Measured:
    """Run a command to its end and sample it. Its standard output and error are kept."""
    begun = time.monotonic()
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, cwd=cwd, start_new_session=True
    )
    samples: list[Sample] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            found = tree(started.pid)
            now = time.monotonic()
            samples.append(Sample(now, sum(one.cpu for one in found), sum(one.rss for one in found)))
            ended.wait(every)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    assert started.stdout is not None
    said = started.stdout.read()
    _, status, used = os.wait4(started.pid, 0)
    wall = time.monotonic() - begun
    ended.set()
    watching.join()
    started.stdout.close()
    started.returncode = os.waitstatus_to_exitcode(status)
    used_all = used.ru_utime + used.ru_stime
    sound = [sample for sample in samples if sample.cpu or sample.rss]
    return Measured(started.returncode, said.decode("utf-8", "replace"), wall, used_all, sound)
