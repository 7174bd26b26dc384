import re
from decimal import Decimal

import orjson
import pytest
from reports.dialogue_samples import (
    KEYS,
    RUBRIC,
    adopted_sample,
    conversation,
    debated_sample,
    example_a,
    example_b,
    example_c,
    hostile_sample,
    judged,
    long_sample,
    marks_of,
    quoted,
)
from reports.dialogue_texts import ACTION

from adjudge.models.base import from_json, to_json
from adjudge.protocols.dialogue.verdict import DialogueVerdict
from adjudge.protocols.rubrics import parse

EVERY = [example_a(), example_b(), example_c(), debated_sample(), adopted_sample(), hostile_sample(), long_sample()]


def rendered(sample):
    return orjson.loads(to_json(sample.verdict.output))


def recorded(sample):
    return orjson.loads(to_json(sample.verdict))


@pytest.mark.parametrize("sample", EVERY)
def test_the_object_has_the_contracts_keys_in_order_and_no_others(sample):
    document = rendered(sample)
    assert list(document) == ["dialogue_id", "evaluator", "critic", "referee_final", "audit"]
    assert list(document["evaluator"]) == [*KEYS, "numeric_weighted_average"]
    assert [entry["criterion"] for entry in document["critic"]] == list(KEYS)
    assert list(document["referee_final"]) == [*KEYS, "numeric_weighted_average", "OverallExperience"]
    assert list(document["audit"]) == ["decision_rules_applied", "evidence_used", "weighted_calc", "mapping_rule"]
    for key in KEYS:
        assert list(document["evaluator"][key]) == ["score", "justification"]
        assert list(document["referee_final"][key]) == ["score", "justification"]
    for entry in document["critic"]:
        assert list(entry) == ["criterion", "agree", "comment", "suggested_score"]


@pytest.mark.parametrize(
    ("sample", "average", "overall", "calculation"),
    [
        (example_a(), "98.00", 80, "100*0.40 + 100*0.15 + 100*0.15 + 100*0.10 + 80*0.10 + 100*0.10 = 98.00"),
        (example_b(), "88.00", 80, "100*0.40 + 60*0.15 + 100*0.15 + 100*0.10 + 40*0.10 + 100*0.10 = 88.00"),
        (example_c(), "78.00", 60, "80*0.40 + 60*0.15 + 100*0.15 + 80*0.10 + 60*0.10 + 80*0.10 = 78.00"),
    ],
)
def test_the_contracts_examples_come_out_with_their_true_sums(sample, average, overall, calculation):
    document = rendered(sample)
    assert document["referee_final"]["OverallExperience"] == overall
    assert document["audit"]["weighted_calc"] == calculation
    assert document["audit"]["mapping_rule"] == f"round down {average} → {overall}"
    text = to_json(sample.verdict.output, indent=True).decode()
    assert text.count(f'"numeric_weighted_average": {average}') == 2, "a number with both its decimals"


def test_a_dialogues_id_keeps_its_type():
    assert rendered(example_b())["dialogue_id"] == 25
    assert rendered(adopted_sample())["dialogue_id"] == "chat-7"


def test_an_agreement_suggests_nothing_also_when_it_was_worded_as_an_objection():
    for sample in (example_a(), example_b()):
        assert {(entry["agree"], entry["suggested_score"]) for entry in rendered(sample)["critic"]} == {(True, None)}


def test_an_objection_suggests_a_score_and_quotes_what_it_rests_on():
    (entry,) = [entry for entry in rendered(debated_sample())["critic"] if entry["criterion"] == "Helpfulness"]
    assert entry == {
        "criterion": "Helpfulness",
        "agree": False,
        "comment": 'Not one answer is taken further (SYSTEM: "Well, is there a movie you did not like?").',
        "suggested_score": 40,
    }


def test_the_final_justification_is_the_winning_sides():
    document = rendered(debated_sample())
    critic = {entry["criterion"]: entry["comment"] for entry in document["critic"]}
    for key in KEYS:
        won = critic[key] if key == "Empathy" else document["evaluator"][key]["justification"]
        assert document["referee_final"][key]["justification"] == won
    assert document["referee_final"]["Empathy"]["score"] == 40
    assert document["evaluator"]["Empathy"]["score"] == 80
    averages = [document[part]["numeric_weighted_average"] for part in ("evaluator", "referee_final")]
    assert averages == [92, 88], "each side's own"


def test_the_audit_says_which_suggestions_were_taken_and_which_scores_kept_and_why():
    assert rendered(debated_sample())["audit"]["decision_rules_applied"] == (
        "Accepted (a verified quote contradicts the Evaluator): Empathy 80 → 40. "
        "Kept (the Critic agrees): TaskSuccess 100, Accuracy 100, Understanding 100, Fluency 100. "
        "Kept (the Critic’s quote is no contradiction): Helpfulness 60 (40 suggested)."
    )
    assert rendered(example_c())["audit"]["decision_rules_applied"].endswith(
        "Kept (the objection has no quote or no new score): Helpfulness 60 (40 suggested). "
        "Kept (the Critic’s quote is not in the transcript): Empathy 60 (40 suggested)."
    )
    assert rendered(adopted_sample())["audit"]["decision_rules_applied"].startswith(
        "Adopted (three or more objections, all with evidence): "
        "TaskSuccess 100 → 60, Accuracy 100 → 80, Fluency 100 → 20. Kept"
    )


