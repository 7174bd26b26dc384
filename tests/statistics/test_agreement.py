"""Agreement: published examples to the digits printed, a second library or the written-out formula to six digits."""

import tracemalloc

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix

from adjudge.statistics import agreement
from adjudge.statistics.agreement import gwet_ac1
from adjudge.statistics.ratings import base_rates, baselines, confusion, consensus
from adjudge.statistics.resampling import point

LEVELS = ("nominal", "ordinal", "interval")
STEPS = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0])
_ = None


def of_pairs(measure):
    """The figure of a list of pairs: the judge's rating, and people's."""

    def found(pairs):
        judge, human = zip(*pairs, strict=True) if pairs else ((), ())
        return point(measure(judge, human), len(pairs))

    return found


accuracy, cohen_kappa, quadratic_kappa, spearman, kendall, ac1 = map(
    of_pairs,
    (
        *(agreement.accuracy, agreement.cohen_kappa, agreement.quadratic_kappa),
        *(agreement.spearman, agreement.kendall, gwet_ac1),
    ),
)


def krippendorff_alpha(rows, level):
    return point(agreement.krippendorff_alpha(rows, level), len(rows))


def expand(table):
    """Pairs of ratings, as often as the table says."""
    return [(row, column) for row, line in enumerate(table) for column, count in enumerate(line) for _ in range(count)]


# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability": examples A, B and C.
BINARY = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
NOMINAL = ["aabbdcccedda", "babbbccceddd"]
FOUR = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3], [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]  # fmt: skip
# The example that the literature and the krippendorff package share: three coders, fifteen units.
THREE = [
    [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
    [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
    [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
]
# Fleiss's kappa, ten subjects and fourteen raters: .210.
FLEISS = [
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
    *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
]


def test_cohens_examples_of_1960_and_1968():
    hundredths = [[25, 13, 12], [12, 2, 16], [3, 15, 2]]
    assert round(cohen_kappa(expand(hundredths)).value, 2) == -0.09
    found = cohen_kappa(expand([[88, 10, 2], [14, 40, 6], [18, 10, 12]]))  # "Weighted kappa", table 1
    assert (round(found.value, 3), found.cases) == (0.492, 200)


def test_gwets_example_of_2008():
    """Gwet 2008, table 1: 125 cases, nearly all of one class; kappa is near 0 although 94 % agree."""
    skewed = expand([[118, 5], [2, 0]])
    assert round(cohen_kappa(skewed).value, 4) == -0.0234
    assert round(ac1(skewed).value, 4) == 0.9408


def test_krippendorffs_examples():
    for raters, level, printed in (
        *((BINARY, "nominal", 0.095), (NOMINAL, "nominal", 0.692), (FOUR, "nominal", 0.743), (FOUR, "ordinal", 0.815)),
        *((FOUR, "interval", 0.849), (THREE, "nominal", 0.691), (THREE, "interval", 0.811)),
    ):
        rows = list(zip(*raters, strict=True))
        assert round(krippendorff_alpha(rows, level).value, 3) == printed, level


def test_fleiss_kappa_follows_from_alpha():
    rows = [[at for at, count in enumerate(line) for _ in range(count)] for line in FLEISS]
    alpha, ratings = krippendorff_alpha(rows, "nominal").value, 140
    assert round(1 - (1 - alpha) * ratings / (ratings - 1), 3) == 0.210


@settings(max_examples=40)
@given(st.lists(st.tuples(STEPS, STEPS), min_size=2, max_size=40))
def test_kappa_accuracy_and_confusion_are_those_of_scikit_learn(pairs):
    judge, human = zip(*pairs, strict=True)
    assert accuracy(pairs).value == pytest.approx(accuracy_score(human, judge), abs=1e-6)
    steps = [1.0, 2.0, 3.0, 4.0, 5.0]
    counted = confusion_matrix(human, judge, labels=steps).tolist()
    assert [list(row) for row in confusion(pairs, steps).counts] == counted
    if len({*judge, *human}) > 1:
        plain, quadratic = (
            cohen_kappa_score(judge, human),
            cohen_kappa_score(judge, human, labels=steps, weights="quadratic"),
        )
        assert cohen_kappa(pairs).value == pytest.approx(plain, abs=1e-6)
        assert quadratic_kappa(pairs).value == pytest.approx(quadratic, abs=1e-6)


@given(st.lists(st.lists(st.one_of(st.none(), STEPS), min_size=3, max_size=3), min_size=2, max_size=30))
def test_alpha_is_that_of_the_krippendorff_package(rows):
    pairable = [[value for value in row if value is not None] for row in rows]
    if len({value for row in pairable if len(row) > 1 for value in row}) < 2:
        return
    table = np.array([[np.nan if value is None else value for value in row] for row in rows]).T
    for level in LEVELS:
        theirs = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
        assert krippendorff_alpha(rows, level).value == pytest.approx(theirs, abs=1e-9)


@given(st.lists(st.tuples(STEPS, STEPS), min_size=3, max_size=40))
def test_rank_correlations_are_those_of_scipy(pairs):
    judge, human = zip(*pairs, strict=True)
    if len(set(judge)) > 1 and len(set(human)) > 1:
        assert spearman(pairs).value == pytest.approx(stats.spearmanr(judge, human).statistic, abs=1e-9)
        assert kendall(pairs).value == pytest.approx(stats.kendalltau(judge, human).statistic, abs=1e-9)


def test_gaps_leave_a_case_out_and_are_counted_so():
    found = accuracy([("A", "A"), (None, "A"), ("B", None), ("A", "B")])
    assert (found.value, found.cases) == (0.5, 2)


def test_what_is_not_defined_is_none_with_the_reason():
    same = [("A", "A")] * 3
    assert cohen_kappa(same).value is None
    assert cohen_kappa(same).reason == "both sides always say A: agreement beyond chance is not defined"
    assert cohen_kappa([*same, ("A", "B")]).value == pytest.approx(0)  # a constant judge is no better than chance
    assert accuracy([(None, "A")]).reason == "no case was rated by both sides"
    assert spearman([(1.0, 2.0)]).reason == "too few cases for a correlation: 1"
    assert kendall([(1.0, 3.0), (2.0, 3.0)]).reason == "people always say 3.0: nothing to correlate"
    assert krippendorff_alpha([["A"], ["B"]], "nominal").reason == "no case has two ratings"
    assert "every rating is A" in krippendorff_alpha([["A", "A"], ["B"]], "nominal").reason


def test_alpha_over_too_many_values_says_so_instead_of_taking_long():
    found = krippendorff_alpha([[float(at), at + 0.5] for at in range(300)], "interval")
    assert (found.value, found.cases) == (None, 300)
    assert found.reason == "600 different values in 300 cases are too many for alpha: round the scores first"


NAMED = ("accuracy", "mean_absolute_error", "cohen_kappa", "gwet_ac1", "quadratic_kappa", "spearman", "kendall")


@given(
    st.lists(st.tuples(STEPS, st.one_of(st.none(), STEPS), st.integers(0, 3)), min_size=3, max_size=30),
    st.sampled_from([*NAMED, *LEVELS]),
)
def test_a_case_that_counts_twice_is_two_cases(rated, name):
    """What a bootstrap computes from weights is what it would compute from copies of the cases."""
    judge, human, often = zip(*rated, strict=True)

    def statistic(judge, human):
        if name in LEVELS:
            return agreement.krippendorff_alpha(list(zip(judge, human, strict=True)), name)
        return getattr(agreement, name)(judge, human)

    copies = [(one, other) for one, other, times in rated for _ in range(times)]
    if not copies:
        return
    with np.errstate(all="ignore"):
        weighted = statistic(judge, human).of(np.array([often, often], float))
    copied = point(statistic(*zip(*copies, strict=True)), len(copies)).value
    rated_classes, copied_classes = (
        {value for pair in pairs for value in pair if None not in pair}
        for pairs in (zip(judge, human, strict=True), copies)
    )
    if name == "gwet_ac1" and rated_classes != copied_classes:
        return  # its chance agreement depends on the number of classes, which is that of all cases in every draw
    assert weighted[0] == pytest.approx(np.nan if copied is None else copied, abs=1e-9, nan_ok=True)


def test_base_rates_are_sorted_and_the_first_is_what_a_constant_gets():
    human = ["B", "A", "A", None, "tie", "A"]
    assert base_rates(human) == {"A": 0.6, "B": 0.2, "tie": 0.2}
    said = baselines(human, [(5, 9), (3, 1), (2, 2), (1, 1), (4, 2), (7, 3)])
    assert said["constant"] == ["A"] * 6 and said["first position"] == ["A"] * 6
    assert said["longest"] == ["B", "A", "tie", "tie", "A", "A"]
    assert accuracy(list(zip(said["constant"], human, strict=True))).value == 0.6


def test_a_consensus_is_the_class_of_most_or_the_median_and_a_draw_is_none():
    assert consensus(["A", "B", "A", None]) == "A"
    assert consensus(["A", "B"]) is None
    assert consensus([1, 2, 5]) == 2.0
    assert consensus([None]) is None


def test_alpha_of_many_people_and_tau_of_many_levels_hold_little_memory():
    """All pairs of 20 people in every draw, or all levels at once, would be gigabytes."""
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 8, (400, 20)).astype(float).tolist()
    levels, others = rng.integers(0, 50, 2_000).astype(float).tolist(), rng.random(2_000).tolist()
    for statistic, size in (
        (agreement.krippendorff_alpha(rows, "ordinal"), 400),
        (agreement.kendall(others, levels), 2_000),
    ):
        weights = rng.integers(0, 3, (200, size)).astype(float)
        tracemalloc.start()
        statistic.of(weights)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100e6
