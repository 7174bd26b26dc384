"""A pattern that is put off does what the pattern does, and is compiled no sooner than it is used."""

import re

import pytest

from adjudge.facts.patterns import put_off


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
