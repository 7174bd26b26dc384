"""Verdicts in the order they were kept, the runs they belong to, and answers that are given again."""

import zlib

import orjson
import pytest

from adjudge.errors import JournalError
from adjudge.journal.base import StoredAnswer


async def test_verdicts_come_newest_first_with_their_runs_page_by_page(journal):
    for n in range(5):
        await journal.put_verdict(f"c{n}", b"inputs", b"%d" % n, ("r1", n, b"line") if n % 2 else None)
    await journal.put_verdict("c1", b"inputs", b"1", ("r2", 7, b"line"))
    first = journal.verdicts_before(None, 3)
    assert [kept.verdict_id for kept in first] == ["c4", "c3", "c2"]
    assert [kept.runs for kept in first] == [(), ("r1",), ()]
    assert (first[0].inputs, first[0].verdict) == (b"inputs", b"4")
    rest = journal.verdicts_before(first[-1].number, 3)
    assert [kept.verdict_id for kept in rest] == ["c1", "c0"]
    assert sorted(rest[0].runs) == sorted(journal.runs_with("c1")) == ["r1", "r2"]
    assert journal.verdicts_before(rest[-1].number, 3) == []
    assert journal.runs_with("c0") == []


async def test_a_rubric_is_stored_once_for_all_verdicts_and_comes_back_with_the_inputs_of_each(journal, other):
    rubrics = ["name: one\n", 'name: "two", ü\n']
    for n in range(40):
        await journal.put_verdict(f"c{n:02}", b'{"case":%d}' % n, b"out", rubric=rubrics[n % 2])
    for opened in (journal, other):  # a new one remembers nothing
        for n, kept in enumerate(reversed(opened.verdicts_before(None, 40))):
            found = opened.get_verdict(f"c{n:02}")
            assert found == (kept.inputs, b"out")
            assert orjson.loads(kept.inputs) == {"rubric": rubrics[n % 2], "case": n}
    packed = [row[2] for row in journal.read("verdict_page", (2**63 - 1, 40))]
    assert not any(b"name:" in zlib.decompress(inputs) for inputs in packed)


async def test_a_rubric_that_a_partial_copy_lacks_is_named(journal, other):
    await journal.put_verdict("c1", b'{"case":1}', b"out", rubric="name: one\n")
    other.read = lambda what, given: [] if what == "rubric" else journal.read(what, given)
    with pytest.raises(JournalError, match=r"the rubric \w+ of a verdict is not in the journal"):
        other.get_verdict("c1")


async def test_an_answer_is_kept_replaced_and_deleted_when_it_is_old(journal):
    assert journal.get_answer("k1") is None
    await journal.put_answer("k1", StoredAnswer(100.0, "digest", "{}", b"one"), expired=0.0)
    await journal.put_answer("k1", StoredAnswer(200.0, "other", "{}", b"two"), expired=0.0)
    assert journal.get_answer("k1") == StoredAnswer(200.0, "other", "{}", b"two")
    await journal.put_answer("k2", StoredAnswer(300.0, "digest", "{}", b""), expired=250.0)
    assert journal.get_answer("k1") is None
    assert journal.get_answer("k2") == StoredAnswer(300.0, "digest", "{}", b"")
