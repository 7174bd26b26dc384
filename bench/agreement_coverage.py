"""Measures how often the 95 % intervals of adjudge.agreement contain the true value, in simulations that know it.

    python bench/agreement_coverage.py [--runs 400]
    python bench/agreement_coverage.py --ends [--runs 400]

Each line is one figure with one number of labelled cases: the share of simulations whose interval contained the true
value, the mean width, and how often there was no interval (too few cases of a kind). With 400 runs a share of 95 % is
accurate to ± 2 points. `--ends` compares the two kinds of bootstrap interval for kappa on five kinds of judge: BCa, as
adjudge uses it (percentiles if BCa has no answer), and percentiles alone. Everything uses the package's own code with
its own number of draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjudge.models.figures import Figure
from adjudge.statistics.correction import corrected_mean, corrected_rate
from adjudge.statistics.figures import (
    Method,
    accuracy,
    cohen_kappa,
    confusion,
    krippendorff_alpha,
    share,
    with_interval,
)

CLASSES = ("A", "tie", "B")
TRUE = np.array([0.45, 0.15, 0.40])
JUDGE = np.array([[0.80, 0.08, 0.12], [0.20, 0.60, 0.20], [0.15, 0.10, 0.75]])
JOINT = TRUE[:, None] * JUDGE
UNLABELLED = 1000
MEAN = 70.0

Interval = tuple[float, float] | None
Case = tuple[str, str]


def labelled(rng: Any, size: int, joint: Any = JOINT) -> list[Case]:
    """Draw labels of the judge and of people for `size` cases."""
    places = rng.choice(joint.size, size=size, p=joint.ravel() / joint.sum())
    return [(CLASSES[place % len(joint)], CLASSES[place // len(joint)]) for place in places.tolist()]


def alpha(cases: Any) -> Figure:
    return krippendorff_alpha(cases, "nominal")


def true_kappa(joint: Any = JOINT) -> float:
    chance = float((joint.sum(axis=0) * joint.sum(axis=1)).sum())
    return (float(np.trace(joint)) - chance) / (1 - chance)


def true_alpha() -> float:
    """Return alpha for infinitely many cases; chance agreement is computed from both raters' pooled shares."""
    pooled = (JOINT.sum(axis=0) + JOINT.sum(axis=1)) / 2
    chance = float((pooled**2).sum())
    return (float(np.trace(JOINT)) - chance) / (1 - chance)


def by_bootstrap(
    measure: Callable[[Any], Figure], joint: Any = JOINT, method: Method | None = None
) -> Callable[[Any, int], Interval]:
    return lambda rng, size: with_interval(measure, labelled(rng, size, joint), method=method).interval


def wilson(rng: Any, size: int) -> Interval:
    found = accuracy(labelled(rng, size))
    return share(round((found.value or 0) * size), size).interval


def win_rate(rng: Any, size: int) -> Interval:
    table = confusion(labelled(rng, size), CLASSES)
    said = dict(zip(CLASSES, rng.multinomial(UNLABELLED, JOINT.sum(axis=0)).tolist(), strict=True))
    return corrected_rate(table, said, {"A": 1.0, "tie": 0.5}).corrected.interval


def mean(rng: Any, size: int) -> Interval:
    human = rng.normal(MEAN, 12, UNLABELLED + size)
    judge = np.clip(0.8 * human + 24 + rng.normal(0, 5, len(human)), 0, 100)
    pairs = list(zip(judge[:size].tolist(), human[:size].tolist(), strict=True))
    return corrected_mean(judge[size:].tolist(), pairs).corrected.interval


# Joint distributions of people × judge, to compare the two kinds of interval.
POPULATIONS = {
    "as above": JOINT,
    "middling": np.array([[0.30, 0.05, 0.05], [0.05, 0.10, 0.05], [0.05, 0.05, 0.30]]),
    "good": np.array([[0.42, 0.02, 0.01], [0.02, 0.08, 0.02], [0.01, 0.02, 0.40]]),
    "two classes": np.array([[0.40, 0.10], [0.10, 0.40]]),
    "lopsided": np.array([[0.75, 0.05], [0.08, 0.12]]),
}


def held(simulate: Callable[[Any, int], Interval], truth: float, size: int, runs: int) -> tuple[str, str, str]:
    """Return the share of intervals that contain the truth, their mean width, and the share of runs without one."""
    rng = np.random.default_rng(size)
    found = [simulate(rng, size) for _ in range(runs)]
    known = [interval for interval in found if interval is not None]
    if not known:
        return "–", "–", "100%"
    hits = sum(low <= truth <= high for low, high in known) / len(known)
    width = float(np.mean([high - low for low, high in known]))
    return f"{hits:.1%}", f"{width:.3f}", f"{1 - len(known) / runs:.1%}"


def compare_ends(runs: int, sizes: Sequence[int]) -> None:
    """Print both kinds of interval for kappa side by side, for the same simulated labels."""
    print("| judge | labels | kappa | BCa held | width | percentiles held | width | no interval |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in sizes:
        for name, joint in POPULATIONS.items():
            truth = true_kappa(joint)
            used, plain = (held(by_bootstrap(cohen_kappa, joint, it), truth, size, runs) for it in (None, "percentile"))
            cells = (*used[:2], *plain[:2], used[2])
            print(f"| {name} | {size} | {truth:.3f} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=400, help="simulations per line")
    parser.add_argument("--labels", type=int, nargs="+", default=[30, 60], help="numbers of labelled cases")
    parser.add_argument("--ends", action="store_true", help="compare BCa and percentile intervals for kappa")
    options = parser.parse_args()
    if options.ends:
        compare_ends(options.runs, options.labels)
        return
    figures: list[tuple[str, Callable[[Any, int], Interval], float]] = [
        ("accuracy, Wilson", wilson, float(np.trace(JOINT))),
        ("kappa, bootstrap", by_bootstrap(cohen_kappa), true_kappa()),
        ("alpha, bootstrap", by_bootstrap(alpha), true_alpha()),
        ("corrected win rate", win_rate, float(TRUE[0] + TRUE[1] / 2)),
        ("corrected mean", mean, MEAN),
    ]
    print("| figure | labels | held the truth | mean width | no interval |\n| --- | --- | --- | --- | --- |")
    for name, simulate, truth in figures:
        for size in options.labels:
            print(f"| {name} | {size} | {' | '.join(held(simulate, truth, size, options.runs))} |", flush=True)


if __name__ == "__main__":
    main()
