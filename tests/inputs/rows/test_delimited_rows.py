"""CSV and TSV: lines are those of the file, and what is wrong with a row costs that row alone."""

import csv

import pytest

from adjudge.errors import InputError

HEADER = "id,task,a,b\n"


def places(rows):
    return [row.place.rpartition(", ")[2] for row in rows]


def test_a_row_is_a_case_at_its_line(opened):
    row = opened.only("pairs.csv", HEADER + "x,Boil an egg.,Eight minutes.,Ten.\n")
    assert (row.case_id, row.case.task, row.case.a, row.case.b) == ("x", "Boil an egg.", "Eight minutes.", "Ten.")
    assert row.place.endswith("pairs.csv, line 2")
    assert (row.label, row.systems, row.extra) == (None, None, {})


def test_line_breaks_in_quotes_count_as_lines_of_the_file(opened):
    rows = opened.rows("pairs.csv", HEADER + '1,"t\n\nu",a,b\n\n2,t,"a\nb",c\n3,t,a,b\n')
    assert places(rows) == ["line 2", "line 6", "line 8"]
    assert [row.case_id for row in rows] == ["1", "2", "3"]
    assert rows[0].case.task == "t\n\nu"


def test_a_byte_order_mark_and_crlf_leave_no_trace(opened):
    row = opened.only("pairs.csv", b"\xef\xbb\xbfid,task,a,b\r\n7,t,a,b\r\n")
    assert (row.case_id, row.case.b, row.extra) == ("7", "b", {})


def test_crlf_within_quotes_stays(opened):
    assert opened.only("pairs.csv", b'id,task,a,b\r\n7,"t\r\nu",a,b\r\n').case.task == "t\r\nu"


def test_semicolons_and_tabs_are_seen_in_the_header(opened):
    assert opened.only("pairs.csv", "task;a;b\nx, y;1, 2;3\n").case.a == "1, 2"
    assert opened.only("pairs.tsv", "task\ta\tb\nx, y\t1; 2\t3\n").case.a == "1; 2"


@pytest.mark.parametrize("rest", ["2,t,a,b\n" * 50, '2,"t","a","b"\n3,t,"x ""y"" z",b\n'])
def test_a_quote_that_is_not_closed_on_its_line_refuses_the_file_with_the_line(opened, rest):
    with pytest.raises(InputError, match=r"pairs\.csv, line 3: .*the whole file is refused"):
        opened.rows("pairs.csv", HEADER + '1,t,a,b\n2,t,"a,b\n' + rest)


def test_a_cell_may_be_as_long_as_a_text(opened):
    assert len(opened.only("pairs.csv", HEADER + f"1,t,{'x' * 1_000_000},b\n").case.a) == 1_000_000
    ((_, message),) = opened.bad("pairs.csv", HEADER + f"1,t,{'x' * 1_000_001},b\n2,t,a,b\n")
    assert "1,000,001 bytes" in message
    ((line, message),) = opened.bad("pairs.csv", HEADER + f"1,t,{'x' * 4_000_001},b\n2,t,a,b\n")
    assert line == "line 2"
    assert "field larger than field limit (4000000)" in message


def test_the_limit_of_others_for_cells_is_never_lowered(opened):
    before = csv.field_size_limit(50_000_000)
    try:
        opened.rows("pairs.csv", HEADER + "1,t,a,b\n")
        assert csv.field_size_limit() == 50_000_000
    finally:
        csv.field_size_limit(before)


def test_columns_of_one_name_are_numbered_beside_the_case(opened):
    row = opened.only("pairs.csv", "task,a,b,Score,Score\nt,x,y,1,2\n")
    assert row.extra == {"Score": "1", "Score (2)": "2"}


@pytest.mark.parametrize("name", ["x", "x{}"])
def test_a_thousand_columns_are_read_and_no_more(opened, name):
    header = ",".join(name.format(number) for number in range(997))
    row = opened.only("pairs.csv", f"task,a,b,{header}\nt,x,y{',' * 997}\n")
    assert len(row.extra) == 997
    told = opened.refused("pairs.csv", f"task,a,b,{header},more\nt,x,y{',' * 998}\n")
    assert told == "pairs.csv, line 1: 1,001 columns; at most 1,000 are allowed"


def test_a_number_that_a_column_has_already_is_not_given_twice(opened):
    row = opened.only("pairs.csv", "task,a,b,Score,Score (2),Score\nt,x,y,1,2,3\n")
    assert sorted(row.extra.values()) == ["1", "2", "3"]
