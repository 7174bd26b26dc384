"""Judge and people are compared with one person at random, on the same cases, however many people there are."""

from itertools import permutations
from statistics import fmean

import numpy as np
import pytest
from planted import CLASSES, planted, rated
from scipy import stats

from adjudge.statistics.people import (
    HeldOut,
    Panel,
    agreement_with_others,
    agreement_with_person,
    ahead_of_person,
    kappa_with_others,
    kappa_with_person,
    ranks_with_others,
    ranks_with_person,
)
from adjudge.statistics.resampling import measured_together, point


def same(one, other):
    return one * other + (1 - one) * (1 - other) / 2


@pytest.mark.parametrize(
    "accuracies",
    [(0.75,) * 2, (0.75,) * 3, (0.75,) * 4, (0.75,) * 5, (0.9, 0.6), (0.9, 0.75, 0.6), (0.95, 0.85, 0.75, 0.65, 0.55)],
)
def test_ceiling_and_headline_are_the_truth_whatever_the_number_of_people(accuracies):
    votes, verdicts = planted(1, accuracies, 0.7, 6000)
    panel = Panel(votes, range(6000), numeric=False)
    headline = fmean(same(0.7, each) for each in accuracies)
    ceiling = fmean(same(*pair) for pair in permutations(accuracies, 2))
    for figure, truth in (
        (agreement_with_person(panel, panel.coded(verdicts)), headline),
        (agreement_with_others(panel), ceiling),
    ):
        assert figure.cases == 6000 and figure.value == pytest.approx(truth, abs=0.02)  # three deviations


def test_two_people_who_agree_in_six_of_ten_cases_have_a_ceiling_of_60_percent():
    votes = [{"ann": "A", "ben": "A" if n < 6 else "B"} for n in range(10)]
    panel = Panel(votes, range(10), numeric=False)
    assert agreement_with_others(panel).value == pytest.approx(0.6)
    # The judge says what ann says: it agrees with her always, and with ben as she does.
    assert agreement_with_person(panel, panel.coded(["A"] * 10)).value == pytest.approx(0.8)


def test_each_person_held_out_is_compared_with_the_same_others_as_the_judge():
    """Written out: hold out each person, take each remaining person in turn, and average."""
    votes, verdicts = planted(2, (0.8, 0.7, 0.6, 0.5), 0.65, 60, labelled=0.6)
    panel = Panel(votes, range(60), numeric=False)
    held = HeldOut(panel, panel.coded(verdicts))
    person, judge, alone = [], [], []
    for own, said in zip(votes, verdicts, strict=True):
        pairs = list(permutations(own, 2))
        alone.append(fmean(said == vote for vote in own.values()))
        if pairs:
            person.append(fmean(own[one] == own[other] for one, other in pairs))
            judge.append(fmean(said == own[other] for _, other in pairs))
    assert len(person) < len(alone) == 60
    shared = agreement_with_others(panel)
    assert shared.value == pytest.approx(fmean(person)) and shared.cases == len(person)
    # Cases labelled by one person count for the judge, not for people among themselves.
    assert agreement_with_person(panel, panel.coded(verdicts)).value == pytest.approx(fmean(alone))
    ahead = ahead_of_person(panel, panel.coded(verdicts))
    assert ahead.value == pytest.approx(fmean(judge) - fmean(person)) and ahead.cases == len(person)
    for at, name in enumerate(panel.people):
        met = [(own, said) for own, said in zip(votes, verdicts, strict=True) if name in own and len(own) > 1]
        others = [[vote for other, vote in own.items() if other != name] for own, _ in met]
        chosen = held.person == at
        expected = [fmean(own[name] == vote for vote in rest) for (own, _), rest in zip(met, others, strict=True)]
        assert held.own[chosen] == pytest.approx(expected)
        expected = [fmean(said == vote for vote in rest) for (_, said), rest in zip(met, others, strict=True)]
        assert held.judge[chosen] == pytest.approx(expected)


def test_a_persons_distance_and_nearness_are_those_to_the_others():
    votes, verdicts = rated(3, 4, 40)
    del votes[0]["ann"], votes[1]["ann"], votes[1]["ben"], votes[1]["cat"]
    panel = Panel(votes, range(40), numeric=True)
    held = HeldOut(panel, panel.coded(verdicts))
    assert len(held.case) == 40 * 4 - 5
    for case, person, own, judge, worse in zip(held.case, held.person, held.own, held.judge, held.worse, strict=True):
        name = panel.people[person]
        rest = [vote for other, vote in votes[case].items() if other != name]
        assert own == pytest.approx(fmean(abs(votes[case][name] - vote) for vote in rest))
        assert judge == pytest.approx(fmean(abs(verdicts[case] - vote) for vote in rest))
        squares = [fmean((said - vote) ** 2 for vote in rest) for said in (votes[case][name], verdicts[case])]
        assert worse == np.sign(round(squares[1] - squares[0], 9))


