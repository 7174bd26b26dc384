"""SPEC 3: words to use or avoid, to begin or end with, and their case; words that hold no letter or digit are compared
as they are, never folded away."""

from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from adjudge.constraints.measuring import measure
from adjudge.constraints.phrases import occurrences
from adjudge.models.constraints import Constraint


def asked(kind, text, quote="q", **more):
    return Constraint(kind=kind, source="prompt", quote=quote, start=0, end=1, text=text, **more)


def missed(kind, words, text):
    return not measure(asked(kind, words), text).met


MARKS = ["*", "_", "`", "#", "******", ",", "!", "…", "—", "“", "->"]


def test_symbols_are_compared_as_they_are():
    for mark in MARKS:
        there = {"must_contain": f"A {mark} here", "begins_with": f"{mark} here", "ends_with": f"here {mark}"}
        for kind, text in there.items():
            assert not missed(kind, mark, text) and missed(kind, mark, "A plain text"), kind
        assert missed("must_not_contain", mark, f"A {mark} here") and not missed(
            "must_not_contain", mark, "A plain text"
        ), mark


WITH_MARKS = [
    ("C#", "I like **C#**.", "I like C."), ("#rivers", "See #Rivers", "See rivers"),
    ("snake_case", "`snake_case` *it*", "snake case"), ("**river**", "A river", "A lake"),
    ("`river`", "A *river*", "A lake"), ("climate change", "On *climate* change.", "On climates"),
]  # fmt: skip


def test_marks_that_belong_to_the_words_are_kept_and_emphasis_is_not():
    for words, there, not_there in WITH_MARKS:
        assert not missed("must_contain", words, there) and missed("must_contain", words, not_there)
        assert missed("must_not_contain", words, there) and not missed("must_not_contain", words, not_there), words


@given(
    st.text(alphabet="*_`# ab,", min_size=1, max_size=6).filter(str.strip), st.text(alphabet="*_`# ab,", max_size=20)
)
def test_no_text_both_contains_and_lacks_words(words, text):
    assert not (missed("must_contain", words, text) and missed("must_not_contain", words, text))


SPACED = [
    ("must_contain", "P. P. S.", "P.P.S. Bring a coat."), ("must_contain", "P.S.", "P. S. Bring a coat."),
    ("begins_with", "River", "(River) banks are green."), ("begins_with", "川", "『川』は長い。"),
]  # fmt: skip


def test_spaces_in_abbreviations_and_brackets_before_words_make_no_difference():
    for kind, words, text in SPACED:
        assert not missed(kind, words, text), words


def test_initials_without_stops_are_a_hint():
    assert measure(asked("must_contain", "P.S."), "PS: Bring a coat.").in_part


PARTS = [
    ("音", "水の音は音楽です。", range(1, 3)),  # music is another word
    ("音", "クリック音が鳴る。", range(0, 2)), ("森", "屋久島の森は深い。", range(1, 2)),
    ("河", "这条河很长", range(1, 2)),
]  # fmt: skip


def test_chinese_and_japanese_words_may_be_parts_of_longer_words():
    for words, text, counts in PARTS:
        assert occurrences(text, words) == counts
        assert occurrences(text, words, f"「{words}」という文字") == range(counts[-1], counts[-1] + 1), text


def test_a_longer_form_of_a_word_is_a_hint():
    assert measure(asked("must_contain", "river"), "The rivers run.") == (
        "does not contain “river”, as was asked for, but another form of it", None, None, True
    )  # fmt: skip
    often = asked("occurrences", "river", bound="at_least", amount=2)
    assert measure(often, "Rivers and a river.").in_part
    song, star = asked("must_contain", "canción"), asked("must_contain", "étoile")
    assert measure(song, "Tres canciones.").in_part and measure(song, "Una cancion.").in_part
    assert not measure(song, "Una canoa.").met
    assert measure(star, "Une Etoile.").in_part and not measure(star, "Un ciel étoilé.").met
    assert not measure(often, "Riverbeds and a river.").met
    assert not missed("must_not_contain", "river", "The rivers run.")


LETTERS = [("must_contain", "A stoic cat"), ("must_not_contain", "Here it is")]


