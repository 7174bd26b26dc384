"""How far a judge leans: with many cases the planted value, whoever the people are; a fair judge is seldom accused,
though labels are wrong; and where nothing can be told, the reason is."""

from itertools import permutations, product
from statistics import fmean

import numpy as np
import pytest

from adjudge.statistics.leaning import WORST_ERROR, lean_of


def simulated(rng, size, people, *, judge=0.75, lean=0.0, more=0.7, ties=0.0, pool=0, hard=False, single=0.0, alike=1):
    """Verdicts, votes and units. `people` and `judge` say how often each is right; with the chance `lean` the judge
    picks the answer with more. With `pool`, so many people of different skill share the cases. `hard` makes half of the
    cases hard for all. A share `single` of the cases has one vote. `alike` cases have one truth and are one unit."""
    truth = np.repeat(np.where(rng.random(size // alike) < more, 1, -1), alike)
    clear = rng.choice([0.3, 1.0], size) if hard else np.ones(size)

    def said(right):
        return np.where(rng.random(size) < 0.5 + (right - 0.5) * clear, truth, -truth)

    verdicts = np.where(rng.random(size) < lean, 1, said(judge))
    if pool:
        skill = rng.uniform(people[0] - 0.15, people[0] + 0.15, pool)
        who = np.argsort(rng.random((size, pool)), axis=1)[:, : len(people)]
        votes = np.stack([said(skill[column]) for column in who.T])
    else:
        who = np.tile(np.arange(len(people)), (size, 1))
        votes = np.stack([said(right) for right in people])
    votes = np.where(rng.random(votes.shape) < ties, 0, votes)
    given = [
        {str(name): float(vote) for name, vote in zip(names[:count], row, strict=False)}
        for names, row, count in zip(
            who.tolist(), votes.T.tolist(), np.where(rng.random(size) < single, 1, len(people)), strict=True
        )
    ]
    return verdicts.astype(float).tolist(), given, [at // alike for at in range(size)]


@pytest.mark.parametrize("world", [
    {"people": (0.8, 0.8, 0.8)}, {"people": (1.0, 1.0)}, {"people": (0.95, 0.65)}, {"people": (0.95, 0.85, 0.6)},
    {"people": (0.8, 0.8), "hard": True}, {"people": (0.8, 0.8, 0.8), "ties": 0.3},
    {"people": (0.8, 0.8, 0.8), "single": 0.7}, {"people": (0.75, 0.75, 0.75), "pool": 12},
    {"people": (0.75, 0.75), "pool": 500}, {"people": (0.9,) * 5, "more": 0.5},
], ids=lambda world: " ".join(f"{key}={value}" for key, value in world.items()))  # fmt: skip
def test_with_many_cases_the_lean_is_what_was_planted_whoever_the_people_are(world):
    for judge, lean in ((0.75, 0.2), (1.0, 0.0)):
        found = lean_of(*simulated(np.random.default_rng(1), 5_000, judge=judge, lean=lean, **world))
        low, high = found.figure.interval
        assert found.figure.value == pytest.approx(lean, abs=0.06)
        assert low - 0.02 < lean < high + 0.02 and high - low < 0.2


def test_the_labels_own_error_is_estimated_from_how_often_people_disagree():
    for right in (1.0, 0.9, 0.8):
        found = lean_of(*simulated(np.random.default_rng(2), 5_000, (right, right), ties=0.1))
        assert found.label_error == pytest.approx(1 - right, abs=0.015)


@pytest.mark.parametrize("people", [(0.8,), (0.8, 0.8), (0.8, 0.8, 0.8), (0.95, 0.85, 0.6)], ids=str)
def test_a_fair_judge_is_seldom_accused_though_a_fifth_of_the_labels_is_wrong(people):
    # With labels taken as the truth, 83 % of such fair judges are accused, and 99 % of perfect ones.
    for judge, ties in product((0.75, 1.0), (0.0, 0.3)):
        rng = np.random.default_rng(3)
        figures = [lean_of(*simulated(rng, 200, people, judge=judge, ties=ties)).figure for _ in range(20)]
        assert sum(figure.leaves_out(0.0) is True for figure in figures) <= 4  # 1 is usual


@pytest.mark.parametrize("people", [(0.9,), (0.8, 0.8, 0.8)], ids=str)
def test_a_judge_that_picks_the_longer_answer_in_three_of_ten_cases_is_found(people):
    rng = np.random.default_rng(4)
    figures = [lean_of(*simulated(rng, 200, people, lean=0.3, more=0.5)).figure for _ in range(30)]
    assert sum(figure.leaves_out(0.0) is True for figure in figures) >= 24
    assert sum(figure.interval[0] < 0.3 < figure.interval[1] for figure in figures) >= 25


def test_with_one_person_the_range_is_all_that_label_errors_of_0_to_20_percent_allow():
    verdicts, votes, units = simulated(np.random.default_rng(5), 400, (0.9,), lean=0.2, more=0.6)
    found = lean_of(verdicts, votes, units)
    assert (
        found.figure.value is None
        and found.label_error is None
        and "fewer than 30 cases with two labels" in found.figure.reason
    )
    low, high = found.figure.interval
    vote = [next(iter(said.values())) for said in votes]
    usual, mean = fmean(vote), fmean(verdicts)
    together = fmean((y - mean) * (x - usual) for y, x in zip(verdicts, vote, strict=True))
    allowed = [mean - usual * together / ((1 - 2 * error) ** 2 - usual**2) for error in (0, 0.1, WORST_ERROR)]
    assert all(low < value < high for value in allowed)
    # Twice the same person is two people who never disagree: the end of the range with no error.
    twice = lean_of(verdicts, [said | {"again": said["0"]} for said in votes], units)
    assert twice.figure.value == pytest.approx(allowed[0]) and twice.label_error == 0
    assert high - low > twice.figure.interval[1] - twice.figure.interval[0]


def plain_lean(verdicts, votes):
    """The formula of the module's first lines, pair by pair."""
    names = {name for said in votes for name in said}
    usual = {name: fmean(said[name] for said in votes if name in said) for name in names}
    mean, product, spread = fmean(verdicts), 0.0, 0.0
    for verdict, said in zip(verdicts, votes, strict=True):
        pairs = list(permutations(said, 2))
        for one, other in pairs:
            off = said[other] - usual[other]
            product += usual[one] * (verdict - mean) * off / len(pairs)
            spread += (said[one] - usual[one]) * off / len(pairs)
    return mean - product / spread


def test_value_and_interval_equal_those_computed_plainly():
    verdicts, votes, _ = simulated(np.random.default_rng(6), 300, (0.9, 0.8, 0.7), lean=0.1, ties=0.1, single=0.2)
    found = lean_of(verdicts, votes, range(300)).figure
    assert found.value == pytest.approx(plain_lean(verdicts, votes))
    # Leaving out each case once gives the same standard error.
    without = [plain_lean(verdicts[:at] + verdicts[at + 1 :], votes[:at] + votes[at + 1 :]) for at in range(300)]
    error = float(np.std(without)) * 299**0.5
    assert found.interval[1] - found.interval[0] == pytest.approx(2 * 1.968 * error, rel=0.1)


def test_copies_of_a_case_do_not_narrow_the_interval():
    verdicts, votes, _ = simulated(np.random.default_rng(7), 100, (0.9, 0.9, 0.9))
    alone = lean_of(verdicts, votes, range(100)).figure
    together = lean_of(verdicts * 4, votes * 4, [*range(100)] * 4).figure
    assert together.value == pytest.approx(alone.value)
    assert together.interval == pytest.approx(alone.interval, abs=0.02)


@pytest.mark.parametrize("people", [(1.0,), (1.0, 1.0, 1.0)], ids=["one person", "three people"])
def test_a_judge_without_an_error_is_cleared_with_an_interval(people):
    found = lean_of(*simulated(np.random.default_rng(8), 60, people, judge=1.0, more=0.5)).figure
    assert found.leaves_out(0.0) is False and found.interval[0] < 0 < found.interval[1]


def test_where_nothing_can_be_told_the_reason_is_given():
    for size, people, world, reason in (
        (60, (1.0, 1.0), {"more": 1.0}, "people always prefer the same kind of answer"),
        (60, (0.5, 0.5), {}, "people agree too little with each other"),
        (60, (1.0, 1.0), {"more": 0.97}, "too few independent labels for one kind of answer"),
        (60, (1.0,), {"more": 0.9}, "errors in so one-sided labels could explain any habit"),
        (8, (0.9,), {"more": 0.5}, "8 cases are too few for an interval: at least 10"),
        (
            60,
            (0.9, 0.9),
            {"alike": 12},
            "5 independent cases (tasks or groups) are too few for an interval: at least 10",
        ),
    ):
        found = lean_of(*simulated(np.random.default_rng(9), size, people, **world)).figure
        assert (found.interval, found.reason, found.leaves_out(0.0)) == (None, reason, None)
