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
    # If fewer than six pairs moved, there is no interval.
    for pairs, moved in ((6, 0.8), (15, 0.2), (15, 0.8), (60, 0.2), (60, 0.8)):
        at = f"{pairs} pairs, {moved:.0%} move"
        yield coverage("change of a score", at, partial(_covered, mean_scores, pairs, moved, 0.3), costly)
        for up, what in ((0.5, "false alarms"), (0.8, "power")):
            rng = np.random.default_rng(20_260_102)
            real = [mean_scores(rng, pairs, moved, up)[1].real for _ in range(costly)]
            yield alarms("change of a score is real", at, what, real)
    for pairs in (20, 60, 200):
        for moved in (0.02, 0.1, 0.4):
            at = f"{pairs} pairs, {moved:.0%} change"
            yield coverage("change of a share", at, partial(_covered, shares, pairs, moved, 0.3), draws)
            for up, what in ((0.5, "false alarms"), (0.8, "power")):
                rng = np.random.default_rng(20_260_103)
                real = [shares(rng, pairs, moved, up)[1].real for _ in range(costly)]
                yield alarms("change of a share is real", at, what, real)


def mean_scores(rng: Any, pairs: int, moved: float, up: float) -> tuple[float, Change]:
    """Draw scores from 1 to 10 in halves, of which a share moves by half a point to two, `up` of these upwards."""
    before = rng.integers(8, 17, pairs) / 2
    steps = rng.integers(1, 5, pairs) / 2 * np.where(rng.random(pairs) < up, 1, -1)
    return moved * 1.25 * (2 * up - 1), mean_change(before, before + steps * (rng.random(pairs) < moved))


def shares(rng: Any, pairs: int, moved: float, up: float) -> tuple[float, Change]:
    """Draw cases that are right or not; a share changes, `up` of these to right."""
    changed, gained = rng.random(pairs) < moved, rng.random(pairs) < up
    before = np.where(changed, ~gained, rng.random(pairs) < 0.7)
    return moved * (2 * up - 1), share_change(before, np.where(changed, gained, before))


def _covered(draw: Any, pairs: int, moved: float, up: float, rng: Any) -> tuple[float, Interval, Interval]:
    truth, change = draw(rng, pairs, moved, up)
    return truth, change.change.interval, None
