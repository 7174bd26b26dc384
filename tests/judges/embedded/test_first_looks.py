"""A first look spares a search, and never hides what the search would find."""

import re

from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.asking.literals import read_literals
from adjudge.facts.patterns import folded
from adjudge.judges.embedded import harm_cues, measures_form, reading


def test_every_harmful_phrase_has_one_of_the_pieces():
    literals = read_literals(harm_cues._HARMFUL.pattern)
    assert literals is not None
    assert [literal for literal in literals if not any(piece in literal for piece in harm_cues._PIECES)] == []


def test_folding_takes_for_a_small_letter_what_a_search_without_case_does():
    letters = [chr(code) for code in range(0x3000) if re.fullmatch("[a-z]", chr(code), re.IGNORECASE)]
    assert {"A", "z", "İ", "ı", "ſ", "\u212a"} < set(letters)
    for letter in letters:
        assert re.fullmatch(re.escape(folded(letter)), letter, re.IGNORECASE)
        assert folded(letter).isascii()


@given(st.text(st.sampled_from("ab\n é字\x00"), max_size=40))
def test_a_run_is_six_times_the_same_character(text):
    assert measures_form._has_run(text) == bool(re.search(r"(.)\1{5}", text, re.DOTALL))


some_text = st.text(st.sampled_from("aB .,;12'-_\néÉ"), max_size=30)


@given(some_text)
def test_numbers_and_names_are_what_stands_behind_the_right_characters(text):
    assert reading._NUMBER.findall(text) == re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", text)
    titled = r"(?<=[a-z,;] )[A-Z][a-zA-Z'-]{2,}|\b[A-Z][a-z]+ [A-Z][a-z]+\b"
    assert reading._TITLED.findall(text) == re.findall(titled, text)
    assert measures_form._NAME.findall(text) == re.findall(r"(?<=[a-z,;] )[A-Z][a-zA-Z]{2,}", text)
