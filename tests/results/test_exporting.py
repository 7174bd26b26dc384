"""Results in other programs' formats: complete, safe, and whole or not at all."""

import csv
import io
import json
import re
from dataclasses import replace

import duckdb
import pytest
from reports.review_report_samples import every_sample
from results.building import write_run
from results.samples import HOSTILE, comparisons

from adjudge.engine import case_json
from adjudge.models.base import to_json
from adjudge.protocols.base import protocol_of
from adjudge.reports import render
from adjudge.results.database import opened
from adjudge.results.exporting import write_csv, write_jsonl, write_parquet
from adjudge.results.run import Reader, Run, open_run

PROTOCOLS = ("compare", "dialogue", "grade", "review")


def exported(write, folder, where=None):
    file = io.BytesIO()
    with opened(open_run(folder), where) as database:
        write(database, file)
    return file.getvalue().decode()


def test_json_lines_keep_the_whole_verdict_byte_for_byte(runs):
    text = exported(write_jsonl, runs["compare"])
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["case"] for line in lines][:2] == ["egg-0", "egg-1"] and len(lines) == 10
    kept = (runs["compare"] / "verdicts.jsonl").read_bytes().splitlines()[-1]
    verdict = kept[kept.index(b'"verdict":') + len(b'"verdict":') : -1]
    assert text.splitlines()[0].encode().endswith(b'"verdict":' + verdict + b"}")
    assert lines[8]["verdict"] is None and lines[8]["reason"] == "malformed"


def test_a_cell_of_a_csv_that_a_spreadsheet_would_compute_is_a_text_there(runs):
    rows = list(csv.DictReader(io.StringIO(exported(write_csv, runs["compare"]), newline="")))
    assert rows[6]["case"] == "'=cmd|' /C calc'!A0"
    assert rows[6]["topic"] == "'-2+3"
    assert float(rows[1]["difference"]) < 0  # a number stays a number
    assert rows[8]["winner"] == "" and rows[0]["decided"] == "false"
    for row in rows:
        assert not any(cell[:1] in tuple("=+@\t\r") for cell in row.values())


def test_a_csv_holds_no_character_that_a_terminal_obeys(tmp_path):
    controls = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
    odd = {"lines": "one\ttwo\r\nthree\rfour\n", "all": f"<{controls}>", "red": "\x1b[31mred\x9b0m"}
    given = replace(comparisons()[0], name="egg\x07", extra={**odd, "sum": "\0\u202e=1+1", "na\x1bme": "x"})
    text = exported(write_csv, write_run(tmp_path / "run", [given]))
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", text)
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["case"], row["red"], row["sum"], row["name"]) == ("egg", "red", "'=1+1", "x")
    assert row["lines"] == odd["lines"]  # what divides words and lines stays as it was written


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_parquet_holds_the_same_rows_with_types(runs, protocol, tmp_path):
    with opened(open_run(runs[protocol])) as database:
        write_parquet(database, tmp_path / "results.parquet")
    lines = [json.loads(line) for line in exported(write_jsonl, runs[protocol]).splitlines()]
    rows = duckdb.sql(f"select * from '{tmp_path / 'results.parquet'}'")
    assert rows.columns == [name for name in lines[0] if name != "verdict"]
    cells = rows.fetchall()
    assert len(cells) == len(lines)
    assert [row[:3] for row in cells] == [(line["position"], line["case"], line["status"]) for line in lines]
    assert [path.name for path in tmp_path.iterdir()] == ["results.parquet"]


def test_a_condition_chooses_rows_in_every_format(runs, tmp_path):
    where = "winner = 'tie'"
    assert [json.loads(line)["case"] for line in exported(write_jsonl, runs["compare"], where).splitlines()] == [
        "twins"
    ]
    with opened(open_run(runs["compare"]), where) as database:
        write_parquet(database, tmp_path / "x.parquet")
    assert duckdb.sql(f"select count(*) from '{tmp_path / 'x.parquet'}'").fetchall() == [(1,)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_verdict_made_again_from_its_line_is_the_same_byte_for_byte(runs, protocol):
    run = open_run(runs[protocol])
    with opened(run) as database, Reader(run) as reader:
        for row in database.rows():
            if row["status"] == "verdict":
                verdict = reader.verdict(row["position"])
                assert to_json(verdict).strip() == reader.verdict_json(row["position"])
                assert HOSTILE not in render(verdict, "html")


@pytest.mark.parametrize("name", list(every_sample()))
def test_the_page_of_a_reviewed_case_is_the_page_of_its_verdict(name, tmp_path):
    sample = every_sample()[name]
    case = {"position": 0, "case": "x", "input": case_json(sample.case)}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case, separators=(",", ":")) + "\n")
    verdict = to_json(sample.verdict).strip()
    (tmp_path / "verdicts.jsonl").write_bytes(b'{"position":0,"verdict":' + verdict + b"}\n")
    with Reader(Run(tmp_path, {}, protocol_of("review"), sample.rubric)) as reader:
        assert render(reader.verdict(0), "html") == render(sample.verdict, "html")


def test_a_run_without_outcomes_exports_nothing(tmp_path):
    folder = write_run(tmp_path / "run", comparisons()[-1:])
    assert exported(write_jsonl, folder) == ""
    with opened(open_run(folder)) as database:
        assert (database.counts().finished, database.counts().unfinished) == (0, 1)
