"""The journal on a server: lost connections, lost claims, wrong passwords, older and newer tables."""

import asyncio
import random
import sys
from urllib.parse import quote

import pytest
from postgres import GUARDED, PASSWORD

from adjudge.cli.main import main
from adjudge.errors import JournalError
from adjudge.extras import missing_extra
from adjudge.journal import Stored, masked, open_journal
from adjudge.journal.postgres_session import VERSION, Server

REPLY = Stored(b"{}", 1_700_000_000.125, 3, {"temperature": None})
KEY, OTHER_KEY = "0123456789abcdef" * 4, "fedcba9876543210" * 4


@pytest.fixture
def place(postgres):
    return postgres.new_place()


# -- connections ------------------------------------------------------------------------------------------------------


async def test_an_open_journal_gets_over_a_lost_connection(journal, postgres):
    async with journal.claim(KEY):
        await journal.put(KEY, REPLY)
    assert journal.get(KEY) == REPLY
    assert postgres.drop_connections() == 3, "one to read, one to write, one for claims"
    assert journal.get(KEY) == REPLY
    postgres.drop_connections()
    await journal.put_draft("d1", b"piece")
    postgres.drop_connections()
    async with asyncio.timeout(60), journal.claim(KEY) as stored:
        assert stored == REPLY
    assert journal.get_draft("d1") == [b"piece"]


async def test_a_journal_uses_no_more_connections_than_it_needs(place, postgres):
    journal = open_journal(place)
    await journal.put(KEY, REPLY)
    assert postgres.drop_connections() == 1
    journal.close()
    assert postgres.drop_connections() == 0


async def test_a_restart_of_the_server_is_waited_for(postgres):
    postgres.do("create database restarts")
    journal = open_journal(postgres.url.replace("/postgres?", "/restarts?"))
    async with journal.claim(KEY):
        await journal.put(KEY, REPLY)
    postgres.do("alter database restarts allow_connections false")
    postgres.drop_connections()

    async def ask():
        async with journal.claim(OTHER_KEY) as stored:
            assert stored is None
            await journal.put(OTHER_KEY, REPLY)

    asking, writing = asyncio.create_task(ask()), asyncio.create_task(journal.put_draft("d1", b"piece"))
    await asyncio.sleep(1.5)
    assert not asking.done()
    assert not writing.done()
    postgres.do("alter database restarts allow_connections true")
    async with asyncio.timeout(60):
        await asyncio.gather(asking, writing)
    assert (journal.get(OTHER_KEY), journal.get_draft("d1")) == (REPLY, [b"piece"])
    journal.close()


async def test_a_server_that_stays_away_is_an_error_and_its_return_is_noticed(postgres, monkeypatch):
    monkeypatch.setattr("adjudge.journal.postgres_session.PATIENCE", 0.3)
    postgres.do("create database away")
    journal = open_journal(postgres.url.replace("/postgres?", "/away?"))
    async with journal.claim(KEY):
        await journal.put(KEY, REPLY)
    postgres.do("alter database away allow_connections false")
    postgres.drop_connections()
    with pytest.raises(JournalError, match=r"not currently accepting connections; .*adjudge run --resume"):
        await journal.put(OTHER_KEY, REPLY)
    with pytest.raises(JournalError, match="not currently accepting connections"):
        journal.get(KEY)
    with pytest.raises(JournalError, match="not currently accepting connections"):
        async with asyncio.timeout(60):
            await journal.claim(OTHER_KEY).__aenter__()
    postgres.do("alter database away allow_connections true")
    async with asyncio.timeout(60), journal.claim(OTHER_KEY):
        await journal.put(OTHER_KEY, REPLY)
    assert journal.get(OTHER_KEY) == REPLY
    journal.close()


