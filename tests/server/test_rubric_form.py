"""The line breaks of a text in a field of the rubric editor."""

import pytest

from adjudge.server.pages.rubric_form import unwrapped


@pytest.mark.parametrize(
    "text",
    [
        "评分标准如下：第一，" + "回答完整" * 12 + "\n第二，" + "回答准确" * 12,
        f"```\nresult = compute_the_value({'x' * 40})\nprint(result)\n```",
        f"a) It names {'every step of the way, ' * 3}\nb) and what {'each step of the way is for, ' * 2}",
        f"One sentence on a line {'that is long enough ' * 3}here.\nAnother one of the same length.",
    ],
)
def test_breaks_that_mean_something_stay_in_a_field(text):
    assert unwrapped(text) == text
