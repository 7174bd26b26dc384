"""A rating's words mean one value of the scale, or none at all: over every value of every scale."""

from decimal import Decimal
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from adjudge.protocols.review.correcting import OffScale, read_rating
from adjudge.rubric import HOW_BAD, LIKERT, ONE_TO_FIVE, TOO_LITTLE_TOO_MUCH, Scale

SCALES = [HOW_BAD, TOO_LITTLE_TOO_MUCH, ONE_TO_FIVE, LIKERT]
FULLWIDTH = str.maketrans("0123456789-", "０１２３４５６７８９－")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
FORMS = [
    "{}", " {}\n", "{} (minor)", "{} - minor issues", "{} – minor issues", "{}-minor", "{}: 3 typos", "{} (3 typos)",
    "{}.", "{}.0", "{},00", "**{}**", "**{}** - fine", "`{}`", "[{}]", '"{}"', "{:+d}",
]  # fmt: skip
WRITTEN = [
    *(form.format for form in FORMS),
    *(lambda value, dash=dash: str(value).replace("-", dash) for dash in "−–"),
    *(lambda value, digits=digits: str(value).translate(digits) for digits in (FULLWIDTH, ARABIC)),
]
NOT_ONE_NUMBER = [
    "{}/4", "{} / 10", "{}/3/3", "{}/30", "{}-2", "{} - 2", "{}–2", "{}—2", "{} or 3", "{} to 3", "{}, 3", "{} 3",
    "{}..7", "**{}**/3", "{} out of 3", "{} and 2", "{},000",
]  # fmt: skip
NOT_WHOLE = ["{}.5", "{}½", "{}nd", "{}+", "{} -", "{}%", "{} %", "{}.000", "{}.0.1", "{}e1", "{}²"]


def test_every_number_is_read_or_refused_by_the_scale_however_it_is_written():
    for scale in SCALES:
        for value in range(-12, 13):
            for write in WRITTEN:
                read = read_rating(write(value), scale)
                if Decimal(value) in scale.values:
                    assert read == value, write(value)
                    assert type(read) is int
                else:
                    assert read == OffScale(write(value), f"it is not on the scale from {scale.low} to {scale.high}")


def test_ranges_fractions_and_halves_are_refused_for_every_value():
    for forms, why in ((NOT_ONE_NUMBER, "it is more than one number"), (NOT_WHOLE, "it is not a whole number")):
        for scale, form in product(SCALES, forms):
            for words in map(form.format, scale.values):
                assert read_rating(words, scale) == OffScale(words, why)


NO_NUMBER = ["good", "about 2", "~2", "minor (2)", "- 2", "N/A", "**", "two", "½", "②", "²"]
NO_NUMBER += ["Rating: good", "Rating", "Ratings: 2", "Rating2", "Rated 2", "Score"]  # a label alone or another word


def test_words_that_begin_with_no_number_are_refused_and_nothing_entered_is_no_rating():
    for words in NO_NUMBER:
        assert read_rating(words, HOW_BAD) == OffScale(words, "it does not begin with a number")
    for words in ("", " ", "\n\t", "\u3000"):
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


def test_a_number_of_the_best_there_is_is_that_number():
    for scale in [HOW_BAD, ONE_TO_FIVE, LIKERT]:
        for value in scale.values:
            for form in ("{}/{}", "{} / {}", "**{}/{}**", "{}/{} (minor)", "{}／{}"):
                assert read_rating(form.format(value, scale.high), scale) == value, form
        assert read_rating(f"0/{scale.high}", scale) == OffScale(
            f"0/{scale.high}", f"it is not on the scale from {scale.low} to {scale.high}"
        )
        assert read_rating(f"1/{scale.high}.5", scale) == OffScale(f"1/{scale.high}.5", "it is not a whole number")


def test_on_a_scale_from_below_zero_no_number_is_of_the_best():
    for words in ("1/2", "-1/2", "2/2", "0 / 2"):
        assert read_rating(words, TOO_LITTLE_TOO_MUCH) == OffScale(words, "it is more than one number")


LABELLED = ["Rating: {}", "rating {}", "Score {}", "SCORE = {}", "Likert: {}", "**Rating:** {}", "**Score**: {}"]


def test_a_rating_may_be_called_one():
    for form, scale in product([*LABELLED, "Rating：{}"], SCALES):
        for value in scale.values:
            assert read_rating(form.format(value), scale) == value, form


def test_a_label_does_not_make_two_numbers_one():
    assert read_rating("Rating: 2 or 3", HOW_BAD) == OffScale("Rating: 2 or 3", "it is more than one number")
    assert read_rating("Likert: 6/7", LIKERT) == 6
