"""A run's lines: what is written is read back, and half a line is no line."""

from decimal import Decimal

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.engine import case_of
from adjudge.inputs.rows import BadRow, Row
from adjudge.protocols.compare.case import Comparison
from adjudge.runs.directory import answer_words, head_of, position_of, read_case, whole_lines, write_case

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"]))


@given(
    position=st.integers(0, 10**9),
    name=texts,
    task=texts,
    a=texts,
    b=texts,
    label=st.none() | st.sampled_from(["A", "B", "tie"]),
    systems=st.none() | st.tuples(texts, texts),
    extra=st.dictionaries(texts, scalars, max_size=3),
)
def test_a_row_is_read_back_as_it_was_written(position, name, task, a, b, label, systems, extra):
    case = Comparison(task, a, b, "", {"correctness": Decimal("1.50")})
    line = write_case(position, Row("pairs.jsonl, line 1", name, case, label, systems, extra))
    assert line.count(b"\n") == 1
    assert position_of(line) == position
    known = read_case(line)
    assert (known.position, known.case_id, known.label, known.systems, known.extra) == (
        position, name, label, systems, extra,
    )  # fmt: skip
    assert case_of("compare", known.input) == case
    assert answer_words(known) == (len(a.split()), len(b.split()))


def test_a_bad_row_keeps_its_place_and_its_reason():
    known = read_case(write_case(7, BadRow("pairs.csv, line 9", "9", "task: empty")))
    assert (known.position, known.place, known.bad, known.input) == (7, "pairs.csv, line 9", "task: empty", None)


@pytest.mark.parametrize("tail", [b"", b"{", b'{"position": 3', b"x" * 200_000])
def test_half_a_line_at_the_end_is_not_read_and_is_cut_away(tmp_path, tail):
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(b'{"position":0}\n{"position":1}\n' + tail)
    assert list(whole_lines(path)) == [b'{"position":0}\n', b'{"position":1}\n']
    assert list(whole_lines(path, cut=True)) == [b'{"position":0}\n', b'{"position":1}\n']
    assert path.read_bytes() == b'{"position":0}\n{"position":1}\n'


def test_a_file_that_is_nothing_but_half_a_line_becomes_empty(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(b"x" * 70_000)
    assert list(whole_lines(path, cut=True)) == []
    assert path.read_bytes() == b""
    assert list(whole_lines(tmp_path / "not there", cut=True)) == []


@settings(max_examples=40)
@given(st.recursive(texts | st.integers(-9, 9), lambda inner: st.lists(inner) | st.dictionaries(texts, inner)))
def test_a_verdict_on_one_line_says_the_same(content):
    from adjudge.runs.directory import CaseLine, verdict_line

    case = CaseLine(0, "1", "x", None, None, {',"verdict":{': ',"verdict":{'}, None)
    stored = orjson.dumps({"verdict": content}, option=orjson.OPT_APPEND_NEWLINE)
    line = verdict_line(case, "c0", "A", stored, {}, {"total_a": Decimal("7.50")})
    assert b'"total_a":7.50' in line
    assert b"\n" not in line
    assert orjson.loads(line)["verdict"] == {"verdict": content}
    assert head_of(line) == {key: value for key, value in orjson.loads(line).items() if key != "verdict"}
