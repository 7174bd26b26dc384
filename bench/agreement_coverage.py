"""How often the 95 % intervals of adjudge.agreement hold the truth, in simulations where the truth is known.

    python bench/agreement_coverage.py [--runs 400]
    python bench/agreement_coverage.py --ends [--runs 1500]

Each line is one figure with one number of labelled cases: the share of simulations whose interval held the truth, the
mean width, and how often there was no interval (too few cases of a kind). With 400 runs a share of 95 % is good to ± 2
points. `--ends` compares the two kinds of bootstrap interval for kappa, percentiles and BCa, on four kinds of judge.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from adjudge.agreement.correction import corrected_mean, corrected_rate
from adjudge.agreement.figures import (
    Confusion,
    Figure,
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
DRAWS = 499
UNLABELLED = 1000
MEAN = 70.0

Interval = tuple[float, float] | None
Case = tuple[str, str]


def labelled(rng: Any, size: int) -> list[Case]:
    """What the judge and people say of so many cases."""
    places = rng.choice(9, size=size, p=JOINT.ravel())
    return [(CLASSES[place % 3], CLASSES[place // 3]) for place in places.tolist()]


def kappa(cases: Any) -> Figure:
    return cohen_kappa(*zip(*cases, strict=True))


def alpha(cases: Any) -> Figure:
    return krippendorff_alpha(cases, "nominal")


def true_kappa() -> float:
    chance = float((JOINT.sum(axis=0) * JOINT.sum(axis=1)).sum())
    return (float(np.trace(JOINT)) - chance) / (1 - chance)


def true_alpha() -> float:
    """Alpha of endless cases: chance is that of both raters' shares together."""
    pooled = (JOINT.sum(axis=0) + JOINT.sum(axis=1)) / 2
    chance = float((pooled**2).sum())
    return (float(np.trace(JOINT)) - chance) / (1 - chance)


def by_bootstrap(measure: Callable[[Any], Figure]) -> Callable[[Any, int], Interval]:
    return lambda rng, size: with_interval(measure, labelled(rng, size), DRAWS).interval


def wilson(rng: Any, size: int) -> Interval:
    found = accuracy(*zip(*labelled(rng, size), strict=True))
    return share(round((found.value or 0) * size), size).interval


def win_rate(rng: Any, size: int) -> Interval:
    judge, human = zip(*labelled(rng, size), strict=True)
    table: Confusion = confusion(judge, human, CLASSES)
    said = dict(zip(CLASSES, rng.multinomial(UNLABELLED, JOINT.sum(axis=0)).tolist(), strict=True))
    return corrected_rate(table, said, {"A": 1.0, "tie": 0.5}).corrected.interval


def mean(rng: Any, size: int) -> Interval:
    human = rng.normal(MEAN, 12, UNLABELLED + size)
    judge = np.clip(0.8 * human + 24 + rng.normal(0, 5, len(human)), 0, 100)
    pairs = list(zip(judge[:size].tolist(), human[:size].tolist(), strict=True))
    return corrected_mean(judge[size:].tolist(), pairs).corrected.interval


# Populations of judge × people for the comparison of the two kinds of interval: as above, middling, good, lopsided.
POPULATIONS = {
    "as above": JOINT,
    "middling": np.array([[0.30, 0.05, 0.05], [0.05, 0.10, 0.05], [0.05, 0.05, 0.30]]),
    "good": np.array([[0.42, 0.02, 0.01], [0.02, 0.08, 0.02], [0.01, 0.02, 0.40]]),
    "lopsided": np.array([[0.75, 0.05], [0.08, 0.12]]),
}


def kappas(tables: Any) -> Any:
    """Kappa of many tables of counts at once, so that thousands of simulations take seconds."""
    total = tables.sum((-1, -2))
    agreed = np.trace(tables, axis1=-2, axis2=-1) / total
    chance = (tables.sum(-1) * tables.sum(-2)).sum(-1) / total**2
    with np.errstate(all="ignore"):
        return np.where(chance < 1 - 1e-12, (agreed - chance) / (1 - chance), np.nan)


