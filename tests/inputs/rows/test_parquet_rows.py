"""Parquet: typed columns, nested ones, and what is said without DuckDB."""

from pathlib import Path

import duckdb
import pytest

from adjudge.errors import InputError, TooLargeError
from adjudge.inputs.rows import open_rows
from adjudge.protocols.rubrics import shipped


def written(path: Path, query: str) -> str:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return str(path)


def test_columns_keep_their_types(tmp_path):
    path = written(
        tmp_path / "[draft] *.parquet",
        "SELECT 7 AS id, 'q' AS question, 'x' AS answer_a, 'y' AS answer_b, 'model_b' AS winner,"
        " 1.50::DECIMAL(4,2) AS d,"
        " TIMESTAMPTZ '2024-01-01 00:00:00+00' AS z, DATE '2024-01-02' AS day, [1, 2] AS list,"
        " {'k': DATE '2024-01-02'} AS nested,"
        " NULL::INT AS none, true AS yes, '\\xC3\\xA9'::BLOB AS raw, 'nan'::DOUBLE AS nan",
    )
    (row,) = open_rows(path, "compare", shipped("compare"))
    assert (row.case_id, row.case.task, row.case.a, row.label) == ("7", "q", "x", "B")
    assert row.place == f"{path}, row 1"
    assert row.extra["z"].startswith("202")
    assert {name: row.extra[name] for name in row.extra if name != "z"} == {
        "d": 1.5,
        "day": "2024-01-02",
        "list": "[1,2]",
        "nested": '{"k":"2024-01-02"}',
        "none": None,
        "yes": True,
        "raw": "é",
        "nan": "nan",
    }


def test_conversations_in_parquet(tmp_path):
    talk = "[{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': '%s'}]"
    path = written(tmp_path / "a.parquet", f"SELECT {talk % 'x'} AS conversation_a, {talk % 'y'} AS conversation_b")
    (row,) = open_rows(path, "compare", shipped("compare"))
    assert (row.case.task, row.case.a, row.case.b) == ("Hi", "x", "y")
    path = written(tmp_path / "d.parquet", f"SELECT {talk % 'x'} AS messages")
    (row,) = open_rows(path, "dialogue", shipped("dialogue"))
    assert [turn.text for turn in row.case.turns] == ["Hi", "x"]


def test_a_folder_that_looks_like_a_partition_is_no_column(tmp_path):
    (tmp_path / "context=none").mkdir()
    path = written(tmp_path / "context=none" / "p.parquet", "SELECT 't' AS task, 'x' AS a, 'y' AS b")
    (row,) = open_rows(path, "compare", shipped("compare"))
    assert (row.case.context, row.extra) == ("", {})


def test_rows_are_numbered_in_the_order_of_the_file(tmp_path):
    path = written(tmp_path / "p.parquet", "SELECT 't' AS task, 'x' || i AS a, 'y' AS b FROM range(300) r(i)")
    rows = list(open_rows(path, "compare", shipped("compare")))
    assert [row.case.a for row in rows] == [f"x{number}" for number in range(300)]
    assert rows[-1].case_id == "300"


def test_reviews_in_parquet(tmp_path):
    path = written(
        tmp_path / "r.parquet", "SELECT 'p' AS prompt, 'x' AS response1, 'y' AS response2, 3 AS likert, 'r' AS id"
    )
    (row,) = open_rows(path, "review", shipped("review"))
    assert (row.case.preference.rating, row.case_id) == ("3", "r")


def test_a_file_without_rows_is_refused(tmp_path):
    with pytest.raises(InputError, match="no case"):
        open_rows(written(tmp_path / "e.parquet", "SELECT 1 AS task LIMIT 0"), "compare", shipped("compare"))


def test_a_few_kilobytes_that_unpack_to_gigabytes_are_refused_before_they_fill_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.inputs.rows.records.MAX_UNPACKED_BYTES", 20_000_000)
    text = "repeat('a', 50000)"
    path = written(tmp_path / "bomb.parquet", f"SELECT 't' AS task, {text} AS a, {text} || 'b' AS b FROM range(500)")
    assert Path(path).stat().st_size < 50_000
    read = 0
    with pytest.raises(TooLargeError, match=r"unpack to more than 20,000,000; .* unpack it first"):
        for row in open_rows(path, "compare", shipped("compare")):
            read += len(row.case.a) + len(row.case.b)
    assert 10_000_000 < read <= 20_000_000


def test_a_row_that_unpacks_to_more_than_a_row_may_have_is_a_bad_row(tmp_path):
    path = written(
        tmp_path / "wide.parquet",
        "SELECT 't' AS task, 'x' AS a, repeat('b', 33000000 * (2 - i)) || 'b' AS b FROM range(1, 3) r(i)",
    )
    bad, good = open_rows(path, "compare", shipped("compare"))
    assert "a row of more than 32,000,000 bytes" in bad.message
    assert good.case.b == "b"
