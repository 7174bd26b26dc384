"""`adjudge user`, the roles of tokens, and where the service looks for both."""

from __future__ import annotations

import io
import sys

import pytest

from adjudge.cli import service
from adjudge.cli.main import main
from adjudge.server.audit import AuditLog
from adjudge.server.database import default_file, open_database
from adjudge.server.users import TokenStore, UserStore

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    monkeypatch.delenv("ADJUDGE_DB", raising=False)


@pytest.fixture
def piped(monkeypatch):
    def give(text):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))

    return give


def test_people_are_added_listed_changed_and_removed(tmp_path, piped, capsys):
    piped(PASSWORD + "\n")
    assert main(["user", "add", "ann", "--role", "admin", "--password-stdin"]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "adjudge: ann can sign in where the service is started with --auth\n")
    users = UserStore(open_database(tmp_path / "adjudge" / "service.db"))
    assert users.verified("ann", PASSWORD).role == "admin"
    assert main(["user", "list"]) == 0
    assert capsys.readouterr().out.startswith("ann: admin, since 20")
    assert main(["user", "role", "ann", "viewer"]) == 0
    assert users.named("ann").role == "viewer"
    piped("another long password\n")
    assert main(["user", "password", "ann", "--password-stdin"]) == 0
    assert users.verified("ann", "another long password") is not None
    assert main(["user", "remove", "ann"]) == 0
    assert users.listed() == []
    found = [(entry.person, entry.action, entry.subject) for entry in AuditLog(users.database).entries()]
    assert found == [
        ("command line", f"person.{action}", "ann") for action in ("added", "role", "password", "removed")
    ]  # fmt: skip
    users.database.close()


def test_a_terminal_is_asked_twice_and_shows_nothing(tmp_path, monkeypatch, capsys):
    asked = []

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def answers(*given):
        waiting = list(given)
        monkeypatch.setattr(service.getpass, "getpass", lambda prompt: asked.append(prompt) or waiting.pop(0))

    monkeypatch.setattr(sys, "stdin", Terminal())
    answers(PASSWORD, "something else")
    assert main(["user", "add", "ann"]) == 2
    assert "password: the two entries differ; nothing was changed" in capsys.readouterr().err
    answers(PASSWORD, PASSWORD)
    assert main(["user", "add", "ann", "--data", str(tmp_path / "own")]) == 0
    assert asked == ["Password of ann: ", "Again: "] * 2
    users = UserStore(open_database(tmp_path / "own" / "service.db"))
    assert users.verified("ann", PASSWORD).role == "viewer"
    users.database.close()


def test_a_token_has_a_role_which_is_reviewer_unless_said(tmp_path, capsys):
    assert main(["token", "add", "robot"]) == main(["token", "add", "eye", "--role", "viewer"]) == 0
    assert main(["token", "list"]) == 0
    eye, robot = capsys.readouterr().out.splitlines()[-2:]
    assert eye.startswith("eye: viewer, made ")
    assert robot.startswith("robot: reviewer, made ")
    with pytest.raises(SystemExit):
        main(["token", "add", "x", "--role", "king"])
    assert main(["token", "revoke", "eye"]) == 0
    log = AuditLog(open_database(tmp_path / "adjudge" / "service.db"))
    assert [entry.action for entry in log.entries("eye")] == ["token.added", "token.revoked"]
    log.database.close()


def test_a_service_with_another_place_is_not_left_open_by_tokens_that_stayed_behind(tmp_path, capsys):
    TokenStore(default_file()).add("ann")
    assert main(["serve", "--data", str(tmp_path / "own"), "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert "service.db has tokens, and" in said
    assert "has none: the service would be open to everyone; add a token there, or name the file with --tokens" in said
