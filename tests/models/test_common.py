"""What all protocols share: written, read back, and refused where a field is unknown."""

from decimal import Decimal

import orjson
import pytest
from pydantic import ValidationError

from adjudge.models.common import Call, Failure, Finding, Lookup, Usage, spent, total_usage

CALL = Call(
    key="k1",
    purpose="repair",
    model="m-1",
    usage=Usage(input_tokens=3, output_tokens=4, cache_read_tokens=1),
    cost=Decimal("0.0000010"),
    attempts=2,
    sent={"temperature": 0.5, "seed": None, "max_tokens": 64, "top_p": 1.0},
    found=True,
)
FAILURE = Failure(reason="timeout", message="no reply", judge="openai:x", calls=(CALL, CALL.updated(cost=None)))
LOOKUP = Lookup(query="q", provider="brave", findings=(Finding(title="t", url="https://x", snippet="s"),))


def read_back(model):
    return type(model).model_validate(orjson.loads(orjson.dumps(model.model_dump(), default=str)))


def test_a_failure_is_read_back_as_it_was_with_every_digit_of_its_cost():
    again = read_back(FAILURE)
    assert again == FAILURE
    assert str(again.calls[0].cost) == "0.0000010" and again.calls[1].cost is None
    assert repr(again.calls[0].sent) == repr(CALL.sent), "0.5 is a float, 64 is not"


def test_whether_a_reply_was_there_before_is_not_kept():
    assert "found" not in FAILURE.model_dump()["calls"][0]
    assert CALL == CALL.updated(found=False) != CALL.updated(attempts=3)


def test_a_search_is_read_back_as_it_was_with_or_without_findings():
    for lookup in (LOOKUP, Lookup(query="q", provider="brave", error="HTTP 500")):
        assert read_back(lookup) == lookup


def test_a_field_too_many_or_too_few_is_refused_by_its_name():
    with pytest.raises(ValidationError, match="colour"):
        Failure.model_validate({**FAILURE.model_dump(), "colour": "red"})
    with pytest.raises(ValidationError, match="judge"):
        Failure.model_validate({"reason": "timeout", "message": "no reply"})
    with pytest.raises(ValidationError, match=r"findings.0.colour"):
        Lookup.model_validate(
            {"query": "q", "provider": "p", "findings": [{"title": "t", "url": "u", "snippet": "s", "colour": "red"}]}
        )


def test_nothing_can_be_changed_but_a_changed_copy_can_be_had():
    with pytest.raises(ValidationError, match="frozen"):
        CALL.model = "other"
    assert CALL.updated(model="other").model == "other" and CALL.model == "m-1"
    with pytest.raises(ValidationError, match="purpose"):
        CALL.updated(purpose="guess")


def test_tokens_and_dollars_of_calls_are_added_up():
    paid = spent((CALL, CALL))
    assert (paid["usage"].total_tokens, paid["cost_usd"], len(paid["calls"])) == (14, Decimal("0.0000020"), 2)
    assert total_usage((CALL, CALL)).cache_read_tokens == 2
    assert spent((CALL, CALL.updated(cost=None)))["cost_usd"] is None, "the price of one is not known"
    assert spent(())["usage"].total_tokens == 0 == spent(())["cost_usd"]
