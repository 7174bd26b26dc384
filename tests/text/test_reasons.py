from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from quick import within

from adjudge.text.reasons import WordChecker, language_of_reply, not_english, rescored, scored

ANSWER = "The plan names three steps, and each of them has a date. Use `git push --force now` with care."
TASK = "Write a plan “for the launch of 2024” in 250 words."
CHECKER = WordChecker((ANSWER, TASK, "  "))

REAL = [
    "It names “three steps, and each of them” clearly.", 'It names "three steps, and each of them" clearly.',
    "It names « three steps, and each of them » clearly.", "It names „three steps, and each of them“ clearly.",
    "It names »three steps, and each of them« and »has a date. Use« well.",
    "It names ”three steps, and each of them” clearly.", 'It says "each of them has a date." and stops.',
    'It names "three steps," and "each of them has a date," as asked.', 'It says "… each of them has …" there.',
    'It says "each  of\nthem has" there.', 'The task says "for the launch of 2024" itself.',
    'It warns: "Use `git push --force now` with care".',
]  # fmt: skip
NOT_CHECKED = [
    "", "It is clear.", "It calls this “quite bad”.", 'The "happy path" is missing.',
    'It runs `echo "these words stand nowhere"` at the end.', '```\nprint("these words stand nowhere")\n```',
    '```\nprint("these words stand nowhere")', "It's the users' own plan, isn't it, and that's the authors' choice.",
    "‘These words stand nowhere’ is not held against it.", 'A 5" screen is not a 6" one.',
]  # fmt: skip
INVENTED = [
    "It says “the budget is too small”.", 'It says "the budget is too small".', "It says «the budget is too small».",
    "It says »the budget is too small«.", "It says „the budget is too small“.",
    'It names "three steps, and each of them" but "the budget is small" too.',
    'It names "four steps, and each of them".', 'It names "Three Steps, and each of them".',
    "Es steht dort: „die drei Schritte“.", "文中写道：“预算实在是太少了”。",
]  # fmt: skip


def test_words_in_quotation_marks_that_stand_in_the_material_are_real_and_fewer_than_three_and_code_are_not_checked():
    assert [words for words in (*REAL, *NOT_CHECKED) if CHECKER.invented_quote(words)] == []


def test_three_words_or_more_that_stand_nowhere_are_invented_and_named():
    for words in INVENTED:
        assert "is in none of the texts" in CHECKER.invented_quote(words), words
    said = CHECKER.invented_quote("It says “the budget is too small”.")
    assert said == "the quotation 'the budget is too small' is in none of the texts"
    assert WordChecker(()).invented_quote("It says “the budget is small”.") != "", "without material all are"


def test_numbers_of_the_material_and_of_the_tables_are_known_and_one_that_stands_nowhere_is_named():
    for words in ("No number.", "Response 1 beats response 2.", "250 words for 2024.", "It has 7."):
        assert CHECKER.unknown_number(words, ("Truthfulness 7",)) == ""
    assert CHECKER.unknown_number("It has 300 words.") == "the number 300 is neither in the texts nor in the tables"
    assert CHECKER.unknown_number("It has 25 words.") != "", "a part of a number is another number"
    assert CHECKER.unknown_number("It grew by 2.5 percent.") != ""


def test_a_field_is_held_to_english_only_where_it_surely_is_not():
    spanish = "La respuesta es correcta y completa, pero le falta un ejemplo que muestre cómo se aplica la regla."
    assert not_english(spanish) == "it is in Spanish; English is needed"
    assert not_english("良い回答です。") == "it is in Japanese; English is needed"
    for words in ("", "Muy bien.", "It is right.", f"It says “{spanish}” and no more."):
        assert not_english(words) == ""


def test_the_prose_of_a_reply_is_one_text():
    short = ["La respuesta es correcta.", "Le falta un ejemplo.", "El tono es claro y muy amable.", "No hay nada que"]
    short += ["corregir en la segunda parte del texto.", "Es más larga de lo que se pedía en la tarea."]
    assert all(not_english(words) == "" for words in short)
    assert language_of_reply(short) == "Spanish"
    assert language_of_reply([f"Fine: “{words}”" for words in short]) == ""
    assert language_of_reply(["The response is right.", "It lacks an example."] * 4) == ""
    assert language_of_reply([]) == ""


WORDS = st.lists(st.sampled_from(["three", "steps,", " ", '"', "“", "”", "«", "»", "`", "```", "7", "…", "."])).map(
    "".join
)


@given(st.one_of(st.text(), WORDS), st.text())
@settings(max_examples=60)
def test_any_words_are_checked(words, material):
    checker = WordChecker((material,))
    assert isinstance(checker.invented_quote(words), str)
    assert isinstance(checker.unknown_number(words), str)
    assert isinstance(not_english(words), str)
    assert isinstance(language_of_reply([words, material]), str)


@given(
    st.lists(st.sampled_from(ANSWER.split()), min_size=3, max_size=6), st.sampled_from(['""', "“”", "«»", "„“", "»«"])
)
def test_a_quotation_is_real_exactly_if_its_words_stand_there_in_a_row(words, marks):
    quote = " ".join(words).replace("`", "")
    stands = any(quote.rstrip(".,") in text for text in (ANSWER, TASK))
    whole = f" {quote.rstrip('.,')}" in f" {ANSWER}"
    if stands == whole:  # what cuts a word is not looked at here
        assert (CHECKER.invented_quote(f"It says {marks[0]}{quote}{marks[1]}.") == "") == stands


def test_a_hundred_kilobytes_take_linear_time():
    for piece in ('"', "“", "«", "`", "```", '"a b c" ', "“a b c", "7 ", "7."):
        words = piece * (100_000 // len(piece))
        with within(2):
            CHECKER.invented_quote(words)
            CHECKER.unknown_number(words)


def test_a_long_quotation_is_checked_like_a_short_one():
    check = WordChecker(["What stands here is short."])
    assert check.invented_quote(f'It says "{"words that nobody wrote " * 40}" there.')
    assert check.invented_quote(f'"{"long " * 200}" and "What stands here"')


def test_our_words_in_the_place_of_a_reason_name_the_score_that_was_settled():
    assert rescored(scored(7), Decimal("7.5")) == scored("7.5")
    assert rescored(scored(1, "was not in English"), 2) == "Scored 2; the judge's reason was not in English."
    assert rescored("Scored 1 goal; well done.", 2) == "Scored 1 goal; well done."
