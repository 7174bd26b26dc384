"""Many rows take no more memory than the first third: one that is kept would show, with its texts."""

import tracemalloc
from collections import deque
from pathlib import Path

import duckdb
import pytest

from adjudge.inputs.rows import open_rows
from adjudge.protocols.rubrics import shipped

ROWS, EARLY = 1_500, 500
TEXT = "a text of some length, as answers are; " * 4
ALLOWED = 4_000_000


def write_jsonl(path: Path, rows: int) -> None:
    with path.open("w") as file:
        file.writelines(
            f'{{"id": {n}, "task": "t{n}", "a": "{TEXT}{n}", "b": "{TEXT}", "human": "A"}}\n' for n in range(rows)
        )


def write_json(path: Path, rows: int) -> None:
    with path.open("w") as file:
        file.write("[")
        file.writelines(
            f'{{"id": {n}, "task": "t{n}", "a": "{TEXT}{n}", "b": "{TEXT}", "human": "A"}},\n' for n in range(rows - 1)
        )
        file.write(f'{{"id": {rows}, "task": "t", "a": "x", "b": "y"}}]')


def write_csv(path: Path, rows: int) -> None:
    with path.open("w") as file:
        file.write("id,task,a,b,human\n")
        file.writelines(f'{n},t{n},"{TEXT}\n{n}",{TEXT.replace(",", "")},A\n' for n in range(rows))


def write_parquet(path: Path, rows: int) -> None:
    with duckdb.connect() as connection:
        query = (
            f"SELECT i AS id, 't' || i AS task, '{TEXT}' || i AS a, '{TEXT}' AS b, 'A' AS human FROM range({rows}) r(i)"
        )
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 512)")


@pytest.mark.parametrize("write", [write_jsonl, write_csv, write_parquet, write_json])
def test_memory_does_not_grow_with_the_rows(tmp_path, write):
    path = tmp_path / f"pairs.{write.__name__.removeprefix('write_')}"
    write(path, ROWS)
    rubric = shipped("compare")
    tracemalloc.start()
    try:
        opened = iter(open_rows(str(path), "compare", rubric))
        for _ in range(EARLY):
            next(opened)
        early = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        (last,) = deque(opened, maxlen=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert last.case_id in (str(ROWS), str(ROWS - 1))
    assert peak < ALLOWED
    assert peak < early * 1.3 + 100_000
