"""Reviews in rows: read as the slots' reader reads them anywhere else, with columns renamed where asked."""

import csv
import io
import json

from adjudge.inputs.rows import BadRow
from adjudge.protocols.review.case import Original
from adjudge.protocols.review.reading import read_reviews
from adjudge.protocols.rubrics import shipped

SLOTS = {"prompt": "p", "response1": "x", "response2": "y"}
TAGGED = "<PROMPT>\np\n</PROMPT>\n<RESPONSE1>\nx\n</RESPONSE1>\n<RESPONSE2>\ny\n</RESPONSE2>\n"


def test_slots_and_single_ratings_are_columns(opened):
    given = SLOTS | {"review_id": "r1", "response1_localization": 3, "likert": 2, "team": "red"}
    rows = opened("r.jsonl", [given], "review")
    assert rows.mapping == {"prompt": "prompt", "response1": "response1", "response2": "response2", "id": "review_id"}
    (row,) = rows
    assert (row.case_id, row.case.review_id, row.label) == ("r1", "r1", None)
    assert row.case.ratings_a == {"localization": Original("3")}
    assert row.case.preference == Original("2")
    assert row.extra == {"team": "red"}


def test_a_table_is_read_as_the_slots_reader_reads_it(opened):
    file = io.StringIO(newline="")
    given = SLOTS | {"Response1 Localization": "2", "response1_localization_justification": "a\nb", "LIKERT": "5"}
    writer = csv.DictWriter(file, given)
    writer.writeheader()
    writer.writerow(given)
    (expected,) = read_reviews(file.getvalue().encode(), "r.csv", shipped("review"))
    assert opened.only("r.csv", file.getvalue(), "review").case == expected


def test_columns_can_be_named_and_well_known_ones_are_guessed(opened):
    given = [{"question": "p", "out": "x", "other": "y", "uid": 9}]
    row = opened.only("r.jsonl", given, "review", {"response1": "out", "response2": "other", "id": "uid"})
    assert (row.case.prompt, row.case.a, row.case.b, row.case_id) == ("p", "x", "y", "9")
    row = opened.only("r.jsonl", [{"instruction": "p", "output_1": "x", "output_2": "y"}], "review")
    assert (row.case.prompt, row.case.a, row.case.b, row.case_id) == ("p", "x", "y", "1")


def test_a_named_column_comes_before_the_slots_own(opened):
    row = opened.only("r.jsonl", [SLOTS | {"final_text": "z"}], "review", {"response2": "final_text"})
    assert (row.case.b, row.extra) == ("z", {"response2": "y"})


def test_tagged_slots_are_one_review(opened):
    row = opened.only("r.txt", TAGGED, "review")
    assert (row.case.prompt, row.case.a, row.case.b, row.case_id) == ("p", "x", "y", "1")


def test_an_array_of_reviews(opened):
    rows = opened.rows("r.json", json.dumps([SLOTS | {"id": 1}, {"prompt": []}, SLOTS | {"id": 3}], indent=1), "review")
    assert [row.case_id for row in rows] == ["1", "2", "3"]
    assert isinstance(rows[1], BadRow)


def test_a_row_may_lack_slots(opened):
    assert opened.only("r.jsonl", [{"prompt": "p"}], "review").case.a == ""
