"""The service's database, in a file and on a Postgres server with the same answers; the file of tokens, and who may
read it."""

from __future__ import annotations

import re
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from threading import Barrier

import pytest
from server.people_samples import PASSWORD, QUICK, Clock

from adjudge.cli.main import main
from adjudge.errors import ConflictError, InputError, SetupError
from adjudge.server.audit import AuditLog
from adjudge.server.callers import SessionStore
from adjudge.server.database import open_database
from adjudge.server.users import MAX_ATTEMPTS, TokenStore, UserStore


@pytest.fixture(params=["file", "server"])
def place(request, tmp_path):
    return request.getfixturevalue("postgres").new_place() if request.param == "server" else tmp_path / "service.db"


@pytest.fixture
def database(place):
    opened = open_database(place)
    yield opened
    opened.close()


def test_tokens_people_sessions_and_the_log_are_seen_by_another_process(place, database):
    elsewhere = open_database(place)
    tokens, users, sessions = TokenStore(database), UserStore(database, hasher=QUICK), SessionStore(database)
    assert TokenStore(elsewhere).listed() == []
    secret = tokens.add("robot", budget=Decimal("0.3"), rate=7, role="viewer")
    for cost, verdict in (("0.000000000001", None), ("0.1", "c1"), ("0.1", "c1"), ("0.1", "c1")):
        tokens.record("robot", Decimal(cost), verdict)
    found = TokenStore(elsewhere).find(secret)
    assert (found.name, found.role, found.budget, found.rate) == ("robot", "viewer", Decimal("0.3"), 7)
    assert found.spent == Decimal("0.300000000001"), "to the last digit"
    given = [TokenStore(elsewhere).was_given(*each) for each in (("robot", "c1"), ("robot", "c2"), ("bob", "c1"))]
    assert given == [True, False, False]
    tokens.revoke("robot")
    assert TokenStore(elsewhere).find(secret) is None
    assert TokenStore(elsewhere).find(tokens.add("robot")) is not None
    users.add("ann", PASSWORD, "admin")
    assert UserStore(elsewhere).verified("ann", PASSWORD).role == "admin"
    assert UserStore(elsewhere).verified("ann", PASSWORD + "!") is None
    session = sessions.begin("user", "ann", "stamp")
    assert SessionStore(elsewhere).find(session.secret) == session
    UserStore(elsewhere).remove("ann")
    assert sessions.find(session.secret) is None
    for action in ("review.accepted", "review.fixed"):
        AuditLog(elsewhere).record("ann", action, "v1", reason="fine")
    entry, last = AuditLog(database).entries("v1")
    assert (entry.person, entry.action, entry.detail) == ("ann", "review.accepted", {"reason": "fine"})
    assert (last.action, AuditLog(database).newest(5, entry.number)) == ("review.fixed", [])
    assert AuditLog(database).known() == (["ann"], ["review.accepted", "review.fixed"])
    elsewhere.close()


def test_a_name_is_either_a_tokens_or_a_persons(database):
    tokens, users = TokenStore(database), UserStore(database, hasher=QUICK)
    tokens.add("robot")
    users.add("ann", PASSWORD)
    for work, said in (
        (lambda: tokens.add("ann"), "NAME: there is already a user ann; a token needs a name of its own"),
        (lambda: tokens.add("robot"), "there is already a token robot; revoke it first"),
        (lambda: users.add("robot", PASSWORD), "NAME: there is already a token robot; a person needs a name"),
        (lambda: tokens.revoke("eve"), "NAME: no token 'eve'; one of: robot"),
        (lambda: users.remove("eve"), r"NAME: no .* 'eve'; one of: "),
    ):
        with pytest.raises(InputError, match=said):
            work()


def test_many_wrong_passwords_at_once_do_not_pass_the_limit(place):
    opened = [open_database(place) for _ in range(4)]
    clock = Clock()
    opened[0].change("delete from adjudge_attempts")

    def attempt(at):
        return UserStore(opened[at % 4], clock).seconds_to_wait("ann", "10.0.0.1") == 0

    with ThreadPoolExecutor(8) as pool:
        allowed = sum(pool.map(attempt, range(40)))
    assert 0 < allowed <= MAX_ATTEMPTS
    for database in opened:
        database.close()


