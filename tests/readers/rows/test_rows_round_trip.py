"""What csv and orjson write is read back the same."""

import csv
import io

import orjson
from hypothesis import given
from hypothesis import strategies as st

from adjudge.readers.rows.delimited import read_delimited
from adjudge.readers.rows.jsonl import fast, read_array, read_lines
from adjudge.readers.rows.records import Record

# A NUL is refused, and csv's writer leaves a lone carriage return without quotes, which its reader takes for an end.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))
cells = st.one_of(texts, st.sampled_from(['"', '""', ",", ";", "\t", "\n", "\r\n", "'", '",\n"']))
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width).filter(lambda row: any(map(str.strip, row))))
)
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False), texts
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(texts, inner)),
    max_leaves=8,
)
objects = st.lists(st.dictionaries(texts, values))


def written(rows, delimiter, line_end):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
    writer.writerows(rows)
    return file.getvalue()


@given(tables, st.sampled_from([",", "\t", ";"]), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_tables(rows, delimiter, line_end, marked):
    header = [f"column {number}" for number in range(len(rows[0]) if rows else 1)]
    text = written([header, *rows], delimiter, line_end)
    stream = io.BytesIO((b"\xef\xbb\xbf" if marked else b"") + text.encode())
    read = list(read_delimited(stream, "f", delimiter))
    assert [list(record.values.values()) for record in read] == rows
    line = 2
    for record, row in zip(read, rows, strict=True):
        assert record.place == f"f, line {line}"
        line += written([row], delimiter, line_end).count("\n")


@given(objects, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_json_lines(rows, line_end, last_line_ends):
    raw = line_end.join(map(orjson.dumps, rows)) + (line_end if last_line_ends else b"")
    read = list(read_lines(io.BytesIO(raw), "f", fast))
    assert read == [Record(f"f, line {number}", number, row) for number, row in enumerate(rows, 1)]


@given(objects, st.sampled_from([0, orjson.OPT_INDENT_2]))
def test_json_arrays(rows, how):
    raw = orjson.dumps(rows, option=how)
    read = list(read_array(io.BytesIO(raw), "f", fast))
    assert [record.values for record in read] == rows
    lines = raw.split(b"\n")
    for record in read:
        assert lines[int(record.place.rpartition(" ")[2]) - 1].lstrip(b" [").startswith(b"{")


@given(st.binary())
def test_no_bytes_at_all_break_a_reader(raw):
    for rows in (
        read_delimited(io.BytesIO(b"task,a,b\n" + raw), "f", None),
        read_lines(io.BytesIO(raw), "f", fast),
        read_array(io.BytesIO(b"[" + raw), "f", fast),
    ):
        try:
            list(rows)
        except Exception as error:
            assert type(error).__name__ == "InputError", error
