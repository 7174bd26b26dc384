"""Corrected numbers: those of the published formulas, valid for any judge, and never without an interval."""

import numpy as np
import pytest
from scipy import stats

from adjudge.statistics.correction import FEW_LABELS, corrected_mean


def correct(judge, people, units=None, **more):
    judge, people = list(judge), list(people)
    return corrected_mean(judge, people + [None] * (len(judge) - len(people)), units or range(len(judge)), **more)


def drawn_rates(rng, labels, cases, shares=(0.55, 0.45), right=0.8, per_unit=1):
    """A judge's and people's wins, the first of which are labelled, with the same label within a unit."""
    values = np.linspace(1, 0, len(shares))
    kind = np.repeat(rng.choice(len(shares), -(-cases // per_unit), p=shares), per_unit)[:cases]
    said = np.where(rng.random(cases) < right, kind, (kind + 1) % len(shares))
    return values[said], values[kind][:labels], float(values @ shares)


def covered(figures_and_truths):
    hits = [found.interval[0] <= truth <= found.interval[1] for found, truth in figures_and_truths]
    return sum(hits) / len(hits)


def ppi_plus_plus(judge, people):
    """Angelopoulos, Duchi and Zrnic 2023, example 6.1, as they write it: the estimate, its standard error and λ."""
    size, others = len(people), len(judge) - len(people)
    here, rest = judge[:size], judge[size:]
    power = np.cov(people, here)[0, 1] / ((1 + size / others) * here.var(ddof=1))
    value = people.mean() + power * (rest.mean() - here.mean())
    variance = power**2 * rest.var(ddof=1) / others + (people - power * here).var(ddof=1) / size
    return value, variance**0.5, power


@pytest.mark.parametrize("shares", [(0.55, 0.45), (0.4, 0.25, 0.35)])
def test_the_corrected_rate_is_that_of_ppi_plus_plus(shares):
    judge, people, _ = drawn_rates(np.random.default_rng(1), 400, 3000, shares, right=0.75)
    value, error, power = ppi_plus_plus(judge, people)
    found = correct(judge, people)
    assert found.corrected.value == pytest.approx(value, abs=1e-12)
    # Their λ is for the cases without labels, ours for all.
    assert found.judge_weight * 2600 / 3000 == pytest.approx(power, abs=1e-12)
    low, high = found.corrected.interval
    assert high - low == pytest.approx(2 * stats.t.ppf(0.975, 398) * error, rel=0.02)
    assert found.as_good_as == pytest.approx(400 * (people.std() / error) ** 2 / 400, rel=0.05)
    assert found.raw.value == pytest.approx(judge.mean()) and found.raw.cases == 3000
    assert found.labels.value == pytest.approx(people.mean()) and found.labels.cases == 400


def test_the_corrected_rate_is_that_of_ppi_python():
    """Their package (0.2.3) takes λ's variance from all cases and the normal quantile: the third digit may differ."""
    worth = (1.0, 0.5, 0.0)
    counts = ((140, 20, 40), (30, 50, 20), (30, 20, 150))  # people in rows, the judge in columns
    people = np.repeat(np.repeat(worth, 3), np.ravel(counts))
    judge = [*np.repeat(worth * 3, np.ravel(counts)), *np.repeat(worth, (2200, 900, 1900))]
    found = correct(judge, people).corrected
    assert found.value == pytest.approx(0.519575, abs=2e-4)
    assert found.interval == pytest.approx((0.486049, 0.553101), abs=4e-4)


def test_a_judge_that_is_often_right_makes_the_interval_narrower():
    """100 labels, 1,000 cases without, a judge that is right in 75 %: labels alone are 0.17 wide, corrected 0.136."""
    rng, wide, narrow, hits = np.random.default_rng(2), [], [], []
    for _ in range(100):
        kind = rng.choice(3, 1100, p=(0.4, 0.25, 0.35))
        said = np.where(rng.random(1100) < 0.75, kind, (kind + rng.integers(1, 3, 1100)) % 3)
        values = np.array([1, 0.5, 0])
        found = correct(values[said], values[kind][:100])
        wide.append(np.ptp(found.labels.interval))
        narrow.append(np.ptp(found.corrected.interval))
        hits.append((found.corrected, 0.525))
    assert np.mean(wide) == pytest.approx(0.170, abs=0.003) and np.mean(narrow) == pytest.approx(0.136, abs=0.003)
    assert covered(hits) >= 0.91


@pytest.mark.parametrize("labels", [20, 60])
@pytest.mark.parametrize("right", [0.5, 0.8, 0.97, 1.0])
def test_the_interval_holds_the_truth_whether_the_judge_is_useless_or_perfect(labels, right):
    rng = np.random.default_rng(3)
    drawn = [drawn_rates(rng, labels, 400, right=right) for _ in range(120)]
    found = [(correct(judge, people), truth) for judge, people, truth in drawn]
    assert covered([(it.corrected, truth) for it, truth in found]) >= 0.91
    gains = np.mean([it.as_good_as for it, _ in found if it.as_good_as]) / labels
    assert gains > 1.5 if right == 1 and labels > 20 else gains > 0.85


def test_cases_of_one_task_vary_together():
    rng, found, blind = np.random.default_rng(4), [], []
    for _ in range(100):
        judge, people, truth = drawn_rates(rng, 90, 300, per_unit=3)
        found.append((correct(judge, people, [n // 3 for n in range(300)]).corrected, truth))
        blind.append((correct(judge, people).corrected, truth))
    assert covered(found) >= 0.91 > 0.86 > covered(blind)


def test_a_mean_on_any_scale_is_corrected_and_never_leaves_the_scale():
    rng = np.random.default_rng(5)
    people = rng.choice([20.0, 40.0, 60.0, 80.0, 100.0], 500, p=[0.02, 0.03, 0.05, 0.3, 0.6])
    judge = np.clip(0.5 * people + 30 + rng.normal(0, 5, 500), 20, 100)
    found = correct(judge, people[:60], scale=(20.0, 100.0))
    assert found.corrected.value == pytest.approx(ppi_plus_plus(judge, people[:60])[0], abs=1e-9)
    assert found.judge_weight > 1 and found.as_good_as > 90  # the judge's scale is narrower than people's
    for end in (20.0, 100.0):
        told = correct([end] * 40, [end] * 25, scale=(20.0, 100.0))
        for figure in (told.raw, told.labels, told.corrected):
            low, high = figure.interval
            assert 20 <= low < high <= 100 and low <= figure.value <= high


def test_a_class_with_fewer_than_five_labels_has_the_exact_interval_of_its_labels():
    for hits in range(5):
        found = correct([1, 0] * 100, [1] * hits + [0] * (40 - hits))
        exact = stats.binomtest(hits, 40).proportion_ci(0.95, method="exact")
        assert found.corrected == found.labels
        assert found.corrected.interval == pytest.approx((exact.low, exact.high), abs=1e-9)
        assert found.corrected.value == hits / 40 and found.raw.value == 0.5
        assert (
            found.alone.startswith("fewer than 5 independent labels differ")
            and found.as_good_as is found.judge_weight is None
        )


@pytest.mark.parametrize("size", [1, 4, 12, 40])
def test_the_exact_interval_with_ties_covers_whatever_the_shares_are(size):
    """Every number of wins and ties, and shares in a grid: exact where nearly all labels are the same."""
    won, tied = np.meshgrid(np.arange(size + 1), np.arange(size + 1))
    kept = (won + tied <= size) & (np.maximum.reduce([won, tied, size - won - tied]) > size - 5)
    counts = list(zip(won[kept].tolist(), tied[kept].tolist(), strict=True))
    ends = [correct([0.5] * size, [1.0] * w + [0.5] * t + [0.0] * (size - w - t), None) for w, t in counts]
    for wins, ties in ((0.02, 0.02), (0.05, 0.9), (0.9, 0.08), (0.01, 0.04), (0.0, 0.03), (0.03, 0.96)):
        shares = (wins, ties, 1 - wins - ties)
        chances = [stats.multinomial.pmf((w, t, size - w - t), size, shares) for w, t in counts]
        truth = wins + ties / 2
        missed = sum(
            chance
            for chance, it in zip(chances, ends, strict=True)
            if not it.corrected.interval[0] <= truth <= it.corrected.interval[1]
        )
        assert missed <= 0.05


def test_labels_that_are_all_the_same_and_units_that_are_few_have_an_interval_with_a_width():
    ties = correct([1, 0] * 50, [0.5] * 30)
    assert ties.corrected.value == 0.5 and 0.1 < np.ptp(ties.corrected.interval) < 0.3
    few = correct([1, 0] * 50, [1, 0, 0] * 10, [n // 15 for n in range(100)])
    assert few.corrected == few.labels and np.ptp(few.corrected.interval) > 0.5


def test_below_twenty_labels_only_these_count():
    judge, people, _ = drawn_rates(np.random.default_rng(6), 30, 100)
    found = [correct(judge, people[:size]) for size in (FEW_LABELS - 1, 30)]
    assert found[0].alone == "fewer than 20 labels drawn at random: only labels count"
    assert found[0].corrected == found[0].labels and found[1].corrected != found[1].labels


def test_without_labels_or_verdicts_there_is_a_reason():
    found = correct([1, 0, 1], [])
    assert found.raw.value == pytest.approx(2 / 3) and found.corrected.value is None
    assert found.corrected.reason == found.labels.reason == "no labelled case"
    assert correct([], []).raw.reason == "no case has a verdict"


# -- doubtful cases, all of which are labelled ------------------------------------------------------------------------


def doubtful_draw(rng, cases=300, doubtful=40, size=60):
    """People and judge; the first cases are doubtful, where both behave differently, and all of them are labelled."""
    people = np.where(np.arange(cases) < doubtful, rng.random(cases) < 0.2, rng.random(cases) < 0.6).astype(float)
    wrong = rng.random(cases) < np.where(np.arange(cases) < doubtful, 0.5, 0.15)
    chosen = rng.permutation(cases)[:size]
    drawn = np.isin(np.arange(cases), chosen)
    surely = np.arange(cases) < doubtful
    labels = [float(it) if known else None for it, known in zip(people, drawn | surely, strict=True)]
    return np.abs(people - wrong), labels, {"drawn": drawn.tolist(), "doubtful": surely.tolist()}


def test_doubtful_cases_count_by_their_share_of_the_run():
    judge, labels, more = doubtful_draw(np.random.default_rng(7))
    found = corrected_mean(judge, labels, range(300), **more)
    known = np.array([np.nan if it is None else it for it in labels])
    others = np.arange(300) >= 40
    sample = others & ~np.isnan(known)
    fit = np.polyfit(judge[sample], known[sample], 1)
    rest = known[sample].mean() + fit[0] * (judge[others].mean() - judge[sample].mean())
    assert found.labels.value == pytest.approx((40 * known[:40].mean() + 260 * known[sample].mean()) / 300)
    assert found.corrected.value == pytest.approx((40 * known[:40].mean() + 260 * rest) / 300)
    assert found.picked == 40 - sum(more["drawn"][:40]) and found.labels.cases == int((~np.isnan(known)).sum())


def test_doubtful_cases_make_the_estimate_more_exact_and_not_wrong():
    rng, both, alone = np.random.default_rng(8), [], []
    truth = (40 * 0.2 + 260 * 0.6) / 300
    for _ in range(100):
        judge, labels, more = doubtful_draw(rng)
        both.append((corrected_mean(judge, labels, range(300), **more).corrected, truth))
        sample = [it if at_random else None for it, at_random in zip(labels, more["drawn"], strict=True)]
        alone.append((corrected_mean(judge, sample, range(300)).corrected, truth))
    assert covered(both) >= 0.91
    assert np.mean([np.ptp(it.interval) for it, _ in both]) < np.mean([np.ptp(it.interval) for it, _ in alone])
    naive = [it for it in labels if it is not None]
    assert abs(np.mean(naive) - truth) > 0.1  # counted like the others, they would mislead


def test_of_a_large_run_some_cases_represent_the_others():
    judge, people, _ = drawn_rates(np.random.default_rng(9), 50, 450)
    every = [*judge[:50], *np.repeat(judge[50:], 10)]
    whole = correct(every, people)
    part = correct(judge, people, weights=[1.0] * 50 + [10.0] * 400)
    assert part.corrected.value == pytest.approx(whole.corrected.value, abs=1e-12)
    assert part.raw.value == pytest.approx(whole.raw.value, abs=1e-12) and part.raw.cases == 4050
    assert np.ptp(part.corrected.interval) > np.ptp(whole.corrected.interval)
