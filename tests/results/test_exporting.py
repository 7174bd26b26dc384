"""Results in other people's formats: complete, safe, and whole or not at all."""

import csv
import io
import json
import re
from dataclasses import replace

import duckdb
import pytest
from reports.looking import Page
from reports.review_report_samples import every_sample
from results.building import write_run
from results.samples import HOSTILE, comparisons

from adjudge.engine import case_json
from adjudge.errors import InputError
from adjudge.models.base import to_json
from adjudge.reports import render
from adjudge.results import html
from adjudge.results.directory import Outcome, Run, open_run
from adjudge.results.exporting import write_csv, write_jsonl, write_markdown, write_parquet
from adjudge.results.pages import case_html, stored_verdict
from adjudge.results.selecting import select

PROTOCOLS = ("compare", "dialogue", "review")


def exported(write, folder, where=None):
    file = io.BytesIO()
    with select(folder, where) as selection:
        summary = write(selection, file)
    return file.getvalue().decode(), summary


def write_html(folder, index, where=None):
    with select(folder, where) as selection:
        return html.write_html(selection, index)


def parquet(folder, path, where=None):
    with select(folder, where) as selection:
        return write_parquet(selection, path)


def test_json_lines_keep_the_whole_verdict_byte_for_byte(runs):
    text, summary = exported(write_jsonl, runs["compare"])
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["case"] for line in lines][:2] == ["egg-0", "egg-1"] and len(lines) == 10
    assert (summary.finished, summary.unfinished) == (10, 1)
    kept = (runs["compare"] / "verdicts.jsonl").read_bytes().splitlines()[-1]
    verdict = kept[kept.index(b'"verdict":') + len(b'"verdict":') : -1]
    assert text.splitlines()[0].encode().endswith(b'"verdict":' + verdict + b"}")
    assert lines[8]["verdict"] is None and lines[8]["reason"] == "malformed"


def test_a_cell_of_a_csv_that_a_spreadsheet_would_compute_is_a_text_there(runs):
    text, _ = exported(write_csv, runs["compare"])
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[6]["case"] == "'=cmd|' /C calc'!A0"
    assert rows[6]["topic"] == "'-2+3"
    assert rows[1]["difference"] == "-6"  # a number stays a number
    assert rows[8]["winner"] == "" and rows[0]["decided"] == "false"
    for row in rows:
        assert not any(cell[:1] in tuple("=+@\t\r") for cell in row.values())


