"""Verdicts as JSON: the contract's keys in order, exact numbers, the same bytes, read back, no quote out of place.

What it holds is in the golden files of `test_reports`, and of real procedures in tests/golden/verdicts.
"""

import json
import re
from decimal import Decimal

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports import dialogue_samples, review_report_samples, verdict_samples
from reports.dialogue_samples import ACTION, conversation, debated_sample, judged, quoted
from reports.review_report_samples import audited_sample
from reports.sample_texts import call
from reports.verdict_samples import plain_sample

from adjudge.models.base import from_json, to_json
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.dialogue.case import Dialogue
from adjudge.protocols.review.verdict import Passage
from adjudge.protocols.rubrics import parse
from adjudge.reports import error_report

MODULES = {"compare": verdict_samples, "dialogue": dialogue_samples, "review": review_report_samples}
EVERY = {f"{name} {of}": sample for of, module in MODULES.items() for name, sample in module.every_sample().items()}


def read(value):
    return orjson.loads(to_json(value))


def test_the_contracts_keys_of_a_comparison_come_first_and_in_order_and_ours_after_them():
    document = read(plain_sample().verdict)
    theirs = ["evaluation", "usage"]
    ours = ["warnings", "facts", "lookups", "cost_usd", "calls", "verdict_id", "provenance", "opinions", "quoted"]
    assert list(document) == theirs + ours
    evaluation = document["evaluation"]
    theirs = ["criteria_scores", "overall", "winner", "winner_rationale", "web_search_used"]
    assert list(evaluation) == [*theirs, "margin", "decided", "confidence", "decided_by", "order_consistent", "order"]
    assert tuple(evaluation["criteria_scores"]) == verdict_samples.KEYS
    for criterion in evaluation["criteria_scores"].values():
        assert list(criterion) == ["A", "B", "weight"]
        for side in "AB":
            assert list(criterion[side]) == ["score", "justification", "evidence", "assessed"]
            for item in criterion[side]["evidence"]:
                assert list(item) == ["answer", "impact", "quote", "rationale", "start", "end"]
    for side in "AB":
        assert list(evaluation["overall"][side]) == ["weighted_total_score", "summary", "normalized"]
    assert list(document["usage"]) == ["input_tokens", "output_tokens", "total_tokens", "reasoning_tokens"]


def test_the_object_of_a_dialogue_has_the_contracts_keys_in_order_and_no_others():
    keys = dialogue_samples.KEYS
    for sample in dialogue_samples.every_sample().values():
        document = read(sample.verdict.output)
        assert list(document) == ["dialogue_id", "evaluator", "critic", "referee_final", "audit"]
        assert list(document["evaluator"]) == [*keys, "numeric_weighted_average"]
        assert [entry["criterion"] for entry in document["critic"]] == list(keys)
        assert list(document["referee_final"]) == [*keys, "numeric_weighted_average", "OverallExperience"]
        assert list(document["audit"]) == ["decision_rules_applied", "evidence_used", "weighted_calc", "mapping_rule"]
        scored = [document[side][key] for side in ("evaluator", "referee_final") for key in keys]
        assert all(list(entry) == ["score", "justification"] for entry in scored)
        assert all(list(one) == ["criterion", "agree", "comment", "suggested_score"] for one in document["critic"])
        assert all(one["suggested_score"] is None for one in document["critic"] if one["agree"])


def test_the_contracts_keys_of_a_review_come_first_and_in_order():
    tables = ["response1_fixed_table", "response2_fixed_table"]
    preference = "final_likert_and_justification"
    theirs = [*tables, preference, "changelog", "sbq"]
    ours = ["verdict_id", "facts", "warnings", "usage", "cost_usd", "calls", "judge", "provenance", "opinion"]
    for name, sample in review_report_samples.every_sample().items():
        document = read(sample.verdict)
        assert list(document) == (["invalid_task"] if name == "invalid" else theirs) + ours
        for table in tables if name != "invalid" else ():
            assert [row["key"] for row in document[table]] == list(review_report_samples.KEYS)
            assert all(list(row)[:3] == ["dimension", "rating", "justification"] for row in document[table])
            assert list(document[preference])[:2] == ["likert", "justification"]


