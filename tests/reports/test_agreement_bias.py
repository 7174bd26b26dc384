"""What a report says of bias: the assumption about people's labels, the range with one person, and rates over the same
cases."""

import random
from types import SimpleNamespace

import pytest

from adjudge.reports.agreement.bias import bias_section, bias_sentence
from adjudge.statistics.bias import BiasReport, JudgedPair, bias_report


def report_on(people, *, follows=0.0, size=300, unlabelled=0, shuns=False):
    """A report on a judge that picks the longer answer so often without looking, and labels of people of whom each is
    wrong so often. The cases without labels are all won by the longer answer."""
    drawn = random.Random(5)
    pairs = []
    for number in range(size):
        better = drawn.choice("AB")
        votes = {
            str(at): better if drawn.random() >= wrong else "BA"["AB".index(better)] for at, wrong in enumerate(people)
        }
        winner = "A" if drawn.random() < follows else better
        pairs.append(JudgedPair(number, winner, winner, winner, lengths=(1, 2) if shuns else (2, 1), votes=votes))
    pairs += [JudgedPair(-1 - number, "A", lengths=(2, 1)) for number in range(unlabelled)]
    bias: BiasReport = bias_report(pairs)
    return SimpleNamespace(bias=bias, biases=bias.found, length_curve=())


def said_of(report):
    section = bias_section(report)
    (grid,) = section.grids
    (row,) = grid.rows
    return bias_sentence(report, "length"), dict(zip(grid.head, row, strict=True)), " ".join(section.after)


def test_with_several_people_wrong_labels_are_estimated_and_the_assumption_is_said():
    sentence, row, after = said_of(report_on([0.1, 0.1, 0.1], follows=0.4))
    assert sentence.startswith("Bias by length: beyond people’s own preference, ")
    assert " in a hundred verdicts go to it; the longer answer wins " in sentence and "labels are wrong" not in sentence
    assert row["Wrong labels"] in ("9 %", "10 %", "11 %") and float(row["Decided by it"]) == pytest.approx(40, abs=12)
    assert "people err independently of each other and of the judge" in after and "cannot be told there" not in after
    assert "taken out of “Decided by it” (the longer answer)." in after


def test_with_one_person_a_bias_is_the_range_that_wrong_labels_allow():
    sentence, row, after = said_of(report_on([0.1], follows=0.4))
    assert " in a hundred verdicts go to it, if 0 to 20 % of the labels are wrong; the longer" in sentence
    assert (row["Wrong labels"], row["Decided by it"]) == ("0 to 20 %", "–") and " to +" in row["95 % interval"]
    assert "any share from 0 to 20 % allows" in after and "independently" not in after
    assert "The longer answer: none of 300 cases with labels by two people. How many labels are wrong cannot" in after


def test_an_interval_that_allows_a_strong_bias_either_way_says_nothing():
    report = report_on([0.0, 0.0, 0.0], size=24)
    assert report.biases["length"] is None
    sentence, row, after = said_of(report)
    assert sentence.startswith("Bias by length, not known: the longer answer wins ")
    could = f"(the interval is too wide to tell: it may decide {row['95 % interval']} in a hundred verdicts"
    assert could in sentence
    # Every case has three labels, so that is not what is missing.
    assert "The longer answer: only 24 cases. How many labels" in after and "24 cases with labels by two" not in after


def test_a_judge_that_goes_against_length_is_said_to():
    sentence, row, _ = said_of(report_on([0.1, 0.1], follows=0.4, shuns=True))
    assert " in a hundred verdicts go against it; the longer" in sentence and row["Decided by it"].startswith("−")


@pytest.mark.parametrize(("people", "supposing"), [([0.1] * 2, ""), ([0.1], ", if 0 to 20 % of the labels are wrong")])
def test_no_bias_found_comes_with_what_the_labels_leave_possible(people, supposing):
    sentence, row, _ = said_of(report_on(people))
    assert sentence.startswith("No bias by length found: the longer answer wins ")
    assert sentence.endswith(f"; it decides {row['95 % interval']} in a hundred verdicts{supposing}.")


def test_both_rates_of_a_sentence_are_over_the_same_cases():
    alone, among = (report_on([0.1, 0.1], unlabelled=count) for count in (0, 200))
    assert said_of(among) == said_of(alone)
    assert " with people, over 300 cases" in said_of(among)[0]


def test_what_cannot_be_told_is_said_with_its_reason():
    assert "not known" in (sentence := said_of(report_on([0.5, 0.5]))[0]), sentence
    assert sentence.endswith("(people agree too little with each other).")
    assert said_of(report_on([], size=20))[0].endswith("(no labels to compare with).")