def test_kappa_and_ranks_are_those_of_the_pairs():
    votes, verdicts = planted(4, (0.8, 0.7, 0.6), 0.75, 200)
    panel = Panel(votes, range(200), numeric=False)
    pairs = [(said, vote) for own, said in zip(votes, verdicts, strict=True) for vote in own.values()]
    agree = fmean(one == other for one, other in pairs)
    chance = sum(fmean(one == it for one, _ in pairs) * fmean(other == it for _, other in pairs) for it in CLASSES)
    assert point(kappa_with_person(panel, panel.coded(verdicts)), 200).value == pytest.approx(
        (agree - chance) / (1 - chance)
    )
    counts = np.array([[list(own.values()).count(it) for it in CLASSES] for own in votes])
    agree, chance = ((counts**2).sum(1) - 3).mean() / 6, ((counts.sum(0) / 600) ** 2).sum()
    assert point(kappa_with_others(panel), 200).value == pytest.approx((agree - chance) / (1 - chance))  # Fleiss
    votes, verdicts = rated(5, 3, 200)
    panel = Panel(votes, range(200), numeric=True)
    numbers = np.array([list(own.values()) for own in votes])
    found = measured_together(
        {"judge": ranks_with_person(panel, panel.coded(verdicts)), "people": ranks_with_others(panel)}, panel.units
    )
    one, other = zip(*permutations(range(3), 2), strict=True)
    expected = stats.spearmanr(np.repeat(verdicts, 3), numbers.ravel()).statistic
    assert found["judge"].value == pytest.approx(expected)
    among = stats.spearmanr(numbers[:, one].ravel(), numbers[:, other].ravel()).statistic
    assert found["people"].value == pytest.approx(among)
    assert all(it.interval[0] < it.value < it.interval[1] for it in found.values())
    assert agreement_with_others(panel).value == pytest.approx(abs(numbers[:, one] - numbers[:, other]).mean())
    judged = abs(np.array(verdicts)[:, None] - numbers).mean()
    assert agreement_with_person(panel, panel.coded(verdicts)).value == pytest.approx(judged)


def test_weighted_figures_are_those_of_the_cases_repeated():
    """A draw in which a case counts twice is the figure of a list that holds it twice, gaps included."""
    times = np.array([0, 2, 1, 3] * 10)
    repeated = np.repeat(np.arange(40), times)
    for numeric, (votes, verdicts) in ((False, planted(6, (0.8, 0.7, 0.6), 0.7, 40, 0.7)), (True, rated(6, 3, 40))):
        del votes[5]["ann"]
        panels = [Panel([votes[at] for at in places], places, numeric=numeric) for places in (range(40), repeated)]
        said = [panel.coded([verdicts[at] for at in panel.units]) for panel in panels]
        with_person, with_others = (
            (ranks_with_person, ranks_with_others) if numeric else (kappa_with_person, kappa_with_others)
        )
        weighted = with_person(panels[0], said[0]).of(times[None] * 1.0), with_others(panels[0]).of(times[None] * 1.0)
        plain = point(with_person(panels[1], said[1]), len(repeated)), point(with_others(panels[1]), len(repeated))
        assert [float(it[0]) for it in weighted] == pytest.approx([it.value for it in plain])


def test_cases_of_one_task_widen_the_intervals():
    votes, verdicts = planted(7, (0.75, 0.75, 0.75), 0.7, 40)
    panels = [Panel(votes * 3, units, numeric=False) for units in ([*range(40)] * 3, range(120))]
    for measure in (lambda panel: agreement_with_person(panel, panel.coded(verdicts * 3)), agreement_with_others):
        together, apart = (measure(panel) for panel in panels)
        width = [high - low for low, high in (together.interval, apart.interval)]
        assert together.value == apart.value and width[0] > 1.5 * width[1]


def test_without_a_second_person_there_is_no_ceiling_and_a_reason():
    panel = Panel([{"ann": "A"}, {"ben": "A"}], range(2), numeric=False)
    alone = agreement_with_others(panel)
    assert alone.value is None and alone.reason == "no case was labelled by two people"
    kappa = point(kappa_with_person(panel, panel.coded(["A", "A"])), 2)
    assert kappa.value is None and kappa.reason.startswith("both sides always say A")
    numbers = Panel([{"ann": 1.0}, {"ann": 2.0}], range(2), numeric=True)
    constant = point(ranks_with_person(numbers, numbers.coded([3.0, 3.0])), 2)
    assert constant.value is None and constant.reason == "the judge always says 3: nothing to correlate"
    nothing = agreement_with_person(panel, panel.coded([None, None]))
    assert (nothing.value, nothing.cases) == (None, 0)