def both_ends(rng: Any, table: Any) -> tuple[Interval, Interval]:
    """The percentile and the BCa interval of one table, from the same draws."""
    size, found = int(table.sum()), kappas(table)
    drawn = kappas(rng.multinomial(size, table.ravel() / size, size=999).reshape(-1, *table.shape))
    known = drawn[np.isfinite(drawn)]
    if np.isnan(found) or len(known) < 0.95 * len(drawn) or np.ptp(known) == 0:
        return None, None
    low, high = np.quantile(known, [0.025, 0.975])
    percentiles = float(low), float(high)
    less_one = np.repeat(table[None], table.size, axis=0) - np.eye(table.size, dtype=int).reshape(-1, *table.shape)
    counts = table.ravel()
    apart = kappas(less_one[counts > 0])
    counts = counts[counts > 0]
    if len(known) < len(drawn) or not np.isfinite(apart).all():
        return percentiles, None
    apart = np.average(apart, weights=counts) - apart
    skew = (counts @ apart**3) / (6 * (counts @ apart**2) ** 1.5)
    middle = stats.norm.ppf(((drawn < found).mean() + (drawn <= found).mean()) / 2)
    moved = middle + stats.norm.ppf([0.025, 0.975])
    shares = stats.norm.cdf(middle + moved / (1 - skew * moved))
    if not np.isfinite(shares).all():
        return percentiles, None
    low, high = np.quantile(drawn, shares)
    return percentiles, (float(low), float(high))


def compare_ends(runs: int) -> None:
    """The two kinds of interval for kappa side by side."""
    print("| judge | labels | kappa | percentiles held | no interval | BCa held | no interval |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, joint in POPULATIONS.items():
        truth = float(kappas(joint))
        for size in (20, 30, 60, 150):
            rng = np.random.default_rng(size)
            tables = rng.multinomial(size, joint.ravel(), size=runs).reshape(-1, *joint.shape)
            cells = []
            for intervals in zip(*(both_ends(rng, table) for table in tables), strict=True):
                known = [interval for interval in intervals if interval is not None]
                held = sum(low <= truth <= high for low, high in known) / max(len(known), 1)
                cells += [f"{held:.1%}", f"{1 - len(known) / runs:.1%}"]
            print(f"| {name} | {size} | {truth:.3f} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, help="simulations a line (400; 1500 with --ends)")
    parser.add_argument("--ends", action="store_true", help="compare percentile and BCa intervals for kappa")
    options = parser.parse_args()
    if options.ends:
        compare_ends(options.runs or 1500)
        return
    runs = options.runs or 400
    figures: list[tuple[str, Callable[[Any, int], Interval], float]] = [
        ("accuracy, Wilson", wilson, float(np.trace(JOINT))),
        ("kappa, bootstrap", by_bootstrap(kappa), true_kappa()),
        ("alpha, bootstrap", by_bootstrap(alpha), true_alpha()),
        ("corrected win rate", win_rate, float(TRUE[0] + TRUE[1] / 2)),
        ("corrected mean", mean, MEAN),
    ]
    print("| figure | labels | held the truth | mean width | no interval |\n| --- | --- | --- | --- | --- |")
    for name, simulate, truth in figures:
        for size in (30, 60):
            rng = np.random.default_rng(size)
            found = [simulate(rng, size) for _ in range(runs)]
            known = [interval for interval in found if interval is not None]
            held = sum(low <= truth <= high for low, high in known) / max(len(known), 1)
            width = float(np.mean([high - low for low, high in known])) if known else math.nan
            print(f"| {name} | {size} | {held:.1%} | {width:.3f} | {1 - len(known) / runs:.1%} |", flush=True)


if __name__ == "__main__":
    main()
