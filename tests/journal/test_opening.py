"""A journal's address is shown without its password, also when it is wrong."""

from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.journal import default_place, masked, open_journal

SHOWN = [
    ("postgresql://ann:secret@db.example/team", "postgresql://ann:***@db.example/team"),
    ("postgres://ann:secret@db.example:5433/team", "postgres://ann:***@db.example:5433/team"),
    ("postgresql://ann:sec@ret@db.example/team", "postgresql://ann:***@db.example/team"),
    ("postgresql://ann:sec/re?t@db.example/team", "postgresql://ann:***@db.example/team"),
    ("postgresql://ann@db.example/team", "postgresql://ann@db.example/team"),
    ("postgresql://ann:@/team?host=/run/pg", "postgresql://ann:@/team?host=/run/pg"),
    ("postgresql://db.example:5433/team", "postgresql://db.example:5433/team"),
    ("postgresql://db.example/team?user=ann&password=secret&sslmode=require",
     "postgresql://db.example/team?user=ann&password=***&sslmode=require"),
    ("postgresql://h/d?sslpassword=secret", "postgresql://h/d?sslpassword=***"),
    ("mysql://ann:secret@db.example/team", "mysql://ann:***@db.example/team"),
    ("journal.db", "journal.db"),
    ("folder: with@colon/journal.db", "folder: with@colon/journal.db"),
    (Path("/data/journal.db"), "/data/journal.db"),
]  # fmt: skip


def test_an_address_is_shown_without_its_password():
    for where, shown in SHOWN:
        assert masked(where) == shown


@pytest.mark.parametrize("where", ["mysql://ann:secret@h/d", "postgresql+psycopg://ann:secret@h/d", "sqlite:///a.db"])
def test_an_address_of_another_kind_is_refused_and_makes_no_folder(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="a file, or postgresql://") as caught:
        open_journal(where)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


UNREADABLE = [
    "ann:sec@ret@localhost/d", "ann:sec/ret@localhost/d", "ann:sec ret@localhost/d", "ann:sec%ZZret@localhost/d",
    "ann:secret@localhost/d?no_such_option=1", "ann:secret@[::1/d", "localhost/d?password=sec%ZZret",
]  # fmt: skip


def test_an_address_that_cannot_be_read_is_refused_in_one_line_without_the_password():
    for where in UNREADABLE:
        with pytest.raises(InputError, match=r"^journal: postgresql://") as caught:
            open_journal(f"postgresql://{where}")
        assert not any(secret in str(caught.value) for secret in ("\n", "sec", "ret"))


def test_the_environment_may_name_a_server(monkeypatch):
    monkeypatch.setenv("ADJUDGE_JOURNAL", "postgresql://ann@db.example/team")
    assert default_place() == "postgresql://ann@db.example/team"
