"""Keys that come in files."""

import os
from unittest.mock import patch

import pytest

from adjudge.cli.main import FOLDER, main, read_credentials
from adjudge.errors import SetupError
from adjudge.redaction import redact


@pytest.fixture
def folder(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.endswith("API_KEY")}
    with patch.dict(os.environ, {**kept, FOLDER: str(tmp_path)}, clear=True):
        yield tmp_path


def test_a_file_named_like_a_variable_for_a_key_becomes_that_variable_and_is_kept_out_of_messages(folder):
    (folder / "OPENAI_API_KEY").write_text("key-in-a-file-1\n")
    (folder / "PGPASSWORD").write_text("word-in-a-file-2")
    for name in ("ADJUDGE_JOURNAL", "ADJUDGE_DB"):
        (folder / name).write_text("postgresql://ann@host/d\n")
    read_credentials()
    assert os.environ["OPENAI_API_KEY"] == "key-in-a-file-1"
    assert os.environ["PGPASSWORD"] == "word-in-a-file-2"
    assert os.environ["ADJUDGE_JOURNAL"] == os.environ["ADJUDGE_DB"] == "postgresql://ann@host/d"
    assert redact("you sent key-in-a-file-1, word-in-a-file-2") == "you sent ***, ***"


def test_a_variable_that_is_set_stays_and_files_that_name_no_key_are_left_alone(folder):
    os.environ["OPENAI_API_KEY"] = "key-in-the-environment"
    (folder / "OPENAI_API_KEY").write_text("key-in-a-file")
    for name in ("PATH_TO", "LD_PRELOAD", "PYTHONPATH", "..data", "not-a-name_API_KEY"):
        (folder / name).write_text("x")
    (folder / "SOME_API_KEYS").mkdir()
    before = dict(os.environ)
    read_credentials()
    assert dict(os.environ) == before


def test_no_folder_or_one_that_is_not_there_is_no_error(folder):
    for value in ("", str(folder / "none")):
        os.environ[FOLDER] = value
        read_credentials()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"with\0nul"])
def test_a_file_that_is_no_text_is_refused_by_its_name(folder, content, capsys):
    (folder / "OPENAI_API_KEY").write_bytes(content)
    assert main(["judges"]) == 2
    assert capsys.readouterr().err == f"adjudge: {folder}/OPENAI_API_KEY: not text; a key or a password is needed\n"


def test_a_file_that_cannot_be_read_is_refused_by_its_name(folder):
    (folder / "OPENAI_API_KEY").mkdir()
    with pytest.raises(SetupError, match=r"OPENAI_API_KEY: is a folder, not a file; this user must be able to read it"):
        read_credentials()
