"""What reports of dialogues and reviews show beyond the golden files: every step of a scale, long and odd cases."""

import re

import pytest
from reports.dialogue_samples import HOSTILE_TALK, example_a, hostile_sample, long_sample
from reports.review_report_samples import audited_sample, every_sample, invalid_sample
from reports.verdict_samples import HOSTILE_A
from reports.verdict_samples import hostile_sample as hostile_comparison

import adjudge
from adjudge.protocols.review.case import Original, Review
from adjudge.rendering.wording import with_minus
from adjudge.reports import render, view_of


def words_of(pieces):
    return "".join(piece.text for piece in pieces)


def test_texts_keep_all_their_words_between_the_marks():
    talk = [(line.speaker, words_of(line.pieces)) for line in view_of(hostile_sample().verdict).turns]
    assert talk == HOSTILE_TALK
    assert words_of(view_of(hostile_comparison().verdict).answers[0].pieces) == HOSTILE_A
    for sample in every_sample().values():
        for response in view_of(sample.verdict).responses:
            assert words_of(response.pieces) == sample.case.answer(response.label)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("On Verbosity, Response 1 is rated -1 and Response 2 is rated 0.", "is rated −1 and"),
        ("Response 2, Verbosity: 0 changed to -1: cut off.", "changed to −1: cut"),
        ("Response 2, Verbosity: -1 changed to 0: it is whole.", "Verbosity: −1 changed"),
        ("where Response 2 is better (-1 and -2): look there first.", "(−1 and −2)"),
        ("it is not on the scale from -2 to 2", "from −2 to 2"),
        ("Changed to -1: it says “the sum is -3 or -4”.", "to −1: it says “the sum is -3 or -4”."),
        ("“top”-3 lists and `is -1`", "“top”-3 lists and `is -1`"),
        ("It says “git log -1”, `-2`, x-1 and 2026-11-18.", "“git log -1”, `-2`, x-1 and 2026-11-18."),
    ],
)
def test_negative_numbers_in_stored_sentences_are_shown_with_a_minus_sign(stored, shown):
    assert shown in with_minus(stored)


def test_only_a_long_transcript_scrolls_in_a_window_of_its_own():
    for sample, long in ((long_sample(), True), (example_a(), False)):
        html = render(sample.verdict, "html")
        assert view_of(sample.verdict).long == long
        assert ('class="card turns long" tabindex="0"' in html) == long == ('class="card turns">' not in html)


def test_utterances_given_as_messages_have_turns_instead_of_lines(tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    said = {"user": "My card was declined.", "assistant": "I unblocked it."}
    verdict = adjudge.dialogue_sync([{"role": role, "content": text} for role, text in said.items()])
    assert re.findall(r'class="line">([^<]*)<', render(verdict, "html")) == ["turn 1", "turn 2"]


@pytest.mark.parametrize(
    ("value", "words", "side"),
    [
        (1, "Response 1 is much better", " for-A"),
        (2, "Response 1 is better", " for-A"),
        (3, "Response 1 is slightly better", " for-A"),
        (4, "Neither response is better", ""),
        (5, "Response 2 is slightly better", " for-B"),
        (6, "Response 2 is better", " for-B"),
        (7, "Response 2 is much better", " for-B"),
    ],
)
def test_every_step_of_the_scale_has_its_words(value, words, side):
    verdict = audited_sample().having(likert=audited_sample().verdict.likert.updated(value=value)).verdict
    html = render(verdict, "html")
    assert f"<h1>{words}</h1>" in html and f'class="banner{side}"' in html
    assert [step for step, _, what in view_of(verdict).steps if what == "final"] == [value]


@pytest.mark.parametrize(
    ("action", "entered", "sentence"),
    [
        ("kept", "2", "The preference that was entered, 2, is kept."),
        ("replaced", "5", "The preference that was entered, 5, does not fit the tables, which give 2."),
        ("filled", "", "No preference was entered; the tables give 2."),
        ("refused", "9", "The preference that was entered, 9, is not on the scale from 1 to 7; the tables give 2."),
    ],
)
def test_what_became_of_the_preference_is_a_sentence_in_every_format(action, entered, sentence):
    likert = audited_sample().verdict.likert.updated(action=action, original=Original(entered, "") or None)
    verdict = audited_sample().having(likert=likert).verdict
    for form in ("text", "markdown", "html"):
        shown = render(verdict, form, width=120)
        assert sentence in shown and "→ 2 refused" not in shown


def test_what_is_invalid_shows_no_table_even_if_it_has_one_and_says_that_nothing_was_given():
    html = render(audited_sample().having(invalid="The prompt is nonsense.").verdict, "html")
    assert "INVALID TASK" in html and 'class="rating' not in html
    assert "No part of the task was provided." in render(invalid_sample().having(case=Review()).verdict, "html")
