import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.reports.highlighting import segments
from adjudge.text.evidence import Span


@st.composite
def texts_with_spans(draw):
    text = draw(st.text(max_size=60))
    places = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(places, places), max_size=8))
    return text, [Span(min(pair), max(pair)) for pair in pairs]


@given(texts_with_spans())
def test_the_segments_joined_are_the_text(given_one):
    text, spans = given_one
    pieces = segments(text, spans)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text == text[piece.start : piece.end] and piece.text for piece in pieces)


@given(texts_with_spans())
def test_a_span_is_covered_by_exactly_the_segments_inside_it(given_one):
    text, spans = given_one
    pieces = segments(text, spans)
    for index, span in enumerate(spans):
        own = [piece for piece in pieces if index in piece.inside]
        assert "".join(piece.text for piece in own) == text[span.start : span.end]
        assert own == [piece for piece in pieces if span.start <= piece.start and piece.end <= span.end]


def test_overlapping_spans_are_cut_at_every_boundary():
    pieces = segments("abcdef", [Span(0, 4), Span(2, 6), Span(2, 4)])
    assert [(piece.text, piece.inside) for piece in pieces] == [("ab", (0,)), ("cd", (0, 1, 2)), ("ef", (1,))]


def test_a_text_without_spans_is_one_segment():
    assert [(piece.text, piece.inside) for piece in segments("whole", [])] == [("whole", ())]


@pytest.mark.parametrize("span", [Span(-1, 2), Span(3, 2), Span(0, 6)])
def test_a_span_outside_the_text_is_refused(span):
    with pytest.raises(ValueError, match="not inside a text of 5 characters"):
        segments("whole", [span])
