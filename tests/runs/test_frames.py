"""Messages between a parent and its workers."""

import os

from hypothesis import given
from hypothesis import strategies as st

from adjudge.runs import frames
from adjudge.runs.judging import Outcome

outcomes = st.builds(
    Outcome,
    position=st.integers(0, 10**9),
    status=st.sampled_from(["verdict", "failure", "left"]),
    answer=st.text(st.characters(exclude_categories=["Cs"])),
    label=st.none() | st.text(st.characters(exclude_categories=["Cs"])),
    calls=st.integers(0, 100),
    input_tokens=st.integers(0, 10**9),
    output_tokens=st.integers(0, 10**9),
    cost=st.none() | st.just("0.0123"),
    paid=st.none() | st.just("0.0123"),
    line=st.binary().map(lambda raw: raw.replace(b"\n", b"")),
)


@given(st.lists(outcomes, min_size=1, max_size=5))
def test_outcomes_arrive_as_they_were_sent(sent):
    assert frames.unpack_outcomes(frames.pack_outcomes(sent)) == sent


def test_a_frame_is_read_whole_and_a_cut_one_not_at_all():
    reading, writing = os.pipe()
    os.write(writing, frames.frame(frames.CASES, b"abc") + frames.frame(frames.FINISH) + frames.frame(11, b"cut")[:-1])
    os.close(writing)
    assert frames.read_frame(reading) == (frames.CASES, b"abc")
    assert frames.read_frame(reading) == (frames.FINISH, b"")
    assert frames.read_frame(reading) is None
    assert frames.read_frame(reading) is None
    os.close(reading)
