"""Shares of cases in units: how far cases of a unit count as one, and the change between two such shares."""

import numpy as np
import pytest

from adjudge.statistics.intervals import share
from adjudge.statistics.rates import clustered_change, design_effects, discounted_share


def alike(rng, units, size, rate=0.3):
    """Units in which all cases are the same."""
    return [(size * int(hit), size) for hit in rng.random(units) < rate]


def independent(rng, units, size, rate=0.3):
    return [(int(hits), size) for hits in rng.binomial(size, rate, units)]


def test_cases_in_units_of_their_own_count_in_full():
    units = [(1, 1), (0, 1), (0, 1)]
    assert design_effects([units]) == [1.0] and discounted_share(units, 1.0) == share(1, 3)
    assert design_effects([]) == []


@pytest.mark.parametrize(("draw", "effect"), [(alike, 6.0), (independent, 1.0)])
def test_the_design_effect_is_measured(draw, effect):
    rng = np.random.default_rng(1)
    (found,) = design_effects([draw(rng, 400, 6)])
    assert found == pytest.approx(effect, abs=0.4)


def test_a_rate_of_its_own_for_every_person_is_no_correlation_within_a_review():
    rng = np.random.default_rng(2)
    people = [independent(rng, 60, 2, rate) for rate in (0.05, 0.2, 0.5, 0.9)]
    assert max(design_effects(people)) < 1.2


def test_with_few_units_more_is_assumed_than_was_seen():
    few, many = design_effects([[(1, 2), (1, 2)]])[0], design_effects([[(1, 2), (1, 2)] * 50])[0]
    assert many == pytest.approx(1, abs=0.05) and few > 1.5


def test_ratings_of_a_review_make_no_interval_narrower_than_one_of_them_would():
    rng = np.random.default_rng(3)
    units = alike(rng, 40, 10)
    (effect,) = design_effects([units])
    found, once = discounted_share(units, effect), share(sum(hits > 0 for hits, _ in units), 40)
    assert found.cases == 400 and found.value == once.value
    assert found.interval == pytest.approx(once.interval, abs=0.02)


def test_a_change_is_tested_by_permuting_units():
    rng = np.random.default_rng(4)
    lucky = 0
    for _ in range(40):
        earlier, later = alike(rng, 12, 10), alike(rng, 12, 10)
        (effect,) = design_effects([[*earlier, *later]])
        lucky += clustered_change(earlier, later, effect).real
    assert lucky <= 5  # if ratings counted one by one, half of these would be called real
    better = clustered_change([(3, 10), (2, 10), (4, 10)] * 5, [(0, 10), (1, 10), (0, 10)] * 5, 1.0)
    assert better.real and better.change.value == pytest.approx(-8 / 30)
    assert better.change.interval[0] < -8 / 30 < better.change.interval[1] < 0
    same = clustered_change([(1, 10)] * 10, [(1, 10)] * 10, 1.0)
    assert (same.change.value, same.p, same.real) == (0, 1, False)


def test_four_against_four_has_the_p_value_that_counting_gives():
    found = clustered_change([(1, 1)] * 4, [(0, 1)] * 4, 1.0)
    assert found.p == pytest.approx(2 / 70, abs=0.01)  # of 70 ways to choose four of eight, two are as extreme
