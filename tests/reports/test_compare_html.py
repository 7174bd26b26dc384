import re

import pytest
from reports.looking import Page
from reports.verdict_samples import HOSTILE_A, Sample, call, hostile_sample, plain_sample, tied_sample

from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.view import build
from adjudge.protocols.rubrics import parse
from adjudge.reports import FORMATS, render


def rendered(sample: Sample) -> str:
    return render(sample.verdict, "html", rubric=sample.rubric)


def test_the_headline_names_the_winner_and_the_totals():
    text = Page(rendered(plain_sample())).text
    assert "Response A wins" in text
    assert "8.8 of 10" in text
    assert "weighted total 70" in text
    assert "The normalised totals are 4 apart; the higher one wins." in text
    assert "Judged in both orders, and both name A." in text


def test_a_tie_is_called_a_tie_and_orders_that_differ_different():
    text = Page(rendered(tied_sample())).text
    assert "It is a tie" in text
    assert "Judged in both orders, which differ: A with A first, B with B first." in text
    assert "Winner" not in text


@pytest.mark.parametrize(
    ("judge", "note"),
    [
        ("embedded", "The embedded judge works from text features only"),
        ("jury:embedded+openai:gpt-5.1", "One of the judges, the embedded judge, works from text features only"),
        ("openai:embedded-9", ""),
    ],
)
def test_the_embedded_judge_is_introduced_as_what_it_is(judge, note):
    text = Page(rendered(tied_sample(judge))).text
    assert judge in text
    assert note in text
    assert bool(note) == ("text features" in text)


def test_the_arithmetic_is_written_out():
    text = Page(rendered(plain_sample())).text
    assert "9 × 1 + 9.5 × 2 + 8 × 1.5 + 9 × 1.5 + 8.5 × 1 + 8.5 × 0.5 + 7.5 × 0.5 = 70" in text
    assert "70 ÷ 8 = 8.75" in text
    assert "38.25 ÷ 8 ≈ 4.7812" in text, "rounded, and shown to be"


def test_the_criterion_that_moved_the_totals_most_is_open_and_the_others_are_not():
    html = rendered(plain_sample())
    assert re.findall(r'id="criterion-(\w+)" open', html) == ["correctness_reasoning"]


def test_quotes_are_numbered_as_they_are_met_in_the_answer():
    report = build(plain_sample().verdict, plain_sample().rubric)
    met = [quote.ref for piece in report.answers[0].pieces for quote in piece.begins]
    assert met == ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"]


def test_a_click_on_overlapping_quotes_means_the_shortest():
    report = build(plain_sample().verdict, plain_sample().rubric)
    (overlap,) = [piece for piece in report.answers[0].pieces if len(piece.inside) == 2]
    assert overlap.text == "run VACUUM orders so the visibility map is current."
    assert overlap.nearest.criterion == "insight_originality"


def test_a_stretch_quoted_for_and_against_is_marked_as_both():
    report = build(hostile_sample().verdict, hostile_sample().rubric)
    tones = {piece.text: piece.tone for piece in report.answers[0].pieces if piece.inside}
    assert tones["stands here with more words"] == "both"
    assert "".join(piece.text for piece in report.answers[0].pieces) == HOSTILE_A


def test_a_verdict_is_not_shown_beside_another_case():
    sample = plain_sample()
    with pytest.raises(ValueError, match="is not in answer"):
        sample.verdict.updated(case=Comparison(task="t", a=sample.case.b, b=sample.case.a))


def test_context_is_there_only_if_there_is_one():
    assert "Context that came with it" in rendered(plain_sample())
    assert "Context that came with it" not in rendered(tied_sample())


def test_calls_cost_and_provenance_are_there():
    text = Page(rendered(plain_sample())).text
    assert "2 calls, 3,410 input and 824 output tokens (256 of them reasoning), $0.008463" in text
    assert plain_sample().rubric.reference in text
    assert plain_sample().verdict.verdict_id in text
    unpriced = plain_sample().verdict.updated(calls=(call("k", None),))
    assert "price unknown" in render(unpriced, "html")


def test_bars_follow_the_rubrics_own_scale():
    source = plain_sample().rubric.source.replace("min: 1, max: 10", "min: -10, max: 10")
    sample = plain_sample()
    report = build(sample.verdict, parse(source, "own.yaml"))
    assert report.rows[0].sides[0].share == "95.0%"
    assert build(sample.verdict, sample.rubric).rows[0].sides[0].share == "90.0%"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_asked_for_by_name(name):
    sample = plain_sample()
    text = render(sample.verdict, name)
    openings = {"json": "{\n", "text": "Response A wins\n", "markdown": "# Response A", "html": "<!doctype html>"}
    assert text.startswith(openings[name])
    assert sample.verdict.verdict_id in text


def test_an_unknown_format_is_refused_with_those_there_are():
    sample = plain_sample()
    with pytest.raises(ValueError, match="format: 'pdf'; one of json, text, markdown, html"):
        render(sample.verdict, "pdf")