def test_a_letter_is_looked_for_inside_words_if_the_quote_calls_it_one():
    for kind, missing in LETTERS:
        for quote in ("the letter e", "le caractère e"):
            assert not measure(asked(kind, "e", quote), missing).met
        assert measure(asked("must_not_contain", "e", "never e"), missing).met, kind


EMPHASIS = [
    ("begins_with", "Dear John,", "**Dear John**, rivers run."),
    ("ends_with", "(or not)", "So it is (*or* not)."), ("first_word", "Once,", "*Once*, there was a river."),
    ("must_contain", "Hello, world", "She said: **Hello**, world"),
    ("must_contain", "x-ray", "An x-**ray** and an `x`-ray"), ("must_contain", "你好，世界", "**你好，**世界"),
    ("must_contain", "你好世界", "**你好**世界"), ("must_contain", "hello", "你好**hello**世界"),
    ("must_contain", "Hello world", "**Hello**_world_"),
]  # fmt: skip


def test_emphasis_beside_signs_makes_no_difference():
    for kind, words, text in EMPHASIS:
        assert not missed(kind, words, text)
        if kind == "must_contain":
            assert missed("must_not_contain", words, text), text


def test_words_with_emphasis_inside_are_counted():
    assert occurrences("An `x`-ray, an x-**ray** and an x-ray", "x-ray") == range(3, 4)


WORDINGS = [
    ("must_contain", "river", "The River runs.", "The upriver riverbank."),
    ("must_contain", "I’m “here”", 'Well, I\'m "here"  now', "I am here"),
    ("must_contain", "two  words", "Just two\nwords.", "two other words"),
    ("must_contain", "é", "caf\u0065\u0301 e\u0301", "cafe"), ("must_contain", "河", "这条河很长", "这条江很长"),
    ("must_not_contain", "very", "Every day", "Very good"),
    ("must_not_contain", "json", '```json\n{"a": 1}\n```', "This is JSON."),
    ("begins_with", "Dear Sir", "dear sir, hello", "Oh, Dear Sir"),
    ("begins_with", "“Well”", "Well, then", "Oh well"), ("begins_with", "Well", "**“Well,” he said**", "Oh well"),
    ("begins_with", "Title", "# Title", "A Title"), ("ends_with", "the end", "This is the end.", "The end is near"),
    ("ends_with", "Over and out.", "… “over and out”", "over and out now"),
    ("ends_with", "the end", "This is **the end**<turn_end>", "Not yet"),
]  # fmt: skip


def test_wordings_regard_neither_case_nor_kinds_of_quotation_mark():
    for kind, words, met, unmet in WORDINGS:
        assert not missed(kind, words, met)
        assert measure(asked(kind, words), unmet).severity == "minor", words


CASES = [
    ("upper", "ALL OF IT, 7 TIMES.", "ALL Of IT"), ("lower", "all of it, 7 times.", "All of it"),
    ("title", "The Sea and the Stars", "The ocean and the Stars"),
    ("upper", "RUN THIS:\n```\nls -l\n```", "Run this:\n```\nLS\n```"),
    ("upper", '```json\n{"RIVER": "RHINE"}\n```', '```json\n{"RIVER": "Rhine"}\n```'),
]  # fmt: skip


def test_casing():
    for case, met, missed in CASES:
        assert measure(asked("casing", case), met).met
        assert measure(asked("casing", case), missed).severity == "minor", missed


WRONG_CASE = [
    ("THE ROlE OF RIVERS", "is not in capital letters throughout (“ROlE”), as was asked for"),
    ("The role of rivers", "is not in capital letters, as was asked for"),
]  # fmt: skip


def test_a_few_words_in_the_wrong_case_are_named():
    for text, says in WRONG_CASE:
        assert measure(asked("casing", "upper"), text).says == says, text


TITLE_CASE = [
    (normalize("NFD", "Éternité Et Création"), True), ("河流流向大海", True), ("नदियाँ बहती हैं", True),
    (normalize("NFD", "éternité Et Création"), False),
]  # fmt: skip


def test_title_case_needs_a_capital_only_of_letters_that_have_one():
    for text, met in TITLE_CASE:
        assert measure(asked("casing", "title"), text).met == met, text
