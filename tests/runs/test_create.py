"""The run's own copy of its cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs.conftest import pairs, write_lines

from adjudge.errors import InputError
from adjudge.inputs.rows import open_rows
from adjudge.protocols.rubrics import shipped
from adjudge.runs.create import in_order, spool
from adjudge.runs.directory import position_of, read_case


def spooled_to(rows, path, skip_bad):
    with path.open("wb") as file:
        return spool(rows, file, skip_bad=skip_bad)


def opened(path):
    return open_rows(str(path), "compare", shipped("compare"))


def test_all_cases_are_copied_in_their_order_and_counted(tmp_path):
    source = write_lines(tmp_path / "pairs.jsonl", [*pairs(3, label="A"), *pairs(2)])
    spooled = spooled_to(opened(source), tmp_path / "cases.jsonl", skip_bad=False)
    assert (spooled.cases, spooled.bad, spooled.labelled) == (5, 0, 3)
    known = [read_case(line) for line in (tmp_path / "cases.jsonl").read_bytes().splitlines()]
    assert [case.position for case in known] == [0, 1, 2, 3, 4]
    assert [case.case_id for case in known] == ["case-0", "case-1", "case-2", "case-0", "case-1"]


def test_equal_input_has_an_equal_digest_and_other_input_another(tmp_path):
    one = spooled_to(opened(write_lines(tmp_path / "a.jsonl", pairs(3))), tmp_path / "x", skip_bad=False)
    two = spooled_to(opened(write_lines(tmp_path / "a.jsonl", pairs(3))), tmp_path / "y", skip_bad=False)
    three = spooled_to(opened(write_lines(tmp_path / "a.jsonl", pairs(4))), tmp_path / "z", skip_bad=False)
    assert one.digest == two.digest != three.digest


def test_bad_rows_are_refused_together_with_their_places_before_anything_is_asked(tmp_path):
    rows = pairs(12)
    for at in (2, 5, 6, 7, 8, 9, 10):
        rows[at]["a"] = ""
    source = write_lines(tmp_path / "pairs.jsonl", rows)
    with pytest.raises(InputError) as caught:
        spooled_to(opened(source), tmp_path / "cases.jsonl", skip_bad=False)
    said = str(caught.value)
    assert "7 of 12 rows cannot be judged" in said
    assert "line 3" in said
    assert "and 2 more" in said
    assert "--skip-bad" in said


def test_bad_rows_that_are_passed_over_keep_their_place(tmp_path):
    rows = pairs(3)
    rows[1]["b"] = " "
    spooled = spooled_to(opened(write_lines(tmp_path / "p.jsonl", rows)), tmp_path / "cases.jsonl", skip_bad=True)
    assert (spooled.cases, spooled.bad) == (3, 1)
    known = [read_case(line) for line in (tmp_path / "cases.jsonl").read_bytes().splitlines()]
    assert [case.bad is None for case in known] == [True, False, True]


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
