"""Splits cases for cross-validation. A whole group (a task, a case) is held out, never a part of it."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from .intervals import SEED

FOLDS = 5


def folds(groups: Sequence[Hashable], seed: int = SEED, sets: Sequence[str] | None = None) -> Iterator[tuple[Any, Any]]:
    """Yield the places of the cases to fit to and of those held out, for each fold; no group is in both.

    A fold is a fifth of the groups, dealt at random, or, with `sets`, one of these. The split does not depend on the
    order of the cases.
    """
    distinct = sorted(set(groups), key=str)
    random.Random(seed).shuffle(distinct)
    fold = {group: str(at % FOLDS) for at, group in enumerate(distinct)}
    own = [fold[group] for group in groups] if sets is None else sets
    for part in sorted(set(own)):
        held = {group for group, mine in zip(groups, own, strict=True) if mine == part}
        to_fit = np.array([group not in held for group in groups])
        yield np.flatnonzero(to_fit), np.flatnonzero([mine == part for mine in own])
