"""SPEC 3: words that hold no letter or digit are compared as they are, never folded away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.constraints.measuring import measure
from adjudge.constraints.phrases import occurrences
from adjudge.models.constraints import Constraint


def asked(kind, text, quote="q", **more):
    return Constraint(kind=kind, source="prompt", quote=quote, start=0, end=1, text=text, **more)


def missed(kind, words, text):
    return not measure(asked(kind, words), text).met


@pytest.mark.parametrize("mark", ["*", "_", "`", "#", "******", ",", "!", "…", "—", "“", "->"])
def test_symbols_are_compared_as_they_are(mark):
    there = {"must_contain": f"A {mark} here", "begins_with": f"{mark} here", "ends_with": f"here {mark}"}
    for kind, text in there.items():
        assert not missed(kind, mark, text) and missed(kind, mark, "A plain text"), kind
    assert missed("must_not_contain", mark, f"A {mark} here") and not missed("must_not_contain", mark, "A plain text")


@pytest.mark.parametrize(("words", "there", "not_there"), [
    ("C#", "I like **C#**.", "I like C."), ("#rivers", "See #Rivers", "See rivers"),
    ("snake_case", "`snake_case` *it*", "snake case"), ("**river**", "A river", "A lake"),
    ("`river`", "A *river*", "A lake"), ("climate change", "On *climate* change.", "On climates"),
])  # fmt: skip
def test_marks_that_belong_to_the_words_are_kept_and_emphasis_is_not(words, there, not_there):
    assert not missed("must_contain", words, there) and missed("must_contain", words, not_there)
    assert missed("must_not_contain", words, there) and not missed("must_not_contain", words, not_there)


@given(
    st.text(alphabet="*_`# ab,", min_size=1, max_size=6).filter(str.strip), st.text(alphabet="*_`# ab,", max_size=20)
)
def test_no_text_both_contains_and_lacks_words(words, text):
    assert not (missed("must_contain", words, text) and missed("must_not_contain", words, text))


@pytest.mark.parametrize(("kind", "words", "text"), [
    ("must_contain", "P. P. S.", "P.P.S. Bring a coat."), ("must_contain", "P.S.", "P. S. Bring a coat."),
    ("begins_with", "River", "(River) banks are green."), ("begins_with", "川", "『川』は長い。"),
])  # fmt: skip
def test_spaces_in_abbreviations_and_brackets_before_words_make_no_difference(kind, words, text):
    assert not missed(kind, words, text)


def test_initials_without_stops_are_a_hint():
    assert measure(asked("must_contain", "P.S."), "PS: Bring a coat.").in_part


@pytest.mark.parametrize(("words", "text", "counts"), [
    ("音", "水の音は音楽です。", range(1, 3)),  # music is another word
    ("音", "クリック音が鳴る。", range(0, 2)), ("森", "屋久島の森は深い。", range(1, 2)),
    ("河", "这条河很长", range(1, 2)),
])  # fmt: skip
def test_chinese_and_japanese_words_may_be_parts_of_longer_words(words, text, counts):
    assert occurrences(text, words) == counts
    assert occurrences(text, words, f"「{words}」という文字") == range(counts[-1], counts[-1] + 1)


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


@pytest.mark.parametrize(("kind", "missing"), [("must_contain", "A stoic cat"), ("must_not_contain", "Here it is")])
def test_a_letter_is_looked_for_inside_words_if_the_quote_calls_it_one(kind, missing):
    for quote in ("the letter e", "le caractère e"):
        assert not measure(asked(kind, "e", quote), missing).met
    assert measure(asked("must_not_contain", "e", "never e"), missing).met


@pytest.mark.parametrize(("kind", "words", "text"), [
    ("begins_with", "Dear John,", "**Dear John**, rivers run."),
    ("ends_with", "(or not)", "So it is (*or* not)."), ("first_word", "Once,", "*Once*, there was a river."),
    ("must_contain", "Hello, world", "She said: **Hello**, world"),
    ("must_contain", "x-ray", "An x-**ray** and an `x`-ray"), ("must_contain", "你好，世界", "**你好，**世界"),
    ("must_contain", "你好世界", "**你好**世界"), ("must_contain", "hello", "你好**hello**世界"),
    ("must_contain", "Hello world", "**Hello**_world_"),
])  # fmt: skip
def test_emphasis_beside_signs_makes_no_difference(kind, words, text):
    assert not missed(kind, words, text)
    if kind == "must_contain":
        assert missed("must_not_contain", words, text)


def test_words_with_emphasis_inside_are_counted():
    assert occurrences("An `x`-ray, an x-**ray** and an x-ray", "x-ray") == range(3, 4)
