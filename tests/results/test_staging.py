"""What DuckDB reads from a run's files is what Python makes of its outcomes, cell for cell."""

import io
import sys
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results.building import Given, write_lines, write_run
from results.samples import GOOD, SHORT, comparisons, dialogues, reviews

from adjudge.errors import InputError
from adjudge.models.cases import Comparison
from adjudge.results import exporting, staging
from adjudge.results.columns import minus, table_of
from adjudge.results.database import database_of
from adjudge.results.directory import open_run
from adjudge.results.exporting import write_csv, write_jsonl, write_markdown, write_parquet
from adjudge.results.selecting import select
from adjudge.results.sql import named
from adjudge.rubric import parse, shipped

LABELS = (" TIE ", "tie\u00a0", "b", "4", " 4.0", "4e0", "+80", "80", "1_0", "٤", "nan", "inf", ".5", "5.", "", "good")


def made_of(folder):
    """The rows as Python makes them, and as DuckDB does; 3 and 3.0 are not the same."""
    run = open_run(folder)
    table = table_of(run)
    with database_of(run, table) as database:
        read = list(database.cells(table.names))
    return [repr(table.row(outcome)) for outcome in run.outcomes()], list(map(repr, read))


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "review"])
def test_every_cell_is_the_same_in_every_protocol(runs, protocol):
    expected, found = made_of(runs[protocol])
    assert found == expected


@pytest.mark.parametrize(
    "rows", [comparisons()[:1], dialogues()[:1], reviews()[:1]], ids=["compare", "dialogue", "review"]
)
def test_a_label_agrees_in_the_same_cases(tmp_path, rows):
    expected, found = made_of(write_run(tmp_path / "run", [replace(rows[0], label=label) for label in LABELS]))
    assert found == expected


def test_what_the_input_brought_along_keeps_its_digits_and_its_kind(tmp_path):
    odd = [
        {"mixed": 3, "float": 1e-7, "Mood": 1, "mood": "glad", "a/b~c": "x", "": "none", "big": 2**64 - 1},
        {"mixed": "three", "float": 2, "text": 'quoted "\0" text\u2028', "flag": True, "verdict": "mine", "input": 1},
        {"mixed": 1e16, "float": -0.0, "flag": False, "mixed 2": None, "it's": "1"},
        {"mixed": True, "flag": None},
    ]
    case = Comparison("Say hello.", GOOD, SHORT)
    folder = write_run(tmp_path / "run", [Given(f"x{at}", case, extra=extra) for at, extra in enumerate(odd)])
    expected, found = made_of(folder)
    assert found == expected
    run = open_run(folder)
    with database_of(run, table_of(run)) as database:
        (told,) = zip(*database.ask("select mixed from results order by position", "--sql")[1], strict=True)
        assert told == ("3", "three", "1e+16", "true")
        assert list(database.ask('select float, big, "a/b~c" from results limit 1', "--sql")[1]) == [
            (1e-7, str(2**64 - 1), "x")
        ]


def test_the_first_verdict_and_the_last_failure_count_in_any_stretch(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "_STRETCH", 3)
    rows = [replace(row, fate="failure" if row.name == "egg-1" else row.fate) for row in comparisons()]
    folder = write_run(tmp_path / "run", rows)
    lines = (folder / "verdicts.jsonl").read_bytes().splitlines()
    again = [
        line.replace(b'"winner": "A"', b'"winner": "B"').replace(b'"winner":"A"', b'"winner":"B"') for line in lines
    ]
    write_lines(folder / "verdicts.jsonl", [*lines, *again])
    late = {"position": 0, "case": "egg-0", "reason": "timeout", "message": "late"}
    with (folder / "failures.jsonl").open("ab") as file:
        file.write(orjson.dumps(late) + b"\n")
    expected, found = made_of(folder)
    assert found == expected and len(found) == 10


@pytest.mark.parametrize("tail", [b"", b"not JSON\n", b"[]\n", b'{"position": "x"}\n', b'{"position": 7', b"\n\n"])
def test_half_a_line_and_what_is_no_line_of_a_run_are_passed_over(tmp_path, tail):
    folder = write_run(tmp_path / "run", comparisons()[:3])
    whole = (folder / "verdicts.jsonl").read_bytes()
    (folder / "verdicts.jsonl").write_bytes(whole + tail if tail else whole[:-40])
    expected, found = made_of(folder)
    assert found == expected and len(found) == (3 if tail else 2)


