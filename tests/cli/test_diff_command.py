"""`adjudge diff` and `adjudge leaderboard` as a person meets them."""

import json
from dataclasses import replace

import pytest
from results.building import write_run
from results.samples import comparisons


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    sure = [replace(row, cells={"decided": True}) for row in comparisons()[1:8]]
    return write_run(folder / "monday", comparisons()), write_run(folder / "tuesday", sure)


def test_a_difference_is_told_in_words_in_markdown_and_as_data(adjudge, folders):
    code, out, err = adjudge("diff", *folders)
    assert (code, err) == (0, "")
    assert out.startswith("monday → tuesday\n7 cases in both runs, 7 with a verdict in both.")
    assert "Only in monday: 4 cases (egg-0, lost, bad, late)." in out
    assert "# monday → tuesday" in adjudge("diff", *folders, "--format", "markdown")[1]
    told = json.loads(adjudge("diff", *folders, "--format", "json")[1])
    assert told["only_in_first"] == ["egg-0", "lost", "bad", "late"] and told["undecided"] == [6, 0]


def test_data_go_into_a_file_as_they_are_printed(adjudge, folders, tmp_path):
    assert adjudge("diff", *folders, "--format", "json", "-o", tmp_path / "d.json")[:2] == (0, "")
    assert (tmp_path / "d.json").read_text() == adjudge("diff", *folders, "--format", "json")[1]


def test_a_leaderboard_is_told_in_words_in_markdown_and_as_data(adjudge, folders):
    code, out, err = adjudge("leaderboard", folders[1])
    assert (code, err) == (0, "")
    assert out.startswith("Leaderboard of tuesday") and "Length-controlled" in out
    assert "| # | System |" in adjudge("leaderboard", folders[1], "--format", "markdown")[1].replace("\\", "")
    told = json.loads(adjudge("leaderboard", folders[1], "--format", "json")[1])
    assert {system["system"] for system in told["systems"]} >= {"wren", "crow", "rook"}
