"""The journal in a file: what was put in is there, for everybody, also after a kill."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.errors import JournalError, NotJournalledError
from adjudge.journal import Journal, ReplayJournal, Stored, call_key, default_path, open_journal
from adjudge.journal.sqlite import VERSION, SqliteJournal

REPLY = Stored(
    b'{"choices": []} \x00 \xff', 1_700_000_000.125, 3, {"temperature": None, "structure": "tool", "seed": 0}
)


async def test_a_reply_comes_back_as_it_was_put(journal: Journal) -> None:
    assert journal.get("a" * 64) is None
    await journal.put("a" * 64, REPLY)
    assert journal.get("a" * 64) == REPLY


async def test_the_first_reply_to_a_question_stays(journal: Journal) -> None:
    await journal.put("a" * 64, REPLY)
    await journal.put("a" * 64, Stored(b"another", 1.0))
    assert journal.get("a" * 64) == REPLY


async def test_many_writers_share_commits_and_lose_nothing(journal: Journal) -> None:
    keys = [call_key({"number": number}) for number in range(2500)]
    await asyncio.gather(*(journal.put(key, Stored(key.encode(), 1.0)) for key in keys))
    for key in keys:
        stored = journal.get(key)
        assert stored is not None
        assert stored.body == key.encode()


async def test_a_caller_that_goes_away_does_not_undo_what_is_being_kept(journal: Journal) -> None:
    task = asyncio.create_task(journal.put("a" * 64, REPLY))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await journal.put("b" * 64, REPLY)
    assert journal.get("a" * 64) == REPLY


def test_a_journal_outlives_the_loops_it_is_used_from(tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "journal.db")
    asyncio.run(journal.put("a" * 64, REPLY))
    asyncio.run(journal.put("b" * 64, REPLY))
    journal.close()
    again = open_journal(tmp_path / "journal.db")
    assert again.get("a" * 64) == again.get("b" * 64) == REPLY
    again.close()


async def test_verdicts_are_found_by_a_unique_beginning_of_their_id(journal: Journal) -> None:
    await journal.put_verdict("cabc1", b"in 1", b"out 1")
    await journal.put_verdict("cabc2", b"in 2", b"out 2")
    await journal.put_verdict("cabc1", b"in 1", b"changed")
    assert journal.get_verdict("cabc1") == (b"in 1", b"out 1")
    assert journal.get_verdict("cabc2") == (b"in 2", b"out 2")
    assert journal.get_verdict("cab%") is None
    assert journal.get_verdict("d") is None
    with pytest.raises(JournalError, match="several verdicts"):
        journal.get_verdict("cab")


async def test_a_replay_only_reads(journal: Journal) -> None:
    await journal.put("a" * 64, REPLY)
    replay = ReplayJournal(journal)
    assert replay.get("a" * 64) == REPLY
    with pytest.raises(NotJournalledError, match="made with another journal"):
        replay.get("b" * 64)
    with pytest.raises(NotJournalledError):
        await replay.put("b" * 64, REPLY)
    with pytest.raises(NotJournalledError):
        await replay.put_verdict("c1", b"", b"")
    assert journal.get("b" * 64) is None


def test_a_key_depends_on_all_of_the_question_and_not_on_the_order_of_its_fields() -> None:
    assert call_key({"a": 1, "b": [1, 2]}) == call_key({"b": [1, 2], "a": 1})
    assert call_key({"a": 1, "b": [1, 2]}) != call_key({"a": 1, "b": [2, 1]})


# -- trouble ----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_journal_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, " * 100)
    with pytest.raises(JournalError, match=r"notes\.txt: the journal cannot be opened"):
        open_journal(file)
    assert file.read_text() == "not a database, " * 100


@pytest.mark.parametrize("where", [".", "a-file/journal.db"])
def test_a_place_where_no_file_can_be_is_refused_by_name(tmp_path: Path, where: str) -> None:
    (tmp_path / "a-file").write_text("")
    with pytest.raises(JournalError, match="the journal cannot be opened"):
        open_journal(tmp_path / where)


def test_a_journal_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    open_journal(tmp_path / "journal.db").close()
    connection = sqlite3.connect(tmp_path / "journal.db")
    connection.execute(f"pragma user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(JournalError, match="written by a newer adjudge"):
        open_journal(tmp_path / "journal.db")


async def test_a_disk_that_takes_nothing_is_an_error_and_not_a_silence(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    await journal.put("a" * 64, REPLY)
    connection = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    connection.execute("drop table replies")
    connection.close()
    with pytest.raises(JournalError, match="could not be kept"):
        await journal.put("b" * 64, REPLY)
    await journal.put_verdict("c1", b"", b"")
    assert journal.get_verdict("c1") == (b"", b""), "the writer goes on after an error"
    with pytest.raises(JournalError):
        journal.get("a" * 64)
    journal.close()


# -- several processes ------------------------------------------------------------------------------------------------

WRITER = """
import asyncio, sys
from adjudge.journal import Stored, call_key, open_journal
async def main():
    journal = open_journal(sys.argv[1])
    print("ready", flush=True)
    number = 0
    while True:
        await journal.put(call_key({"number": number}), Stored(b"x" * 5000, 1.0))
        print(number, flush=True)
        number += 1
asyncio.run(main())
"""


def test_what_was_reported_kept_survives_a_kill(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "journal.db")], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(20)]
    os.kill(writer.pid, signal.SIGKILL)
    lines += writer.stdout.readlines()
    writer.wait()
    writer.stdout.close()
    kept = [int(line) for line in lines if line.strip().isdigit() and line.endswith("\n")]
    assert len(kept) >= 19
    journal = open_journal(tmp_path / "journal.db")
    assert all(journal.get(call_key({"number": number})) for number in kept)
    journal.close()


OPENER = """
import asyncio, sys
from adjudge.journal import Stored, open_journal
journal = open_journal(sys.argv[1])
asyncio.run(journal.put(sys.argv[2] * 64, Stored(b"x", 1.0)))
journal.close()
"""


def test_processes_that_open_a_new_journal_at_once_all_succeed(tmp_path: Path) -> None:
    path = str(tmp_path / "journal.db")
    openers = [subprocess.Popen([sys.executable, "-c", OPENER, path, letter]) for letter in "abcdef"]
    assert [opener.wait(30) for opener in openers] == [0] * 6
    journal = open_journal(path)
    assert all(journal.get(letter * 64) for letter in "abcdef")
    journal.close()


def test_the_default_place_can_be_named_in_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "mine.db"))
    assert default_path() == tmp_path / "mine.db"
    monkeypatch.delenv("ADJUDGE_JOURNAL")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert default_path() == tmp_path / "adjudge" / "journal.db"
