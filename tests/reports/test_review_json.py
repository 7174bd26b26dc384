from decimal import Decimal

import orjson
import pytest
from reports.review_report_samples import FROM_SCRATCH, KEYS
from reports.review_samples import corrected_sample, hostile_sample, invalid_sample, scratch_sample

from adjudge.models.base import from_json, to_json
from adjudge.protocols.review.verdict import ReviewVerdict

CONTRACT = ["response1_fixed_table", "response2_fixed_table", "final_likert_and_justification", "changelog", "sbq"]
BESIDE = ["verdict_id", "facts", "warnings", "usage", "cost_usd", "calls", "judge", "provenance", "opinion"]


def written(sample, **options):
    return to_json(sample.verdict, **options)


def rendered(sample):
    return orjson.loads(written(sample))


@pytest.mark.parametrize("sample", [corrected_sample(), hostile_sample(), scratch_sample()])
def test_the_contracts_keys_come_first_and_in_order(sample):
    document = rendered(sample)
    assert list(document) == CONTRACT + BESIDE
    for name in CONTRACT[:2]:
        assert [row["key"] for row in document[name]] == list(KEYS)
        assert all(list(row)[:3] == ["dimension", "rating", "justification"] for row in document[name])
    assert list(document["final_likert_and_justification"])[:2] == ["likert", "justification"]


def test_a_line_says_what_became_of_what_was_entered():
    table = {row["key"]: row for row in rendered(corrected_sample())["response2_fixed_table"]}
    assert table["verbosity"] == {
        "dimension": "Verbosity",
        "rating": -2,
        "justification": "It breaks off after “and”: one prime is missing.",
        "key": "verbosity",
        "action": "replaced",
        "reason": "the response is cut off",
        "original": {"rating": "0", "justification": "ok"},
        "justification_action": "rewritten",
        "justification_reason": "it names nothing in the response",
        "quotes": [{"quote": "and", "start": 5, "end": 8}],
        "rule": "truncation",
        "assessed": True,
    }
    assert table["truthfulness"]["original"] == {"rating": "2.5", "justification": ""}
    assert table["style_clarity"]["original"] is None


def test_the_preference_facts_and_cost_are_written():
    document = rendered(corrected_sample())
    likert = document["final_likert_and_justification"]
    assert (likert["likert"], likert["action"], likert["original"]["rating"]) == (1, "replaced", "4")
    assert document["facts"] == [
        {
            "name": "truncation",
            "where": "response2",
            "start": 5,
            "end": 8,
            "found": "no end",
            "certain": True,
            "severity": "major",
        }
    ]
    assert document["warnings"][0]["code"] == "dropped_quote"
    assert document["judge"] == document["provenance"]["judge"]
    assert document["opinion"]["response2"]["still_good"] == "Two primes."
    assert document["opinion"]["response1"]["ratings"]["verbosity"]["rating"] == 0
    assert document["usage"]["total_tokens"] > 0
    (call,) = corrected_sample().verdict.calls
    assert isinstance(call.cost, Decimal)
    assert b'"cost_usd":%s' % format(call.cost, "f").encode() in written(corrected_sample())


def test_a_review_from_scratch_says_so():
    assert rendered(scratch_sample())["changelog"] == [FROM_SCRATCH]
    assert rendered(scratch_sample())["opinion"] is None


def test_an_invalid_task_has_a_reason_and_no_table():
    document = rendered(invalid_sample())
    assert list(document) == ["invalid_task", *BESIDE]
    assert document["invalid_task"] == "Response 1 is\nmissing."


def test_it_is_one_line_unless_it_is_indented():
    for sample in (corrected_sample(), hostile_sample(), invalid_sample()):
        assert written(sample).count(b"\n") == 1
        assert orjson.loads(written(sample, indent=True)) == rendered(sample)


def test_a_quote_that_does_not_stand_in_the_response_never_leaves():
    sample = corrected_sample()
    with pytest.raises(ValueError, match="the quote at 5:8 is not in Response 2 of this case"):
        sample.verdict.updated(case=sample.case.updated(b="2, 3 AND"))


@pytest.mark.parametrize("sample", [corrected_sample(), hostile_sample(), scratch_sample(), invalid_sample()])
def test_a_verdict_is_read_back_from_its_json(sample):
    again = from_json(ReviewVerdict, written(sample), case=sample.case, rubric=sample.rubric)
    assert written(again_as(sample, again)) == written(sample)
    assert (again.tables, again.likert, again.facts) == (
        sample.verdict.tables,
        sample.verdict.likert,
        sample.verdict.facts,
    )


def again_as(sample, verdict):
    return type(sample)(sample.case, verdict, sample.rubric)


def test_tables_are_found_by_the_number_of_the_response():
    verdict = corrected_sample().verdict
    assert verdict.tables[2]["verbosity"].value == -2
    assert verdict.tables[1]["verbosity"].value == 0
    assert invalid_sample().verdict.tables == {}
