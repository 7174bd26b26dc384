"""The benches of the service and of faults: they hold in short, and what they count is counted rightly."""

import re
import sys

import pytest

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.mark.slow
@on_linux
def test_nothing_grows_in_ten_seconds_of_everything_at_once(run):
    said = run("soak.py", "--minutes", 0.17).stdout
    assert "services restarted" in said and said.endswith("nothing grew\n")


@pytest.mark.slow
@on_linux
def test_two_hundred_clients_at_once_are_all_answered(run):
    done = run("service_load.py", "--part", "load", "--clients", 200, "--seconds", 1)
    titles, *rows = done.stdout.splitlines()[1:]
    columns = re.split(r"\s{2,}", titles.strip())
    found = {row[:22].strip(): dict(zip(columns, row[22:].split(), strict=True)) for row in rows}
    assert list(found) == ["bare FastAPI echo", "embedded judge", "LLM, two calls each"]
    for name, row in found.items():
        assert row["errors"] == "0", name
        figures = {column: float(figure.replace(",", "")) for column, figure in row.items()}
        assert figures["requests/s"] > 0 and 0 < figures["p50"] <= figures["p95"] <= figures["p99"], name


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize(
    "fault",
    ["Postgres restarted", "torn journal", "journal locked", "never answers", "endless body", "SIGKILL of the service"],
)
def test_a_fault_that_is_caused_for_real_loses_nothing(run, fault):
    assert run("faults.py", "--cases", 12, "--only", fault).stdout.splitlines()[1].startswith(fault)


def test_growth_beyond_noise_is_said_and_noise_is_not(bench, capsys):
    soak = bench("soak")
    flat = {"memory, MB": 80.0, "open handles": 25.0, "threads": 9.0, "disk a row, bytes": 9000.0}
    flat["write-ahead log, MB"] = 4.0
    assert soak.growth([flat] * 30, 600.0) == []
    for name in flat:
        grown = [{**flat, name: flat[name] + step * (flat[name] + 10) / 2} for step in range(30)]
        (said,) = soak.growth(grown, 600.0)
        assert said.startswith(name)
    assert "first third" in capsys.readouterr().out


def test_a_lost_or_doubled_case_is_counted(bench, tmp_path):
    judged = bench("faults").Bench(tmp_path, 5)
    judged.directory.mkdir()
    lines = judged.directory / "verdicts.jsonl"
    for positions, lost in (([0, 1, 2, 3, 4], 0), ([0, 1, 3, 4], 1), ([0, 1, 2, 3, 4, 4], 1), ([0, 0, 0], 6)):
        lines.write_text("".join(f'{{"position": {position}}}\n' for position in positions))
        assert judged.lost() == lost


def test_shares_of_the_answers_are_times_within_which_they_came(bench):
    load = bench("service_load").Load(times=[number / 1000 for number in range(1, 101)])
    assert [load.part(share) for share in (0.5, 0.95, 0.99)] == [51, 96, 100]
