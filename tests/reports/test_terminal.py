from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.looking import COLOUR, width_of

from adjudge.rendering.terminal import Terminal

WORDS = st.text("ab 你é\u0301 ")


def plain(width):
    return Terminal(colour=False, width=width)


@given(WORDS, st.integers(40, 60))
def test_no_line_of_a_paragraph_is_too_wide_and_no_character_is_lost(text, width):
    lines = plain(width).paragraph(text * 9).split("\n")
    assert all(width_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join((text * 9).split())


def test_an_item_hangs_beside_its_marker():
    shown = plain(40).item("Task:", "one two three four five six seven eight nine", indent=2)
    assert shown.split("\n") == ["  Task: one two three four five six", "        seven eight nine"]


def test_a_table_has_numbers_to_the_right_and_wraps_words():
    rows = [("a long name that has no room on a narrow line", "9"), ("你好", "10")]
    assert plain(40).table(("Name", "Score"), rows, right=(1,)).split("\n") == [
        "Name                               Score",
        "a long name that has no room on a      9",
        "narrow line",
        "你好                                  10",
    ]


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_number_and_no_word_of_a_table_is_cut_off_where_there_is_no_room(ruled, width):
    rows = [("Correctness", "0.3333333333333333", "12.3 % (10 to 20)", "12.3456789012345678", "1,000,000")]
    head = ("Criterion", "Weight", "Judge", "Total", "Cases")
    shown = plain(width).table(head, rows, range(1, 5), ruled=ruled)
    lines = [line.ljust(width) for line in shown.split("\n")]
    assert all(len(line) == width for line in lines)
    below = lines[next(at for at, line in enumerate(lines) if "C" in line and "0" in line) :]
    assert Counter("".join(below).replace(" ", "")) == Counter("".join(rows[0]).replace(" ", ""))


def test_a_table_shows_as_many_cells_as_it_has_headings():
    assert plain(40).table(("Name",), [("a", "hidden")]) == "Name\na"


def test_a_terminal_is_never_narrower_than_a_word_needs():
    assert plain(1).width == 40


@pytest.mark.parametrize("shown", ["paragraph", "item", "table"])
def test_colour_adds_nothing_but_colour_and_no_line_ends_in_spaces(shown):
    def lines(terminal):
        if shown == "table":
            return terminal.table(("A", "B"), [("x", ("y" * 50, "warning"))], total=True)
        return terminal.paragraph("x " * 30, "strong") if shown == "paragraph" else terminal.item("+", "x " * 30, "+")

    coloured, bare = lines(Terminal(colour=True, width=40)), lines(plain(40))
    assert COLOUR.search(coloured)
    assert COLOUR.sub("", coloured) == bare
    assert not any(line.endswith(" ") for line in bare.split("\n"))


def test_neither_markup_nor_emoji_codes_nor_escapes_of_others_mean_anything():
    hostile = "[bold]x[/bold] :smile: \x1b[31mred"
    assert plain(80).paragraph(hostile) == "[bold]x[/bold] :smile: red"
    assert plain(80).table(("[red]A",), [(hostile,)]) == "[red]A\n[bold]x[/bold] :smile: red"


def test_texts_stand_side_by_side_where_there_is_room_and_keep_their_line_ends():
    texts = [("One", "first line\n  indented"), ("Two", "a\tb")]
    wide, narrow = plain(100), plain(90)
    assert wide.has_room_for(2) and not narrow.has_room_for(2) and not wide.has_room_for(1)
    assert wide.blocks(texts).split("\n")[0].split() == ["One", "Two"]
    assert wide.blocks(texts).split("\n")[1].split() == ["first", "line", "a", "b"]
    assert narrow.blocks(texts) == "One\nfirst line\n  indented\n\nTwo\na   b"


@given(WORDS, st.integers(40, 120))
def test_no_line_of_a_block_is_too_wide_and_no_word_is_lost(text, width):
    shown = plain(width).blocks([("T", text * 30)]).split("\n")
    assert all(width_of(line) <= width for line in shown)
    assert plain(40).blocks([("Long", "word " * 100)]).count("word") == 100


def test_a_block_of_others_text_commands_nothing():
    shown = plain(100).blocks([("\x1b[2JT", "\x1b[31m[red]x[/red] \u202e:smile:"), ("U", "\x9b2J\x07y")])
    assert not set(shown) & {"\x1b", "\x07", "\x9b", "\u202e"} and "[red]x[/red] :smile:" in shown
