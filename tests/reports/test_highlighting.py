import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.rendering.highlighting import Highlight, marked


def highlight(start, end, tone="quote"):
    return Highlight(ref="1", tone=tone, criterion="", text="", start=start, end=end, shown="1", title="")


@st.composite
def marked_texts(draw):
    text = draw(st.text(max_size=60))
    places = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(places, places), max_size=8))
    return text, [highlight(min(pair), max(pair)) for pair in pairs]


@given(marked_texts())
def test_the_pieces_joined_are_the_text_and_a_highlight_is_covered_by_exactly_those_inside_it(given_one):
    text, highlights = given_one
    pieces = marked(text, highlights)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)
    for one in highlights:
        own = [piece for piece in pieces if any(each is one for each in piece.inside)]
        assert "".join(piece.text for piece in own) == text[one.start : one.end]
        assert sum(any(each is one for each in piece.begins) for piece in pieces) == (one.start < one.end)
        assert sum(any(each is one for each in piece.ends) for piece in pieces) == (one.start < one.end)


def test_overlapping_highlights_are_cut_at_every_boundary():
    long, late, short = highlight(0, 4), highlight(2, 6, "fact"), highlight(2, 4)
    pieces = marked("abcdef", [long, late, short])
    assert [(piece.text, piece.inside) for piece in pieces] == [
        ("ab", (long,)),
        ("cd", (long, late, short)),
        ("ef", (late,)),
    ]
    assert [piece.tone for piece in pieces] == ["quote", "both", "fact"]
    assert pieces[1].nearest is short


def test_a_text_without_highlights_is_one_piece():
    assert [(piece.text, piece.inside) for piece in marked("whole", [])] == [("whole", ())]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, 6)])
def test_a_highlight_outside_the_text_is_refused(start, end):
    with pytest.raises(ValueError, match="not inside a text of 5 characters"):
        marked("whole", [highlight(start, end)])
