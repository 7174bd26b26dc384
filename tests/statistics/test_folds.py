"""Folds: every case is held out once, a group never on both sides, and the order of the cases does not matter."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.statistics.calibration import FOLDS, folds


@given(st.lists(st.integers(0, 30), min_size=5, max_size=80))
def test_every_case_is_held_out_once_and_no_group_is_on_both_sides(groups):
    held_out = []
    for train, held in folds(groups):
        assert not {groups[at] for at in train} & {groups[at] for at in held}
        assert len(train) + len(held) == len(groups)
        held_out += held.tolist()
    assert sorted(held_out) == list(range(len(groups)))


def test_groups_are_dealt_evenly_and_whatever_the_order_of_the_cases():
    groups = [f"task {number}" for number in range(23)]
    shuffled = random.Random(1).sample(groups, len(groups))
    one, other = ([{of[at] for at in held} for _, held in folds(of)] for of in (groups, shuffled))
    assert one == other and sorted(map(len, one)) == [4, 4, 5, 5, 5] and len(one) == FOLDS


@pytest.mark.parametrize("seed", [1, 2])
def test_a_set_is_held_out_whole_and_its_tasks_are_fitted_nowhere(seed):
    groups, sets = ["a", "b", "a", "c", "d"], ["one", "one", "two", "two", "three"]
    found = [(train.tolist(), held.tolist()) for train, held in folds(groups, seed, sets)]
    assert found == [([3, 4], [0, 1]), ([0, 1, 2, 3], [4]), ([1, 4], [2, 3])]
