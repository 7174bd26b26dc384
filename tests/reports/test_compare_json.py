import json
from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.verdict_samples import KEYS, call, hostile_sample, plain_sample, tied_sample

from adjudge.models.base import from_json, to_json
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.reports import error_report


def rendered(sample):
    return orjson.loads(to_json(sample.verdict))


def test_the_contracts_keys_come_first_and_in_order():
    document = rendered(plain_sample())
    assert list(document)[:2] == ["evaluation", "usage"]
    evaluation = document["evaluation"]
    assert list(evaluation)[:5] == ["criteria_scores", "overall", "winner", "winner_rationale", "web_search_used"]
    assert tuple(evaluation["criteria_scores"]) == KEYS
    for criterion in evaluation["criteria_scores"].values():
        assert list(criterion) == ["A", "B", "weight"]
        for side in "AB":
            assert list(criterion[side]) == ["score", "justification", "evidence", "assessed"]
            for item in criterion[side]["evidence"]:
                assert list(item) == ["answer", "impact", "quote", "rationale", "start", "end"]
    for side in "AB":
        assert list(evaluation["overall"][side]) == ["weighted_total_score", "summary", "normalized"]
    assert list(document["usage"]) == ["input_tokens", "output_tokens", "total_tokens", "reasoning_tokens"]


def test_what_adjudge_adds_comes_after():
    document = rendered(plain_sample())
    assert list(document)[2:] == [
        "warnings",
        "facts",
        "lookups",
        "cost_usd",
        "calls",
        "verdict_id",
        "provenance",
        "opinions",
        "quoted",
    ]
    assert list(document["evaluation"])[5:] == [
        "margin",
        "decided",
        "confidence",
        "decided_by",
        "order_consistent",
        "order",
    ]
    assert list(document["evaluation"]["order"]) == ["judged", "winners", "moved", "drawn_from_seed"]


def test_the_values_are_the_verdicts():
    document = rendered(plain_sample())
    evaluation = document["evaluation"]
    assert evaluation["winner"] == "A"
    assert evaluation["overall"]["A"]["weighted_total_score"] == 70
    assert evaluation["overall"]["B"]["weighted_total_score"] == 38.25
    assert evaluation["order_consistent"] is True
    assert evaluation["order"]["winners"] == {"ab": "A", "ba": "A"}
    assert evaluation["order"]["moved"] == {"A": 0.25, "B": -0.1875}
    assert document["usage"] == {
        "input_tokens": 3410,
        "output_tokens": 824,
        "total_tokens": 4234,
        "reasoning_tokens": 256,
    }
    assert document["cost_usd"] == 0.008463
    assert [entry["key"] for entry in document["calls"]] == ["ab-key", "ba-key"]
    assert [entry["order"] for entry in document["opinions"]] == ["ab", "ba"]
    assert document["opinions"][1]["scores"]["correctness_reasoning"] == {"A": 10, "B": 4}


@pytest.mark.parametrize("sample", [plain_sample(), hostile_sample()])
def test_every_quote_stands_under_the_answer_it_is_from(sample):
    for criterion in rendered(sample)["evaluation"]["criteria_scores"].values():
        for label in "AB":
            for item in criterion[label]["evidence"]:
                assert item["answer"] == label
                assert sample.case.answer(label)[item["start"] : item["end"]] == item["quote"]


def test_a_verdict_does_not_belong_to_another_case():
    sample = plain_sample()
    with pytest.raises(ValueError, match="is not in answer"):
        sample.verdict.updated(case=Comparison(task="t", a=sample.case.b, b=sample.case.a))


@pytest.mark.parametrize("digits", ["1234567890.123456789012", "0.1", "86.50", "0.0000001", "-0.1875", "7E+1"])
def test_a_number_has_exactly_its_digits(digits):
    sample = plain_sample()
    verdict = sample.verdict.updated(evaluation=sample.verdict.evaluation.updated(margin=Decimal(digits)))
    written = format(Decimal(digits), "f")
    assert f'"margin": {written},'.encode() in to_json(verdict, indent=True)
    again = from_json(ComparisonVerdict, to_json(verdict), case=sample.case)
    assert again.margin == verdict.margin and to_json(again) == to_json(verdict)


def test_one_order_has_no_consistency_to_report():
    evaluation = rendered(tied_sample(one_order=True))["evaluation"]
    assert evaluation["order_consistent"] is None
    assert evaluation["order"]["moved"] == {}
    assert evaluation["order"]["drawn_from_seed"] == 0


def test_an_unknown_price_is_null_and_no_call_costs_nothing():
    assert rendered(hostile_sample())["cost_usd"] is None
    assert rendered(tied_sample())["cost_usd"] == 0


@pytest.mark.parametrize("sample", [plain_sample(), hostile_sample(), tied_sample()])
def test_the_same_verdict_gives_the_same_bytes(sample):
    once = to_json(sample.verdict, indent=True)
    assert to_json(sample.verdict.updated(), indent=True) == once
    assert once.endswith(b"}\n")
    assert once.startswith(b'{\n  "evaluation": {\n    "criteria_scores"')


def test_a_juror_is_shown_inside_the_opinion_of_its_jury():
    sample = plain_sample()
    first = sample.verdict.opinions[0]
    jury = first.updated(judge="jury:x+y", members=(first,))
    verdict = sample.verdict.updated(opinions=(jury,))
    (shown,) = orjson.loads(to_json(verdict))["opinions"]
    assert [member["judge"] for member in shown["members"]] == ["openai:gpt-5.1"]


def test_a_failure_says_one_line_and_what_was_paid():
    failure = Failure(
        reason="refused", message="I can't\njudge \x1b[31mthis", judge="openai:gpt-5.1", calls=(call("k", "0.01"),)
    )
    document = orjson.loads(to_json(error_report(failure)))
    assert list(document) == ["error", "failure"]
    assert document["error"] == "no verdict from openai:gpt-5.1 (refused): I can't judge this"
    assert list(document["failure"]) == ["reason", "message", "judge", "usage", "cost_usd", "calls"]
    assert document["failure"]["cost_usd"] == 0.01
    assert document["failure"]["usage"]["total_tokens"] == 2117
    assert "score" not in str(document)


@pytest.mark.parametrize("sample", [plain_sample(), tied_sample(), tied_sample(one_order=True), hostile_sample()])
def test_a_verdict_is_read_back_from_its_json(sample):
    line = to_json(sample.verdict)
    assert line.count(b"\n") == 1
    again = from_json(ComparisonVerdict, line, case=sample.case)
    assert to_json(again) == line
    assert again.order == sample.verdict.order
    assert again.overall == sample.verdict.overall


_TEXTS = st.text('ab:,"\\ \n{}[]\u2028é')
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.decimals(-9, 9, places=30) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_TEXTS, _VALUES, max_size=4))
def test_any_document_is_one_line_of_json_with_every_digit(document):
    line = to_json(document)
    assert len(line.decode().splitlines()) == 1
    assert (
        json.loads(line, parse_float=Decimal)
        == document
        == json.loads(to_json(document, indent=True), parse_float=Decimal)
    )
