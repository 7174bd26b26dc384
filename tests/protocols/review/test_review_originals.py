"""A rating's words mean one value of the scale, or none at all: over every value of every scale."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.protocols.review.correcting import OffScale, read_rating
from adjudge.rubric import HOW_BAD, LIKERT, ONE_TO_FIVE, TOO_LITTLE_TOO_MUCH, Scale

SCALES = [HOW_BAD, TOO_LITTLE_TOO_MUCH, ONE_TO_FIVE, LIKERT]
FULLWIDTH = str.maketrans("0123456789-", "０１２３４５６７８９－")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
WRITTEN = [
    str,
    lambda value: f" {value}\n",
    lambda value: f"{value} (minor)",
    lambda value: f"{value} - minor issues",
    lambda value: f"{value} – minor issues",
    lambda value: f"{value}-minor",
    lambda value: f"{value}: 3 typos",
    lambda value: f"{value} (3 typos)",
    lambda value: f"{value}.",
    lambda value: f"{value}.0",
    lambda value: f"{value},00",
    lambda value: f"**{value}**",
    lambda value: f"**{value}** - fine",
    lambda value: f"`{value}`",
    lambda value: f"[{value}]",
    lambda value: f'"{value}"',
    lambda value: f"{value:+d}",
    lambda value: str(value).replace("-", "−"),
    lambda value: str(value).replace("-", "–"),
    lambda value: str(value).translate(FULLWIDTH),
    lambda value: str(value).translate(ARABIC),
]
NOT_ONE_NUMBER = [
    "{}/4",
    "{} / 10",
    "{}/3/3",
    "{}/30",
    "{}-2",
    "{} - 2",
    "{}–2",
    "{}—2",
    "{} or 3",
    "{} to 3",
    "{}, 3",
    "{} 3",
    "{}..7",
]
NOT_ONE_NUMBER += ["**{}**/3", "{} out of 3", "{} and 2", "{},000"]
NOT_WHOLE = ["{}.5", "{}½", "{}nd", "{}+", "{} -", "{}%", "{} %", "{}.000", "{}.0.1", "{}e1", "{}²"]


@pytest.mark.parametrize("scale", SCALES)
def test_every_number_is_read_or_refused_by_the_scale_however_it_is_written(scale):
    for value in range(-12, 13):
        for write in WRITTEN:
            read = read_rating(write(value), scale)
            if Decimal(value) in scale.values:
                assert read == value, write(value)
                assert type(read) is int
            else:
                assert read == OffScale(write(value), f"it is not on the scale from {scale.low} to {scale.high}")


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    ("forms", "why"), [(NOT_ONE_NUMBER, "it is more than one number"), (NOT_WHOLE, "it is not a whole number")]
)
def test_ranges_fractions_and_halves_are_refused_for_every_value(scale, forms, why):
    for value in scale.values:
        for form in forms:
            assert read_rating(form.format(value), scale) == OffScale(form.format(value), why), form


@pytest.mark.parametrize("words", ["good", "about 2", "~2", "minor (2)", "- 2", "N/A", "**", "two", "½", "②", "²"])
def test_words_that_begin_with_no_number_are_refused(words):
    assert read_rating(words, HOW_BAD) == OffScale(words, "it does not begin with a number")


@pytest.mark.parametrize("words", ["", " ", "\n\t", "\u3000"])
def test_nothing_entered_is_no_rating(words):
    assert read_rating(words, LIKERT) is None


def test_a_number_of_a_million_digits_is_refused_at_once():
    assert isinstance(read_rating("9" * 1_000_000, LIKERT), OffScale)


def test_only_whole_values_of_a_scale_in_halves_are_read():
    halves = Scale(Decimal(1), Decimal(2), Decimal("0.5"))
    assert read_rating("2", halves) == 2
    assert isinstance(read_rating("1.5", halves), OffScale)


@given(st.text(), st.sampled_from(SCALES))
def test_whatever_is_read_is_on_the_scale(words, scale):
    read = read_rating(words, scale)
    assert read is None or isinstance(read, OffScale) or read in scale.values


@pytest.mark.parametrize("scale", [HOW_BAD, ONE_TO_FIVE, LIKERT])
def test_a_number_of_the_best_there_is_is_that_number(scale):
    for value in scale.values:
        for form in ("{}/{}", "{} / {}", "**{}/{}**", "{}/{} (minor)", "{}／{}"):
            assert read_rating(form.format(value, scale.high), scale) == value, form
    assert read_rating(f"0/{scale.high}", scale) == OffScale(
        f"0/{scale.high}", f"it is not on the scale from {scale.low} to {scale.high}"
    )
    assert read_rating(f"1/{scale.high}.5", scale) == OffScale(f"1/{scale.high}.5", "it is not a whole number")


@pytest.mark.parametrize("words", ["1/2", "-1/2", "2/2", "0 / 2"])
def test_on_a_scale_from_below_zero_no_number_is_of_the_best(words):
    assert read_rating(words, TOO_LITTLE_TOO_MUCH) == OffScale(words, "it is more than one number")


@pytest.mark.parametrize(
    "form",
    [
        "Rating: {}",
        "rating {}",
        "Score {}",
        "SCORE = {}",
        "Likert: {}",
        "**Rating:** {}",
        "**Score**: {}",
        "Rating：{}",
    ],
)
@pytest.mark.parametrize("scale", SCALES)
def test_a_rating_may_be_called_one(form, scale):
    for value in scale.values:
        assert read_rating(form.format(value), scale) == value


@pytest.mark.parametrize("words", ["Rating: good", "Rating", "Ratings: 2", "Rating2", "Rated 2", "Score"])
def test_a_label_alone_or_another_word_is_no_rating(words):
    assert read_rating(words, HOW_BAD) == OffScale(words, "it does not begin with a number")


def test_a_label_does_not_make_two_numbers_one():
    assert read_rating("Rating: 2 or 3", HOW_BAD) == OffScale("Rating: 2 or 3", "it is more than one number")
    assert read_rating("Likert: 6/7", LIKERT) == 6
