"""CSV and TSV: lines are those of the file, and what is wrong with a row costs that row alone."""

import csv

import pytest

from adjudge.errors import InputError

HEADER = "id,task,a,b\n"
REMEDY = "end lines with a line feed, and write a quote inside a quoted cell twice"


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


def test_too_many_or_too_few_cells_are_bad_rows(opened):
    content = HEADER + "1,t,a,b,c\n2,t,a\n3,t,a,b\n"
    assert opened.bad("pairs.csv", content) == [
        ("line 2", "5 cells, but the header has 4; put a text that contains the separator in quotes"),
        ("line 3", "3 cells, but the header has 4; put a text that contains the separator in quotes"),
    ]
    assert opened.rows("pairs.csv", content)[2].case_id == "3"


@pytest.mark.parametrize("rest", ["2,t,a,b\n" * 50, '2,"t","a","b"\n3,t,"x ""y"" z",b\n'])
def test_a_quote_that_is_not_closed_on_its_line_refuses_the_file_with_the_line(opened, rest):
    with pytest.raises(InputError, match=r"pairs\.csv, line 3: .*the whole file is refused"):
        opened.rows("pairs.csv", HEADER + '1,t,a,b\n2,t,"a,b\n' + rest)


def test_a_quote_that_is_never_closed_on_the_last_line_is_a_bad_row(opened):
    ((line, message),) = opened.bad("pairs.csv", HEADER + '1,t,a,b\n2,t,"a,b\n')
    assert (line, message) == ("line 3", f"cannot read the row: unexpected end of data; {REMEDY}")


def test_lines_that_end_with_a_carriage_return_alone_are_refused_with_the_remedy(opened):
    found = f"new-line character seen in unquoted field; {REMEDY}"
    assert opened.refused("mac.csv", "id,task,a,b\r1,t,a,b\r") == f"mac.csv, line 1: cannot read the header: {found}"
    assert opened.bad("pairs.csv", HEADER + "1,t\ru,a,b\n2,t,a,b\n") == [("line 2", f"cannot read the row: {found}")]


def test_a_quote_out_of_place_is_a_bad_row(opened):
    ((line, message),) = opened.bad("pairs.csv", HEADER + '1,t,"a"x,b\n2,t,a,b\n')
    assert line == "line 2"
    assert message.startswith("cannot read the row")


def test_bytes_that_are_no_utf_8_are_a_bad_row(opened):
    content = b"id,task,a,b\n1,t,caf\xe9,b\n2,t,caf\xc3\xa9,b\n"
    ((line, message),) = opened.bad("pairs.csv", content)
    assert line == "line 2"
    assert message.startswith("a: invalid UTF-8 (0xe9); UTF-8 text is needed: save it as UTF-8, or convert it")
    assert "iconv -f LATIN1" in message
    assert opened.rows("pairs.csv", content)[1].case.a == "café"


def test_a_nul_byte_is_a_bad_row(opened):
    content = b"id,task,a,b\n1,t,a\0,b\n2,t,\xc3\xa9\0,b\n3,t,a,b\n"
    assert opened.bad("pairs.csv", content) == [
        ("line 2", "a: a NUL byte; text is needed"),
        ("line 3", "a: a NUL byte; text is needed"),
    ]


def test_an_empty_answer_is_a_bad_row_in_the_words_of_the_file(opened):
    ((_, message),) = opened.bad("pairs.csv", "question,output_1,output_2\nq,,y\n")
    assert message == "output_1: empty; at least one character that is not white space is needed"


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


def test_a_header_that_cannot_be_read_is_refused(opened):
    assert "line 1: cannot read the header" in opened.refused("pairs.csv", 'id,"task"x,a,b\n1,t,a,b\n')
    assert "not UTF-8" in opened.refused("pairs.csv", b"id,t\xe9sk,a,b\n1,t,a,b\n")


def test_a_header_alone_holds_no_case(opened):
    assert opened.refused("pairs.csv", HEADER) == "pairs.csv: no case; at least one is needed"


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