def test_evidence_is_what_the_final_scores_rest_on_once_each_in_the_order_it_was_said():
    assert rendered(debated_sample())["audit"]["evidence_used"] == [
        'SYSTEM: "Alright, how about a movie you liked?"',
        'USER: "I really liked Transporter."',
        'SYSTEM: "Why did you like that movie?"',
        'SYSTEM: "Well, is there a movie you did not like?"',
        'SYSTEM: "Ok, then have you seen the movie John Wick ?"',
        'SYSTEM: "Why did you like John Wick?"',
        'SYSTEM: "thank you for sharing"',
    ], "the Evaluator's quote for Empathy lost with its score"
    assert rendered(adopted_sample())["audit"]["evidence_used"] == [
        'USER: "I really like action movies."',
        'SYSTEM: "Ok, then have you seen the movie John Wick ?"',
        'SYSTEM: "Why did you like John Wick?"',
    ], "quoted for several criteria, listed once"


def test_weights_of_a_users_own_are_shown_with_all_their_digits():
    source = RUBRIC.source.replace("weight: 0.40", "weight: 0.4005").replace("weight: 0.15", "weight: 0.14975")
    case = conversation(ACTION)
    marks = marks_of(case, (80, 20, 20, 20, 20, 20), [("Why.", "Like superhero movies.")] * 6)
    sample = judged(case, marks, {}, rubric=parse(source, "own.yaml"))
    assert to_json(sample.verdict.output, indent=True).count(b'"numeric_weighted_average": 44.03') == 2
    assert rendered(sample)["audit"]["weighted_calc"] == (
        "80*0.4005 + 20*0.14975 + 20*0.14975 + 20*0.10 + 20*0.10 + 20*0.10 = 44.03"
    )


def test_an_average_with_more_than_two_decimals_is_not_rounded():
    source = RUBRIC.source.replace("weight: 0.40", "weight: 0.399999999999")
    source = source.replace("weight: 0.15", "weight: 0.150000000001", 1)
    case = conversation(ACTION)
    marks = marks_of(case, (100, 80, 100, 100, 100, 100), [("Why.", "Like superhero movies.")] * 6)
    sample = judged(case, marks, {}, rubric=parse(source, "own.yaml"))
    text = to_json(sample.verdict.output, indent=True).decode()
    (average, _) = re.findall(r'"numeric_weighted_average": ([\d.]+)', text)
    assert Decimal(average) == Decimal("96.99999999998")
    assert "round down 96.99999999998 → 80" in text


@pytest.mark.parametrize("sample", EVERY)
def test_what_annotators_wrote_is_nowhere(sample):
    assert b"SECRET_ACT" not in to_json(sample.verdict)


@pytest.mark.parametrize("sample", EVERY)
def test_the_bytes_are_always_the_same_and_one_line_holds_the_same_document(sample):
    for document in (sample.verdict, sample.verdict.output):
        once = to_json(document, indent=True)
        assert to_json(document.updated(), indent=True) == once
        assert once.startswith(b'{\n  "')
        assert once.endswith(b"\n}\n")
        line = to_json(document)
        assert len(line.decode().splitlines()) == 1
        assert line.endswith(b"}\n")
        assert orjson.loads(line) == orjson.loads(once)


@pytest.mark.parametrize("sample", EVERY)
def test_a_verdict_is_read_back_from_its_record(sample):
    again = from_json(DialogueVerdict, to_json(sample.verdict), case=sample.case, rubric=sample.rubric)
    assert again == sample.verdict


def test_no_character_a_terminal_obeys_is_left():
    text = to_json(hostile_sample().verdict, indent=True).decode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)


def test_the_record_holds_the_object_and_what_is_known_beside_it():
    record = recorded(debated_sample())
    assert list(record) == [
        "verdict_id",
        "output",
        "rulings",
        "evaluator_quotes",
        "critic_quotes",
        "warnings",
        "usage",
        "cost_usd",
        "calls",
        "provenance",
        "quoted",
    ]
    assert record["output"] == rendered(debated_sample())
    assert record["verdict_id"] == debated_sample().verdict.verdict_id
    assert record["usage"]["total_tokens"] == 4234
    assert record["cost_usd"] == 0.0059315
    assert [call["key"] for call in record["calls"]] == ["evaluator-key", "critic-key"]
    assert record["provenance"]["rubric"] == RUBRIC.reference
    assert set(record["provenance"]["prompts"]) == {"evaluator", "critic"}


def test_the_record_names_the_rule_and_the_place_of_every_quote():
    record = recorded(debated_sample())
    assert {key: record["rulings"][key]["rule"] for key in ("Helpfulness", "Empathy", "Fluency")} == {
        "Helpfulness": "keep_not_contradicted",
        "Empathy": "accept",
        "Fluency": "keep_agreement",
    }
    assert record["rulings"]["Empathy"]["score"] == 40
    assert record["rulings"]["Empathy"]["quotes"] == record["critic_quotes"]["Empathy"]
    assert record["critic_quotes"]["Empathy"][1] == {
        "speaker": "SYSTEM",
        "quote": "thank you for sharing",
        "turn": 15,
        "line": 55,
        "start": 4,
        "end": 25,
    }
    assert record["evaluator_quotes"]["Empathy"][0]["quote"] == "Ok, thank you for sharing. Good bye."
    assert record["critic_quotes"]["Fluency"] == []


@pytest.mark.parametrize("change", [{"line": 99}, {"speaker": "USER"}, {"start": 1}, {"turn": 400}, {"turn": -1}])
def test_a_quote_that_does_not_stand_in_the_dialogue_never_leaves(change):
    sample = debated_sample()
    (quote,) = quoted(sample.case, "Why did you like that movie?")
    quotes = {**sample.verdict.evaluator_quotes, "Helpfulness": (quote.updated(**change),)}
    with pytest.raises(ValueError, match="is not in this dialogue"):
        sample.verdict.updated(evaluator_quotes=quotes)
