import pytest
from reports.looking import COLOUR, CONTROLS_AND_TAB, width_of
from reports.verdict_samples import hostile_sample, plain_sample, tied_sample

from adjudge.reports import render


def rendered(sample, *, colour=False, width=100):
    return render(sample.verdict, "text", rubric=sample.rubric, colour=colour, width=width)


def test_the_winner_comes_first_then_totals_margin_and_order():
    lines = rendered(plain_sample()).splitlines()
    assert lines[0] == "Response A wins"
    text = "\n".join(lines)
    assert "A 8.8 of 10 (70 ÷ 8 = 8.75)" in text
    assert "B 4.8 of 10 (38.25 ÷ 8 ≈ 4.7812)" in text, "short for people, exact in the arithmetic"
    assert "The normalised totals are 4 apart; the higher one wins." in text
    assert (
        "Judged in both orders, and both name A. From one to the other the normalised totals moved by +0.25 for A and"
        " −0.19 for B."
    ) in " ".join(text.split())


def test_the_table_shows_weight_and_both_scores():
    lines = rendered(plain_sample()).splitlines()
    (row,) = [line.split() for line in lines if line.startswith("Correctness") and line[-1].isdigit()]
    assert row == ["Correctness", "and", "quality", "of", "reasoning", "2", "9.5", "4"]
    assert ["Weighted", "total", "70", "38.25"] in [line.split() for line in lines]


def test_each_criterion_has_its_reason_and_one_quote_an_answer():
    text = rendered(plain_sample())
    assert "A 9.5 The column order is right and the reason given for it is the real one." in text
    assert "− “add an index on created_at, since this is the column with the range.”" in text
    assert "Expect roughly 2.5 GB" not in text, "a second quote of the same criterion"


def test_the_quote_shown_fits_how_the_answer_did():
    sample = hostile_sample()
    assert "+ “| a | b |" in rendered(sample), "A is ahead, so what speaks for it is shown"


def test_cost_judge_and_verdict_id_stand_at_the_end():
    *_, judge, verdict_id = rendered(plain_sample(), width=200).splitlines()
    assert judge == (
        "Judge: openai:gpt-5.1; 2 calls, 3,410 input and 824 output tokens (256 of them reasoning), $0.008463"
    )
    assert verdict_id == f"Verdict {plain_sample().verdict.verdict_id}"


def test_a_tie_of_the_embedded_judge_says_what_to_think_of_it():
    text = rendered(tied_sample(), width=200)
    assert text.startswith("It is a tie\n")
    assert "Judged in both orders, which differ: A with A first, B with B first." in text
    assert "works from text features only" in text
    assert "no model was called" in text


def test_one_order_is_called_one_order():
    assert "Judged in one order only" in rendered(tied_sample(one_order=True), width=200)


def test_warnings_are_shown():
    assert "Warning: Dropped quote. <script>" in rendered(hostile_sample())


@pytest.mark.parametrize("sample", [plain_sample(), hostile_sample(), tied_sample()])
def test_colour_adds_nothing_but_colour(sample):
    coloured = rendered(sample, colour=True)
    assert COLOUR.sub("", coloured) == rendered(sample)
    assert COLOUR.search(coloured)


@pytest.mark.parametrize("colour", [False, True])
def test_no_control_character_of_others_reaches_the_terminal(colour):
    text = COLOUR.sub("", rendered(hostile_sample(), colour=colour))
    assert not CONTROLS_AND_TAB.search(text)


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("sample", [plain_sample(), hostile_sample(), tied_sample()])
def test_no_line_is_wider_than_the_terminal(sample, width):
    assert max(width_of(line) for line in rendered(sample, width=width).splitlines()) <= width


def test_a_huge_answer_does_not_make_a_huge_text():
    assert len(rendered(hostile_sample())) < 10_000
