"""Probes: verdicts that a change moves at random, both ways equally often, and verdicts that follow it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjudge.protocols.compare.probes import mean_gain

from .table import Line, alarms, coverage


def gains(rng: Any, tasks: int, each: int, moved: float, towards: float) -> list[tuple[float, int]]:
    """Draw the changed answer's gain in each case: a share `moved` of the verdicts moves, by a half or a whole win, and
    of these a share `towards` to the changed answer."""
    size = tasks * each
    whole = np.where(rng.random(size) < 0.7, 1.0, 0.5)
    way = np.where(rng.random(size) < towards, 1.0, -1.0)
    gain = np.where(rng.random(size) < moved, way * whole, 0.0)
    return list(zip(gain.tolist(), np.repeat(np.arange(tasks), each).tolist(), strict=True))


def lines(draws: int, costly: int) -> Iterator[Line]:
    for tasks, each in ((50, 1), (200, 1), (30, 4)):
        for moved in (0.02, 0.08, 0.3):
            situation = f"{tasks} tasks of {each}, {moved:.0%} of the verdicts move"
            rng = np.random.default_rng(20_260_101)
            accused = [mean_gain(gains(rng, tasks, each, moved, 0.5)).leaves_out(0) for _ in range(draws)]
            yield alarms("gain of a probe", f"{situation}, either way", "false alarms", accused)
        strong = [mean_gain(gains(rng, tasks, each, 0.3, 0.9)).leaves_out(0) for _ in range(draws)]
        yield alarms("gain of a probe", f"{tasks} tasks of {each}, 30% move, nine in ten towards", "power", strong)
        yield coverage(
            "gain of a probe",
            f"{tasks} tasks of {each}, 30% move, nine in ten towards",
            lambda rng, tasks=tasks, each=each: (
                0.3 * 0.8 * 0.85,
                mean_gain(gains(rng, tasks, each, 0.3, 0.9)).interval,
                None,
            ),
            draws,
        )
