"""Two texts are identical if only Unicode form, line ends or trailing white space differ."""

from quick import within

from adjudge.text.identical import are_identical

PAIRS = [
    ("", "", True), ("One line.\nAnother.", "One line.\r\nAnother.", True),
    ("One line.\nAnother.", "One line.\rAnother.\n\n", True),
    ("One line.  \nAnother.\t", "One line.\nAnother.", True),
    ("Caf\u00e9 cr\u00e8me, " * 40, "Cafe\u0301 cre\u0300me, " * 40, True),
    ("\uac01" * 300, "\u1100\u1161\u11a8" * 300, True), ("One line.\n\nAnother.", "One line.\nAnother.", False),
    (" One line.", "One line.", False), ("One  line.", "One line.", False), ("One line.", "one line.", False),
    ("“One line.”", '"One line."', False), ("\ufb01ne", "fine", False), ("One line.", "", False),
]  # fmt: skip


def test_texts_are_identical_but_for_unicode_form_line_ends_and_trailing_white_space():
    for a, b, same in PAIRS:
        assert are_identical(a, b) is are_identical(b, a) is same, (a, b)


def test_a_long_run_of_combining_marks_takes_no_longer_than_letters():
    marks = "\u0301\u0323" * 50_000
    with within(2):
        assert not are_identical("a" + marks, "b" + marks)
