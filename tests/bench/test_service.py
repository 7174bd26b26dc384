"""The benches of the service and of faults: they hold in short, and what they count is counted rightly."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def bench(monkeypatch):
    """Imports a module of the benches."""
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module


def run(script, *args):
    command = [sys.executable, str(BENCH / script), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_grows_in_ten_seconds_of_everything_at_once():
    done = run("soak.py", "--minutes", 0.17)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "services restarted" in done.stdout
    assert done.stdout.endswith("nothing grew\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_hundred_clients_at_once_are_all_answered():
    done = run("service_load.py", "--part", "load", "--clients", 200, "--seconds", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    titles, *rows = done.stdout.splitlines()[1:]
    columns = re.split(r"\s{2,}", titles.strip())
    found = {row[:22].strip(): dict(zip(columns, row[22:].split(), strict=True)) for row in rows}
    assert list(found) == ["bare FastAPI echo", "embedded judge", "LLM, two calls each"]
    for name, row in found.items():
        assert row["errors"] == "0", name
        figures = {column: float(figure.replace(",", "")) for column, figure in row.items()}
        assert figures["requests/s"] > 0 and 0 < figures["p50"] <= figures["p95"] <= figures["p99"], name


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    "fault",
    ["Postgres restarted", "torn journal", "journal locked", "never answers", "endless body", "SIGKILL of the service"],
)
def test_a_fault_that_is_caused_for_real_loses_nothing(fault):
    done = run("faults.py", "--cases", 12, "--only", fault)
    assert done.returncode == 0, done.stdout + done.stderr
    table = done.stdout.splitlines()
    assert table[1].startswith(fault)


def test_growth_beyond_noise_is_said_and_noise_is_not(bench, capsys):
    soak = bench("soak")
    flat = {"memory, MB": 80.0, "open handles": 25.0, "threads": 9.0, "disk a row, bytes": 9000.0}
    flat["write-ahead log, MB"] = 4.0
    assert soak.told([flat] * 30) == []
    for name in flat:
        grown = [{**flat, name: flat[name] + step * (flat[name] + 10) / 2} for step in range(30)]
        (said,) = soak.told(grown)
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