@pytest.mark.parametrize(
    ("sample", "average", "overall", "calculation"),
    [
        ("example a", "98.00", 80, "100*0.40 + 100*0.15 + 100*0.15 + 100*0.10 + 80*0.10 + 100*0.10 = 98.00"),
        ("example b", "88.00", 80, "100*0.40 + 60*0.15 + 100*0.15 + 100*0.10 + 40*0.10 + 100*0.10 = 88.00"),
        ("example c", "78.00", 60, "80*0.40 + 60*0.15 + 100*0.15 + 80*0.10 + 60*0.10 + 80*0.10 = 78.00"),
    ],
)
def test_the_contracts_examples_come_out_with_their_true_sums(sample, average, overall, calculation):
    output = EVERY[f"{sample} dialogue"].verdict.output
    document = read(output)
    assert document["referee_final"]["OverallExperience"] == overall
    assert document["audit"]["weighted_calc"] == calculation
    assert document["audit"]["mapping_rule"] == f"round down {average} → {overall}"
    text = to_json(output, indent=True).decode()
    assert text.count(f'"numeric_weighted_average": {average}') == 2, "a number with both its decimals"


def test_an_agreement_suggests_nothing_also_when_it_was_worded_as_an_objection():
    for name in ("example a", "example b"):
        entries = read(EVERY[f"{name} dialogue"].verdict.output)["critic"]
        assert {(entry["agree"], entry["suggested_score"]) for entry in entries} == {(True, None)}


def test_the_final_justification_is_the_winning_sides():
    document = read(debated_sample().verdict.output)
    critic = {entry["criterion"]: entry["comment"] for entry in document["critic"]}
    for key in dialogue_samples.KEYS:
        won = critic[key] if key == "Empathy" else document["evaluator"][key]["justification"]
        assert document["referee_final"][key]["justification"] == won


@pytest.mark.parametrize(
    ("weights", "scores", "average"),
    [
        ({"0.40": "0.4005", "0.15": "0.14975"}, (80, 20, 20, 20, 20, 20), "44.03"),
        ({"0.40": "0.399999999999", "0.15": "0.150000000001"}, (100, 80, 100, 100, 100, 100), "96.99999999998"),
    ],
)
def test_weights_of_a_users_own_and_their_average_are_shown_with_all_their_digits(weights, scores, average):
    source = dialogue_samples.RUBRIC.source
    for was, is_now in weights.items():
        source = source.replace(f"weight: {was}", f"weight: {is_now}", 1 if len(is_now) > 9 else -1)
    said = [("Why.", "Like superhero movies.")] * 6
    sample = judged(conversation(ACTION), scores, said, rubric=parse(source, "own.yaml"))
    text = to_json(sample.verdict.output, indent=True).decode()
    assert re.findall(r'"numeric_weighted_average": ([\d.]+)', text)[0].rstrip("0") == average
    assert f"{scores[0]}*{weights['0.40']} + {scores[1]}*{weights['0.15']} + " in text
    assert f"= {average}" in text and f"round down {average} → " in text


@pytest.mark.parametrize("digits", ["1234567890.123456789012", "0.1", "86.50", "0.0000001", "-0.1875", "7E+1"])
def test_a_number_has_exactly_its_digits(digits):
    sample = plain_sample()
    verdict = sample.verdict.updated(evaluation=sample.verdict.evaluation.updated(margin=Decimal(digits)))
    assert f'"margin": {format(Decimal(digits), "f")},'.encode() in to_json(verdict, indent=True)
    again = from_json(type(verdict), to_json(verdict), case=sample.case)
    assert again.margin == verdict.margin and to_json(again) == to_json(verdict)


def test_an_unknown_price_is_null_and_no_call_costs_nothing():
    assert read(EVERY["hostile compare"].verdict)["cost_usd"] is None
    assert read(EVERY["tied compare"].verdict)["cost_usd"] == 0


