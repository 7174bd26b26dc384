"""Agreement by slice: intervals of a slice, alarms over many slices without a difference, and a planted bad slice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjudge.statistics.intervals import share_interval
from adjudge.statistics.slices import Part, compare_parts

from .table import Interval, Line, alarms, coverage

_SIZE = 400


def simulated(rng: Any, slices: int, together: int, right: float, *, bad: float | None = None) -> dict[int, Part]:
    """Draw cases of which a judge gets a share right, `together` cases to a task, and test every slice. A task is
    harder or easier for all its cases (correlation 0.3). Slices are of unequal size, the first is the smallest;
    if `bad` is given, the judge is right only so often there."""
    tasks = _SIZE // together
    shares = np.linspace(2, 3, slices)
    of_task = rng.choice(slices, size=tasks, p=shares / shares.sum())
    rates = np.where((of_task == 0) & (bad is not None), bad or 0.0, right)
    if together > 1:
        rates = rng.beta(rates * 7 / 3, (1 - rates) * 7 / 3)
    values = (rng.random((tasks, together)) < rates[:, None]).astype(float).ravel()
    units = np.repeat(np.arange(tasks), together)
    own = np.repeat(of_task, together)
    parts = {at: (np.flatnonzero(own == at).tolist(), np.flatnonzero(own != at).tolist()) for at in range(slices)}
    return compare_parts(values.tolist(), units.tolist(), parts)


def _interval(rng: Any, slices: int, together: int, right: float) -> tuple[float, Interval, Interval]:
    found = simulated(rng, slices, together, right)
    if not found:
        return right, None, None
    part = found[int(rng.choice(list(found)))]
    alone = share_interval(round((part.mean.value or 0.0) * part.mean.cases), part.mean.cases)
    return right, part.mean.interval, alone


def lines(draws: int, costly: int) -> Iterator[Line]:
    for slices in (5, 20):
        for together, right in ((1, 0.7), (1, 0.9), (5, 0.7)):
            if together * slices > 50:
                continue  # too few tasks in a slice
            where = f"{_SIZE} labels, {slices} slices, {together} to a task, {right:.0%} right"
            yield coverage(
                "agreement in a slice",
                where,
                lambda rng, slices=slices, together=together, right=right: _interval(rng, slices, together, right),
                draws,
                "beside: Wilson, as if independent",
            )
            rng = np.random.default_rng(20_260_101)
            fair = [simulated(rng, slices, together, right) for _ in range(costly)]
            accused = [any(part.differs for part in found.values()) if found else None for found in fair]
            yield alarms("any slice differs", where, "false alarms", accused)
            for bad in (right - 0.2, right - 0.4):
                planted = [simulated(rng, slices, together, right, bad=bad).get(0) for _ in range(costly)]
                told = [None if part is None else part.differs for part in planted]
                yield alarms("a bad slice is found", f"{where}, {bad:.0%} in the bad slice", "power", told)