@pytest.mark.parametrize("name", ["verdicts.jsonl", "failures.jsonl", "cases.jsonl"])
@pytest.mark.parametrize("lines", [1, 3])
def test_a_last_line_without_its_end_is_not_there_yet(tmp_path, name, lines):
    fates = {"verdicts.jsonl": "verdict", "failures.jsonl": "failure", "cases.jsonl": "bad"}
    folder = write_run(tmp_path / "run", [replace(row, fate=fates[name]) for row in comparisons()[:lines]])
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1])
    expected, found = made_of(folder)
    # The samples tell a failure twice; what it said first stays.
    assert found == expected and len(found) == (lines if name == "failures.jsonl" else lines - 1)


def test_a_case_told_twice_keeps_the_line_that_has_its_end(tmp_path):
    folder = write_run(tmp_path / "run", [replace(row, fate="failure") for row in comparisons()[:2]])
    whole = (folder / "failures.jsonl").read_bytes()
    again = orjson.loads(whole.splitlines()[0]) | {"message": "again"}
    (folder / "failures.jsonl").write_bytes(whole + orjson.dumps(again))
    expected, found = made_of(folder)
    assert found == expected and len(found) == 2 and "again" not in found[0]


def test_a_line_longer_than_any_usual_one_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "_LONGEST", 2**12)
    expected, found = made_of(write_run(tmp_path / "run", comparisons()[:2]))
    assert found == expected and len(found) == 2


def test_only_the_columns_that_are_wanted_are_there(runs):
    run = open_run(runs["compare"])
    with database_of(run, table_of(run), ["winner"]) as database:
        assert database.ask("select * from results", "--sql")[0] == ["position", "status", "winner"]


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ('winner = "tie"', {"winner"}),
        ("WINNER = 'label' and \"Odd name\" > 1", {"winner", "odd name"}),
        ("case = 'x' -- label", {"case"}),
        ("1 = 1", set()),
        ("exists (select 1 from results r where r.label = 'x')", None),
        ("results::text like '%x%'", None),
        ("columns('lab.*') = 'x'", None),
    ],
)
def test_a_condition_names_the_columns_it_speaks_of(condition, columns):
    assert named(condition, ["case", "winner", "label", "odd name"]) == columns


@given(st.decimals(0, 10**7, places=6), st.decimals(0, 10**7, places=6))
def test_a_difference_is_exact_and_rounded_once(first, second):
    assert minus(float(first), float(second)) == float(first - second)


@pytest.mark.parametrize("write", [write_csv, write_jsonl, write_markdown])
@pytest.mark.parametrize("protocol", ["compare", "dialogue", "review"])
def test_without_duckdb_a_file_has_the_same_bytes(runs, protocol, write, monkeypatch):
    def written():
        file = io.BytesIO()
        with select(runs[protocol]) as selection:
            write(selection, file)
        return file.getvalue(), selection.database is None

    with_it = written()
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert written() == (with_it[0], True) and with_it[1] is False


def test_a_table_in_markdown_ends_and_says_so(runs, monkeypatch):
    monkeypatch.setattr(exporting, "MOST_ROWS", 4)
    file = io.BytesIO()
    with select(runs["compare"]) as selection:
        assert write_markdown(selection, file).finished == 10
    table = file.getvalue().decode().partition("## Cases\n")[2]
    assert "The first 4 of 10. --where chooses others; CSV and Parquet have all." in table
    assert len([line for line in table.splitlines() if line.startswith("|")]) == 2 + 4


def test_signs_in_a_folders_name_stand_for_themselves(tmp_path):
    write_run(tmp_path / "run1", comparisons()[1:2])
    expected, found = made_of(write_run(tmp_path / "case=7" / "position=9" / "run[1]*?", comparisons()[:1]))
    assert found == expected and len(found) == 1


def test_criteria_that_sql_cannot_tell_apart_are_exported_all_the_same_and_refused_in_sql(tmp_path):
    source = shipped("compare").source.replace("insight_originality", "Clarity_Structure")
    folder = write_run(tmp_path / "run", comparisons()[:1], rubric=parse(source, "own.yaml"))
    file = io.BytesIO()
    with select(folder) as selection:
        assert write_csv(selection, file).finished == 1
        with pytest.raises(InputError, match="names differ in upper and lower case only"):
            write_parquet(selection, tmp_path / "x.parquet")
    assert b"clarity_structure_a" in file.getvalue() and b"Clarity_Structure_a" in file.getvalue()
    with pytest.raises(InputError, match="names differ in upper and lower case only"), select(folder, "1 = 1"):
        pass