@pytest.mark.parametrize("name", EVERY)
def test_a_verdict_is_one_line_the_same_bytes_each_time_and_read_back_from_them(name):
    sample = EVERY[name]
    line, once = to_json(sample.verdict), to_json(sample.verdict, indent=True)
    assert line.count(b"\n") == len(line.decode().splitlines()) == 1
    assert to_json(sample.verdict.updated(), indent=True) == once
    assert once.startswith(b'{\n  "') and once.endswith(b"\n}\n")
    assert orjson.loads(line) == orjson.loads(once)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", once.decode())
    again = from_json(type(sample.verdict), line, case=sample.case, rubric=sample.rubric)
    assert to_json(again) == line
    assert again == sample.verdict or "compare" in name  # whose opinions keep their exact fractions


def test_a_juror_is_shown_inside_the_opinion_of_its_jury():
    first = plain_sample().verdict.opinions[0]
    verdict = plain_sample().verdict.updated(opinions=(first.updated(judge="jury:x+y", members=(first,)),))
    (shown,) = read(verdict)["opinions"]
    assert [member["judge"] for member in shown["members"]] == ["openai:gpt-5.1"]


def test_a_failure_says_one_line_and_what_was_paid():
    calls = (call("k", "0.01"),)
    failure = Failure(reason="refused", message="I can't\njudge \x1b[31mthis", judge="openai:gpt-5.1", calls=calls)
    document = read(error_report(failure))
    assert list(document) == ["error", "failure"]
    assert document["error"] == "no verdict from openai:gpt-5.1 (refused): I can't judge this"
    assert list(document["failure"]) == ["reason", "message", "judge", "usage", "cost_usd", "calls"]
    assert (document["failure"]["cost_usd"], document["failure"]["usage"]["total_tokens"]) == (0.01, 2117)
    assert "score" not in str(document)


def test_a_verdict_does_not_belong_to_another_case():
    plain, debated, audited = plain_sample(), debated_sample(), audited_sample()
    others = {
        "is not in answer": (plain, Comparison(task="t", a=plain.case.b, b=plain.case.a)),
        "is not in this dialogue": (debated, Dialogue(25, debated.case.turns[::-1])),
        "is not in Response 1": (audited, audited.case.updated(a=audited.case.b, b=audited.case.a)),
    }
    for told, (sample, other) in others.items():
        with pytest.raises(ValueError, match=told):
            sample.verdict.updated(case=other)


@pytest.mark.parametrize("change", [{"line": 99}, {"speaker": "USER"}, {"start": 1}, {"turn": 400}, {"turn": -1}])
def test_a_quote_that_does_not_stand_in_the_dialogue_never_leaves(change):
    sample = debated_sample()
    (quote,) = quoted(sample.case, "Why did you like that movie?")
    quotes = {**sample.verdict.evaluator_quotes, "Helpfulness": (quote.updated(**change),)}
    with pytest.raises(ValueError, match="is not in this dialogue"):
        sample.verdict.updated(evaluator_quotes=quotes)


@pytest.mark.parametrize(("quote", "start", "end"), [("From 14", 0, 7), ("", 3, 3), ("!", -1, 322), ("x", 5000, 5001)])
def test_a_quote_or_a_fact_that_does_not_stand_in_the_response_never_leaves(quote, start, end):
    sample = audited_sample()
    table = sample.verdict.tables[1]
    table["verbosity"] = table["verbosity"].updated(quotes=(Passage(quote=quote, start=start, end=end),))
    with pytest.raises(ValueError, match="is not in Response 1 of this case"):
        sample.having(tables={"A": table})
    with pytest.raises(ValueError, match="the fact at 268:999 does not lie in Response 2"):
        sample.having(facts=(sample.verdict.facts[1].updated(end=999),))


def test_tables_are_found_by_the_number_of_the_response():
    tables = audited_sample().verdict.tables
    assert [tables[at]["verbosity"].value for at in (1, 2)] == [0, -2]
    assert EVERY["invalid review"].verdict.tables == {}


_TEXTS = st.text('ab:,"\\ \n{}[]\u2028é')
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.decimals(-9, 9, places=30) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=50)
@given(st.dictionaries(_TEXTS, _VALUES, max_size=4))
def test_any_document_is_one_line_of_json_with_every_digit(document):
    line, indented = to_json(document), to_json(document, indent=True)
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line, parse_float=Decimal) == document == json.loads(indented, parse_float=Decimal)
