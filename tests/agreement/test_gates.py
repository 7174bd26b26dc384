"""Gates: which conditions can be read, and how they are decided on an interval."""

import math
from dataclasses import replace

import pytest

from adjudge.agreement.gates.conditions import read_conditions
from adjudge.agreement.gates.deciding import FAILS, PASSES, TOO_CLOSE, CaseNumber, CaseNumbers, MeasuredFigure, decide
from adjudge.errors import InputError
from adjudge.models.figures import Figure
from adjudge.protocols.base import names, protocol_of
from adjudge.protocols.rubrics import shipped
from adjudge.statistics.resampling import mean_by_unit


def condition(text, protocol="grade", against=False):
    return read_conditions([text], protocol_of(protocol), shipped(protocol), against=against)[0]


def graded(passed, failed, undecided=0, a_task=1):
    """Cases of a run, so many to a task."""
    ends = [(1.0, 1.0)] * passed + [(0.0, 0.0)] * failed + [(0.0, 1.0)] * undecided
    return CaseNumbers([CaseNumber(*both, at // a_task) for at, both in enumerate(ends)])


# -- what can be asked ------------------------------------------------------------------------------------------------


def test_a_bad_condition_is_refused_with_what_was_found_and_what_is_allowed():
    for text, protocol, said in (
        ("pass_rat < 0.9", "grade", "a grade run has no figure 'pass_rat'; did you mean pass_rate? one of pass_rate"),
        ("pass_rate < 0.9", "compare", "a compare run has no figure 'pass_rate'; one of win_rate, share_failed"),
        ("share_undecided > 0", "dialogue", "no figure 'share_undecided'; one of mean_score, share_failed, cost"),
        ("kappa < 0.6", "dialogue", "a dialogue run has no figure 'kappa'"),
        ("pass_rate ~ 1", "grade", "'pass_rate ~ 1' is not a condition; FIGURE < NUMBER, or with <=, > or >="),
        ("pass_rate < 0.9 or cost > 1", "grade", "FIGURE < NUMBER"),
        ("pass_rate < nan", "grade", "FIGURE < NUMBER"),
        ("", "grade", "FIGURE < NUMBER"),
        (
            "pass_rate < 90",
            "grade",
            "compared with 90; 0 to 1 (share of the decided cases that pass)",
        ),
        ("mean_score < 0.7", "grade", "mean_score cannot be compared with 0.7; 0 to 100"),
        ("mean_score < 10", "dialogue", "mean_score cannot be compared with 10; 20 to 100"),
        ("cost > -1", "review", "cost cannot be compared with -1; 0 or more"),
        ("pass_rate < baseline", "grade", "there is no baseline; name its run with `adjudge gate RUN --against`"),
    ):
        with pytest.raises(InputError) as refused:
            condition(text, protocol)
        assert said in str(refused.value)


def test_a_baseline_that_no_condition_names_is_refused():
    with pytest.raises(InputError, match="no condition compares with it"):
        condition("pass_rate < 0.9", against=True)


def test_every_protocol_offers_the_figures_of_every_run_and_its_own():
    for name in names():
        protocol = protocol_of(name)
        for figure in (*(each.name for each in protocol.table.gates), "share_failed", "cost"):
            assert (
                condition(f"{figure}>=50" if figure == "mean_score" else f"{figure}>=0.5", name).figure.name == figure
            )


def test_a_margin_to_the_baseline_is_a_limit_of_the_difference():
    read = [condition(f"pass_rate < {it}", against=True) for it in ("baseline", "baseline-0.02", "baseline + .5")]
    assert [(each.text, each.limit, each.relative) for each in read] == [
        ("pass_rate < baseline", 0.0, True),
        ("pass_rate < baseline - 0.02", -0.02, True),
        ("pass_rate < baseline + .5", 0.5, True),
    ]


# -- how it is decided ------------------------------------------------------------------------------------------------


def test_the_interval_decides_and_not_the_number():
    for ends, answers in (  # of <, <=, > and >= 0.5
        ((0.1, 0.4), (FAILS, FAILS, PASSES, PASSES)),
        ((0.1, 0.5), (TOO_CLOSE, FAILS, PASSES, TOO_CLOSE)),
        ((0.4, 0.6), (TOO_CLOSE, TOO_CLOSE, TOO_CLOSE, TOO_CLOSE)),
        ((0.5, 0.9), (PASSES, TOO_CLOSE, TOO_CLOSE, FAILS)),
        ((0.6, 0.9), (PASSES, PASSES, FAILS, FAILS)),
        (None, (TOO_CLOSE, TOO_CLOSE, TOO_CLOSE, TOO_CLOSE)),
    ):
        figure = Figure(0.55, 100, "", ends)
        asked = [condition(f"pass_rate {it} 0.5") for it in ("<", "<=", ">", ">=")]
        assert tuple(decide(each, MeasuredFigure(figure)).answer for each in asked) == answers, ends


def test_what_is_exact_needs_no_interval_and_no_value_is_too_close():
    cost = condition("cost > 5")
    assert decide(cost, MeasuredFigure(Figure(5.0, 9), exact=True)).answer == PASSES
    assert decide(cost, MeasuredFigure(Figure(5.01, 9), exact=True)).answer == FAILS
    assert decide(cost, MeasuredFigure(Figure(None, 9, "no price"), exact=True)).answer == TOO_CLOSE


def test_a_share_compared_with_0_or_1_is_counted():
    for numbers, text, answer in (
        (graded(20, 0), "pass_rate < 1", PASSES),
        (graded(19, 1), "pass_rate < 1", FAILS),
        (graded(19, 0, 1), "pass_rate < 1", TOO_CLOSE),
        (graded(0, 20), "pass_rate > 0", PASSES),
    ):
        assert decide(condition(text), numbers.measured()).answer == answer, text


def test_undecided_cases_count_at_both_ends_and_may_turn_the_answer():
    for counts, answer, turned in (
        ((195, 5), PASSES, False),
        ((178, 22), TOO_CLOSE, False),
        ((160, 40), FAILS, False),
        ((195, 3, 2), PASSES, False),  # even if both failed
        ((195, 0, 20), TOO_CLOSE, True),  # all decided ones passed, but if the others failed, it would be 90.7 %
        ((100, 90, 10), FAILS, False),  # even if all of them passed
        ((160, 30, 30), TOO_CLOSE, True),
        ((0, 0, 200), TOO_CLOSE, False),
    ):
        decided = decide(condition("pass_rate < 0.9"), graded(*counts).measured())
        assert (decided.answer, decided.turned) == (answer, turned), counts


def test_as_many_more_cases_as_the_answer_says_would_settle_it():
    passed, failed, below = 178, 22, condition("pass_rate < 0.9")
    more = decide(below, graded(passed, failed).measured()).more_cases
    assert 3500 < more < 3700
    times = 1 + more / 200
    assert decide(below, graded(round(passed * times), round(failed * times)).measured()).answer == FAILS
    fewer = 1 + 0.7 * more / 200
    assert decide(below, graded(round(passed * fewer), round(failed * fewer)).measured()).answer == TOO_CLOSE
    assert decide(below, graded(180, 20).measured()).more_cases is None  # exactly at the limit


def test_if_all_cases_are_alike_as_many_more_as_it_says_would_settle_it():
    for number, limit, cases, differences in (
        *((1.0, 0.9, cases, False) for cases in (1, 5, 10, 20)),  # all pass
        (1.0, 0.98, 60, False),
        *((0.0, -0.02, cases, True) for cases in (20, 60)),  # no case differs from the baseline
        *((0.5, 0.4, cases, False) for cases in (20, 40)),  # all ties
    ):
        below = replace(condition("pass_rate < 0.9"), limit=limit)

        def decided(cases, number=number, below=below, differences=differences):
            alike = [CaseNumber(number, number, at) for at in range(cases)]
            return decide(below, CaseNumbers(alike, differences=differences).measured())

        more = decided(cases).more_cases
        assert decided(cases + round(1.2 * more) + 1).answer == PASSES, (number, limit, cases)
        assert decided(cases + round(0.7 * more)).answer == TOO_CLOSE, (number, limit, cases)


def test_cases_of_one_task_are_not_independent():
    alone, together = (graded(190, 10, a_task=size).measured().figure for size in (1, 5))
    assert alone.interval[0] > 0.9 > together.interval[0]
    assert decide(condition("pass_rate < 0.9"), graded(190, 10, a_task=5).measured()).answer == TOO_CLOSE


def test_scores_have_students_interval_and_one_as_wide_as_a_share_s_if_there_is_none():
    def scores(*numbers):
        cases = [CaseNumber(float(number), float(number), at) for at, number in enumerate(numbers)]
        return CaseNumbers(cases, (0.0, 100.0), share=False).measured().figure

    varied = [50 + at % 40 for at in range(200)]
    assert scores(*varied) == mean_by_unit(zip(varied, range(200), strict=True), is_share=False)
    same = scores(*[100] * 200)
    assert same.value == 100 and 97 < same.interval[0] < 99 and same.interval[1] == 100
    few = scores(70, 80, 90)
    assert few.value == 80 and few.interval[0] < 40


def test_a_difference_is_open_where_a_side_is_and_no_change_in_many_pairs_passes_a_margin():
    below = condition("pass_rate < baseline - 0.02", against=True)

    def differing(*ends):
        return CaseNumbers([CaseNumber(*both, at) for at, both in enumerate(ends)], differences=True).measured()

    assert decide(below, differing(*[(0.0, 0.0)] * 400)).answer == PASSES
    assert decide(below, differing(*[(0.0, 0.0)] * 20)).answer == TOO_CLOSE
    assert decide(below, differing(*[(0.0, 0.0)] * 170, *[(-1.0, -1.0)] * 30)).answer == FAILS
    turned = decide(below, differing(*[(0.0, 0.0)] * 400, *[(-1.0, 1.0)] * 20))
    assert (turned.answer, turned.turned) == (TOO_CLOSE, True)
    figure = differing(*[(1.0, 1.0)] * 3, *[(0.0, 0.0)] * 97).figure
    assert math.isclose(figure.value, 0.03) and -0.04 < figure.interval[0] < 0.03 < figure.interval[1] < 0.1
