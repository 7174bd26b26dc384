"""A number stands in a quote in digits of any script, or spelled out as ICU spells it in the quote's language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.constraints.verifying import find_number


@pytest.mark.parametrize(
    ("text", "amount", "languages", "stands"),
    [
        ("at most 100 words", 100, (), "100"),
        ("up to 1,000 words", 1000, (), "1,000"),
        ("höchstens 1.000 Wörter", 1000, ("de",), "1.000"),
        ("不超过１００字", 100, ("zh",), "１００"),
        ("٥٠ كلمة", 50, ("ar",), "٥٠"),
        ("५० शब्द", 50, ("hi",), "५०"),
        ("in three sentences", 3, (), "three"),
        ("twenty-five words", 25, (), "twenty-five"),
        ("Twenty five words", 25, (), "Twenty five"),
        ("write a paragraph", 1, (), "a"),
        ("an example", 1, (), "an"),
        ("en tres frases", 3, ("es",), "tres"),
        ("una frase", 1, ("es",), "una"),
        ("en deux phrases", 2, ("fr",), "deux"),
        ("in einem Satz", 1, ("de",), "einem"),
        ("einundzwanzig Wörter", 21, ("de",), "einundzwanzig"),
        ("duas frases", 2, ("pt",), "duas"),
        ("в трех предложениях", 3, ("ru",), "трех"),
        ("用三句话", 3, ("zh",), "三"),
        ("两百五十字", 250, ("zh",), "两百五十"),
        ("三つの文で", 3, ("ja",), "三"),
        ("일곱 문장으로", 7, ("ko",), "일곱"),
        ("ห้าสิบคำ", 50, ("th",), "ห้าสิบ"),
        ("ثلاثة أسطر", 3, ("ar",), "ثلاثة"),
        ("पाँच वाक्य", 5, ("hi",), "पाँच"),
    ],
)
def test_a_number_is_found_in_any_script_and_language(text, amount, languages, stands):
    place = find_number(text, amount, languages)
    assert text[place.start : place.end] == stands


@pytest.mark.parametrize(
    ("text", "amount", "languages"),
    [
        ("at most 100 words", 10, ()),
        ("at most 100 words", 200, ()),
        ("someone else", 1, ()),
        ("en tres frases", 3, ("de",)),
        ("weight of the stone", 8, ()),
        ("", 1, ()),
    ],
)
def test_a_number_that_is_not_there_is_not_found(text, amount, languages):
    assert find_number(text, amount, languages) is None


# Few different amounts: to spell one out in a language is the slow part, and is remembered.
@given(st.text(max_size=200), st.sampled_from([1, 3, 21, 250, 10_000]), st.sampled_from(["es", "zh", "xx", "ru"]))
def test_a_place_lies_in_the_text(text, amount, language):
    place = find_number(text, amount, [language])
    assert place is None or text[place.start : place.end]


@given(st.integers(1, 1_000_000))
def test_every_number_is_found_in_its_digits(amount):
    assert find_number(f"about {amount} words", amount) is not None
    assert find_number(f"about {amount:,} words", amount) is not None