def test_the_last_admin_is_kept_only_when_asked_for(database):
    users = UserStore(database, hasher=QUICK)
    users.add("ann", PASSWORD, "admin")
    users.add("bob", PASSWORD, "reviewer")
    for change in (
        lambda: users.remove("ann", keep_admin=True),
        lambda: users.set_role("ann", "viewer", keep_admin=True),
    ):
        with pytest.raises(ConflictError, match="ann: is the only admin"):
            change()
    users.remove("bob", keep_admin=True)
    users.remove("ann")
    assert users.listed() == []


def at_the_same_moment(*works):
    """What each returns or raises; all begin together."""
    gate = Barrier(len(works))

    def begin(work):
        gate.wait()
        try:
            return work()
        except ConflictError as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begin, works))


def test_of_admins_who_remove_or_demote_each_other_at_the_same_moment_one_stays(place):
    opened = [open_database(place) for _ in range(3)]
    one, two, three = (UserStore(database, hasher=QUICK) for database in opened)
    for _ in range(8):
        for name in ("ann", "bob", "cas"):
            one.add(name, PASSWORD, "admin")
        done = at_the_same_moment(
            lambda: one.remove("ann", keep_admin=True),
            lambda: two.set_role("bob", "viewer", keep_admin=True),
            lambda: three.remove("cas", keep_admin=True),
        )
        assert [user.role for user in one.listed()].count("admin") == 1
        assert sum(isinstance(outcome, ConflictError) for outcome in done) == 1
        for user in one.listed():
            one.remove(user.name)
    for database in opened:
        database.close()


def test_an_entry_that_builds_on_others_is_added_only_if_none_is_newer(place):
    opened = [open_database(place) for _ in range(4)]
    logs = [AuditLog(database) for database in opened]
    assert logs[0].record("ann", "review.accepted", "other")
    for _ in range(8):
        known = logs[0].entries("v1")
        after = known[-1].number if known else 0
        added = at_the_same_moment(*(partial(log.record, "ann", "review.fixed", "v1", after=after) for log in logs))
        assert sum(added) == 1
        assert len(logs[0].entries("v1")) == len(known) + 1
    for database in opened:
        database.close()


def test_what_the_pages_ask_of_the_log_is_found_without_reading_all_of_it(database):
    log = AuditLog(database)
    assert (log.known(), log.latest(["review.fixed"], ["v0"])) == (([], []), {})
    for at in range(450):
        log.record(f"p{at % 3}", "review.fixed" if at % 2 else "review.seen", f"v{at}")
    assert log.known() == (["p0", "p1", "p2"], ["review.fixed", "review.seen"])
    fixed = [f"v{at}" for at in range(1, 450, 2)]
    asked = [f"v{at}" for at in range(2000)]
    assert log.latest(["review.fixed", "review.rejected"], asked).keys() == {*fixed}
    log.record("p9", "review.rejected", "v1")
    log.record("p8", "review.seen", "v1")
    assert log.latest(["review.fixed", "review.rejected"], ["v0", "v1"])["v1"][:2] == ("review.rejected", "p9")
    if not database.remote:
        for asked in (
            "subject = 'v1' order by id",
            "subject in ('v1', 'v2')",
            "person = 'p1' order by id desc limit 9",
        ):
            plan = [step for *_, step in database.rows(f"explain query plan select * from adjudge_audit where {asked}")]
            assert plan[0].startswith("SEARCH adjudge_audit USING INDEX"), plan


def test_a_lost_connection_is_made_anew(postgres):
    database = open_database(postgres.new_place())
    TokenStore(database).add("ann")
    postgres.drop_connections()
    assert [token.name for token in TokenStore(database).listed()] == ["ann"]
    postgres.drop_connections()
    AuditLog(database).record("ann", "x", "y")
    assert len(AuditLog(database).entries()) == 1
    database.close()


def test_a_server_that_is_away_is_said_without_its_password():
    database = open_database("postgresql://ann:hush-hush@127.0.0.1:1/d?connect_timeout=2")
    with pytest.raises(SetupError) as refused:
        database.rows("select 1")
    assert str(refused.value).startswith("postgresql://ann:***@127.0.0.1:1/d")
    assert "the service's database cannot be opened" in str(refused.value)
    assert "hush" not in str(refused.value)


