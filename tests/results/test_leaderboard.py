"""A leaderboard from a real run: counts, groups that never met, and what is said of them."""

from dataclasses import replace

import pytest
from results.building import Given, write_run
from results.samples import GOOD, LONG, SHORT, TASK, comparisons

from adjudge.errors import InputError
from adjudge.models.cases import Comparison
from adjudge.results.directory import open_run
from adjudge.results.documents import as_markdown, as_text
from adjudge.results.leaderboard import leaderboard_of
from adjudge.results.leaderboard_report import leaderboard_document, leaderboard_json


@pytest.fixture(scope="module")
def board(runs):
    return leaderboard_of(open_run(runs["compare"]))


def test_wins_ties_and_losses_are_counted(board):
    by_name = {standing.system: standing for standing in board.standings}
    assert (by_name["rook"].wins, by_name["rook"].ties, by_name["rook"].losses) == (4, 1, 0)
    assert (by_name["crow"].wins, by_name["crow"].ties, by_name["crow"].losses) == (0, 1, 4)
    assert sum(standing.wins for standing in board.standings) == sum(s.losses for s in board.standings)
    assert (board.games, board.undecided, board.without_verdict) == (8, 7, 1)


def test_who_beats_stands_above_and_every_interval_holds_its_strength(board):
    names = [standing.system for standing in board.standings]
    assert names.index("rook") < names.index("wren") < names.index("crow")
    for standing in board.standings:
        for strength in (standing.raw, standing.length_controlled):
            assert strength.low <= strength.points <= strength.high


def test_one_that_never_lost_is_named_and_finite(board):
    first = board.standings[0]
    assert first.bound == "never lost" and first.raw.points < 2000
    assert any("never lost" in note for note in leaderboard_json(board, "run")["notes"])


def test_systems_that_never_met_are_in_groups_of_their_own(tmp_path):
    rows = [
        Given("1", Comparison(TASK, GOOD, SHORT), None, ("wren", "crow")),
        Given("2", Comparison(TASK, SHORT, GOOD), None, ("rook", "wren")),
        Given("3", Comparison(TASK, LONG, SHORT), None, ("jay", "owl")),
    ]
    board = leaderboard_of(open_run(write_run(tmp_path / "run", rows)))
    groups = {standing.system: standing.group for standing in board.standings}
    assert groups["wren"] == groups["crow"] == groups["rook"] == 0
    assert groups["jay"] == groups["owl"] == 1
    told = leaderboard_json(board, "run")
    assert told["connected"] is False and "never met" in told["notes"][0]


def test_exchanging_a_and_b_in_a_run_leaves_the_board_as_it_is(tmp_path):
    rows = comparisons()[:6]
    swapped = [
        replace(row, case=Comparison(row.case.task, row.case.b, row.case.a), systems=row.systems[::-1]) for row in rows
    ]
    one = leaderboard_of(open_run(write_run(tmp_path / "one", rows)))
    other = leaderboard_of(open_run(write_run(tmp_path / "other", swapped)))
    for here, there in zip(one.standings, other.standings, strict=True):
        assert (here.system, here.wins, here.ties) == (there.system, there.wins, there.ties)
        assert here.raw.points == pytest.approx(there.raw.points, abs=1e-6)
        assert here.length_controlled.points == pytest.approx(there.length_controlled.points, abs=1e-6)


def test_the_report_is_safe_to_show(board):
    document = leaderboard_document(board, "run")
    assert "\u202e" not in as_text(document, colour=False, width=100)
    assert all(len(line) <= 100 for line in as_text(document, colour=False, width=100).splitlines())
    assert "<script" not in as_markdown(document)


def test_runs_without_systems_and_of_other_protocols_are_refused(runs, tmp_path):
    with pytest.raises(InputError, match="compare run"):
        leaderboard_of(open_run(runs["dialogue"]))
    alone = write_run(tmp_path / "run", [replace(comparisons()[0], systems=None)])
    with pytest.raises(InputError, match="named systems"):
        leaderboard_of(open_run(alone))
