import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.control_tokens import find_system_markers, real_end, without_end_markers

MARKERS = [
    "<turn_end>",
    "<end_of_turn>",
    "<|im_end|>",
    "</s>",
    "<eos>",
    "[/INST]",
    "<|eot_id|>",
    "<EOT>",
    "<｜end▁of▁sentence｜>",
]


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_at_the_end_is_certain_and_no_fault(marker: str) -> None:
    text = f"All done. {marker}\n"
    (spot,) = find_system_markers(text)
    assert text[spot.start : spot.end] == marker
    assert spot.certain and spot.severity is None
    assert without_end_markers(text) == "All done."
    assert real_end(text) == len("All done.")


def test_several_markers_come_in_their_order() -> None:
    text = "Done.</s> <|im_end|>"
    assert [text[spot.start : spot.end] for spot in find_system_markers(text)] == ["</s>", "<|im_end|>"]


@pytest.mark.parametrize("text", ["Done.", "See [1]", "<b>x</b>", "</s> starts it", "a > b", "", "  \n"])
def test_other_ends_are_left_as_they_are(text: str) -> None:
    assert find_system_markers(text) == []
    assert without_end_markers(text) == text


@given(st.text(max_size=100), st.lists(st.sampled_from([*MARKERS, " ", "\n"]), max_size=14))
def test_what_is_left_is_the_beginning_of_the_text(text: str, tail: list[str]) -> None:
    whole = text + "".join(tail)
    assert whole.startswith(without_end_markers(whole))
    assert whole[: real_end(whole)] == whole[: real_end(whole)].rstrip()
    for spot in find_system_markers(whole):
        assert 0 <= spot.start < spot.end <= len(whole)
