"""The alternative annotator test: the same answers as its written-out definition, and none below its minimum."""

import random
from statistics import fmean

import pytest
from planted import planted, rated
from scipy import stats

from adjudge.statistics.people import Panel
from adjudge.statistics.stand_in import stand_in


def answer_of(votes, verdicts, units=None, numeric=False, **options):
    panel = Panel(votes, units or range(len(votes)), numeric=numeric)
    return stand_in(panel, panel.coded(verdicts), draws=99, **options)


def written_out(votes, verdicts, margin, score):
    """Calderon, Reichart and Dror (2025): p of each person, and how often the judge is at least as near."""
    names = sorted({name for own in votes for name in own})
    found = {}
    for name in names:
        judge, person = [], []
        for own, said in zip(votes, verdicts, strict=True):
            rest = [vote for other, vote in own.items() if other != name]
            if name in own and rest:
                of_judge, of_person = score(said, rest), score(own[name], rest)
                judge.append(of_judge >= of_person)
                person.append(of_person >= of_judge)
        apart = [int(one) - int(other) for one, other in zip(person, judge, strict=True)]
        found[name] = (stats.ttest_1samp(apart, margin, alternative="less").pvalue, fmean(judge), fmean(person))
    return found


@pytest.mark.parametrize("numeric", [False, True], ids=["classes", "numbers"])
@pytest.mark.parametrize("people", [3, 5])
def test_the_test_is_the_papers_where_its_variance_is_enough(numeric, people):
    if numeric:
        votes, verdicts = rated(1, people, 90)
        verdicts = [float(round(said)) for said in verdicts]
        found = written_out(votes, verdicts, 0.15, lambda own, rest: -(fmean((own - it) ** 2 for it in rest) ** 0.5))
    else:
        votes, verdicts = planted(1, (0.7,) * people, 0.65, 90, labelled=0.9)
        found = written_out(votes, verdicts, 0.15, lambda own, rest: fmean(own == it for it in rest))
    test = answer_of(votes, verdicts, numeric=numeric)
    assert test.tested == people
    for person in test.people:
        p, judge, own = found[person.person]
        assert (person.p, person.advantage, person.own_advantage) == pytest.approx((p, judge, own))
        assert person.p_worse == pytest.approx(1 - p)
    wins = stats.false_discovery_control([p for p, _, _ in found.values()], method="by") <= 0.05
    assert test.winning_rate == wins.mean()
    assert test.advantage.value == pytest.approx(fmean(judge for _, judge, _ in found.values()))


@pytest.mark.parametrize(("judge", "cases", "answer"), [(0.9, 60, "can"), (0.7, 300, "can"), (0.2, 120, "cannot")])
def test_a_judge_can_or_cannot_stand_in_for_a_person(judge, cases, answer):
    votes, verdicts = planted(3, (0.7, 0.7, 0.7), judge, cases)
    found = answer_of(votes, verdicts)
    assert (found.answer, found.margin, found.more_labels) == (answer, 0.15, None)
    assert (found.winning_rate >= 0.5) == (answer == "can")


def test_labels_that_allow_both_answers_say_how_many_more_are_needed_and_those_decide():
    votes, verdicts = planted(5, (0.7, 0.7, 0.7), 0.7, 40)
    found = answer_of(votes, verdicts)
    assert found.answer == "open" and found.more_labels == 3 * found.more_cases > 0
    # With so many more cases like these, the answer is there.
    times = -(-(40 + found.more_cases) // 40)
    assert answer_of(votes * times, verdicts * times).answer != "open"
    # A judge that decides half of the cases needs twice the labels.
    assert answer_of(votes, verdicts, share=0.5).more_cases in (2 * found.more_cases - 1, 2 * found.more_cases)


@pytest.mark.parametrize(
    ("people", "cases", "more"),
    [(1, 60, 60), (1, 10, 80), (2, 60, 30), (2, 29, 32), (3, 29, 3), (3, 10, 60), (5, 20, 30)],
)
def test_below_three_people_with_30_cases_each_it_is_refused_with_the_labels_it_lacks(people, cases, more):
    votes, verdicts = planted(7, (0.7,) * people, 0.7, cases)
    found = answer_of(votes, verdicts)
    assert (found.answer, found.winning_rate, found.more_labels) == ("refused", None, more)
    assert "3 people who each label 30 or more cases" in found.reason and found.advantage.value is None


def test_people_with_few_cases_are_not_tested_but_count_among_the_others():
    votes, verdicts = planted(8, (0.8, 0.8, 0.8, 0.8), 0.8, 60)
    for own in votes[10:]:
        del own["dan"]
    found = answer_of(votes, verdicts)
    assert found.tested == 3 and [(it.person, it.cases) for it in found.people if it.p is None] == [("dan", 10)]


def test_cases_of_one_task_are_no_more_evidence_than_one():
    votes, verdicts = planted(9, (0.7, 0.7, 0.7), 0.7, 60)
    once = answer_of(votes, verdicts)
    thrice = answer_of(votes * 3, verdicts * 3, [*range(60)] * 3)
    as_if_apart = answer_of(votes * 3, verdicts * 3)
    for one, three, apart in zip(once.people, thrice.people, as_if_apart.people, strict=True):
        assert three.p == pytest.approx(one.p, rel=0.1) and apart.p < one.p


def test_a_judge_worse_by_the_margin_seldom_passes_where_judge_and_people_hardly_ever_differ():
    """The sample's own variance would be 0 or nearly so, and would let it pass far too often."""
    drawn = random.Random(11)
    passed = 0
    for _ in range(80):
        # All people always say A; the judge says something else in 15 of 100 cases.
        verdicts = ["B" if drawn.random() < 0.15 else "A" for _ in range(30)]
        passed += answer_of([{"ann": "A", "ben": "A", "cat": "A"}] * 30, verdicts).answer == "can"
    assert passed <= 7  # 4 are expected at 5 %; the plain t test passes in 12 and more


def test_a_larger_margin_asks_for_less():
    votes, verdicts = planted(12, (0.8, 0.8, 0.8), 0.7, 80)
    p = [answer_of(votes, verdicts, margin=margin).people[0].p for margin in (0.0, 0.1, 0.2, 0.3)]
    assert p == sorted(p, reverse=True)
