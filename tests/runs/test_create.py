"""The run's own copy of its cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs.conftest import pairs, write_lines

from adjudge.errors import InputError
from adjudge.inputs.rows import open_rows
from adjudge.protocols.rubrics import shipped
from adjudge.runs.create import in_order, spool
from adjudge.runs.directory import position_of, read_case


def spooled(path, rows, skip_bad=False):
    """What is counted, and the cases that were copied."""
    source, copy = write_lines(path / "pairs.jsonl", rows), path / "cases.jsonl"
    with copy.open("wb") as file:
        found = spool(open_rows(str(source), "compare", shipped("compare")), file, skip_bad=skip_bad)
    return found, [read_case(line) for line in copy.read_bytes().splitlines()]


def test_all_cases_are_copied_in_their_order_and_counted(tmp_path):
    found, known = spooled(tmp_path, [*pairs(3, label="A"), *pairs(2)])
    assert (found.cases, found.bad, found.labelled) == (5, 0, 3)
    assert [case.position for case in known] == [0, 1, 2, 3, 4]
    assert [case.case_id for case in known] == ["case-0", "case-1", "case-2", "case-0", "case-1"]


def test_equal_input_has_an_equal_digest_and_other_input_another(tmp_path):
    one, two, three = (spooled(tmp_path, pairs(count))[0].digest for count in (3, 3, 4))
    assert one == two != three


def test_bad_rows_are_refused_together_with_their_places_and_those_that_are_passed_over_keep_theirs(tmp_path):
    rows = [row | ({"a": ""} if n in (2, 5, 6, 7, 8, 9, 10) else {}) for n, row in enumerate(pairs(12))]
    with pytest.raises(InputError) as caught:
        spooled(tmp_path, rows)
    for said in ("7 of 12 rows cannot be judged", "line 3", "and 2 more", "--skip-bad"):
        assert said in str(caught.value)
    rows = pairs(3)
    rows[1]["b"] = " "
    found, known = spooled(tmp_path, rows, skip_bad=True)
    assert (found.cases, found.bad, [case.bad is None for case in known]) == (3, 1, [True, False, True])


@settings(max_examples=40)
@given(cases=st.integers(1, 40), seed=st.integers(0, 2**31), limit=st.none() | st.integers(1, 50))
def test_shuffling_gives_every_case_once_and_the_same_order_for_the_same_seed(tmp_path_factory, cases, seed, limit):
    path = tmp_path_factory.mktemp("shuffle") / "cases.jsonl"
    path.write_bytes(b"".join(b'{"position":%d,"x":"%s"}\n' % (n, b"y" * (n % 7)) for n in range(cases)))
    plain = [position_of(line) for line in in_order(path, cases, limit=limit)]
    assert plain == list(range(cases))[: limit if limit is not None else cases]
    whole = [position_of(line) for line in in_order(path, cases, shuffle=seed)]
    assert sorted(whole) == list(range(cases))
    again = [position_of(line) for line in in_order(path, cases, shuffle=seed, limit=limit)]
    assert again == whole[: limit if limit is not None else cases]
