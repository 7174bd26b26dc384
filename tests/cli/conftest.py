"""What the tests of the commands share: the command line, run in this process in a folder of its own."""

import io

import pytest

from adjudge.cli.main import main


@pytest.fixture
def adjudge(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def run(*args, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsysbinary.readouterr()
        code = main([str(arg) for arg in args])
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run
