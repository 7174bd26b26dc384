"""A leaderboard from a run: counts, groups that never met, and what is not counted."""

from dataclasses import replace

import pytest
from results.building import Given, write_run
from results.samples import GOOD, LONG, SHORT, TASK, comparisons

from adjudge.cli.main import main
from adjudge.errors import InputError
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.leaderboard import leaderboard_of
from adjudge.results.database import opened
from adjudge.results.run import open_run


def board_of(folder):
    with opened(open_run(folder)) as database:
        return leaderboard_of(database)


def decided(rows):
    """The same rows by a judge that is always sure."""
    return [replace(row, cells={"decided": True}) if row.fate == "verdict" else row for row in rows]


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    return board_of(write_run(tmp_path_factory.mktemp("boards") / "run", decided(comparisons())))


def test_wins_ties_and_losses_are_counted(board):
    by_name = {standing.system: standing for standing in board.standings}
    assert (by_name["rook"].wins, by_name["rook"].ties, by_name["rook"].losses) == (4, 1, 0)
    assert (by_name["crow"].wins, by_name["crow"].ties, by_name["crow"].losses) == (0, 1, 4)
    assert sum(standing.wins for standing in board.standings) == sum(s.losses for s in board.standings)
    assert (board.games, board.undecided, board.without_verdict, board.without_systems) == (8, 0, 1, 1)


def test_a_comparison_that_is_not_decided_is_neither_a_win_nor_a_tie(tmp_path):
    rows = decided(comparisons()[:6])
    rows[0] = replace(rows[0], cells={"decided": False})
    found = board_of(write_run(tmp_path / "run", rows))
    assert (found.games, found.undecided) == (5, 1)
    assert sum(each.wins + each.ties / 2 for each in found.standings) == 5


def test_a_run_without_a_decided_comparison_has_no_leaderboard_and_says_why(tmp_path):
    rows = [replace(row, cells={"decided": False}) for row in comparisons()[:3]]
    said = r"no decided comparison .* the judge did not decide any of 3 comparisons"
    with (
        opened(open_run(write_run(tmp_path / "run", rows))) as database,
        pytest.raises(InputError, match=said),
    ):
        leaderboard_of(database)


def test_who_met_whom_is_counted_from_the_side_of_the_stronger(board):
    met = {(each.first, each.second): (each.wins, each.ties, each.losses) for each in board.meetings}
    assert met["rook", "crow"] == (2, 1, 0) and met["rook", "wren"] == (2, 0, 0)


def test_who_beats_stands_above_and_every_interval_holds_its_strength(board):
    names = [standing.system for standing in board.standings]
    assert names.index("rook") < names.index("wren") < names.index("crow")
    for standing in board.standings:
        for strength in (standing.raw, standing.length_controlled):
            assert strength.interval[0] <= strength.value <= strength.interval[1]
            assert strength.cases == standing.games


def test_one_that_never_lost_is_known_and_finite(board):
    assert board.standings[0].note == "never lost" and board.standings[0].raw.value < 2000


def test_systems_that_never_met_are_in_groups_of_their_own(tmp_path):
    rows = [
        Given("1", Comparison(TASK, GOOD, SHORT), None, ("wren", "crow")),
        Given("2", Comparison(TASK, SHORT, GOOD), None, ("rook", "wren")),
        Given("3", Comparison(TASK, LONG, SHORT), None, ("jay", "owl")),
    ]
    found = board_of(write_run(tmp_path / "run", decided(rows)))
    groups = {standing.system: standing.group for standing in found.standings}
    assert groups["wren"] == groups["crow"] == groups["rook"] == 0
    assert groups["jay"] == groups["owl"] == 1 and found.groups == 2


def test_exchanging_a_and_b_in_a_run_leaves_the_board_as_it_is(tmp_path):
    rows = comparisons()[:6]
    swapped = [
        replace(row, case=Comparison(row.case.task, row.case.b, row.case.a), systems=row.systems[::-1]) for row in rows
    ]
    one = board_of(write_run(tmp_path / "one", decided(rows)))
    other = board_of(write_run(tmp_path / "other", decided(swapped)))
    for here, there in zip(one.standings, other.standings, strict=True):
        assert (here.system, here.wins, here.ties) == (there.system, there.wins, there.ties)
        assert here.raw.value == pytest.approx(there.raw.value, abs=1e-6)
        assert here.length_controlled.value == pytest.approx(there.length_controlled.value, abs=1e-6)


def test_runs_without_systems_and_of_other_protocols_are_refused(runs, tmp_path, capsys):
    assert main(["leaderboard", str(runs["dialogue"])]) == 2
    assert "a dialogue run; a leaderboard needs a compare or grade run" in capsys.readouterr().err
    alone = write_run(tmp_path / "run", [replace(comparisons()[0], systems=None)])
    with opened(open_run(alone)) as database, pytest.raises(InputError, match="named systems"):
        leaderboard_of(database)
