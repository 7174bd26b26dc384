"""JSONL and JSON arrays: an object a row, and a line that is none costs itself alone."""

import json

import pytest

from adjudge.errors import InputError
from adjudge.inputs.rows import BadRow

CASE = {"task": "t", "a": "x", "b": "y"}


def lines(*parts):
    return b"\n".join(part if isinstance(part, bytes) else json.dumps(part).encode() for part in parts)


def test_a_line_is_a_case_and_blank_lines_are_passed_over(opened):
    rows = opened.rows("pairs.jsonl", lines(CASE, b"", b"  \r", CASE | {"id": 7}))
    assert [row.place.rpartition(", ")[2] for row in rows] == ["line 1", "line 4"]
    assert [row.case_id for row in rows] == ["1", "7"]


def test_ndjson_is_another_name_of_it(opened):
    assert opened.only("pairs.ndjson", [CASE]).case.task == "t"


def test_a_bad_row_keeps_its_own_id_where_it_can_be_read(opened):
    (row,) = [row for row in opened.rows("p.jsonl", [CASE | {"id": "x1", "b": " "}, CASE]) if isinstance(row, BadRow)]
    assert row.case_id == "x1"


def test_bad_lines_before_the_first_good_one_do_not_hide_the_columns(opened):
    rows = opened("pairs.jsonl", lines(b"{", b"{", CASE))
    assert rows.mapping == {"task": "task", "a": "a", "b": "b"}
    assert [isinstance(row, BadRow) for row in rows] == [True, True, False]


def test_an_answer_that_lost_its_quotes_is_taken_as_it_was_written(opened):
    row = opened.only("pairs.jsonl", [CASE | {"a": 42, "b": True}])
    assert (row.case.a, row.case.b) == ("42", "true")


def test_what_is_nested_stands_beside_the_case_as_compact_json(opened):
    more = {"n": 1, "f": 0.5, "t": True, "none": None, "s": "x", "list": ["A", {"k": 1}]}
    row = opened.only("pairs.jsonl", [CASE | more])
    assert row.extra == more | {"list": '["A",{"k":1}]'}


def test_an_array_is_read_item_by_item_with_lines(opened):
    text = json.dumps([CASE | {"id": "1", "task": 'brackets ]},{[ and \\" quotes "\\'}, CASE | {"id": "2"}], indent=2)
    rows = opened.rows("pairs.json", "\n" + text)
    assert [row.place.rpartition(", ")[2] for row in rows] == ["line 3", "line 9"]
    assert rows[0].case.task == 'brackets ]},{[ and \\" quotes "\\'


def test_one_object_is_one_case(opened):
    assert opened.only("case.json", json.dumps(CASE, indent=1)).case.b == "y"


def test_an_item_that_is_no_object_is_a_bad_row(opened):
    rows = opened.rows(
        "pairs.json",
        b'[{"task":"t","a":"x","b":"y"}, 3, {"task":1,"task":2}, [{}], {"x":NaN}, {"task":"t","a":"x","b":"y"}]',
    )
    assert [isinstance(row, BadRow) for row in rows] == [False, True, True, True, True, False]


@pytest.mark.parametrize("rows_before", [1, 2_000])
def test_an_array_that_stops_being_json_is_refused_whole_with_the_place(opened, rows_before):
    """Where the next row begins is then a guess, and a row that is passed over in silence is lost."""
    case = json.dumps(CASE)
    with pytest.raises(InputError) as refused:
        opened.rows("pairs.json", "[" + f"{case},\n" * rows_before + f'{{"task" "t"}},\n{case}]')
    assert str(refused.value).startswith(
        f"{opened.folder}/pairs.json, line {rows_before + 1}: not JSON: Expecting ':' delimiter at column 9; "
        "the whole file is refused"
    )


@pytest.mark.parametrize("text", [f"[{json.dumps(CASE)},\n{json.dumps(CASE)}]", f"[\n{json.dumps(CASE)}\n]"])
def test_an_array_in_a_jsonl_file_is_refused_with_the_remedy(opened, text):
    assert opened.refused("pairs.jsonl", text) == (
        "pairs.jsonl, line 1: a JSON array, but one object per line is expected; "
        "rename the file to .json, or say --input-format json"
    )


def test_utf_16_is_refused_with_the_remedy(opened):
    said = opened.refused("pairs.jsonl", json.dumps(CASE).encode("utf-16"))
    assert said == "pairs.jsonl: looks like UTF-16; convert it to UTF-8: iconv -f UTF-16 -t UTF-8 OLD > NEW"


def test_numbers_beside_a_case_are_numbers_whatever_their_size(opened):
    row = opened.only(
        "pairs.jsonl", json.dumps(CASE)[:-1].encode() + b', "n": 1e2, "big": 99999999999999999999, "m": [0.5]}'
    )
    assert row.extra == {"n": 100, "big": "99999999999999999999", "m": "[0.5]"}


def test_an_array_longer_than_a_chunk_loses_nothing(opened):
    cases = [CASE | {"id": str(number), "a": 'x"\\ü' * number} for number in range(1, 600)]
    rows = opened.rows("pairs.json", json.dumps(cases, ensure_ascii=False))
    assert [(row.case_id, row.case.a) for row in rows] == [(case["id"], case["a"]) for case in cases]


def test_a_line_that_is_far_too_long_is_passed_over(opened, monkeypatch):
    from adjudge.inputs.rows import records

    monkeypatch.setattr(records, "MAX_LINE_BYTES", 100)
    rows = opened.rows("pairs.jsonl", lines(CASE, CASE | {"x": "y" * 500}, CASE))
    assert [isinstance(row, BadRow) for row in rows] == [False, True, False]
    assert rows[2].place.endswith("line 3")
