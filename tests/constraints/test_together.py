"""SPEC 3: a miss is a fact only if every usual way of counting misses. What another demand requires may be left out."""

from quick import within

from adjudge.constraints.measuring import measure
from adjudge.constraints.together import measure_together
from adjudge.models.constraints import Constraint


def asked(kind, text="", bound="exactly", amount=None):
    return Constraint(kind=kind, source="prompt", quote="q", start=0, end=1, bound=bound, amount=amount, text=text)


CLOSING = asked("ends_with", "Any other questions?")
THREE = asked("paragraphs", amount=3)
CAPITALS = asked("casing", "upper")


TOGETHER = [
    # a closing sentence, a beginning or a keyword that another demand requires
    ([THREE, CLOSING], "One.\n\nTwo.\n\nThree.\n\nAny other questions?", None, True),
    ([THREE], "One.\n\nTwo.\n\nThree.\n\nAny other questions?", "minor", False),
    ([THREE, CLOSING], "One.\n\nTwo.\n\nThree.\n\nFour.\n\nAny other questions?", "minor", False),
    ([CAPITALS, CLOSING], "RIVERS RUN.\n\nAny other questions ?", None, True),
    ([CAPITALS, CLOSING], "Rivers RUN.\n\nAny other questions?", "minor", False),
    ([CAPITALS, asked("must_contain", "iPhone")], "MY iPhone RINGS.", None, True),
    ([CAPITALS, asked("begins_with", "Dear Ann")], "Dear Ann, RIVERS RUN.", None, True),
    ([asked("must_not_contain", ","), asked("ends_with", "Well, bye")], "It runs. Well, bye", None, True),
    ([asked("must_not_contain", ","), asked("ends_with", "Well, bye")], "It runs, too. Well, bye", "minor", False),
    ([asked("words", "", "at_most", 2), asked("ends_with", "再见。")], "Rivers run 再见。", None, True),
    ([asked("words", "", "at_most", 2), asked("must_contain", "river")], "A river runs.", "major", False),
    ([asked("occurrences", "river", "below", 2), asked("must_contain", "river")], "River, river.", "minor", False),
    # a keyword may be translated where a language in another script was asked for
    ([asked("must_contain", "river"), asked("language", "hi")], "नदी बहती है और समुद्र तक जाती है।", None, True),
    ([asked("must_contain", "river"), asked("language", "sw")], "Mto unatiririka hadi baharini.", "minor", False),
    ([asked("must_contain", "river")], "नदी बहती है और समुद्र तक जाती है।", "minor", False),
    # severity, too, is that of the kindest reading
    ([asked("words", "", "at_most", 10), asked("ends_with", "the end")], "a " * 11 + "the end", "minor", False),
    # a postscript
    ([THREE], "One.\n\nTwo.\n\nThree.\n\nP.S. Four.", None, True),
    ([THREE], "One.\n\nTwo.\n\nThree.\n\n**P.D.** Cuatro.", None, True),
    ([THREE], "One.\n\nTwo.\n\nThree.\n\nPost-scriptum\np.-s. Quatre.", None, True),
    ([THREE], "一つ。\n\n二つ。\n\n三つ。\n\n追伸 四つ。", None, True),
    ([THREE], "One.\n\nTwo.\n\nPsalms are three.\n\nFour.", "minor", False),
    ([CLOSING], "Rivers run. Any other questions?\n\nP.S. They do.", None, True),
    # line ends that are written out
    ([THREE], "One.\\n\\nTwo.\\n\\nThree.", None, True),
    ([asked("first_word", "Rivers", amount=1)], "\\n\\nRivers run.", None, True),
    # words to begin with that mark the first section
    ([asked("begins_with", "Part 1"), asked("sections", "Part 1", amount=2)], "So:\nPart 1\nA\nPart 2", None, True),
    ([asked("begins_with", "Part 1")], "So:\nPart 1\nA.\nPart 2", "minor", False),
]  # fmt: skip


def test_what_is_met_without_a_part_that_may_not_count_is_a_hint():
    for demands, text, severity, in_part in TOGETHER:
        alone = measure(demands[0], text)
        measured = next(found for one, found in measure_together(demands, text) if one is demands[0])
        assert (measured.severity, measured.in_part, measured.says) == (severity, in_part, alone.says), text


PIECES = ["P.S. a\n", "p p ", "\\n", "* ", "***a ", "Any other ", "[a", "字", "# \n\n", "any, "]


def test_long_texts_are_read_quickly():
    for piece in PIECES:
        demands = [THREE, CAPITALS, CLOSING, asked("must_not_contain", "字"), asked("first_word", "Never", amount=2)]
        with within(5):
            list(measure_together(demands, (piece * 20_000)[:20_000] + " end"))


def test_any_line_end_is_read_as_one():
    """SPEC 3: counting is a range, whatever system a response was written on."""
    text = "Rivers run\ndown to the sea.\n\nLakes stay\nwhere they are.\n\nP.S. Rain\nfalls.\n\nClouds\nfly."
    for amount in (1, 3, 4, 9):
        demands = [asked("paragraphs", amount=amount)]
        usual = [*measure_together(demands, text)]
        for line_end in ("\r\n", "\r", "\u2028"):
            assert [*measure_together(demands, text.replace("\n", line_end))] == usual, (line_end, amount)


def test_a_line_separator_in_a_string_of_json_breaks_nothing():
    assert measure(asked("json"), '{"a": "x\u2028y"}\r\n').met
