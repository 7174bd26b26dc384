"""The file of tokens: what it holds, who may read it, and that others see its changes at once."""

from __future__ import annotations

import re
import stat
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from adjudge.cli.main import main
from adjudge.errors import InputError, SetupError
from adjudge.server.users import TokenStore


@pytest.fixture
def tokens(tmp_path: Path) -> TokenStore:
    return TokenStore(tmp_path / "folder" / "tokens.db")


def test_a_token_is_found_by_its_secret_and_by_nothing_else(tokens: TokenStore) -> None:
    secret, other = tokens.add("ann"), tokens.add("bob")
    assert secret != other
    assert len(secret) >= 43  # 256 bits
    found = tokens.find(secret)
    assert found is not None
    assert found.name == "ann"
    for wrong in ("", "ann", secret[:-1], secret + "x", secret.swapcase(), "é\udcff"):
        assert tokens.find(wrong) is None


def test_the_secret_is_not_in_the_file(tokens: TokenStore) -> None:
    secret = tokens.add("ann")
    tokens.close()
    written = b"".join(path.read_bytes() for path in tokens.database.path.parent.iterdir())
    assert b"ann" in written
    assert secret.encode() not in written
    assert secret.removeprefix("adj_").encode() not in written


@pytest.mark.skipif(sys.platform == "win32", reason="other permissions there")
def test_the_file_is_its_owners_and_no_link(tokens: TokenStore, tmp_path: Path) -> None:
    tokens.add("ann")
    for path in tokens.database.path.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    target = tmp_path / "target"
    (tmp_path / "link.db").symlink_to(target)
    with pytest.raises(SetupError, match=r"link\.db: cannot be read or written"):
        TokenStore(tmp_path / "link.db").add("ann")
    assert not target.exists()


def test_a_file_that_others_could_read_is_closed_to_them(tokens: TokenStore) -> None:
    tokens.add("ann")
    tokens.close()
    tokens.database.path.chmod(0o666)
    assert len(tokens.listed()) == 1
    assert stat.S_IMODE(tokens.database.path.stat().st_mode) == 0o600


def test_looking_makes_no_file(tokens: TokenStore) -> None:
    assert tokens.listed() == []
    assert tokens.find("anything") is None
    assert not tokens.database.path.exists()


def test_what_another_process_changes_is_seen_at_once(tokens: TokenStore) -> None:
    here = TokenStore(tokens.database.path)
    assert here.listed() == []
    secret = tokens.add("ann")
    assert here.find(secret) is not None
    tokens.revoke("ann")
    assert here.find(secret) is None
    again = tokens.add("ann")
    assert here.find(again) is not None
    tokens.close()
    for path in tokens.database.path.parent.iterdir():
        path.unlink()
    assert here.find(again) is None


def test_spending_is_exact_and_verdicts_have_owners(tokens: TokenStore) -> None:
    tokens.add("ann", budget=Decimal("0.3"))
    for _ in range(3):
        tokens.record("ann", Decimal("0.1"), "c1")
    tokens.record("ann", Decimal("0.000000000001"), None)
    assert TokenStore(tokens.database.path).listed()[0].spent == Decimal("0.300000000001")
    assert tokens.was_given("ann", "c1")
    assert not tokens.was_given("bob", "c1")
    assert not tokens.was_given("ann", "c2")


def test_bad_names_and_limits_are_refused(tokens: TokenStore) -> None:
    for name in ("", " ", "a b", "a\n", "-x", "ü", "x" * 65):
        with pytest.raises(InputError, match="NAME"):
            tokens.add(name)
    for budget in ("0", "-1", "NaN", "Infinity"):
        with pytest.raises(InputError, match="--budget"):
            tokens.add("ann", budget=Decimal(budget))
    for rate in (0, -1, 100_001):
        with pytest.raises(InputError, match="--rate"):
            tokens.add("ann", rate=rate)
    tokens.add("ann")
    with pytest.raises(InputError, match="there is already a token ann; revoke it first"):
        tokens.add("ann")
    with pytest.raises(InputError, match=r"no token 'eve'; one of: ann"):
        tokens.revoke("eve")


def test_a_file_that_holds_no_tokens_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("not a database, " * 100)
    with pytest.raises(SetupError, match=r"notes\.db: cannot be read or written: file is not a database"):
        TokenStore(tmp_path / "notes.db").listed()


def test_the_commands_add_list_and_revoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["token", "add", "ann", "--budget", "5", "--rate", "60"]) == 0
    said = capsys.readouterr()
    secret = said.out.strip()
    assert re.fullmatch(r"adj_[\w-]{43}", secret)
    assert "shown only this once" in said.err
    assert secret not in said.err
    if sys.platform.startswith("linux"):
        assert (tmp_path / "adjudge" / "service.db").exists()
    assert main(["token", "add", "bob"]) == 0
    capsys.readouterr()
    assert main(["token", "list"]) == 0
    ann, bob = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"ann: reviewer, made \d{4}-\d\d-\d\d, spent \$0, budget \$5, rate 60 a minute", ann)
    assert bob.endswith("budget no limit, rate no limit")
    assert main(["token", "revoke", "ann"]) == 0
    assert main(["token", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [bob]
    assert main(["token", "revoke", "ann"]) == 2
    assert "NAME: no token 'ann'; one of: bob" in capsys.readouterr().err
    assert main(["token", "add", "eve", "--budget", "much"]) == 2
    assert "--budget: 'much'; a number of dollars" in capsys.readouterr().err


def test_a_service_that_others_can_reach_needs_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    for host in ("0.0.0.0", "", "::", "192.0.2.1"):
        assert main(["serve", "--host", host, "--port", "0"]) == 2
        said = capsys.readouterr().err
        assert said == (
            f"adjudge: --host {host}: others can reach the service there, and it has no token; "
            "make one with `adjudge token add NAME`, or add people with `adjudge user add NAME` and give --auth, "
            "or leave --host out\n"
        )
    assert main(["serve", "--tokens", str(tmp_path / "typo.db")]) == 2
    assert "typo.db: file not found; `adjudge token add NAME` makes it" in capsys.readouterr().err
