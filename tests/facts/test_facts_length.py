from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.length import _graded, _over, find_too_long, find_too_short
from adjudge.facts.wishes import LengthKind, LengthWish


def wish(kind: LengthKind, count: int, upper: int | None = None, **more) -> LengthWish:
    return LengthWish(kind, count, more.pop("unit", "words"), 0, 1, more.pop("words", "?"), upper=upper, **more)


def words(count: int) -> str:
    return " ".join(["word"] * count)


def grade(off: Fraction, none: Fraction, minor: Fraction) -> str | None:
    return None if off <= none else "minor" if off <= minor else "major"


@pytest.mark.parametrize("wanted", range(1, 301))
def test_the_tolerances_hold_over_their_whole_space(wanted: int) -> None:
    tenth, fifth, twentieth = Fraction(1, 10), Fraction(1, 5), Fraction(1, 20)
    for found in range(1, wanted * 2 + 3):
        over = Fraction(max(0, found - wanted), wanted)
        short = Fraction(max(0, wanted - found), wanted)
        assert _over("about", found, wanted) == grade(over, tenth, fifth)
        assert _over("range", found, wanted) == grade(over, tenth, fifth)
        assert _over("plain", found, wanted) == grade(over, twentieth, tenth)
        assert _over("at_most", found, wanted) == ("major" if found > wanted else None)
        assert _graded(wanted - found, wanted, 10, 5) == grade(short, tenth, fifth)


@pytest.mark.parametrize(
    ("kind", "wanted", "none", "minor", "major"),
    [("about", 150, 165, 180, 181), ("plain", 100, 105, 110, 111), ("range", 100, 110, 120, 121)],
)
def test_the_edges_of_too_long(kind: LengthKind, wanted: int, none: int, minor: int, major: int) -> None:
    asked = wish(kind, 50 if kind == "range" else wanted, upper=wanted if kind == "range" else None)
    assert find_too_long(words(none), asked) is None
    for count, severity in ((none + 1, "minor"), (minor, "minor"), (major, "major")):
        spot = find_too_long(words(count), asked)
        assert spot is not None and spot.severity == severity and spot.certain == (kind != "range")


def test_one_word_more_than_at_most_is_major() -> None:
    assert find_too_long(words(80), wish("at_most", 80)) is None
    spot = find_too_long(words(81), wish("at_most", 80))
    assert spot is not None and spot.severity == "major" and spot.certain
    assert spot.found == "has 81 words; at most 80 were asked for (1.3 % over)"


def test_what_was_found_is_said_with_numbers() -> None:
    spot = find_too_long(words(231), wish("about", 150))
    assert spot is not None and spot.found == "has 231 words; about 150 were asked for (54 % over)"
    spot = find_too_short(words(100), wish("about", 150))
    assert spot is not None and spot.found == "has 100 words; about 150 were asked for (33.4 % short)"


def test_too_long_begins_where_the_limit_is_passed() -> None:
    text = "one two, three! four five six <turn_end>"
    spot = find_too_long(text, wish("at_most", 3))
    assert spot is not None and text[spot.start : spot.end] == "four five six"


def test_too_short_is_the_whole_text_without_the_marker() -> None:
    text = "one two <turn_end>"
    spot = find_too_short(text, wish("about", 30))
    assert spot is not None and (spot.start, text[: spot.end], spot.severity, spot.certain) == (
        0,
        "one two",
        "major",
        True,
    )


def test_under_is_fine_for_plain_and_at_most_and_hints_for_exactly_and_at_least() -> None:
    assert find_too_short(words(1), wish("plain", 100)) is None
    assert find_too_short(words(1), wish("at_most", 100)) is None
    for asked in (wish("plain", 100, exact=True), wish("at_least", 100), wish("range", 100, upper=200)):
        spot = find_too_short(words(50), asked)
        assert spot is not None and spot.severity == "major" and not spot.certain
    assert find_too_long(words(900), wish("at_least", 100)) is None


def test_chinese_and_thai_are_counted_in_characters_and_japanese_where_the_wish_says_so() -> None:
    chinese, thai, japanese = "河水流过磨坊。" * 20, "แม่น้ำไหลผ่าน" * 10, "川が流れている。" * 20
    for text, asked, certain in (
        (chinese, wish("at_most", 100, unit="characters", words="100字以内"), True),
        (chinese, wish("at_most", 100), False),
        (thai, wish("at_most", 100), False),
        (japanese, wish("at_most", 100, unit="characters", words="100字以内"), True),
    ):
        spot = find_too_long(text, asked)
        assert spot is not None and f"has {len(text)} characters" in spot.found and spot.certain == certain
        assert spot.start == 100
    spot = find_too_long(japanese, wish("at_most", 10))
    assert spot is not None and "words" in spot.found


def test_an_english_answer_to_a_wish_in_chinese_characters_is_counted_in_words_and_only_hinted_at() -> None:
    spot = find_too_long(words(150), wish("at_most", 100, unit="characters", words="100字以内"))
    assert spot is not None and "150 words" in spot.found and not spot.certain


def test_code_is_left_out_only_where_the_task_is_code() -> None:
    text = "Two words\n```\n" + words(50) + "\n```\nand three more"
    assert find_too_long(text, wish("at_most", 10), code_task=True) is None
    assert find_too_long(text, wish("at_most", 10)) is not None


def test_a_very_long_text_is_said_to_have_more() -> None:
    spot = find_too_long(words(100_000), wish("about", 100))
    assert spot is not None and spot.found.startswith("has more than 4000 words") and spot.end == 499_999


@given(
    st.text(max_size=400),
    st.sampled_from(["about", "plain", "at_most", "at_least", "range"]),
    st.integers(1, 60),
    st.sampled_from(["words", "characters"]),
    st.booleans(),
)
def test_no_text_makes_it_raise_and_places_are_in_the_text(text, kind, count, unit, code) -> None:
    asked = wish(kind, count, upper=count + 5 if kind == "range" else None, unit=unit, words="字")
    for find in (find_too_long, find_too_short):
        spot = find(text, asked, code_task=code)
        assert spot is None or 0 <= spot.start <= spot.end <= len(text)
