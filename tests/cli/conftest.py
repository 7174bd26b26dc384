"""What the tests of the commands share: the command line, run in this process in a folder of its own, and runs."""

import io
import shutil
from typing import NamedTuple

import pytest
from cli.labelled import pairs
from results.building import write_run
from results.samples import comparisons, dialogues, reviews

from adjudge.cli.main import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def adjudge(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def run(*args, stdin="", **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
        capsysbinary.readouterr()
        try:
            code = main([str(arg) for arg in args])
        except SystemExit as ended:  # the parser of options ends so
            code = ended.code
        return Done(code, *(printed.decode() for printed in capsysbinary.readouterr()))

    return run


@pytest.fixture(scope="session")
def runs_to_label(tmp_path_factory):
    folder = tmp_path_factory.mktemp("label")
    return {
        "compare": write_run(folder / "compare", pairs(6)),
        "hostile": write_run(folder / "hostile", [row for row in comparisons() if row.name.startswith("=")]),
        "dialogue": write_run(folder / "dialogue", dialogues()[:2]),
        "review": write_run(folder / "review", reviews()[:2]),
    }


@pytest.fixture
def copied(runs_to_label, tmp_path):
    return lambda name: shutil.copytree(runs_to_label[name], tmp_path / name)
