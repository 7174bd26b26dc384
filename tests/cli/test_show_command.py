"""`adjudge show` as a person meets it."""

import json

import pytest
from results.building import write_run
from results.samples import comparisons


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("cli") / "spring", comparisons())


def test_ties_are_shown_by_the_condition_of_the_manual(adjudge, folder):
    code, out, err = adjudge("show", folder, "--where", "winner = 'tie'")
    assert code == 0 and err == "1 row matches\n"
    head, ruler, row = out.splitlines()
    assert head.split()[:3] == ["case", "status", "winner"] and set(ruler) == {"─"}
    assert row.split()[:3] == ["twins", "verdict", "tie"]


def test_the_first_rows_are_shown_without_a_condition(adjudge, folder):
    code, out, err = adjudge("show", folder, "--limit", 2, "--columns", "case,label")
    assert [line.split() for line in out.splitlines()[2:]] == [["egg-0", "A"], ["egg-1", "B"]]
    few = "The judge’s conduct: too few cases to tell (8 cases; 20 are needed).\n"
    assert code == 0 and err == f"{few}10 of 11 cases have an outcome, the first 2 shown\n"


def test_any_question_is_answered_as_a_table_or_as_objects(adjudge, folder):
    asked = "select winner, count(*) as n from results where winner is not null group by winner order by n desc"
    code, out, _ = adjudge("show", folder, "--sql", asked, "--format", "json")
    assert code == 0
    assert json.loads(out) == [{"winner": "A", "n": 4}, {"winner": "B", "n": 3}, {"winner": "tie", "n": 1}]
    assert adjudge("show", folder, "--sql", asked)[1].splitlines()[2].split() == ["A", "4"]


def test_a_run_that_fits_nothing_says_so(adjudge, folder):
    assert adjudge("show", folder, "--where", "1 = 2")[1] == "no rows\n"
    assert json.loads(adjudge("show", folder, "--where", "1 = 2", "--format", "json")[1]) == []


def test_decimals_keep_every_digit_in_json(adjudge, folder):
    asked = "select 12345678901234567.123456789::DECIMAL(38, 12) as cost, 2.50::DECIMAL(24, 12) as short"
    _, out, _ = adjudge("show", folder, "--sql", asked, "--format", "json")
    assert out == '[\n{"cost":12345678901234567.123456789,"short":2.5}\n]\n'


def test_one_case_is_shown_with_its_reasons(adjudge, folder):
    code, out, _ = adjudge("show", folder, "--case", "twins")
    assert code == 0 and out.startswith("It is a tie")


def test_a_case_without_a_verdict_says_why(adjudge, folder):
    code, out, err = adjudge("show", folder, "--case", "lost")
    assert (code, out) == (1, "") and "malformed: no JSON (pairs.jsonl, line 9)" in err
    assert "no outcome yet" in adjudge("show", folder, "--case", "late")[2]


def test_nothing_that_strangers_wrote_reaches_the_terminal_as_a_command(adjudge, folder):
    for arguments in (["--columns", "*"], ["--sql", "select * from results"], ["--format", "json"]):
        assert "\u202e" not in adjudge("show", folder, *arguments)[1]


def test_columns_are_listed_with_their_meaning(adjudge, folder):
    out = adjudge("show", folder, "--list-columns")[1]
    assert "difference" in out and "total_a − total_b" in out and "from the input" in out