async def test_a_statement_that_fails_is_an_error_and_the_writer_goes_on(journal, place, postgres):
    postgres.do("drop table adjudge_replies", place)
    with pytest.raises(JournalError, match=r'"adjudge_replies" does not exist; a reply could not be stored'):
        await journal.put(KEY, REPLY)
    with pytest.raises(JournalError, match="does not exist"):
        journal.get(KEY)
    with pytest.raises(JournalError, match="does not exist"):
        await journal.claim(KEY).__aenter__()
    await journal.put_verdict("c1", b"", b"")
    assert journal.get_verdict("c1") == (b"", b"")


def test_a_servers_own_settings_do_not_weaken_the_journal(place):
    lax = quote(" -csynchronous_commit=off -cidle_session_timeout=5000 -cdefault_transaction_isolation=serializable")
    connection = Server(place + lax).connect()
    shown = "show synchronous_commit", "show idle_session_timeout", "show default_transaction_isolation"
    assert [connection.execute(one).fetchone() for one in shown] == [("on",), ("0",), ("read committed",)]
    connection.close()
    stricter = Server(place + quote(" -csynchronous_commit=remote_apply")).connect()
    assert stricter.execute("show synchronous_commit").fetchone() == ("remote_apply",)
    stricter.close()


# -- claims that are lost ---------------------------------------------------------------------------------------------


async def test_a_claim_that_was_lost_is_free_for_others(journal, other, postgres):
    async with journal.claim(KEY):
        postgres.drop_connections()
        async with asyncio.timeout(60), other.claim(KEY) as stored:
            assert stored is None


async def test_a_lost_claim_whose_own_reply_stays_did_no_harm(journal, postgres):
    async with journal.claim(KEY):
        postgres.drop_connections()
        await journal.put(KEY, REPLY)
    async with asyncio.timeout(60), journal.claim(KEY) as stored:
        assert stored == REPLY


async def test_a_lost_claim_that_others_made_use_of_is_an_error(journal, other, postgres):
    with pytest.raises(JournalError, match="another process made the same call"):
        async with journal.claim(KEY):
            postgres.drop_connections()
            async with other.claim(KEY):
                await other.put(KEY, REPLY)
            await journal.put(KEY, Stored(b"mine", 1.0))
    assert journal.get(KEY) == REPLY
    async with asyncio.timeout(60), journal.claim(KEY) as stored:
        assert stored == REPLY


async def test_a_lost_claim_does_not_take_the_next_holders_lock_away(journal, other, postgres):
    first = journal.claim(KEY)
    await first.__aenter__()
    postgres.drop_connections()
    async with other.claim(KEY):
        await first.__aexit__(None, None, None)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2), journal.claim(KEY):
                pass


async def test_claims_leave_no_locks_behind(journal, place, postgres):
    async def ask(number):
        key = f"{number:064x}"[::-1]
        async with journal.claim(key) as stored:
            if stored is None and number % 3:
                await journal.put(key, REPLY)

    tasks = [asyncio.create_task(ask(number % 100)) for number in range(300)]
    await asyncio.sleep(0.005)
    for task in tasks[::7]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with journal.claim(KEY):
        held = postgres.do("select count(*) from pg_locks where locktype = 'advisory'")
    assert held == [(1,)]


# -- opening ----------------------------------------------------------------------------------------------------------


def with_password(place, password):
    return place.replace("//postgres:@", f"//{GUARDED}:{quote(password, safe='')}@")


def test_a_password_lets_in_and_is_not_shown(place):
    journal = open_journal(with_password(place, PASSWORD))
    assert repr(journal).startswith(f"PostgresJournal('postgresql://{GUARDED}:***@/")
    journal.close()


def test_a_wrong_password_is_one_clear_line_without_it(place):
    with pytest.raises(JournalError) as caught:
        open_journal(with_password(place, "wr0ng&guess"))
    said = str(caught.value)
    assert f'password authentication failed for user "{GUARDED}"' in said
    assert "\n" not in said and "wr0ng" not in said
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_an_address_as_it_was_shown_opens_with_a_password_from_elsewhere(place, monkeypatch):
    shown = masked(with_password(place, PASSWORD))
    with pytest.raises(
        JournalError, match="the password in this address is masked: give the full address, or set PGPASSWORD"
    ):
        open_journal(shown)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    open_journal(shown).close()


