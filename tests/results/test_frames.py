"""A run’s rows as data frames."""

import pytest
from results.samples import comparisons

import adjudge
from adjudge import extras


@pytest.fixture
def run(runs):
    return runs["compare"]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_the_rows_of_a_run_in_one_call(run, package):
    load = {"pandas": adjudge.to_pandas, "polars": adjudge.to_polars}[package]
    frame = load(run)
    assert {"case", "status", "winner", "cost"} <= set(frame.columns)
    assert len(frame) == sum(row.fate != "unfinished" for row in comparisons())
    some = load(str(run), where="winner = 'A'")
    assert 0 < len(some) < len(frame)
    assert set(some["winner"]) == {"A"}


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_without_the_package_the_error_has_the_command_that_installs_it(run, package, monkeypatch):
    found = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == package else found(name))
    load = {"pandas": adjudge.to_pandas, "polars": adjudge.to_polars}[package]
    with pytest.raises(
        adjudge.AdjudgeError, match=rf"to_{package} needs {package}; install it with: .* install {package}$"
    ):
        load(run)
