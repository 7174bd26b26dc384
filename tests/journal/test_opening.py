"""A journal's address is shown without its password, also when it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.journal import default_place, masked, open_journal


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("postgresql://ann:secret@db.example/team", "postgresql://ann:***@db.example/team"),
        ("postgres://ann:secret@db.example:5433/team", "postgres://ann:***@db.example:5433/team"),
        ("postgresql://ann:sec@ret@db.example/team", "postgresql://ann:***@db.example/team"),
        ("postgresql://ann:sec/re?t@db.example/team", "postgresql://ann:***@db.example/team"),
        ("postgresql://ann@db.example/team", "postgresql://ann@db.example/team"),
        ("postgresql://ann:@/team?host=/run/pg", "postgresql://ann:@/team?host=/run/pg"),
        ("postgresql://db.example:5433/team", "postgresql://db.example:5433/team"),
        (
            "postgresql://db.example/team?user=ann&password=secret&sslmode=require",
            "postgresql://db.example/team?user=ann&password=***&sslmode=require",
        ),
        ("postgresql://h/d?sslpassword=secret", "postgresql://h/d?sslpassword=***"),
        ("mysql://ann:secret@db.example/team", "mysql://ann:***@db.example/team"),
        ("journal.db", "journal.db"),
        ("folder: with@colon/journal.db", "folder: with@colon/journal.db"),
        (Path("/data/journal.db"), "/data/journal.db"),
    ],
)
def test_an_address_is_shown_without_its_password(where: str | Path, shown: str) -> None:
    assert masked(where) == shown


@pytest.mark.parametrize("where", ["mysql://ann:secret@h/d", "postgresql+psycopg://ann:secret@h/d", "sqlite:///a.db"])
def test_an_address_of_another_kind_is_refused_and_makes_no_folder(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="a file, or postgresql://") as caught:
        open_journal(where)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "where",
    [
        "postgresql://ann:sec@ret@localhost/d",
        "postgresql://ann:sec/ret@localhost/d",
        "postgresql://ann:sec ret@localhost/d",
        "postgresql://ann:sec%ZZret@localhost/d",
        "postgresql://ann:secret@localhost/d?no_such_option=1",
        "postgresql://ann:secret@[::1/d",
        "postgresql://localhost/d?password=sec%ZZret",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_in_one_line_without_the_password(where: str) -> None:
    with pytest.raises(InputError) as caught:
        open_journal(where)
    said = str(caught.value)
    assert said.startswith("journal: postgresql://")
    assert "\n" not in said
    assert "sec" not in said
    assert "ret" not in said


def test_the_environment_may_name_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_JOURNAL", "postgresql://ann@db.example/team")
    assert default_place() == "postgresql://ann@db.example/team"
