"""The benches: their modules, and their commands."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module")
def folder():
    return BENCH


@pytest.fixture(scope="module")
def bench():
    """Imports a module of the benches."""
    before = list(sys.path)
    sys.path[:0] = [str(BENCH), str(BENCH / "peers")]
    yield importlib.import_module
    sys.path[:] = before


@pytest.fixture
def call(bench, capsys, monkeypatch):
    """Calls a command of the benches in this process: what it prints."""

    def call_one(module, *args):
        monkeypatch.setattr(sys, "argv", [f"{module}.py", *map(str, args)])
        bench(module).main()
        return capsys.readouterr().out

    return call_one


@pytest.fixture(scope="module")
def run():
    """Runs a command of the benches in a process of its own."""

    def run_one(script, *args, status=0):
        command = [sys.executable, str(BENCH / script), *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    return run_one
