"""A judge's own conduct: the share of invented quotes with clusters by case, and how often a judge that is just below a
threshold is accused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjudge.results.traits import TRAITS, Level, Trait, level_of
from adjudge.statistics.intervals import share_interval
from adjudge.statistics.shares import ClusterSums, clustered_share

from .table import Interval, Line, alarms, coverage

# How alike the things of one case are: the correlation of a beta-binomial distribution.
_ALIKE = 0.2


def drawn(rng: Any, cases: int, share: float, each: int, alike: float) -> ClusterSums:
    """Draw things in clusters: `each` on average in a case, the number varying by half."""
    of = rng.integers(max(each // 2, 1), each + each // 2 + 1, cases)
    if not alike or each == 1:
        return ClusterSums.of_clusters(rng.binomial(of, share), of)
    strength = 1 / alike - 1
    own = rng.beta(share * strength, (1 - share) * strength, cases)
    return ClusterSums.of_clusters(rng.binomial(of, own), of)


def _plain(sums: ClusterSums) -> Interval:
    return share_interval(int(sums.hits), int(sums.of))


def _level(rng: Any, trait: Trait, share: float, tasks: int) -> Level:
    """Return what is said of a judge with this share: 28 quotes a task, or about two of other things."""
    sums = drawn(rng, tasks, share, 28 if trait.key == "invented" else 2, _ALIKE)
    return level_of(trait, clustered_share(sums, tasks), tasks)


def lines(draws: int, costly: int) -> Iterator[Line]:
    for share in (0.01, 0.03, 0.05, 0.2, 0.5, 0.78):
        for cases in (20, 50, 200):

            def simulate(rng: Any, share: float = share, cases: int = cases) -> tuple[float, Interval, Interval]:
                sums = drawn(rng, cases, share, 28, _ALIKE)
                return share, clustered_share(sums, cases).interval, _plain(sums)

            yield coverage(
                f"invented quotes, {share:.0%}",
                f"{cases} cases of 28 quotes",
                simulate,
                draws,
                "beside: Wilson's interval, as if quotes were independent",
            )
    for trait in TRAITS.values():
        for level, threshold in (("look_at", trait.look_at), ("not_fit", trait.not_fit)):
            if threshold is None:
                continue
            for cases in (20, 100):
                rng = np.random.default_rng(20_260_101)
                accused = [_level(rng, trait, threshold, cases) in (level, "not_fit") for _ in range(draws)]
                situation = f"{cases} tasks, truly at the threshold for “{level.replace('_', ' ')}”"
                yield alarms(trait.name, situation, "false alarms", accused)
    for below in (0.8, 0.9):
        rng = np.random.default_rng(20_260_101)
        spoken = [
            any(_level(rng, trait, below * trait.look_at, 50) != "fine" for trait in TRAITS.values())
            for _ in range(draws)
        ]
        situation = f"50 tasks, all shares truly at {below:.0%} of the threshold for “look at”"
        yield alarms("the whole sentence", situation, "false alarms", spoken, "eight shares at once")
    for share, level in ((0.2, "look_at"), (0.78, "not_fit")):
        rng = np.random.default_rng(20_260_101)
        found = [_level(rng, TRAITS["invented"], share, 40) == level for _ in range(draws)]
        yield alarms(TRAITS["invented"].name, f"40 tasks, truly {share:.0%}: “{level}”", "power", found)
