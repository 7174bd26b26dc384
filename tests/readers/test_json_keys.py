"""A key is found twice where it stands twice, and nowhere else, whatever the texts hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.readers.json_keys import repeated_keys


@given(
    values=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
    ),
    spaced=st.booleans(),
    as_ascii=st.booleans(),
)
def test_no_text_that_names_each_key_once_is_taken_for_one_that_does_not(values, spaced, as_ascii):
    raw = json.dumps(
        values, indent=spaced or None, ensure_ascii=as_ascii, separators=(" , ", " : ") if spaced else None
    )
    assert not list(repeated_keys(raw.encode("utf-8", "surrogatepass"), values))


@given(
    pairs=st.lists(st.tuples(st.text('ab"\\{}: ', max_size=2), st.text('"\\{}:, ')), min_size=1, max_size=6),
    around=st.sampled_from(["%s", "[%s]", '{"outer": [1, %s]}']),
)
def test_a_key_is_found_twice_exactly_where_it_stands_twice(pairs, around):
    text = around % ("{" + ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in pairs) + "}")
    keys = [key for key, _ in pairs]
    again = [key for number, key in enumerate(keys) if key in keys[:number]]
    assert [key for _, key in repeated_keys(text.encode(), json.loads(text))] == again


@pytest.mark.parametrize(
    "keys", [["\ud800", "x", "x"], ["x", "\ud800", "\ud800"], ["\udfff\ud800", "a", "\udfff\ud800"]]
)
def test_half_a_surrogate_pair_in_a_key_hides_none(keys):
    text = "{" + ",".join(f'"{key}":1' for key in keys) + "}"
    raw = text.encode("utf-8", "surrogatepass")
    assert list(repeated_keys(raw, json.loads(text))) == [(raw.rindex(b'"', 0, raw.rindex(b'"')), keys[-1])]
