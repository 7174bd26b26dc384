"""`adjudge export` as a person meets it."""

import json

import pytest
from results.building import write_run
from results.samples import comparisons


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("cli") / "spring", [*comparisons()[:2], *comparisons()[7:]])


def test_lines_are_printed_and_what_is_missing_is_said(adjudge, folder):
    code, out, err = adjudge("export", folder, "--format", "jsonl")
    assert code == 0
    assert [json.loads(line)["case"] for line in out.splitlines()] == ["egg-0", "egg-1", "twins", "lost", "bad"]
    assert err == "adjudge: The run is not finished: 1 case has no outcome yet.\n"


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.md", "out.jsonl", "out.html"])
def test_the_suffix_says_the_format_and_the_file_is_replaced(adjudge, folder, tmp_path, name):
    (tmp_path / name).write_text("old")
    code, out, err = adjudge("export", folder, "-o", name)
    assert code == 0 and out == ""
    assert err.startswith(f"{name}: 3 verdicts, 1 failure, 1 skipped of 6 cases\n"), "named as the user did"
    assert (tmp_path / name).read_bytes() != b"old"


def test_a_folder_is_given_an_index(adjudge, folder, tmp_path):
    code, _, err = adjudge("export", folder, "--format", "html", "-o", "site")
    assert (code, err.partition(":")[0]) == (0, "site/index.html")
    assert (tmp_path / "site" / "index.html").is_file()
    assert (tmp_path / "site" / "index_files" / "cases" / "000" / "000000.html").is_file()


def test_without_a_path_a_report_lies_in_the_run(adjudge, folder):
    assert adjudge("export", folder, "--format", "html", "--where", "agrees")[0] == 0
    assert (folder / "report.html").is_file()
