"""A pattern that is put off does what the pattern does, and is compiled no sooner than it is used."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.patterns import plain_words, put_off


def test_it_does_what_the_pattern_does():
    late, now = put_off(r"(\w)\1", re.IGNORECASE), re.compile(r"(\w)\1", re.IGNORECASE)
    text = "Aardvarks need eels"
    assert late.findall(text) == now.findall(text)
    assert late.sub("-", text) == now.sub("-", text)
    assert [match.span() for match in late.finditer(text)] == [match.span() for match in now.finditer(text)]
    assert late.pattern == now.pattern


def test_a_wrong_pattern_is_found_out_at_its_first_use():
    late = put_off("(")
    with pytest.raises(re.error):
        late.search("x")


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_words_are_what_the_expression_for_words_matches(text):
    assert plain_words(text.lower()) == set(re.findall(r"\w+", text.lower()))
