"""What cannot be read is refused in one line that names the place and what is allowed: the rows of `refused.yaml`."""

import json
import re
from pathlib import Path

import pytest
import yaml

from adjudge.errors import InputError
from adjudge.inputs.json import parse_object
from adjudge.inputs.messages import read_steps
from adjudge.inputs.rows import BadRow, open_rows
from adjudge.protocols.compare.reading import WANTED, comparison_from
from adjudge.protocols.dialogue.transcript import read_dialogues
from adjudge.protocols.review.reading import read_reviews, review_from, slot_from
from adjudge.protocols.rubrics import shipped

REFUSED = yaml.safe_load((Path(__file__).parent / "refused.yaml").read_text("utf-8"))
COMPARE, REVIEW = shipped("compare"), shipped("review")
RECORD = b'{"messages": [{"role": "user", "content": "a"}, {"role": "bot", "content": "b"}]}\n'
# What would be long, or is not UTF-8.
MEANT = {
    "deep": b"[" * 100_000, "nines": b"9" * 5000, "90 x": b"x" * 90, "ff": b"\xff", "e9": b"\xe9",
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "gzip": b"\x1f\x8b\x08\0", "pdf": b"%PDF-1.7\n%\xe2\xe3\n",
    "record": RECORD, "6 records": RECORD * 6, "6 talks": b"USER\ta\nSYSTEM\tb\n\n" * 6,
}  # fmt: skip
GOOD = {
    "compare": {"task": "t", "a": "x", "b": "y", "weights": None},
    "dialogue": {"turns": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]},
    "review": {"prompt": "p", "response1": "x", "response2": "y"},
}


def as_bytes(text):
    raw = text.encode()
    for name, meant in MEANT.items():
        raw = raw.replace(f"«{name}»".encode(), meant)
    return raw


def said(read, *given):
    with pytest.raises(InputError) as caught:
        read(*given)
    return str(caught.value)


def check(message, says, *given):
    assert "\n" not in message, given
    expected = ".*".join(map(re.escape, says.removesuffix("$").split("~~")))
    assert re.match(expected + "$" * says.endswith("$"), message), f"{given}: {message}"


READERS = {
    "comparison": lambda text: comparison_from(parse_object(as_bytes(text), "body", WANTED), COMPARE),
    "message": lambda message: read_steps([{"role": "user", "content": "Hi"}, message], "m"),
    "dialogue": lambda text: read_dialogues(as_bytes(text), "chat"),
    "review": lambda text: read_reviews(as_bytes(text), "f", REVIEW),
    "slot": lambda name, value: slot_from(name, value, REVIEW),
}


@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read_is_refused_in_one_line_that_names_the_place(reader):
    for *given, says in REFUSED[reader]:
        check(said(READERS[reader], *given), says, *given)
        if reader == "slot" and "unknown slot" not in says:
            check(said(review_from, {**GOOD["review"], given[0]: given[1]}, REVIEW), says, *given)


def test_what_is_no_row_of_ratings_is_refused_by_line_alone_and_in_a_file():
    for text, says in REFUSED["ratings"]:
        check(said(slot_from, "response1_original_ratings", text, REVIEW), f"response1_original_ratings:{says}", text)
        tag = "RESPONSE2_ORIGINAL_RATINGS"
        inside = f"<PROMPT>\np\n</PROMPT>\n<{tag}>\n{text}\n</{tag}>"
        check(said(read_reviews, inside.encode(), "file", REVIEW), f"file:{int(says[0]) + 4}: ", text)


@pytest.mark.parametrize("protocol", GOOD)
def test_a_line_that_is_no_case_is_a_bad_row_between_good_ones(tmp_path, protocol):
    good = json.dumps(GOOD[protocol]).encode()
    for line, says in REFUSED[f"{protocol} row"]:
        (tmp_path / "rows.jsonl").write_bytes(b"\n".join([good, as_bytes(line), good]))
        rows = list(open_rows(str(tmp_path / "rows.jsonl"), protocol, shipped(protocol)))
        assert [isinstance(row, BadRow) for row in rows] == [False, True, False], line
        assert rows[1].place.endswith("rows.jsonl, line 2") and rows[1].case_id == "2"
        check(rows[1].message, says, line)


def test_a_file_without_cases_or_with_columns_that_are_not_clear_is_refused_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for protocol, name, content, mapping, says in REFUSED["file"]:
        Path(name).write_bytes(as_bytes(content))
        check(said(open_rows, name, protocol, shipped(protocol), mapping), says, name, content)


def test_what_is_wrong_with_a_line_costs_that_line_alone_and_is_said_in_the_words_of_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for protocol, name, content, mapping, lines in REFUSED["lines of a file"]:
        Path(name).write_bytes(as_bytes(content))
        rows = list(open_rows(name, protocol, shipped(protocol), mapping))
        bad = [row for row in rows if isinstance(row, BadRow)]
        assert [row.place for row in bad] == [f"{name}, {line}" for line, _ in lines], content
        for row, (_, says) in zip(bad, lines, strict=True):
            check(row.message, says, content)


@pytest.mark.parametrize(
    ("reader", "given", "says"),
    [
        ("slot", ("response1", "\ud800"), "response1: half of a surrogate pair"),
        (
            "message",
            ({"role": "assistant", "function_call": {"name": "f", "arguments": {1, 2}}},),
            "m[1].function_call: not JSON (",
        ),
    ],
)
def test_what_no_file_can_hold_is_refused_too(reader, given, says):
    check(said(READERS[reader], *given), says, *given)
