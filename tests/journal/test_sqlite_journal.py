"""The journal in a file: formats, permissions, and files that are no journals."""

import asyncio
import os
import sqlite3
import sys
import time

import pytest

from adjudge.errors import JournalError
from adjudge.journal import Stored, default_place, open_journal
from adjudge.journal.sqlite import VERSION, SqliteJournal

REPLY = Stored(b"{}", 1_700_000_000.125, 3, {"temperature": None})

# The tables as formats 1 and 2 had them.
FORMAT_1 = """
create table replies (
    number integer primary key, key text not null unique, at real not null, attempts integer not null,
    sent text not null, body blob not null
);
create table verdicts (
    number integer primary key, id text not null unique, inputs blob not null, verdict blob not null
);
insert into replies (key, at, attempts, sent, body) values ('aa', 1.5, 2, '{"seed": 7}', x'00ff');
insert into verdicts (id, inputs, verdict) values ('c1', x'01', x'02');
"""
FORMAT_2 = """
create table drafts (number integer primary key, id text not null, changes blob not null);
create index drafts_by_id on drafts (id);
insert into drafts (id, changes) values ('d1', x'03');
"""


@pytest.mark.parametrize("version", [1, 2])
async def test_a_file_of_an_older_format_is_brought_up_to_date_in_place(tmp_path, version):
    connection = sqlite3.connect(tmp_path / "journal.db")
    connection.executescript(FORMAT_1 + (FORMAT_2 if version == 2 else "") + f"pragma user_version = {version};")
    connection.close()
    journal = open_journal(tmp_path / "journal.db")
    assert journal.get("aa") == Stored(b"\x00\xff", 1.5, 2, {"seed": 7})
    assert journal.get_verdict("c1") == (b"\x01", b"\x02")
    assert journal.get_draft("d1") == ([b"\x03"] if version == 2 else [])
    await journal.put_draft("d1", b"\x04")
    await journal.put_run("r1", b"config")
    await journal.put_verdict("c1", b"in", b"out", ("r1", 0, b"line"))
    assert journal.get_draft("d1")[-1] == b"\x04"
    await journal.put_draft("d2", b"\x05", "ann")
    assert [size.draft_id for size in journal.draft_sizes()] == ["d2"]
    assert list(journal.outcomes("r1")) == [(0, "c1", None)]
    journal.close()
    connection = sqlite3.connect(tmp_path / "journal.db")
    assert connection.execute("pragma user_version").fetchone() == (VERSION,)
    connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="other permissions there")
def test_a_new_file_is_for_its_owners_eyes(tmp_path):
    open_journal(tmp_path / "journal.db").close()
    assert os.stat(tmp_path / "journal.db").st_mode & 0o077 == 0  # noqa: PTH116


def test_a_link_is_refused_and_what_it_points_to_is_not_made(tmp_path):
    (tmp_path / "journal.db").symlink_to("elsewhere.db")
    with pytest.raises(JournalError, match="symbolic link; name the file itself"):
        open_journal(tmp_path / "journal.db")
    assert not (tmp_path / "elsewhere.db").exists()


def test_a_file_that_is_no_journal_is_refused_by_name(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("not a database, " * 100)
    with pytest.raises(JournalError, match=r"notes\.txt: the journal cannot be opened"):
        open_journal(file)
    assert file.read_text() == "not a database, " * 100


def test_a_database_of_some_other_program_is_refused_by_name(tmp_path):
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute(f"pragma user_version = {VERSION}")
    connection.close()
    with pytest.raises(JournalError, match=r"other\.db: the journal cannot be opened: no such table"):
        open_journal(tmp_path / "other.db")


@pytest.mark.parametrize("where", [".", "a-file/journal.db"])
def test_a_place_where_no_file_can_be_is_refused_by_name(tmp_path, where):
    (tmp_path / "a-file").write_text("")
    with pytest.raises(JournalError, match="the journal cannot be opened"):
        open_journal(tmp_path / where)


def test_a_journal_of_a_newer_version_is_left_alone(tmp_path):
    open_journal(tmp_path / "journal.db").close()
    connection = sqlite3.connect(tmp_path / "journal.db")
    connection.execute(f"pragma user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(JournalError, match="written by a newer adjudge"):
        open_journal(tmp_path / "journal.db")


async def test_who_writes_while_another_process_does_goes_on_as_soon_as_it_is_done(tmp_path, monkeypatch):
    journal, other = open_journal(tmp_path / "journal.db"), sqlite3.connect(tmp_path / "journal.db")
    await journal.put("aa", REPLY)
    pauses, sleep, tried_often = [], time.sleep, asyncio.Event()
    loop = asyncio.get_running_loop()

    def noted(seconds):
        pauses.append(seconds)
        if len(pauses) == 20:
            loop.call_soon_threadsafe(tried_often.set)
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", noted)
    other.execute("begin immediate")
    waiting = asyncio.create_task(journal.put("bb", REPLY))
    await tried_often.wait()
    assert not waiting.done()
    other.execute("commit")
    await waiting
    assert journal.get("bb") == REPLY
    assert max(pauses) < 0.05, "the pause between two attempts does not grow"
    other.close()
    journal.close()


async def test_another_process_that_never_ends_its_writing_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr("adjudge.journal.sqlite._BUSY_SECONDS", 0.2)
    journal, other = open_journal(tmp_path / "journal.db"), sqlite3.connect(tmp_path / "journal.db")
    other.execute("begin immediate")
    with pytest.raises(JournalError, match="the last entries could not be stored: database is locked"):
        await journal.put("aa", REPLY)
    other.execute("commit")
    other.close()
    await journal.put("aa", REPLY)
    assert journal.get("aa") == REPLY
    journal.close()


async def test_a_disk_that_takes_nothing_is_an_error_and_not_a_silence(tmp_path):
    journal = SqliteJournal(tmp_path / "journal.db")
    await journal.put("a" * 64, REPLY)
    connection = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    connection.execute("drop table replies")
    connection.close()
    with pytest.raises(JournalError, match="could not be stored"):
        await journal.put("b" * 64, REPLY)
    await journal.put_verdict("c1", b"", b"")
    assert journal.get_verdict("c1") == (b"", b""), "the writer goes on after an error"
    with pytest.raises(JournalError):
        journal.get("a" * 64)
    journal.close()


def test_the_default_place_can_be_named_in_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "mine.db"))
    assert default_place() == tmp_path / "mine.db"
    monkeypatch.delenv("ADJUDGE_JOURNAL")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert default_place() == tmp_path / "adjudge" / "journal.db"


async def test_opening_a_journal_again_in_a_process_keeps_its_locks(tmp_path):
    """Closing any handle of a file releases all locks of the process on it. Another process would then take itself for
    the last one, and remove the log that replies are in."""
    place = tmp_path / "journal.db"
    first = open_journal(place)
    await first.put("aa", REPLY)
    again = open_journal(place)
    assert again.get("aa") == REPLY
    other = (
        "import os, sqlite3, sys; one = sqlite3.connect(sys.argv[1]); one.execute('select 1 from replies')"
        "; one.close(); sys.exit(not os.path.exists(sys.argv[1] + '-wal'))"
    )
    for _ in range(3):
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", other, str(place))
        assert await process.wait() == 0, "the log that replies are in is gone"
    await first.put("bb", REPLY)
    again.close()
    first.close()
    with sqlite3.connect(place) as database:
        assert database.execute("select count(*) from replies").fetchone() == (2,)
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
