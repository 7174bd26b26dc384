"""Two runs of the same cases: scores of which few or many move, in steps, and shares of which few cases change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from adjudge.models.figures import Change
from adjudge.statistics.changes import mean_change, share_change

from .table import Interval, Line, alarms, coverage


def lines(draws: int, costly: int) -> Iterator[Line]:
    # With fewer than ten pairs, or if fewer than six moved, there is no interval.
    for pairs, moved, a_task in ((15, 0.8, 1), (60, 0.2, 1), (60, 0.8, 1), (90, 0.8, 3)):
        at = f"{pairs} pairs, {a_task} to a task, {moved:.0%} move"
        yield coverage("two runs: change of a score", at, partial(_covered, scores, pairs, moved, 0.3, a_task), costly)
        for up, what in ((0.5, "false alarms"), (0.8, "power")):
            rng = np.random.default_rng(20_260_102)
            real = [scores(rng, pairs, moved, up, a_task)[1].real for _ in range(costly)]
            yield alarms("two runs: change of a score is real", at, what, real)
    for pairs, a_task in ((20, 1), (60, 1), (200, 1), (180, 3)):
        for moved in (0.02, 0.1, 0.4):
            at = f"{pairs} pairs, {a_task} to a task, {moved:.0%} change"
            yield coverage(
                "two runs: change of a share", at, partial(_covered, shares, pairs, moved, 0.3, a_task), draws
            )
            for up, what in ((0.5, "false alarms"), (0.8, "power")):
                rng = np.random.default_rng(20_260_103)
                real = [shares(rng, pairs, moved, up, a_task)[1].real for _ in range(costly)]
                yield alarms("two runs: change of a share is real", at, what, real)


def scores(rng: Any, pairs: int, moved: float, up: float, a_task: int) -> tuple[float, Change]:
    """Draw scores from 4 to 8 in halves, of which a share moves by half a point to two, `up` of these upwards. Cases of
    one task move in the same direction."""
    tasks = np.arange(pairs) // a_task
    before = rng.integers(8, 17, pairs) / 2
    steps = rng.integers(1, 5, pairs) / 2 * np.where(rng.random(pairs) < up, 1, -1)[tasks]
    after = before + steps * (rng.random(pairs) < moved)
    return moved * 1.25 * (2 * up - 1), mean_change(before, after, tasks.tolist())


def shares(rng: Any, pairs: int, moved: float, up: float, a_task: int) -> tuple[float, Change]:
    """Draw cases that are right or not; a share changes, `up` of these to right. Cases of one task change together."""
    tasks = np.arange(pairs) // a_task
    changed, gained = (rng.random(pairs) < moved)[tasks], (rng.random(pairs) < up)[tasks]
    before = np.where(changed, ~gained, rng.random(pairs) < 0.7)
    return moved * (2 * up - 1), share_change(before, np.where(changed, gained, before), tasks.tolist())


def _covered(draw: Any, pairs: int, moved: float, up: float, a_task: int, rng: Any) -> tuple[float, Interval, Interval]:
    truth, change = draw(rng, pairs, moved, up, a_task)
    return truth, change.change.interval, None
