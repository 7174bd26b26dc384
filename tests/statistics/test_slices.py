"""Parts of the cases against the rest: known tests where cases are independent, few alarms where there is nothing."""

import numpy as np
import pytest
from scipy import stats

from adjudge.statistics.slices import LEAST, compare_parts


def parts_of(names):
    every = sorted(set(names))
    return {
        one: tuple([at for at, name in enumerate(names) if (name == one) is inside] for inside in (True, False))
        for one in every
    }


def shares(rights):
    """Independent cases: how many there are of each part, and how many of them are right."""
    values = [float(at < right) for right, of in rights.values() for at in range(of)]
    names = [name for name, (_, of) in rights.items() for _ in range(of)]
    return compare_parts(values, range(len(values)), parts_of(names))


def test_independent_shares_have_fishers_p_and_wilsons_interval_adjusted_by_benjamini_and_hochberg():
    found = shares({"de": (14, 30), "en": (70, 90), "fr": (36, 50)})
    expected = [
        stats.fisher_exact([[14, 16], [106, 34]]).pvalue,
        stats.fisher_exact([[70, 20], [50, 30]]).pvalue,
        stats.fisher_exact([[36, 14], [84, 36]]).pvalue,
    ]
    assert [part.p for part in found.values()] == pytest.approx(expected)
    assert [part.adjusted for part in found.values()] == pytest.approx(stats.false_discovery_control(expected))
    assert [part.differs for part in found.values()] == [True, False, False]
    wilson = stats.binomtest(14, 30).proportion_ci(method="wilson")
    assert found["de"].mean.interval == pytest.approx((wilson.low, wilson.high))
    assert (found["de"].mean.value, found["de"].rest) == (14 / 30, 106 / 140)


def test_copies_of_every_case_make_no_difference_more_certain():
    values, names = [1.0] * 14 + [0.0] * 16 + [1.0] * 66 + [0.0] * 24, ["de"] * 30 + ["en"] * 90
    once = compare_parts(values, range(120), parts_of(names))
    copied = compare_parts(values * 4, [*range(120)] * 4, parts_of(names * 4))
    assert copied["de"].p == pytest.approx(once["de"].p)
    assert copied["de"].mean.interval == pytest.approx(once["de"].mean.interval, abs=0.02)


def test_numbers_that_are_no_shares_are_compared_by_their_means():
    rng = np.random.default_rng(4)
    values = [*rng.normal(12, 4, 40), *rng.normal(8, 4, 160)]
    found = compare_parts(values, range(200), parts_of(["chat"] * 40 + ["phone"] * 160), are_shares=False)
    assert stats.ttest_ind(values[:40], values[40:]).pvalue < found["chat"].p < 1e-4
    assert found["chat"].mean.value == pytest.approx(np.mean(values[:40]))


@pytest.mark.parametrize("size", [LEAST - 1, LEAST])
def test_a_part_with_fewer_than_ten_independent_cases_is_left_out(size):
    names = ["de"] * 3 * size + ["en"] * 60
    units = [*list(range(size)) * 3, *range(100, 160)]
    found = compare_parts([1.0] * 60 + [0.0] * (len(names) - 60), units, parts_of(names))
    assert ("de" in found) == ("en" in found) == (size == LEAST)


def test_parts_without_any_variance():
    assert {part.p for part in shares({"de": (20, 20), "en": (80, 80)}).values()} == {1.0}
    assert {part.differs for part in shares({"de": (0, 20), "en": (80, 80)}).values()} == {True}


@pytest.mark.parametrize("together", [1, 4])
def test_looking_at_twelve_parts_without_a_difference_raises_few_alarms(together):
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(20):
        rates = np.repeat(rng.beta(1.5, 0.5, 300), together) if together > 1 else 0.75
        values = (rng.random(300 * together) < rates).astype(float)
        names = np.repeat(rng.integers(0, 12, 300), together)
        found = compare_parts(values.tolist(), np.repeat(np.arange(300), together).tolist(), parts_of(names.tolist()))
        alarms += any(part.differs for part in found.values())
    assert alarms <= 3  # 1 is expected at 5 %, more than 3 about once in sixty


def test_a_bad_part_is_found_among_many():
    rights = {f"good {number}": (24, 30) for number in range(11)}
    found = shares({**rights, "bad": (12, 30)})
    assert [name for name, part in found.items() if part.differs] == ["bad"]
