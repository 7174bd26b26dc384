"""A run's lines: what is written is read back."""

from decimal import Decimal

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.engine import case_of
from adjudge.inputs.rows import BadRow, Row
from adjudge.protocols.base import protocol_of
from adjudge.protocols.compare.case import Comparison
from adjudge.runs.directory import (
    CaseLine,
    position_of,
    read_case,
    verdict_line,
    with_verdict,
    without_verdict,
    write_case,
)

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
    assert protocol_of("compare").table.answer_words(known.input) == (len(a.split()), len(b.split()))


def test_a_bad_row_keeps_its_place_and_its_reason():
    known = read_case(write_case(7, BadRow("pairs.csv, line 9", "9", "task: empty")))
    assert (known.position, known.place, known.bad, known.input) == (7, "pairs.csv, line 9", "task: empty", None)


@settings(max_examples=40)
@given(st.recursive(texts | st.integers(-9, 9), lambda inner: st.lists(inner) | st.dictionaries(texts, inner)))
def test_a_verdict_on_one_line_says_the_same(content):
    case = CaseLine(0, "1", "x", None, None, {',"verdict":{': ',"verdict":{'}, None)
    stored = orjson.dumps({"verdict": content}, option=orjson.OPT_APPEND_NEWLINE)
    line = verdict_line(case, "c0", "A", stored, {}, {"total_a": Decimal("7.50")})
    assert b'"total_a":7.50' in line
    assert b"\n" not in line
    assert orjson.loads(line)["verdict"] == {"verdict": content}
    rest = without_verdict(line)
    assert orjson.loads(rest) == {key: value for key, value in orjson.loads(line).items() if key != "verdict"}
    assert with_verdict(rest, stored) == line
