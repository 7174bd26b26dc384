"""What is kept of the lexicons' patterns is what is read off them, and what is not kept is read off all the same."""

import pytest

from adjudge.facts.asking import literals
from adjudge.facts.asking.keeping import pieces_file


def test_the_file_holds_the_pieces_of_every_pattern_of_the_lexicons():
    assert literals.KEPT.read_text("utf-8") == pieces_file(), "run python -m adjudge.facts.asking.keeping"


@pytest.mark.parametrize(
    ("pattern", "pieces"), [("(?:cat|dog)s?", ("cat", "dog")), (r"\d+ words?", (" word",)), (r"\w", None)]
)
def test_another_pattern_is_read(pattern, pieces):
    assert literals.literals(pattern) == pieces
