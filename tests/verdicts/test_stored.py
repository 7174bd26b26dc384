"""What is kept of failures and searches beside a verdict: written, read back, and refused where a field is unknown."""

from dataclasses import replace
from decimal import Decimal

import orjson
import pytest

from adjudge.verdicts import Call, Failure, Finding, Lookup, Usage
from adjudge.verdicts.stored import failure_json, failure_of, lookup_of

CALL = Call(
    key="k1",
    purpose="repair",
    model="m-1",
    usage=Usage(input_tokens=3, output_tokens=4, cache_read_tokens=1),
    cost=Decimal("0.0000010"),
    attempts=2,
    sent={"temperature": 0.5, "seed": None},
    found=True,
)
FAILURE = Failure(reason="timeout", message="no reply", judge="openai:x", calls=(CALL, replace(CALL, cost=None)))
LOOKUP = Lookup(query="q", provider="brave", findings=(Finding(title="t", url="https://x", snippet="s"),))


def read_back(written):
    return orjson.loads(orjson.dumps(written))


def test_a_failure_is_read_back_as_it_was_with_every_digit_of_its_cost():
    again = failure_of(read_back(failure_json(FAILURE)))
    assert again == FAILURE
    assert str(again.calls[0].cost) == "0.0000010" and again.calls[1].cost is None


def test_whether_a_reply_was_there_before_is_not_kept():
    assert "found" not in failure_json(FAILURE)["calls"][0]
    assert CALL == replace(CALL, found=False) != replace(CALL, attempts=3)


def test_a_search_is_read_back_as_it_was_with_or_without_findings():
    for lookup in (LOOKUP, Lookup(query="q", provider="brave", error="HTTP 500")):
        assert lookup_of(read_back(lookup)) == lookup


def test_a_field_too_many_or_too_few_is_refused_by_its_name():
    with pytest.raises(TypeError, match="colour"):
        failure_of({**failure_json(FAILURE), "colour": "red"})
    with pytest.raises(TypeError, match="judge"):
        failure_of({"reason": "timeout", "message": "no reply"})
    with pytest.raises(TypeError, match="colour"):
        lookup_of({**read_back(LOOKUP), "findings": [{"title": "t", "url": "u", "snippet": "s", "colour": "red"}]})
    with pytest.raises(TypeError, match="query"):
        lookup_of({"provider": "brave"})
