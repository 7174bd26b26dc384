"""SQL as people type it, and a table that nothing can be reached from."""

import pytest

from adjudge.errors import InputError
from adjudge.results.columns import table_of
from adjudge.results.database import database_of
from adjudge.results.directory import open_run
from adjudge.results.sql import readable

COLUMNS = ["case", "winner", "label", "odd name"]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ('winner = "tie"', "winner = 'tie'"),
        ('winner = "it\'s"', "winner = 'it''s'"),
        ('"winner" = label', '"winner" = label'),
        ('"WINNER" in ("A", "B")', "\"WINNER\" in ('A', 'B')"),
        ('"odd name" like "x%"', "\"odd name\" like 'x%'"),
        ("""winner = '"tie"' -- "x" """, """winner = '"tie"' -- "x" """),
        ('select count(*) as "n" from results order by "n"', 'select count(*) as "n" from results order by "n"'),
        ('select count(*) "n" from results order by "n"', 'select count(*) "n" from results order by "n"'),
        ('select r."winner" from results as "r"', 'select r."winner" from results as "r"'),
        ("case = 'x' and case not in ('y')", "\"case\" = 'x' and \"case\" not in ('y')"),
        ("case when winner = 'A' then 1 end", "case when winner = 'A' then 1 end"),
        ("case winner when 'A' then 1 end", "case winner when 'A' then 1 end"),
        ("select case, winner from results order by case", 'select "case", winner from results order by "case"'),
        ('winner = "unclosed', 'winner = "unclosed'),
    ],
)
def test_a_quoted_word_that_is_no_column_is_a_text_and_case_is_a_column(typed, read):
    assert readable(typed, COLUMNS) == read


@pytest.fixture(scope="module")
def database(runs):
    run = open_run(runs["compare"])
    with database_of(run, table_of(run)) as opened:
        yield opened


def asked(database, question):
    return list(database.ask(question, "--sql")[1])


def test_the_example_of_the_manual_works(database):
    assert asked(database, 'select case from results where winner = "tie"') == [("twins",)]


def test_hostile_names_of_columns_are_names_and_no_more(database):
    names, rows = database.ask("select * from results limit 1", "--sql")
    assert names == list(database.table.names)
    assert len(list(rows)) == 1


@pytest.mark.parametrize(
    "attempt",
    [
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
    ],
)
def test_no_file_no_network_and_no_variable_is_within_reach(database, attempt):
    with pytest.raises(InputError):
        asked(database, attempt)


def test_an_error_says_what_is_wrong_and_which_columns_there_are(database):
    with pytest.raises(InputError, match=r'--where: .*"winer".*the columns of results are position, case, status'):
        database.positions('winer = "tie"')


def test_a_condition_cannot_grow_into_a_second_statement(database):
    with pytest.raises(InputError):
        database.positions("1 = 1); select 1 --")
