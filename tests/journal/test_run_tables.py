"""Runs in the journal: what they were started with, and what came of each case."""

import asyncio
import tracemalloc
import uuid
from itertools import islice

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.errors import JournalError

Outcome = tuple[int, str | None, bytes | None]

FAILURES = st.tuples(st.integers(0, 3), st.none(), st.sampled_from([b"first", b"second", b""]))
VERDICTS = st.tuples(st.integers(0, 3), st.sampled_from(["c1", "c2"]), st.none())


async def put(journal, run_id, position, verdict_id, failure):
    if verdict_id is not None:
        await journal.put_verdict(verdict_id, b"in", b"out", (run_id, position, b"line"))
    elif failure is not None:
        await journal.put_failure(run_id, position, failure)


async def test_the_first_configuration_of_a_run_stays(journal):
    assert journal.get_run("r1") is None
    await journal.put_run("r1", b'{"judge": "embedded"}')
    await journal.put_run("r1", b'{"judge": "another"}')
    await journal.put_run("r2", b"\x00\xff")
    assert journal.get_run("r1") == b'{"judge": "embedded"}'
    assert journal.get_run("r2") == b"\x00\xff"


async def test_outcomes_come_by_position_and_each_run_has_its_own(journal):
    for position in (10, 9, 2_000_000_000_000, 0, 100):
        await journal.put_verdict(f"c{position}", b"in", b"out", ("r1", position, b"line"))
    await journal.put_failure("r2", 1, b"failed")
    assert [position for position, _, _ in journal.outcomes("r1")] == [0, 9, 10, 100, 2_000_000_000_000]
    assert list(journal.outcomes("r2")) == [(1, None, b"failed")]
    assert list(journal.outcomes("r")) == []


async def test_a_verdict_and_the_case_it_settles_are_kept_together_or_not_at_all(journal):
    impossible = 2**70  # a position that no database can hold
    kept, refused, other = await asyncio.gather(
        journal.put_verdict("ca1", b"in", b"out", ("r1", 3, b"line")),
        journal.put_verdict("cb2", b"in", b"out", ("r1", impossible, b"line")),
        journal.put_verdict("cc3", b"in", b"out"),
        return_exceptions=True,
    )
    assert (kept, other) == (None, None)
    assert isinstance(refused, JournalError)
    assert journal.get_verdict("ca1") == journal.get_verdict("cc3") == (b"in", b"out")
    assert journal.get_verdict("cb2") is None
    assert list(journal.outcomes("r1")) == [(3, "ca1", None)]


async def test_what_the_files_of_a_run_say_is_stored_with_each_outcome(journal):
    verdict, said = b'{"winner": "A"}\n' * 500, b'{"position": 0}'
    await journal.put_verdict("ca1", b"in", verdict, ("r1", 0, said))
    await journal.put_verdict("ca1", b"in", b"another", ("r1", 0, b"another"))
    await journal.put_verdict("ca1", b"in", verdict, ("r2", 0, b"of another run"))
    await journal.put_failure("r1", 7, b"failed")
    assert list(journal.run_lines("r1")) == [(0, "ca1", said, verdict), (7, None, b"failed", None)]


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.one_of(FAILURES, VERDICTS), max_size=6), max_size=4))
async def test_a_verdict_stays_and_a_failure_gives_way(journal, waves):
    run_id = uuid.uuid4().hex
    expected: dict[int, Outcome] = {}
    for wave in waves:
        # Those of a wave queue up together, and may well share one statement.
        await asyncio.gather(*(put(journal, run_id, *outcome) for outcome in wave))
        for outcome in wave:
            if expected.get(outcome[0], (0, None))[1] is None:
                expected[outcome[0]] = outcome
    assert list(journal.outcomes(run_id)) == [expected[position] for position in sorted(expected)]


async def test_outcomes_are_never_all_in_memory(journal):
    total, at_once = 8_000, 2_000
    for start in range(0, total, at_once):
        positions = range(start, start + at_once)
        await asyncio.gather(*(journal.put_failure("r1", number, b"%500d" % number) for number in positions))
    tracemalloc.start()
    try:
        seen = sum(failure is not None for _, _, failure in journal.outcomes("r1"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen == total
    assert peak < 2_000_000, "4 MB of failures went by"


async def test_writing_goes_on_while_somebody_reads_outcomes(journal):
    for start in range(0, 2400, 1200):
        await asyncio.gather(*(put(journal, "r1", number, "c1", None) for number in range(start, start + 1200)))
    reading = journal.outcomes("r1")
    first = list(islice(reading, 5))
    await journal.put_verdict("c1", b"in", b"out", ("r1", 5000, b"line"))
    assert journal.get_verdict("c1") == (b"in", b"out")
    rest = [position for position, _, _ in reading]
    assert [position for position, _, _ in first] + [position for position in rest if position < 2400] == [*range(2400)]


async def test_a_reader_that_stops_early_lets_go(journal):
    await asyncio.gather(*(put(journal, "r1", number, "c1", None) for number in range(2400)))
    reading = journal.outcomes("r1")
    assert next(reading) == (0, "c1", None)
    del reading
    assert len(list(journal.outcomes("r1"))) == 2400