def test_a_query_does_not_wait_for_a_change_that_is_being_written(tmp_path):
    """The event loop asks who sent a request; a slow disk must not stop it."""
    database = open_database(tmp_path / "service.db")
    TokenStore(database).add("ann")
    begun, asked = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        return int(asked.wait(30))

    with database._locks[True]:
        database._opened(True).create_function("slow", 0, slow)
    changing = threading.Thread(target=database.change, args=("update adjudge_tokens set rate = 7 where slow() = 1",))
    changing.start()
    try:
        assert begun.wait(30)
        assert [token.rate for token in TokenStore(database).listed()] == [None]
        assert changing.is_alive()
    finally:
        asked.set()
        changing.join()
    assert [token.rate for token in TokenStore(database).listed()] == [7]
    database.close()


# -- the file of tokens -----------------------------------------------------------------------------------------------


@pytest.fixture
def tokens(tmp_path):
    return TokenStore(tmp_path / "folder" / "tokens.db")


def test_a_token_is_found_by_its_secret_and_by_nothing_else_and_the_secret_is_not_in_the_file(tokens):
    assert (tokens.listed(), tokens.find("anything")) == ([], None)
    assert not tokens.database.path.exists(), "looking makes no file"
    secret, other = tokens.add("ann"), tokens.add("bob")
    assert secret != other and len(secret) >= 43  # 256 bits
    assert tokens.find(secret).name == "ann"
    for wrong in ("", "ann", secret[:-1], secret + "x", secret.swapcase(), "é\udcff"):
        assert tokens.find(wrong) is None
    tokens.close()
    written = b"".join(path.read_bytes() for path in tokens.database.path.parent.iterdir())
    assert b"ann" in written and secret.removeprefix("adj_").encode() not in written
    for path in tokens.database.path.parent.iterdir():
        path.unlink()
    assert TokenStore(tokens.database.path).find(secret) is None


@pytest.mark.skipif(sys.platform == "win32", reason="other permissions there")
def test_the_file_is_its_owners_and_no_link(tokens, tmp_path):
    tokens.add("ann")
    for path in tokens.database.path.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    tokens.close()
    tokens.database.path.chmod(0o666)
    assert len(tokens.listed()) == 1
    assert stat.S_IMODE(tokens.database.path.stat().st_mode) == 0o600, "it is closed to others"
    target = tmp_path / "target"
    (tmp_path / "link.db").symlink_to(target)
    with pytest.raises(SetupError, match=r"link\.db: cannot be read or written"):
        TokenStore(tmp_path / "link.db").add("ann")
    assert not target.exists()
    (tmp_path / "notes.db").write_text("not a database, " * 100)
    with pytest.raises(SetupError, match=r"notes\.db: cannot be read or written: file is not a database"):
        TokenStore(tmp_path / "notes.db").listed()


def test_bad_names_and_limits_are_refused(tokens):
    bad = [("NAME", name, {}) for name in ("", " ", "a b", "a\n", "-x", "ü", "x" * 65)]
    bad += [("--budget", "ann", {"budget": Decimal(budget)}) for budget in ("0", "-1", "NaN", "Infinity")]
    bad += [("--rate", "ann", {"rate": rate}) for rate in (0, -1, 100_001)]
    for said, name, limits in bad:
        with pytest.raises(InputError, match=said):
            tokens.add(name, **limits)


def test_the_commands_add_list_and_revoke(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["token", "add", "ann", "--budget", "5", "--rate", "60"]) == 0
    said = capsys.readouterr()
    secret = said.out.strip()
    assert re.fullmatch(r"adj_[\w-]{43}", secret)
    assert "shown only this once" in said.err and secret not in said.err
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
    for asked, said in (
        (["revoke", "ann"], "NAME: no token 'ann'; one of: bob"),
        (["add", "eve", "--budget", "much"], "--budget: 'much'; a number of dollars"),
    ):
        assert main(["token", *asked]) == 2
        assert said in capsys.readouterr().err


def test_a_service_that_others_can_reach_needs_a_token(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    for host in ("0.0.0.0", "", "::", "192.0.2.1"):
        assert main(["serve", "--host", host, "--port", "0"]) == 2
        assert capsys.readouterr().err == (
            f"adjudge: --host {host}: others can reach the service there, and it has no token; "
            "make one with `adjudge token add NAME`, or add people with `adjudge user add NAME` and give --auth, "
            "or leave --host out\n"
        )
    assert main(["serve", "--tokens", str(tmp_path / "typo.db")]) == 2
    assert "typo.db: file not found; `adjudge token add NAME` makes it" in capsys.readouterr().err
