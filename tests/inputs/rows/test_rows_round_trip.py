"""What csv and orjson write is read back the same."""

import csv
import io
from decimal import Decimal
from unittest.mock import patch

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.inputs.delimited import read_table
from adjudge.inputs.json import json_items
from adjudge.inputs.rows.records import BadRow, Record, Source, read_records

# A NUL is refused, and csv's writer leaves a lone carriage return without quotes, which its reader takes for an end.
# What readers stumble over comes often, so that few examples find it.
hard = st.sampled_from(
    [*"\"',;\t\n\\]\x85\u2028\ufeffé😀", '""', "\r\n", '",\n"', '\\"', "},{"],
)
texts = st.one_of(hard, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12))
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(texts, min_size=width, max_size=width).filter(lambda row: any(map(str.strip, row))))
)
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False), texts
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(texts, inner)),
    max_leaves=4,
)
objects = st.lists(st.dictionaries(texts, values, max_size=4), max_size=4)


def written(rows, delimiter, line_end):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
    writer.writerows(rows)
    return file.getvalue()


one_file = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def plain(value):
    """A value with floats for exact decimals, which compare equal only by chance."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return float(value) if isinstance(value, Decimal) else value


@pytest.fixture
def read(tmp_path):
    def read_bytes(raw, chosen):
        path = tmp_path / "f"
        path.write_bytes(raw)
        return list(read_records(Source(str(path)), chosen))

    return read_bytes


def place(record):
    return int(record.place.rpartition(" ")[2])


@one_file
@given(tables, st.sampled_from([",", "\t", ";"]), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_tables(read, rows, delimiter, line_end, marked):
    header = [f"column {number}" for number in range(len(rows[0]) if rows else 1)]
    text = written([header, *rows], delimiter, line_end)
    raw = (b"\xef\xbb\xbf" if marked else b"") + text.encode()
    if delimiter == "\t" or len(header) > 1:
        found = read(raw, "tsv" if delimiter == "\t" else "csv")
        assert [list(record.values.values()) for record in found] == rows
        assert [place(record) for record in found] == lines_of(rows, delimiter, line_end)
    table = list(read_table(io.StringIO(text, newline="\n"), str, delimiter))
    assert [list(row.values.values()) for row in table] == rows


def lines_of(rows, delimiter, line_end):
    line, begins = 2, []
    for row in rows:
        begins.append(line)
        line += written([row], delimiter, line_end).count("\n")
    return begins


@one_file
@given(objects, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_json_lines(read, rows, line_end, last_line_ends):
    raw = line_end.join(map(orjson.dumps, rows)) + (line_end if last_line_ends else b"")
    found = read(raw, "jsonl")
    assert [plain(record.values) for record in found] == rows
    assert [place(record) for record in found] == list(range(1, len(rows) + 1))


@one_file
@given(objects, st.sampled_from([0, orjson.OPT_INDENT_2]))
def test_json_arrays(read, rows, how):
    raw = orjson.dumps(rows, option=how)
    found = read(raw, "json")
    assert [plain(record.values) for record in found] == rows
    lines = raw.split(b"\n")
    for record in found:
        assert lines[place(record) - 1].lstrip(b" [").startswith(b"{")


@settings(max_examples=40)
@given(st.lists(values, max_size=4), st.sampled_from([0, orjson.OPT_INDENT_2]), st.integers(1, 9))
def test_json_cut_into_pieces_is_the_same(rows, how, size):
    text = orjson.dumps(rows, option=how).decode()
    whole = list(json_items([text], str))
    with patch("adjudge.inputs.json._PIECE", size):  # so that pieces are not put together before they are read
        cut = list(json_items((text[at : at + size] for at in range(0, len(text), size)), str))
    assert cut == whole
    assert [plain(item.value) for item in whole] == rows


@one_file
@given(st.binary())
def test_no_bytes_at_all_break_a_reader(read, raw):
    for given_bytes, chosen in ((b"task,a,b\n" + raw, "csv"), (raw, "jsonl"), (b"[" + raw, "json")):
        try:
            assert all(isinstance(row, Record | BadRow) for row in read(given_bytes, chosen))
        except InputError as error:
            assert "\n" not in str(error)
