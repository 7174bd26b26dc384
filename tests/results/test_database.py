"""SQL is SQL, what is wrong with it is said, and nothing can be reached from the table."""

import shutil

import pytest
from results.building import Given, write_run

from adjudge.errors import InputError
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.results.database import opened
from adjudge.results.run import Reader, open_run


@pytest.fixture(scope="module")
def database(runs):
    with opened(open_run(runs["compare"])) as found:
        yield found


def asked(database, question):
    return list(database.ask(question, "--sql")[1])


def test_texts_stand_in_single_quotes_and_names_may_stand_in_double_ones(database):
    assert asked(database, """select "case" from results where "winner" = 'tie'""") == [("twins",)]
    assert asked(database, """select count(*) as "n" from results order by "n" """) == [(10,)]


def test_a_text_in_double_quotes_and_the_column_case_without_are_told_the_right_ones(database):
    with pytest.raises(InputError, match=r'--sql: .*column "tie" not found.*; put texts in single quotes'):
        asked(database, 'select count(*) from results where winner = "tie"')
    with pytest.raises(InputError, match=r'--sql: syntax error .*the column "case" in double quotes'):
        asked(database, "select case from results")


def test_hostile_names_of_columns_are_names_and_no_more(database):
    names, rows = database.ask("select * from results limit 1", "--sql")
    assert names == list(database.names)
    assert len(list(rows)) == 1


def test_no_file_no_network_and_no_variable_is_within_reach(database):
    for attempt in (
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/passwd')",
        "select * from glob('/*')",
        "select * from '/etc/passwd'",
        "select * from read_parquet('http://127.0.0.1:9/x')",
        "copy results to '/tmp/adjudge-escaped.csv'",
        "attach '/tmp/adjudge-escaped.db'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "pragma enable_external_access",
        "delete from results",
        "create table other as select 1",
        "select 1; drop table results",
        "select * from run",
        "select * from database",
    ):
        with pytest.raises(InputError):
            asked(database, attempt)


@pytest.mark.parametrize("condition", ["winer = 'tie'", "1 = 1); select 1 --", "position in (select 1; drop table x)"])
def test_a_condition_that_is_none_is_refused_with_the_columns_there_are(runs, condition):
    with (
        pytest.raises(InputError, match=r"--where: .*(the columns of results are position, case, status|SELECT)"),
        opened(open_run(runs["compare"]), condition),
    ):
        pass


def test_a_condition_chooses_rows_and_keeps_their_order(runs):
    with opened(open_run(runs["compare"]), "status = 'verdict' and position in (5, 2)") as database:
        assert [row["case"] for row in database.rows()] == ["egg-2", "egg-5"]
        assert database.counts().finished == 2


@pytest.mark.parametrize("protocol", ["compare", "dialogue"])
def test_thousands_of_cases_of_many_kilobytes_are_read(protocol, tmp_path):
    text = "Keep the first version small enough for two people. " * 150
    case = (
        Comparison("A task.", text, text)
        if protocol == "compare"
        else Dialogue(1, tuple(Turn(who, text, at) for at, who in enumerate(("USER", "SYSTEM"))))
    )
    run = write_run(tmp_path / "run", [Given("first", case, fate="unfinished")])
    (line,) = (run / "cases.jsonl").read_bytes().splitlines(keepends=True)
    with (run / "cases.jsonl").open("ab") as file:
        file.writelines(line.replace(b'"position":0', b'"position":%d' % at) for at in range(1, 2_100))
    with opened(open_run(run)) as database:
        assert database.query("select count(*), count(distinct content), min(opening) <> '' from cases") == [
            (2_100, 1, True)
        ]


def test_only_the_wanted_positions_have_results(runs):
    run = open_run(runs["compare"])
    wanted = "select position from cases where position in (select unnest($1::BIGINT[]))"
    with opened(run) as database:
        every = {row["position"]: row for row in database.rows()}
    with opened(run, only=(wanted, [1, 3, 999])) as database:
        assert list(database.rows()) == [every[1], every[3]]
        assert database.expected == run.planned


def test_a_reader_sees_what_was_written_since_another_read_the_same_file(runs, tmp_path):
    copied = shutil.copytree(runs["compare"], tmp_path / "copy")
    lines = (copied / "cases.jsonl").read_bytes().splitlines(keepends=True)
    (copied / "cases.jsonl").write_bytes(b"".join(lines[:2]))
    with Reader(open_run(copied)) as reader:
        assert reader.case(1)["position"] == 1 and reader.case(2) == {}
    (copied / "cases.jsonl").write_bytes(b"".join(lines))
    with Reader(open_run(copied)) as reader:
        assert reader.case(2)["position"] == 2
