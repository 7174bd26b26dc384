"""`adjudge dialogue` as a person meets it."""

import json
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "dialogue.txt"
KEYS = ["TaskSuccess", "Helpfulness", "Accuracy", "Understanding", "Empathy", "Fluency"]
TWO = "SYSTEM\tHow can I help you?\nUSER\tWhere is my order?\n\nUSER\tHello.\nSYSTEM\tGood day to you.\n"


def test_one_dialogue_gives_exactly_the_contracts_object(adjudge):
    code, out, err = adjudge("dialogue", EXAMPLE, "--id", "25")
    assert code == 0
    assert err.startswith("adjudge: verdict d")
    result = json.loads(out)
    assert list(result) == ["dialogue_id", "evaluator", "critic", "referee_final", "audit"]
    assert result["dialogue_id"] == 25
    assert list(result["evaluator"]) == [*KEYS, "numeric_weighted_average"]
    assert [entry["criterion"] for entry in result["critic"]] == KEYS
    assert all(list(entry) == ["criterion", "agree", "comment", "suggested_score"] for entry in result["critic"])
    assert list(result["referee_final"]) == [*KEYS, "numeric_weighted_average", "OverallExperience"]
    assert list(result["audit"]) == ["decision_rules_applied", "evidence_used", "weighted_calc", "mapping_rule"]
    text = EXAMPLE.read_text()
    for item in result["audit"]["evidence_used"]:
        speaker, _, quote = item.partition(": ")
        assert speaker in ("SYSTEM", "USER")
        assert quote[1:-1] in text


@pytest.mark.parametrize(("given", "told"), [("-5", -5), ("007", "007"), ("0", 0), ("chat-7", "chat-7")])
def test_an_id_is_a_number_where_it_is_written_like_one(adjudge, given, told):
    assert json.loads(adjudge("dialogue", EXAMPLE, "--id", given)[1])["dialogue_id"] == told


def test_several_dialogues_give_a_line_each_in_the_files_order(adjudge):
    code, out, _ = adjudge("dialogue", "-", stdin=TWO)
    assert code == 0
    assert [json.loads(line)["dialogue_id"] for line in out.splitlines()] == [1, 2]


def test_a_label_that_may_be_a_speakers_is_said_once_with_its_line(adjudge):
    code, _, err = adjudge("dialogue", "-", stdin="User: Where is it?\nBot: On its way.\nBanana: Hello\nBanana: Bye\n")
    assert code == 0
    assert err.count("adjudge: standard input:3: 'Banana:' is read as part of the utterance before it") == 1
    assert err.count("Banana") == 1


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_other_formats_show_the_overall_experience(adjudge, form):
    code, out, _ = adjudge("dialogue", EXAMPLE, "--format", form)
    assert code == 0
    assert "Understanding" in out


def test_a_verdict_is_replayed_byte_for_byte(adjudge, tmp_path):
    _, out, _ = adjudge("dialogue", EXAMPLE, "--format", "text")
    verdict = next(word for word in out.split() if word.startswith("d") and len(word) == 21)
    code, replayed, err = adjudge("replay", verdict)
    assert (code, err) == (0, "adjudge: the same, byte for byte\n")
    assert json.loads(replayed)["verdict_id"] == verdict
