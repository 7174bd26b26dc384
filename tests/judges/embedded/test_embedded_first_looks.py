"""First looks that spare a search: none of them overlooks what the search would find."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.facts.patterns import holds_any
from adjudge.judges.embedded import measures_facts, measures_form, measures_substance, measures_task, reading
from adjudge.judges.embedded.reading import read_answer, read_task

ASCII = st.characters(max_codepoint=127)
BESIDE = st.text(st.sampled_from("ab ,.'_:;-\n\""), max_size=6)
HINTED = {
    "disclaimer": measures_facts._AS_AN_AI,
    "apology": measures_facts._SORRY,
    "lead_in": measures_facts._LEAD,
    "lacks_information": measures_facts._LACKS,
    "conclusion": measures_facts._CONCLUSION,
}


def saying(pattern: re.Pattern[str]) -> st.SearchStrategy[str]:
    """Texts in which a pattern stands, with something beside it."""
    compiled = re.compile(pattern.pattern, pattern.flags)
    return st.tuples(BESIDE, st.from_regex(compiled, fullmatch=True, alphabet=ASCII), BESIDE).map("".join)


@pytest.mark.parametrize("name", HINTED)
@given(data=st.data())
@settings(deadline=None)
def test_a_phrase_has_one_of_its_hints(name: str, data: st.DataObject) -> None:
    text = data.draw(saying(HINTED[name]))
    if HINTED[name].search(text):
        assert holds_any(text.lower(), measures_facts._HINTS[name])


@given(saying(measures_facts._CONCLUSION))
@settings(deadline=None)
def test_every_conclusion_is_found(text: str) -> None:
    expected, found = measures_facts._CONCLUSION.search(text), measures_facts._conclusion(read_answer(text))
    assert (found and found.span()) == (expected and expected.span())


@given(saying(measures_task._META))
@settings(deadline=None)
def test_every_leftover_of_a_prompt_is_worth_a_look(text: str) -> None:
    if measures_task._META.search(text):
        assert measures_task._may_be_meta(read_answer(text))


@given(st.text(st.sampled_from("12,. ab_-٣é"), max_size=30))
def test_numbers_are_the_same_in_ascii_and_in_any_text(text: str) -> None:
    assert reading.numbers_in(text) == {number.replace(",", "") for number in reading._NUMBER.findall(text)}


@given(st.text(max_size=20) | st.text(st.sampled_from("a\t\n\r\x00\x08\x0b\x0c\x0e\x1f \x7f\ufffd\ud800"), max_size=4))
def test_control_characters_are_seen(text: str) -> None:
    assert measures_form._has_control(text) == bool(re.search(r"[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f]", text))


@given(st.text(st.sampled_from("aB 1_.,-é\n"), max_size=20))
def test_an_items_letters_are_the_same_in_ascii_and_in_any_text(text: str) -> None:
    expected = re.sub(r"[\d\W_]+", " ", text).strip()
    assert measures_substance._letters_of(text) == expected


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_copied_share_counts_every_four_words_of_the_answer(said: list[str], asked: list[str]) -> None:
    task, answer = read_task(" ".join(asked)), read_answer(" ".join(said))
    fours = [tuple(said[at : at + 4]) for at in range(len(said) - 3)]
    in_task = {tuple(asked[at : at + 4]) for at in range(len(asked) - 3)}
    expected = sum(four in in_task for four in fours) / len(fours) if fours else 0.0
    assert reading.copied_share(task, answer) == expected