def test_a_server_that_is_not_there_is_one_clear_line():
    for where, said in (("127.0.0.1:1", "refused"), ("db.invalid", "db.invalid")):
        with pytest.raises(JournalError, match=r"ann:\*\*\*@.*: the journal cannot be opened: ") as caught:
            open_journal(f"postgresql://ann:hush-hush@{where}/d")
        assert said in str(caught.value) and not any(bad in str(caught.value) for bad in ("\n", "hush"))


def test_without_the_extra_the_error_says_what_to_install(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("adjudge.journal.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setenv("ADJUDGE_JOURNAL", "postgresql://ann:hush@h/d")
    assert main(["replay", "c1"]) == 2
    said = capsys.readouterr().err
    assert str(missing_extra("a journal on a Postgres server", "postgres")) in said
    assert said.count("\n") == 1 and "hush" not in said


async def test_tables_of_an_older_format_are_brought_up_to_date(place, postgres):
    journal = open_journal(place)
    await journal.put(KEY, REPLY)
    await journal.put_draft("d1", b"piece")
    journal.close()
    postgres.do("drop table adjudge_runs, adjudge_outcomes; update adjudge_format set version = 1", place)
    journal = open_journal(place)
    assert journal.get(KEY) == REPLY
    assert journal.get_draft("d1") == [b"piece"]
    await journal.put_verdict("c1", b"in", b"out", ("r1", 0, b"line"))
    assert list(journal.outcomes("r1")) == [(0, "c1", None)]
    journal.close()
    assert postgres.do("select version from adjudge_format", place) == [(VERSION,)]


def test_tables_of_a_newer_format_are_left_alone(place, postgres):
    open_journal(place).close()
    postgres.do(f"update adjudge_format set version = {VERSION + 1}", place)
    with pytest.raises(JournalError, match="written by a newer adjudge"):
        open_journal(place)
    assert postgres.drop_connections() == 0


# -- between the lines ------------------------------------------------------------------------------------------------

SLOW_LOCKS = """
create schema {schema};
create function {schema}.pg_try_advisory_lock(bigint) returns boolean language plpgsql as
$$ begin perform pg_sleep(0.5); return pg_catalog.pg_try_advisory_lock($1); end $$
"""


async def test_a_reply_stored_while_its_lock_is_being_taken_is_found(journal, place, postgres):
    tables = place.rpartition("%3D")[2]
    slow = f"slow_{tables}"
    postgres.do(SLOW_LOCKS.format(schema=slow))
    # A server's own default, under which a transaction would go on seeing what it saw first, must not matter.
    path = f"{slow},pg_catalog,{tables} -cdefault_transaction_isolation=serializable"
    other = open_journal(place.replace(f"%3D{tables}", "%3D" + quote(path)))

    async def ask():
        async with other.claim(KEY) as stored:
            return stored

    async with journal.claim(KEY):
        asking = asyncio.create_task(ask())
        await asyncio.sleep(0.25)
        assert not asking.done()
        await journal.put(KEY, REPLY)
    assert await asking == REPLY
    other.close()


async def test_those_who_write_the_same_rows_in_other_orders_never_wait_for_each_other_in_a_circle(place, postgres):
    journals = [open_journal(place) for _ in range(3)]
    for wave in range(4):
        orders = [[f"{wave:032x}{number:032x}" for number in range(300)] for _ in journals]
        for seed, order in enumerate(orders):
            random.Random(seed).shuffle(order)
        rows = [(opened, key) for opened, order in zip(journals, orders, strict=True) for key in order]
        await asyncio.gather(*(opened.put(key, Stored(key.encode() * 100, 1.0)) for opened, key in rows))
    for opened in journals:
        opened.close()
    postgres.do("select pg_stat_force_next_flush()")
    assert postgres.do("select deadlocks from pg_stat_database where datname = 'postgres'") == [(0,)]
