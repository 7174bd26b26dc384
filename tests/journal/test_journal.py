"""What was put into a journal is there, for everybody; in a file and on a server."""

import asyncio
import time

import pytest

from adjudge.errors import JournalError, NotJournalledError
from adjudge.journal import ReplayJournal, Stored, call_key, open_journal

REPLY = Stored(
    b'{"choices": []} \x00 \xff', 1_700_000_000.125, 3, {"temperature": None, "structure": "tool", "seed": 0}
)


async def test_a_reply_comes_back_as_it_was_put_and_the_first_one_to_a_question_stays(journal):
    assert journal.get("a" * 64) is None
    await journal.put("a" * 64, REPLY)
    assert journal.get("a" * 64) == REPLY
    await journal.put("a" * 64, Stored(b"another", 1.0))
    assert journal.get("a" * 64) == REPLY


async def test_many_writers_share_commits_and_lose_nothing(journal):
    keys = [call_key({"number": number}) for number in range(1200)]
    await asyncio.gather(*(journal.put(key, Stored(key.encode(), 1.0)) for key in keys))
    assert all(journal.get(key).body == key.encode() for key in keys)


async def test_writes_of_all_kinds_share_a_commit(journal):
    await asyncio.gather(
        *(journal.put(call_key({"number": number}), REPLY) for number in range(3)),
        journal.put_verdict("c1", b"in", b"out"),
        *(journal.put_draft("d1", piece) for piece in (b"1", b"2", b"3")),
        journal.put_run("r1", b"config"),
        journal.put_verdict("c1", b"in", b"out", ("r1", 0, b"line")),
        journal.put_failure("r1", 1, b"failed"),
    )
    assert all(journal.get(call_key({"number": number})) == REPLY for number in range(3))
    assert journal.get_verdict("c1") == (b"in", b"out")
    assert journal.get_draft("d1") == [b"1", b"2", b"3"]
    assert journal.get_run("r1") == b"config"
    assert list(journal.outcomes("r1")) == [(0, "c1", None), (1, None, b"failed")]


async def test_drafts_with_an_owner_are_listed_with_their_sizes_and_can_be_removed(journal):
    await asyncio.gather(*(journal.put_draft("d1", piece, "ann") for piece in (b"1", b"22")))
    await journal.put_draft("d2", b"333", "bob")
    await journal.put_draft("d3", b"4444")
    sizes = sorted(journal.draft_sizes())
    listed = [(size.owner, size.draft_id, size.pieces, size.size) for size in sizes]
    assert listed == [("ann", "d1", 2, 3), ("bob", "d2", 1, 3)]
    owner, at = journal.draft_owner("d1")
    assert (owner, at) == ("ann", sizes[0].at) and abs(at - time.time()) < 600
    assert journal.draft_owner("d3") is None
    # Whoever adds to it later does not become its owner.
    await journal.put_draft("d1", b"5", "bob")
    assert (journal.draft_owner("d1") or [""])[0] == "ann"
    await journal.remove_drafts("d1", "d3", "none")
    assert journal.get_draft("d1") == journal.get_draft("d3") == []
    assert journal.draft_owner("d1") is None
    assert [size.draft_id for size in journal.draft_sizes()] == ["d2"]
    assert journal.get_draft("d2") == [b"333"]


async def test_a_caller_that_goes_away_does_not_undo_what_is_being_kept(journal):
    task = asyncio.create_task(journal.put("a" * 64, REPLY))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await journal.put("b" * 64, REPLY)
    assert journal.get("a" * 64) == REPLY


def test_a_journal_outlives_the_loops_it_is_used_from(place):
    async def claim_and_put(key):
        async with journal.claim(key):
            await journal.put(key, REPLY)

    journal = open_journal(place)
    asyncio.run(claim_and_put("a" * 64))
    asyncio.run(claim_and_put("b" * 64))
    journal.close()
    again = open_journal(place)
    assert again.get("a" * 64) == again.get("b" * 64) == REPLY
    again.close()


async def test_a_closed_journal_takes_and_gives_nothing_and_says_so(journal):
    journal.close()
    with pytest.raises(JournalError, match="the journal is closed"):
        await journal.put("a" * 64, REPLY)
    with pytest.raises(JournalError, match="closed"):
        journal.get("a" * 64)


async def test_a_row_that_no_database_takes_is_an_error_and_the_next_one_is_kept(journal):
    wrong, right = await asyncio.gather(
        journal.put_verdict("c1\ud800", b"", b""), journal.put_run("r1", b"config"), return_exceptions=True
    )
    assert isinstance(wrong, JournalError)
    assert "could not be stored" in str(wrong)
    assert right is None
    assert journal.get_run("r1") == b"config"


async def test_verdicts_are_found_by_a_unique_beginning_of_their_id(journal):
    await journal.put_verdict("cabc1", b"in 1", b"out 1")
    await journal.put_verdict("cabc2", b"in 2", b"out 2")
    await journal.put_verdict("cabc1", b"in 1", b"changed")
    assert journal.get_verdict("cabc1") == (b"in 1", b"out 1")
    assert journal.get_verdict("cabc2") == (b"in 2", b"out 2")
    assert journal.get_verdict("cab%") is None
    assert journal.get_verdict("d") is None
    assert journal.get_verdict("") is None
    with pytest.raises(JournalError, match="several verdict ids"):
        journal.get_verdict("cab")


async def test_a_replay_only_reads(journal):
    await journal.put("a" * 64, REPLY)
    await journal.put_run("r1", b"config")
    await journal.put_verdict("c1", b"in", b"out", ("r1", 0, b"line"))
    replay = ReplayJournal(journal)
    assert replay.get("a" * 64) == REPLY
    async with replay.claim("a" * 64) as stored:
        assert stored == REPLY
    assert replay.get_run("r1") == b"config"
    assert list(replay.outcomes("r1")) == [(0, "c1", None)]
    with pytest.raises(NotJournalledError, match="made with another journal"):
        replay.get("b" * 64)
    with pytest.raises(NotJournalledError, match="made with another journal"):
        async with replay.claim("b" * 64):
            pass
    for write in (
        replay.put("b" * 64, REPLY),
        replay.put_verdict("c1", b"", b""),
        replay.put_run("r2", b""),
        replay.put_verdict("c1", b"in", b"out", ("r1", 1, b"line")),
    ):
        with pytest.raises(NotJournalledError):
            await write
    assert journal.get("b" * 64) is None


def test_a_key_depends_on_all_of_the_question_and_not_on_the_order_of_its_fields():
    assert call_key({"a": 1, "b": [1, 2]}) == call_key({"b": [1, 2], "a": 1})
    assert call_key({"a": 1, "b": [1, 2]}) != call_key({"a": 1, "b": [2, 1]})
