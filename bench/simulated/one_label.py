"""Agreement of a judge with one label a case: accuracy, kappa, alpha."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adjudge.models.figures import Figure
from adjudge.statistics.figures import accuracy, cohen_kappa, krippendorff_alpha, with_interval
from adjudge.statistics.intervals import share

from .table import Interval, Line, coverage

CLASSES = ("A", "tie", "B")
# Joint distributions of people (rows) and judge (columns).
POPULATIONS = {
    "middling": np.array([[0.30, 0.05, 0.05], [0.05, 0.10, 0.05], [0.05, 0.05, 0.30]]),
    "good": np.array([[0.42, 0.02, 0.01], [0.02, 0.08, 0.02], [0.01, 0.02, 0.40]]),
    "two classes": np.array([[0.40, 0.10], [0.10, 0.40]]),
    "lopsided": np.array([[0.75, 0.05], [0.08, 0.12]]),
}
Case = tuple[str, str]


def labelled(rng: Any, size: int, joint: Any) -> list[Case]:
    """Draw labels of the judge and of people for `size` cases."""
    places = rng.choice(joint.size, size=size, p=joint.ravel() / joint.sum())
    return [(CLASSES[place % len(joint)], CLASSES[place // len(joint)]) for place in places.tolist()]


def beyond_chance(joint: Any, *, pooled: bool) -> float:
    """Return kappa, or alpha (`pooled`) for infinitely many cases."""
    sides = joint.sum(axis=0), joint.sum(axis=1)
    mean = (sides[0] + sides[1]) / 2
    chance = float((mean**2).sum() if pooled else (sides[0] * sides[1]).sum())
    return (float(np.trace(joint)) - chance) / (1 - chance)


def alpha(cases: Any) -> Figure:
    return krippendorff_alpha(cases, "nominal")


def wilson(cases: list[Case]) -> Interval:
    found = accuracy(cases)
    return share(round((found.value or 0) * len(cases)), len(cases)).interval


def lines(draws: int, costly: int) -> Iterator[Line]:
    for name, joint in POPULATIONS.items():
        figures: list[tuple[str, Callable[[list[Case]], Interval], float, int]] = [
            ("accuracy", wilson, float(np.trace(joint)), draws),
            (
                "kappa",
                lambda cases: with_interval(cohen_kappa, cases).interval,
                beyond_chance(joint, pooled=False),
                costly,
            ),
            ("alpha", lambda cases: with_interval(alpha, cases).interval, beyond_chance(joint, pooled=True), costly),
        ]
        for figure, interval, truth, often in figures:
            for size in (30, 60):
                yield coverage(
                    figure,
                    f"{name} judge, {size} labels",
                    lambda rng, size=size, joint=joint, of=interval, truth=truth: (
                        truth,
                        of(labelled(rng, size, joint)),
                        None,
                    ),
                    often,
                )
