"""The bounds of JSON from outside: each is caused for real, and costs little time and memory."""

import json
import tracemalloc

import pytest
from quick import within

from adjudge.errors import InputError
from adjudge.inputs.json import MAX_DEPTH, MAX_KEYS, MAX_VALUES, json_items, parse_object, parse_value

SIZE = 3_000_000
MANY = "more than 200,000 JSON values in one document; at most 200,000 are allowed"
LONG = "too long a number"
TOO_MUCH = [
    (lambda: b"{" + b",".join(b'"%d":1' % n for n in range(300_000)) + b"}", MANY),
    (lambda: b"{" + b",".join(b'"%d":1' % n for n in range(1_001)) + b"}", "an object of 1,001 keys; at most 1,000"),
    (lambda: b'{"a":[' + b"1," * (SIZE // 2) + b"1]}", MANY),
    (lambda: b'{"a":[' + b"[]," * (SIZE // 3) + b"1]}", MANY),
    (lambda: b'{"a":[' + b'"",' * (SIZE // 3) + b"1]}", MANY),
    (lambda: b'{"a":[' + b'"\\"",' * (SIZE // 5) + b"1]}", MANY),
    (lambda: b"[" * SIZE, MANY),
    (lambda: b'{"a":' + b"[" * 100 + b"]" * 100 + b"}", "nested too deeply .* at most 100 levels"),
    (lambda: b'{"a":' + b"1" * 1_001 + b"}", f"{LONG}; .* 1,000 digits"),
    (lambda: b'{"a":[' + (b"1" * 4_000 + b",") * (SIZE // 4_000) + b"1]}", LONG),
    (lambda: b'{"a":1e99999999}', LONG),
    (lambda: b'{"a":-1.5e-99999999}', LONG),
    (lambda: b'{"a":0.' + b"1" * 1_001 + b"}", LONG),
]


def test_json_that_would_cost_far_more_than_its_bytes_is_refused_before_it_is_built() -> None:
    for made, says in TOO_MUCH:
        raw = made()
        tracemalloc.start()
        try:
            with within(10), pytest.raises(InputError, match=says):
                parse_object(raw, "body", "x")
            assert tracemalloc.get_traced_memory()[1] < 4 * len(raw) + 1_000_000, raw[:20]
        finally:
            tracemalloc.stop()


def test_what_the_limits_allow_is_read() -> None:
    whole = ",".join(f'"{n}":1' for n in range(MAX_KEYS - 1))
    deep = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert len(parse_object(f'{{{whole},"deep":{deep}}}'.encode(), "body", "x")) == MAX_KEYS
    # Brackets and commas inside a text are no values.
    text = ',[{\\"\\\\' * MAX_VALUES
    assert len(parse_object(f'{{"a":"{text}"}}'.encode(), "body", "x")["a"]) == 5 * MAX_VALUES


def test_an_item_beyond_a_limit_leaves_the_others() -> None:
    pieces = ['[{"a": [' + "1," * MAX_VALUES + "1]}, ", '{"a": 1}]']
    first, second = (item.value for item in json_items(pieces, str))
    assert first.found.startswith("more than 200,000 JSON values")
    assert second == {"a": 1}


def test_a_long_item_of_too_many_values_is_not_built_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.inputs.json._LONG", 200_000)
    text = "[[" + "[]," * 250_000 + "[]]]"
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="an item of more than 200,000 values"):
            list(json_items([text], str))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_what_stands_in_a_string_is_no_value_wherever_an_escape_stands() -> None:
    for shift in range(4):
        held = "\\" * shift + '",' * 300_000
        assert parse_value(json.dumps([held]), "body") == [held]
