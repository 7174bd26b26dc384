import re
import unicodedata

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.base import escape_controls
from adjudge.rendering import escaping

BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text("\x1b[]\x9b;m0\x07\r\n\u202e a")


@given(ANY_TEXT)
def test_clean_text_has_no_control_but_tab_and_line_feed_and_cleaning_twice_changes_nothing(text):
    cleaned = escaping.clean(text)
    assert not [char for char in cleaned if unicodedata.category(char) in ("Cc", "Cs") and char not in "\t\n"]
    assert not BIDI & set(map(ord, cleaned))
    cleaned.encode()
    assert escaping.clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b2Jgone", "gone"),
        ("a\x1b]8;;http://x\x07b", "a]8;;http://xb"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("\u202eabc\u202c \u2066d\u2069", "abc d"),
        ("keep\tthis\n你好 مرحبا 👩‍👩‍👧", "keep\tthis\n你好 مرحبا 👩‍👩‍👧"),
    ],
)
def test_what_is_left_of_escapes(text, shown):
    assert escaping.clean(text) == shown


def test_one_line_is_one_line():
    assert escaping.one_line("  a\n\n b\tc \x1b[1m d\u2029e ") == "a b c d e"


def test_a_long_text_is_cut_on_one_line_and_a_short_one_is_not():
    assert escaping.shorten("one\ntwo", 7) == "one two"
    assert escaping.shorten("one\ntwo three", 8) == "one two…"
    assert escaping.shorten("\x1b[31m" * 9 + "red", 3) == "red"


MARKUP = st.text("<>&|`*_[]()#!\\~-+.:/@1 \n\tahtpw\"'$^")


@given(MARKUP)
def test_markdown_shows_exactly_the_text_and_leaves_no_special_character_unescaped(text):
    shown = escaping.markdown(text)
    escape = r"\\([!-/:-@\[-`{-~])|(&(?:amp|lt|gt|#58|#64);)"
    assert not set("<>&|`*_[]\\~@\n") & set(re.sub(escape, "", shown))
    assert not re.match(r"[-+#]|\d+[.)](\s|$)", shown)
    assert "://" not in shown and "www." not in shown
    entities = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&#58;": ":", "&#64;": "@"}
    back = re.sub(escape, lambda match: match[1] or entities[match[2]], shown)
    assert back == " ".join(text.split())


@pytest.mark.parametrize("number", ["1.5", "6.125", "−2", "+0.25 points", "12.", "3) no"])
def test_a_number_is_escaped_only_where_it_would_begin_a_list(number):
    assert ("\\" in escaping.markdown(number)) == (number in ("12.", "3) no", "+0.25 points"))


def test_json_stays_the_same_document_without_characters_a_terminal_obeys():
    words = {"\x9b2J": "\x7f\u202e\u2066 你好 \u2028 \u2029"}
    escaped = escape_controls(orjson.dumps(words))
    assert orjson.loads(escaped) == words
    assert not re.search("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", escaped.decode())
    assert "你好" in escaped.decode()
    assert len(escaped.decode().splitlines()) == 1


def test_a_web_page_is_linked_and_no_other_address():
    for url in (
        *("javascript:alert(1)", "\x01javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x"),
        *("//example.org", "https:///path", "http://[bad", "ftp://example.org", ""),
    ):
        assert escaping.web_address(url) is None, url
    assert escaping.web_address("https://example.org/a?b=1&c=2") == "https://example.org/a?b=1&c=2"
    assert escaping.web_address("HTTP://EXAMPLE.ORG") == "HTTP://EXAMPLE.ORG"


@pytest.mark.parametrize(
    ("length", "shown"),
    [
        (30, "What does it cost? Show the…"),
        (31, "What does it cost? Show the…"),
        (35, "What does it cost? Show the steps…"),
        (60, "What does it cost? Show the steps, please."),
    ],
)
def test_the_beginning_of_a_text_ends_after_a_whole_word(length, shown):
    assert escaping.beginning("What does it cost?\nShow the steps, please.", length) == shown


def test_the_beginning_of_a_text_without_spaces_is_cut_anywhere():
    assert escaping.beginning("客" * 80, 60) == "客" * 59 + "…"
