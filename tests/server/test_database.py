"""The service's database in a file and on a Postgres server: the same answers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from threading import Barrier

import pytest
from server.people_samples import PASSWORD, QUICK, Clock

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
    tokens.record("robot", Decimal("0.000000000001"), "c1")
    tokens.record("robot", Decimal("0.1"), "c1")
    found = TokenStore(elsewhere).find(secret)
    assert (found.name, found.role, found.budget, found.rate) == ("robot", "viewer", Decimal("0.3"), 7)
    assert found.spent == Decimal("0.100000000001")
    assert TokenStore(elsewhere).was_given("robot", "c1")
    assert not TokenStore(elsewhere).was_given("robot", "c2")
    users.add("ann", PASSWORD, "admin")
    assert UserStore(elsewhere).verified("ann", PASSWORD).role == "admin"
    assert UserStore(elsewhere).verified("ann", PASSWORD + "!") is None
    session = sessions.begin("user", "ann", "stamp")
    assert SessionStore(elsewhere).find(session.secret) == session
    UserStore(elsewhere).remove("ann")
    assert sessions.find(session.secret) is None
    AuditLog(elsewhere).record("ann", "review.accepted", "v1", reason="fine")
    (entry,) = AuditLog(database).entries("v1")
    assert (entry.person, entry.action, entry.detail) == ("ann", "review.accepted", {"reason": "fine"})
    assert AuditLog(database).newest(5, entry.number) == []
    assert AuditLog(database).known() == (["ann"], ["review.accepted"])
    elsewhere.close()


def test_a_name_is_either_a_tokens_or_a_persons(database):
    tokens, users = TokenStore(database), UserStore(database, hasher=QUICK)
    tokens.add("robot")
    users.add("ann", PASSWORD)
    with pytest.raises(InputError, match="NAME: there is already a user ann; a token needs a name of its own"):
        tokens.add("ann")
    with pytest.raises(InputError, match="NAME: there is already a token robot; a person needs a name"):
        users.add("robot", PASSWORD)
    for store in (tokens.revoke, users.remove):
        with pytest.raises(InputError, match=r"NAME: no .* 'eve'; one of: "):
            store("eve")


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
