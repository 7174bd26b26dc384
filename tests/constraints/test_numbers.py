"""SPEC 3: a number is found in digits of any script, or spelled out as ICU and everyday language do it."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.constraints.numbers import find_number

FOUND = [
    ("at most 100 words", 100, (), "100"), ("up to 1,000 words", 1000, (), "1,000"),
    ("höchstens 1.000 Wörter", 1000, ("de",), "1.000"), ("不超过１００字", 100, ("zh",), "１００"),
    ("٥٠ كلمة", 50, ("ar",), "٥٠"), ("५० शब्द", 50, ("hi",), "५०"), ("in three sentences", 3, (), "three"),
    ("twenty-five words", 25, (), "twenty-five"), ("Twenty five words", 25, (), "Twenty five"),
    ("write a paragraph", 1, (), "a"), ("an example", 1, (), "an"), ("en tres frases", 3, ("es",), "tres"),
    ("una frase", 1, ("es",), "una"), ("en deux phrases", 2, ("fr",), "deux"), ("in einem Satz", 1, ("de",), "einem"),
    ("einundzwanzig Wörter", 21, ("de",), "einundzwanzig"), ("duas frases", 2, ("pt",), "duas"),
    ("в трех предложениях", 3, ("ru",), "трех"), ("用三句话", 3, ("zh",), "三"),
    ("两百五十字", 250, ("zh",), "两百五十"), ("三つの文で", 3, ("ja",), "三"), ("일곱 문장으로", 7, ("ko",), "일곱"),
    ("ห้าสิบคำ", 50, ("th",), "ห้าสิบ"), ("ثلاثة أسطر", 3, ("ar",), "ثلاثة"), ("पाँच वाक्य", 5, ("hi",), "पाँच"),
    # everyday short forms
    ("höchstens hundert Wörter", 100, ("de",), "hundert"), ("hundertfünfzig Wörter", 150, ("de",), "hundertfünfzig"),
    ("rund tausend Wörter", 1000, ("de",), "tausend"), ("como máximo cien palabras", 100, ("es",), "cien"),
    ("cent mots", 100, ("fr",), "cent"), ("mille mots", 1000, ("fr",), "mille"),
    ("a hundred words", 100, (), "hundred"), ("a hundred and fifty words", 150, (), "hundred and fifty"),
    ("hundra ord", 100, ("sv",), "hundra"), ("tusen ord", 1000, ("sv",), "tusen"),
    ("тысяча слов", 1000, ("ru",), "тысяча"), ("सौ शब्द", 100, ("hi",), "सौ"), ("百字以内", 100, ("zh",), "百"),
    ("between one hundred and two hundred words", 100, (), "one hundred"),
    # one as an indefinite article
    ("en un párrafo", 1, ("es",), "un"), ("une phrase", 1, ("fr",), "une"), ("eine Liste", 1, ("de",), "eine"),
    ("um parágrafo", 1, ("pt",), "um"), ("num parágrafo", 1, ("pt",), "num"), ("in un paragrafo", 1, ("it",), "un"),
    ("i en mening", 1, ("sv",), "en"), ("een alinea", 1, ("nl",), "een"),
]  # fmt: skip


def test_a_number_is_found_in_any_script_and_language():
    for text, amount, languages, stands in FOUND:
        place = find_number(text, amount, languages)
        assert text[place.start : place.end] == stands, text


NOT_FOUND = [
    ("at most 100 words", 10, ()), ("at most 100 words", 200, ()), ("someone else", 1, ()),
    ("en tres frases", 3, ("de",)), ("weight of the stone", 8, ()), ("", 1, ()),
    # a part of a longer number
    ("two hundred words", 100, ()), ("two hundred words", 2, ()), ("a hundred words", 1, ()),
    ("a hundred and fifty words", 100, ()), ("twenty-five words", 20, ()), ("deux cents mots", 100, ("fr",)),
    ("dos mil palabras", 1000, ("es",)), ("不超过三百字", 3, ("zh",)), ("不超过三百字", 100, ("zh",)),
    ("the second paragraph", 2, ()),
]  # fmt: skip


def test_a_number_that_is_not_there_is_not_found():
    for text, amount, languages in NOT_FOUND:
        assert find_number(text, amount, languages) is None, text


ORDINALS = [
    ("the second paragraph", 2, ()), ("the 2nd paragraph", 2, ()), ("paragraph two", 2, ()),
    ("el primer párrafo", 1, ("es",)), ("le troisième paragraphe", 3, ("fr",)), ("der zweite Absatz", 2, ("de",)),
    ("第二段", 2, ("zh",)),
]  # fmt: skip


def test_the_number_of_a_paragraph_may_be_an_ordinal():
    for text, amount, languages in ORDINALS:
        assert find_number(text, amount, languages, ordinal=True) is not None
        assert find_number(text, amount + 1, languages, ordinal=True) is None, text


# Few different amounts: to spell one out in a language is the slow part, and is remembered.
@given(st.text(max_size=200), st.sampled_from([1, 3, 21, 250, 10_000]), st.sampled_from(["es", "zh", "xx", "ru"]))
def test_a_place_lies_in_the_text(text, amount, language):
    place = find_number(text, amount, [language])
    assert place is None or text[place.start : place.end]


@given(st.integers(1, 1_000_000))
def test_every_number_is_found_in_its_digits(amount):
    assert find_number(f"about {amount} words", amount) is not None
    assert find_number(f"about {amount:,} words", amount) is not None


PARTS = [
    ("rate it 3.5", 5), ("rate it 3.5", 3), ("3,5 Punkte", 5), ("500k words", 500), ("5M words", 5),
    ("1,000,000k", 1),
]  # fmt: skip


def test_a_part_of_a_number_is_not_the_number():
    for text, amount in PARTS:
        assert find_number(text, amount) is None, text


BEFORE_A_UNIT = [("Use 5. Then 3.", 5), ("5, then 3", 5), ("5 km", 5), ("1,000 k", 1000)]


def test_a_number_before_a_stop_or_a_unit_is_found():
    for text, amount in BEFORE_A_UNIT:
        assert find_number(text, amount) is not None, text
