"""A changed answer says what it said before, and only the drawn one is changed."""

from adjudge.inputs.rows import BadRow, Row
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.probes import changed, draw_rows, probe_rows
from adjudge.text.words import count_words

PROSE = "Boil the egg for eight minutes. Then cool it under water, so that it peels well."
CASE = Comparison("How do I boil an egg?", PROSE, "Eggs are done when they are done.", "At home.", {"correctness": 2})


def rows(count):
    return [Row(f"line {n}", f"case {n}", Comparison(f"Task {n}", PROSE, PROSE), "A", ("x", "y")) for n in range(count)]


def test_padding_adds_words_behind_the_answer_and_changes_nothing_else():
    made = changed(CASE, "padding", "A")
    assert made.a.startswith(PROSE)
    assert 40 <= count_words(made.a) - count_words(PROSE) < 70
    assert made.updated(a=CASE.a) == CASE


def test_the_padding_of_a_long_answer_is_longer():
    long = CASE.updated(a=PROSE * 10)
    assert count_words(changed(long, "padding", "A").a) > count_words(long.a) + 70


def test_a_list_has_an_item_for_every_sentence():
    assert changed(CASE, "lists", "A").a == (
        "- Boil the egg for eight minutes.\n- Then cool it under water, so that it peels well."
    )


def test_bold_marks_the_first_words_of_every_sentence_of_the_answer_that_was_drawn():
    made = changed(CASE.updated(b=PROSE), "bold", "B")
    assert made.b == "**Boil the egg** for eight minutes. **Then cool it** under water, so that it peels well."
    assert made.a == PROSE


def test_an_answer_that_a_probe_would_not_change_fairly_is_left_out():
    for probe, text in (
        ("lists", "One sentence is no list."),
        ("lists", "- A list.\n- It is one already."),
        ("bold", "**Bold** words stand here already."),
        ("bold", "Two words."),
        (
            "padding",
            "Das Ei muss acht Minuten lang kochen. Danach wird es abgeschreckt, damit es sich schälen lässt. " * 2,
        ),
        ("padding", "```\nprint(1)\n```"),
    ):
        assert changed(CASE.updated(a=text), probe, "A") is None


def test_both_sides_are_drawn_and_every_probe_changes_the_same_answer_of_a_case():
    original, padded, bold = (probe_rows(rows(40), name, 7) for name in ("original", "padding", "bold"))
    sides = [row.extra["probe_answer"] for row in original]
    assert 10 <= sides.count("A") <= 30
    for made in (padded, bold):
        assert [row.extra for row in made] == [row.extra for row in original]
        for row, side in zip(made, sides, strict=True):
            assert (row.case.a == PROSE) is (side == "B")
    # Who wrote an answer and what people said is nothing that a run needs again.
    assert {(row.label, row.systems) for row in original} == {(None, None)}


def test_rows_are_drawn_from_the_whole_input_in_its_order_and_bad_ones_are_not():
    given = [*rows(50), BadRow("line 50", "bad", "empty")]
    drawn = draw_rows(iter(given), 10, 3)
    places = [given.index(row) for row in drawn]
    assert places == sorted(places)
    assert max(places) > 25 > min(places)
    assert draw_rows(iter(given), 10, 3) == drawn
    assert len(draw_rows(given, 100, 3)) == 50