def test_a_csv_holds_no_character_that_a_terminal_obeys(tmp_path):
    controls = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
    odd = {"lines": "one\ttwo\r\nthree\rfour\n", "all": f"<{controls}>", "red": "\x1b[31mred\x9b0m"}
    given = replace(comparisons()[0], name="egg\x07", extra={**odd, "sum": "\0\u202e=1+1", "na\x1bme": "x"})
    text, _ = exported(write_csv, write_run(tmp_path / "run", [given]))
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", text)
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["case"], row["red"], row["sum"], row["name"]) == ("egg", "red", "'=1+1", "x")
    assert row["lines"] == odd["lines"]  # what divides words and lines stays as it was written


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_parquet_holds_the_same_rows_with_types(runs, protocol, tmp_path):
    parquet(runs[protocol], tmp_path / "results.parquet")
    text, _ = exported(write_jsonl, runs[protocol])
    lines = [json.loads(line) for line in text.splitlines()]
    rows = duckdb.sql(f"select * from '{tmp_path / 'results.parquet'}'")
    assert rows.columns == [name for name in lines[0] if name != "verdict"]
    cells = rows.fetchall()
    assert len(cells) == len(lines)
    assert [row[:3] for row in cells] == [(line["position"], line["case"], line["status"]) for line in lines]
    assert [path.name for path in tmp_path.iterdir()] == ["results.parquet"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_markdown_says_how_many_are_missing_and_marks_up_nothing(runs, protocol):
    text, _ = exported(write_markdown, runs[protocol])
    assert ("The run is not finished: 1 case has no outcome yet" in text) == (protocol == "compare")
    assert "<script" not in text and "javascript:" not in text and "\u202e" not in text
    head, *rows = text[text.index("## Cases") :].strip().splitlines()[2:]
    assert {row.count(" | ") for row in rows} == {head.count(" | ")}


def test_a_condition_chooses_rows_in_every_format(runs, tmp_path):
    where = 'winner = "tie"'
    assert [json.loads(line)["case"] for line in exported(write_jsonl, runs["compare"], where)[0].splitlines()] == [
        "twins"
    ]
    assert parquet(runs["compare"], tmp_path / "x.parquet", where).finished == 1
    assert write_html(runs["compare"], tmp_path / "x.html", where).pages == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_verdict_has_a_page_that_leads_back_and_no_element_of_a_stranger(runs, protocol, tmp_path):
    written = write_html(runs[protocol], tmp_path / "the report.html")
    assert written.broken == 0 and written.pages == written.summary.statuses["verdict"]
    page = Page(written.index.read_text("utf-8"))
    assert not {"script", "img", "iframe", "form"} & set(page.tags)
    links = [link for link in page.links if "cases/" in link]
    assert len(links) == written.pages
    for link in links:
        case = tmp_path / link.replace("%20", " ")
        inner = Page(case.read_text("utf-8"))
        assert "script" not in inner.tags and "img" not in inner.tags
        assert inner.links[0] == "../../../the%20report.html"
    assert "default-src 'none'" in written.index.read_text("utf-8")


def test_a_long_table_goes_on_over_pages_that_lead_to_each_other(runs, tmp_path, monkeypatch):
    monkeypatch.setattr(html, "ROWS", 4)
    monkeypatch.setattr(html, "MOST_PAGES", 5)
    written = write_html(runs["compare"], tmp_path / "report.html")
    second = Page((tmp_path / "report_files" / "page-2.html").read_text("utf-8"))
    assert {"../report.html", "page-3.html", "cases/000/000004.html"} <= set(second.links)
    assert (written.pages, written.without_page) == (5, 3)
    assert "3 cases of the table have no page" in Page(written.index.read_text("utf-8")).text


def test_a_report_replaces_only_a_report(runs, tmp_path):
    write_html(runs["dialogue"], tmp_path / "r.html")
    write_html(runs["dialogue"], tmp_path / "r.html", "case = '1'")
    assert len(list((tmp_path / "r_files" / "cases").rglob("*.html"))) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r_files"]
    (tmp_path / "mine_files").mkdir()
    (tmp_path / "mine_files" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="not a report of ours"):
        write_html(runs["dialogue"], tmp_path / "mine.html")
    assert (tmp_path / "mine_files" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_verdict_made_again_from_its_line_is_the_same_byte_for_byte(runs, protocol):
    run = open_run(runs[protocol])
    for outcome in run.outcomes():
        if outcome.status == "verdict":
            assert to_json(stored_verdict(run, outcome)).strip() == outcome.verdict_json
            assert HOSTILE not in case_html(run, outcome)


@pytest.mark.parametrize("name", list(every_sample()))
def test_the_page_of_a_reviewed_case_is_the_page_of_its_verdict(name, tmp_path):
    sample = every_sample()[name]
    given = {"position": 0, "case": "x", "input": case_json(sample.case)}
    run = Run(tmp_path, {}, "review", sample.rubric)
    verdict = stored_verdict(run, Outcome("verdict", given, {}, to_json(sample.verdict)))
    assert render(verdict, "html") == render(sample.verdict, "html")


def test_an_empty_run_exports_nothing_and_says_so(tmp_path):
    folder = write_run(tmp_path / "run", comparisons()[-1:])
    text, summary = exported(write_jsonl, folder)
    assert text == "" and summary.unfinished == 1
    assert "No case has an outcome yet" in write_html(folder, tmp_path / "r.html").index.read_text()
