"""Rows of a protocol that only says the usual names of its columns."""

from typing import ClassVar

import pytest

from adjudge.errors import InputError
from adjudge.inputs.rows.columns import Columns, by_names
from adjudge.models.cases import Case, OptionalText, Text
from adjudge.protocols.reading import BadRow, Record
from adjudge.protocols.rubrics import shipped


class OneText(Case, kw_only=False):
    protocol: ClassVar[str] = "toy"
    text: Text
    context: OptionalText = ""


CHOOSE = by_names(
    {"text": (("text", "answer"), ("output",)), "context": (("context",),)},
    ("text",),
    lambda values, _: OneText(**values),
)


def test_columns_are_found_by_their_usual_names_and_the_rest_is_kept():
    rows = [{"Output": "It rains.", "id": "r1", "human": "yes", "place": "here"}, {"Output": " ", "id": "r2"}]
    reader = CHOOSE(Columns("rows", rows, {}), shipped("compare"))
    assert reader.mapping == {"text": "Output", "id": "id", "label": "human"}
    good, bad = (reader.read(Record(f"row {at}", at, row)) for at, row in enumerate(rows, 1))
    assert (good.case, good.case_id, good.label, good.extra) == (OneText("It rains."), "r1", "yes", {"place": "here"})
    assert isinstance(bad, BadRow)
    assert (bad.case_id, bad.message.partition(";")[0]) == ("r2", "Output: empty")


def test_a_missing_column_is_named_and_one_can_be_given():
    rows = [{"said": "It rains."}]
    with pytest.raises(InputError, match="no column for text; columns found: said; name it, such as --map text=said"):
        CHOOSE(Columns("rows", rows, {}), shipped("compare"))
    reader = CHOOSE(Columns("rows", rows, {"text": "said"}), shipped("compare"))
    assert reader.read(Record("row 1", 1, rows[0])).case == OneText("It rains.")
