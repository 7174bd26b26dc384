"""A quote is evidence only where it really stands."""

import gc
import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st
from quick import within

from adjudge.text.evidence import Haystack, Miss, Span
from adjudge.text.words import count_words

ANSWER = "First, run the tests.\nThen “commit” what you’ve   changed and push it to the main branch today."
CHINESE = "我们今天去北京大学参观，然后回家吃饭。明天我们再去上海看朋友。"


def place_of(text, quote):
    (place,) = Haystack(text).locate([quote])
    return place


def found(text, quote):
    span = place_of(text, quote)
    assert isinstance(span, Span), span
    return text[span.start : span.end]


def missed(text, quote):
    miss = place_of(text, quote)
    assert isinstance(miss, Miss), miss
    return miss.reason


def test_a_quote_that_stands_there_has_its_offsets():
    assert place_of(ANSWER, "run the tests.\nThen “commit” what") == Span(7, 37 + 3)


def test_several_quotes_are_each_looked_up_by_themselves():
    several = ("push it to the main branch", "not there", "run the tests.", "what you've changed and push it")
    assert Haystack(ANSWER).locate(several) == [place_of(ANSWER, quote) for quote in several]
    assert Haystack(ANSWER).locate([]) == []


CLOSED, MAIN = "café est déjà fermé à midi", "and push it to the main branch"
SCHOOL = unicodedata.normalize("NFD", "우리 는 학교 에 갔다")


def decomposed(text):
    return unicodedata.normalize("NFD", text)


FOUND = [
    # white space and typographic quotation marks
    (ANSWER, 'Then "commit" what you\'ve changed and', "Then “commit” what you’ve   changed and"),
    ("say  it\tlike\u00a0this\nright now", "say it like this right now", "say  it\tlike\u00a0this\nright now"),
    # Unicode form, in either direction; Hangul syllables and jamo
    (decomposed(f"Le {CLOSED}, hélas."), CLOSED, decomposed(CLOSED)),
    (f"Le {CLOSED}, hélas.", decomposed(CLOSED), CLOSED),
    (decomposed("오늘 우리 는 학교 에 갔다 그리고 놀았다"), "우리 는 학교 에 갔다", SCHOOL),
    # invisible characters
    ("a\u200b token <\u2060|im_end|> stands in here", "a token <|im_end|> stands in",
     "a\u200b token <\u2060|im_end|> stands in"),
    # quotation marks and dots around it
    (ANSWER, '"…run the tests. Then “commit” what"', "run the tests.\nThen “commit” what"),
    (ANSWER, f"...{MAIN}...", MAIN),
    *((ANSWER, around.format(MAIN), MAIN)
      for around in ("「{}」", "『{}』", "‹{}›", "`{}`", "“{} […]”", "{} [...]", "[…] {}", '"{}"...')),
    # Chinese and Thai are counted in words, too
    (CHINESE, "今天去北京大学参观", "今天去北京大学参观"), (CHINESE, "北京大学", "北京大学参观，然后回家"),
    ("ภาษาไทยเป็นภาษาที่ไม่มีการเว้นวรรคระหว่างคำ", "เป็นภาษาที่ไม่มีการเว้นวรรค", "เป็นภาษาที่ไม่มีการเว้นวรรค"),
]  # fmt: skip


def test_white_space_marks_and_unicode_form_do_not_matter():
    for text, quote, stands in FOUND:
        assert found(text, quote) == stands


MISSED = [
    "Run the tests. Then commit what",  # another case, and no quotation marks
    "first, run the tests. Then", "run the test then commit what", "and push it to main branch today", "", "   ", "…",
]  # fmt: skip


def test_what_does_not_stand_there_word_for_word_or_has_no_word_is_a_miss():
    for quote in MISSED:
        assert missed(ANSWER, quote) == "is not in the answer word for word"
    for quote in ("-", "… —", "* *"):
        reasons = ("has no word; 5 to 25 are needed", "is not in the answer word for word")
        assert missed("A list - with a * * in it — and … more", quote) in reasons


def test_a_quote_has_five_to_twenty_five_words():
    text = " ".join(f"w{n}" for n in range(40))
    words = text.split()
    for count in range(1, 41):
        quote = " ".join(words[3 : 3 + count])
        mended = " ".join(words[3 : 3 + min(max(count, 5), 25)])
        assert found(text, quote) == mended, count


WIDENED = [
    ("Do it now. Then run the whole test suite again.", "run", "run the whole test suite"),  # to the right
    ("Do it now. Then run the whole test suite again.", "suite again", "the whole test suite again"),  # to the left
    ("Do it now. Then run the whole test suite again.", "again.", "the whole test suite again."),
    ("First line here\nthe second line is short\nthird", "second", "the second line is short"),
    ("Run tests. They show what is broken.", "tests", "Run tests. They show what"),  # a sentence of two words
    ("They show what is broken. Run tests.", "tests", "what is broken. Run tests"),  # and nothing follows
    ("They agree. Do so. We all go.", "agree. Do", "They agree. Do so. We"),  # in two short sentences
    ("Yes, quite so.", "quite", "Yes, quite so"),  # the whole text is short
    ("It's the dog's bone, isn't it, my friend?", "dog", "dog's bone, isn't it, my"),  # never half a word
]  # fmt: skip


