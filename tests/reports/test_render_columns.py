from hypothesis import given
from hypothesis import strategies as st

from adjudge.reports.columns import cut, pad, width_of, wrap

WORDS = st.text("ab 你é\u0301 ")


def test_wide_characters_take_two_columns_and_combining_ones_none():
    assert width_of("abc") == 3
    assert width_of("你好") == 4
    assert width_of("e\u0301") == 1


@given(WORDS, st.integers(2, 12))
def test_no_wrapped_line_is_too_wide_and_no_character_is_lost(text, width):
    lines = wrap(text, width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_lines_are_broken_at_spaces_where_there_are_any():
    assert wrap("one two three", 8) == ["one two", "three"]
    assert wrap("你好世界", 4) == ["你好", "世界"]
    assert wrap("see 你好世界你好世界", 8) == ["see 你好", "世界你好", "世界"], "a word too long for any line runs on"


# A wide character and the ellipsis need three columns.
@given(WORDS, st.integers(3, 12))
def test_a_cut_text_fits(text, width):
    shown = cut(text, width)
    assert width_of(shown) <= width
    assert shown == text or shown.endswith("…")
    assert (width_of(text) > width) == (shown != text)


def test_padding_counts_columns():
    assert pad("你", 4) == "你  "
    assert pad("你", 4, right=True) == "  你"
