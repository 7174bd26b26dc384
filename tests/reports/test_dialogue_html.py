import re

import pytest
from reports.dialogue_samples import (
    adopted_sample,
    debated_sample,
    example_a,
    example_c,
    hostile_sample,
    long_sample,
)
from reports.dialogue_texts import HOSTILE
from reports.looking import Page

import adjudge
from adjudge.protocols.dialogue.case import Dialogue
from adjudge.protocols.dialogue.view import build
from adjudge.reports import FORMATS, render

EVERY = [example_a(), example_c(), debated_sample(), adopted_sample(), hostile_sample(), long_sample()]


def rendered(sample):
    return render(sample.verdict, "html", rubric=sample.rubric)


def report_of(sample):
    return build(sample.verdict, sample.rubric)


def test_the_head_of_the_page_says_the_verdict_and_how_it_came_about():
    text = Page(rendered(debated_sample())).text
    assert "Verdict Overall experience 80 of 100 Transcript" in text
    assert "The weighted average is 88.00, rounded down to 80." in text
    assert "The Critic objects to 2 of 6 scores; 1 was accepted." in text
    assert "Evaluator 92.00 of 100" in text
    assert "Referee Final 88.00 of 100" in text


def test_each_row_leads_from_evaluator_to_referee_by_a_rule():
    text = Page(rendered(debated_sample())).text
    assert (
        "Empathy weight 0.10 Evaluator 80 → Critic 40 → Referee 40 Accepted: a verified quote contradicts the Evaluator"
    ) in text
    assert "Fluency weight 0.10 Evaluator 100 → Critic agrees → Referee 100 Kept: the Critic agrees" in text
    assert "Referee 40 Accepted: a verified quote contradicts the Evaluator. The Critic’s reason is used." in text
    assert "Referee 60 Kept: the Critic’s quote is no contradiction. The Evaluator’s reason is used." in text


def test_only_rows_where_the_critic_was_heard_are_open():
    assert re.findall(r'id="criterion-(\w+)" open', rendered(debated_sample())) == ["Empathy"]
    assert " open>" not in rendered(example_a())


def test_an_objection_without_a_verified_quote_says_so():
    assert Page(rendered(example_c())).text.count("No quote was found in the transcript.") == 2
    assert "No quote" not in rendered(example_a()), "an agreement needs none"


def test_quotes_of_each_side_are_numbered_as_they_are_met_in_the_transcript():
    report = report_of(debated_sample())
    met = [quote.ref for line in report.turns for piece in line.pieces for quote in piece.begins]
    assert met == ["E1", "E2", "E3", "C1", "C2", "E4", "E5", "E6", "C3"]


def test_the_transcript_keeps_speakers_lines_and_words():
    report = report_of(hostile_sample())
    shown = [(line.speaker, "".join(piece.text for piece in line.pieces)) for line in report.turns]
    assert shown == HOSTILE
    assert [turn.place for turn in report_of(debated_sample()).turns] == [f"line {n}" for n in range(40, 56)]


def test_a_stretch_that_both_sides_quote_is_marked_as_both():
    report = report_of(debated_sample())
    tones = [(piece.text, piece.tone) for piece in report.turns[15].pieces if piece.inside]
    assert tones == [("Ok, ", "evaluator"), ("thank you for sharing", "both"), (". Good bye.", "evaluator")]


def test_the_audit_is_written_out_with_links_to_its_evidence():
    html = rendered(debated_sample())
    text = Page(html).text
    assert "80 × 0.10 = 8.00 40 × 0.10 = 4.00" in text
    assert "100*0.40 + 60*0.15 + 100*0.15 + 100*0.10 + 40*0.10 + 100*0.10 = 88.00" in text
    assert "round down 88.00 → 80" in text
    assert "Accepted (a verified quote contradicts the Evaluator): Empathy 80 → 40." in text
    evidence = html[html.index("Evidence used") :]
    assert re.findall(r'href="#at-(\w+)"', evidence) == ["E1", "E2", "E3", "C1", "E4", "E5", "C3"]


def test_calls_cost_provenance_and_warnings_are_there():
    text = Page(rendered(debated_sample())).text
    assert "2 calls, 3,410 input and 824 output tokens (256 of them reasoning), $0.0059315" in text
    assert debated_sample().rubric.reference in text
    assert debated_sample().verdict.verdict_id in text
    hostile = Page(rendered(hostile_sample())).text
    assert "warnings Dropped quote." in hostile and "Hidden characters. USER, line 2" in hostile
    assert "The embedded judge works from text features only" in Page(rendered(long_sample())).text


def test_only_a_long_transcript_scrolls_in_a_window_of_its_own():
    assert report_of(long_sample()).long
    assert not report_of(example_a()).long
    assert 'class="card turns long" tabindex="0"' in rendered(long_sample())
    assert 'class="card turns">' in rendered(example_a())


@pytest.mark.parametrize("sample", EVERY)
def test_what_annotators_wrote_is_nowhere(sample):
    assert "SECRET_ACT" not in rendered(sample)


def test_a_verdict_is_not_shown_beside_another_dialogue():
    sample = debated_sample()
    with pytest.raises(ValueError, match="is not in this dialogue"):
        sample.verdict.updated(case=Dialogue(25, sample.case.turns[::-1]))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_asked_for_by_name(name):
    sample = debated_sample()
    text = render(sample.verdict, name)
    openings = {
        "json": '{\n  "dialogue_id": 25,\n  "evaluator"',
        "text": "Overall experience 80",
        "markdown": "# Overall experience 80",
        "html": "<!doctype html>",
    }
    assert text.startswith(openings[name])
    assert "88.00" in text


def test_an_unknown_format_is_refused_with_those_there_are():
    sample = debated_sample()
    with pytest.raises(ValueError, match="format: 'pdf'; one of json, text, markdown, html"):
        render(sample.verdict, "pdf")


def test_utterances_given_as_messages_have_turns_instead_of_lines(tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    messages = [
        {"role": "user", "content": "My card was declined."},
        {"role": "assistant", "content": "I unblocked it."},
    ]
    html = render(adjudge.dialogue_sync(messages), "html")
    assert re.findall(r'class="line">([^<]*)<', html) == ["turn 1", "turn 2"]