def test_a_short_quote_is_widened_within_its_sentence_and_beyond_only_if_that_is_short():
    for text, quote, mended in WIDENED:
        assert found(text, quote) == mended
    for opening in ("-" * 400, "A" * 5000, "```\n" + "=" * 600 + "\n```"):  # without words, and still long
        text = opening + "\n\nThis long answer has very many words in it."
        assert found(text, "many words") == "very many words in it"
        assert found(text, "This") == "This long answer has very"


_PIECES = ["one", "it's", "e\u0301te\u0301", "3.5", "今天天气很好", "ภาษาไทย", "한국어", "—", "x" * 90, "_"]
_GAPS = [" ", " ", ". ", "\n", ", ", "。", ""]
TEXTS = st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from(_GAPS)), min_size=1, max_size=50).map(
    lambda pairs: "".join(map("".join, pairs))
)


@given(TEXTS, st.data())
def test_a_mended_quote_stands_at_its_offsets_has_five_to_25_words_and_holds_the_quote_or_is_its_beginning(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    words, span = count_words(text[start:end]), Haystack(text).fitted(Span(start, end))
    if not words:
        assert span is None
        return
    assert 0 <= span.start < span.end <= len(text)
    now = count_words(text[span.start : span.end])
    if words > 25:
        assert span.start == start and span.end < end and 5 <= now <= 25
    elif words >= 5:
        assert span == (start, end)
    else:
        assert span.start <= start and end <= span.end
        assert 5 <= now <= 25 or now == count_words(text[span.start :]) == count_words(text[: span.end])


def test_a_place_that_cuts_no_word_is_preferred():
    text = "This island is a fine place to be, for is a fine place to be what one wants?"
    assert Haystack(text).find("is a fine place to be") == Span(12, 33)
    text = "Thesis a fine place to be; it is a fine place to be."
    assert text[Haystack(text).find("is a fine place to be").start - 1] == " "


@given(st.text(min_size=1, max_size=80), st.data())
def test_every_stretch_of_any_text_is_found_where_the_same_stretch_stands(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    stretch = text[start:end]
    assume(stretch.strip())
    span = Haystack(text).find(stretch)
    assert span is not None
    assert text[span.start : span.end].strip() == stretch.strip()


@given(st.text(st.sampled_from("ab é’“ \n\u0301\u200bक가각"), min_size=1, max_size=40), st.data())
def test_offsets_lead_to_the_same_text_up_to_form_and_white_space(text, data):
    haystack = Haystack(text)
    form = data.draw(st.sampled_from(["NFC", "NFD"]))
    quote = " ".join(unicodedata.normalize(form, text).split())
    assume(quote.strip(" \u200b…'\"’“") and not unicodedata.combining(quote[0]))
    span = haystack.find(quote)
    assert span is not None
    original = "".join(unicodedata.normalize("NFC", text[span.start : span.end]).split())
    wanted = "".join(unicodedata.normalize("NFC", quote).split())
    strip = str.maketrans("", "", "\u200b'\"’“")
    assert original.translate(strip) == wanted.translate(strip)


def test_a_hundred_kilobytes_are_searched_quickly_and_half_a_megabyte_of_combining_marks_in_seconds():
    for unit in ("plain words in a row, ", "“quoted” and   spaced’s ", "e\u0301te\u0301 ", "今天天气很好。", "aaaa"):
        haystack = Haystack(unit * (100_000 // len(unit)))
        with within(1.0):
            for number in range(50):
                haystack.locate([f"this is certainly not in the text {number}", "plain  words in a   row, plain words"])
    with within(10):
        Haystack("a" + "\u0316\u0301" * 250_000).find("this is not in there at all")


def test_a_folded_quote_has_its_place_wherever_it_stands():
    there = "cafe\u0301  “open” \u200b till\u00adnine o’clock"
    for before in ("x", "字", " ", "か\u3099", "\u200b", "한"):
        for times in [*range(70), 149]:
            text = f"{before * times}, {there}, {before * times}"
            span = Haystack(text).find('café "open" tillnine o\'clock')
            assert span is not None and text[span.start : span.end] == there


def test_a_long_text_is_folded_without_an_object_for_each_word():
    # The collector walks over all of them again and again, and nobody else is served meanwhile.
    haystack = Haystack("The quick brown fox jumps over it. " * 4_000)
    gc.collect()
    before = len(gc.get_objects())
    assert haystack.find("words that are not there") is None
    assert len(gc.get_objects()) - before < 1000
