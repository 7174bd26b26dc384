"""Files as other tools write them: which columns are found without a word said."""

import csv
import io
import json


def table(header, *rows):
    file = io.StringIO(newline="")
    csv.writer(file).writerows([header, *rows])
    return file.getvalue()


def test_our_own_data_sets(opened):
    rows = opened(
        "pairs.jsonl",
        [
            {"id": "autoj-0", "source": "autoj", "task": "t", "response_a": "x", "response_b": "y", "human": "tie"},
            {
                "id": "qa-1",
                "task": "t",
                "response_a": "x",
                "response_b": "y",
                "human": "A",
                "context": "c",
                "votes": ["A"],
            },
        ],
    )
    assert rows.mapping == {
        "task": "task",
        "a": "response_a",
        "b": "response_b",
        "context": "context",
        "id": "id",
        "label": "human",
    }
    first, second = rows
    assert (first.case_id, first.label, first.case.context, first.extra) == ("autoj-0", "tie", "", {"source": "autoj"})
    assert (second.label, second.case.context, second.extra) == ("A", "c", {"votes": '["A"]'})


def test_requests_of_our_own_api(opened):
    row = opened.only(
        "r.jsonl", [{"userTask": "t", "responseA": "x", "responseB": "y", "weights": {"correctness_reasoning": 2}}]
    )
    assert (row.case.task, row.case.a, row.case.b) == ("t", "x", "y")


def test_alpaca_eval_annotations(opened):
    """`annotations.json`: an array; output_1 is the reference, preference runs from 1 to 2."""
    entry = {
        "instruction": "Name a river.",
        "input": "",
        "output_1": "The Nile.",
        "generator_1": "text_davinci_003",
        "dataset": "helpful_base",
        "output_2": "Rhine",
        "generator_2": "alpaca-7b",
        "annotator": "alpaca_eval_gpt4",
        "preference": 1.0,
        "time_per_example": 1.2,
        "raw_completion": None,
    }
    rows = opened(
        "annotations.json", json.dumps([entry, entry | {"preference": 2.0}, entry | {"preference": 1.5}], indent=4)
    )
    assert rows.mapping == {
        "task": "instruction",
        "a": "output_1",
        "b": "output_2",
        "context": "input",
        "label": "preference",
        "system_a": "generator_1",
        "system_b": "generator_2",
    }
    read = list(rows)
    assert [row.label for row in read] == ["A", "B", "tie"]
    assert read[0].systems == ("text_davinci_003", "alpaca-7b")
    assert read[0].extra == {
        "dataset": "helpful_base",
        "annotator": "alpaca_eval_gpt4",
        "time_per_example": 1.2,
        "raw_completion": None,
    }


def test_alpaca_farm_has_what_an_instruction_is_about_beside_it(opened):
    row = opened.only(
        "farm.jsonl",
        [{"instruction": "Sum up.", "input": "A long story.", "output_1": "x", "output_2": "y", "preference": 2}],
    )
    assert (row.case.task, row.case.context, row.label) == ("Sum up.", "A long story.", "B")


def test_llmbar(opened):
    row = opened.only("dataset.json", json.dumps([{"input": "t", "output_1": "x", "output_2": "y", "label": 1}]))
    assert (row.case.task, row.case.context, row.label) == ("t", "", "A")


def talk(*said):
    roles = ("user", "assistant")
    return [{"content": text, "role": roles[number % 2]} for number, text in enumerate(said)]


def test_chatbot_arena_conversations(opened):
    row = opened.only(
        "arena.jsonl",
        [
            {
                "question_id": "58210e39",
                "model_a": "chatglm-6b",
                "model_b": "koala-13b",
                "winner": "tie (bothbad)",
                "judge": "arena_user_973",
                "conversation_a": talk("Name a river.", "Nile."),
                "conversation_b": talk("Name a river.", "Rhine."),
                "turn": 1,
                "anony": True,
                "language": "English",
                "tstamp": 1682351591.1322,
                "openai_moderation": {"flagged": False},
            }
        ],
    )
    assert (row.case.task, row.case.a, row.case.b) == ("Name a river.", "Nile.", "Rhine.")
    assert (row.case_id, row.label, row.systems) == ("58210e39", "tie", ("chatglm-6b", "koala-13b"))
    assert row.extra == {
        "judge": "arena_user_973",
        "turn": 1,
        "anony": True,
        "language": "English",
        "tstamp": 1682351591.1322,
        "openai_moderation": '{"flagged":false}',
    }


def test_mt_bench_human_judgments_of_two_turns_are_numbered(opened):
    row = opened.only(
        "mt.jsonl",
        [
            {
                "question_id": 81,
                "model_a": "alpaca-13b",
                "model_b": "gpt-3.5-turbo",
                "winner": "model_b",
                "judge": "author_2",
                "conversation_a": talk("Write.", "Draft.", "Rewrite.", "Done."),
                "conversation_b": talk("Write.", "Text.", "Rewrite.", "Better."),
                "turn": 2,
            }
        ],
    )
    assert row.case.task == "[1] Write.\n\n[2] Rewrite."
    assert row.case.a == "[1] Draft.\n\n[2] Done."
    assert row.case.b == "[1] Text.\n\n[2] Better."
    assert (row.case_id, row.label) == ("81", "B")


def test_arena_messages_in_parts(opened):
    """arena-human-preference-140k: content is a list of parts."""
    parts = [
        {"role": "user", "content": [{"type": "text", "text": "Hi", "image": None, "mimeType": None}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello", "image": None, "mimeType": None}]},
    ]
    row = opened.only(
        "arena.jsonl",
        [
            {
                "id": "1",
                "model_a": "x",
                "model_b": "y",
                "winner": "both_bad",
                "conversation_a": parts,
                "conversation_b": parts,
            }
        ],
    )
    assert (row.case.task, row.case.a, row.label) == ("Hi", "Hello", "tie")


ARENA_CSV = ["id", "model_a", "model_b", "prompt", "response_a", "response_b"]
KAGGLE = [*ARENA_CSV, "winner_model_a", "winner_model_b", "winner_tie"]


def test_arena_on_kaggle(opened):
    rows = opened(
        "train.csv",
        table(
            KAGGLE,
            ["30192", "gpt-4", "koala", '["One?"]', '["Yes, \\"one\\"."]', '["No."]', "1", "0", "0"],
            ["53567", "gpt-4", "koala", '["One?","Two?"]', '["Yes.","Ja."]', '["No.",null]', "0", "0", "1"],
        ),
    )
    assert rows.mapping["label"] == "winner_model_a/winner_model_b/winner_tie"
    first, second = rows
    assert (first.case.task, first.case.a, first.case.b) == ("One?", 'Yes, "one".', "No.")
    assert (second.case.task, second.case.b) == ("[1] One?\n\n[2] Two?", "[1] No.\n\n[2] ")
    assert (first.label, second.label, first.systems) == ("A", "tie", ("gpt-4", "koala"))
    assert first.extra == {}


def test_the_mapping_that_is_shown_can_be_said_again(opened):
    content = table(KAGGLE, ["1", "m", "n", '["q"]', '["x"]', '["y"]', "0", "1", "0"])
    shown = opened("train.csv", content).mapping
    assert opened("train.csv", content, mapping=shown).mapping == shown
    assert opened.only("train.csv", content, mapping=shown).label == "B"


def test_turns_that_are_broken_json_are_a_bad_row_and_not_judged_as_they_stand(opened):
    ((_, message),) = opened.bad("train.csv", table(ARENA_CSV, ["1", "m", "n", '["q"]', '["x"', '["y"]']))
    assert message == "response_a: the list of turns is not valid JSON; a JSON list of strings is needed"


def test_an_answer_that_is_a_list_is_a_text_where_the_task_is_one(opened):
    row = opened.only("p.csv", table(["task", "a", "b"], ["Colours as JSON", '["red"]', '["blue"]']))
    assert (row.case.a, row.case.b) == ('["red"]', '["blue"]')


def test_promptfoo_csv(opened):
    """One column of outputs for each provider and prompt, with figures of the same names behind each."""
    figures = ["Status", "Score", "Named Scores", "Grader Reason", "Comment"]
    header = ["Description", "question", "[openai:gpt-4o] Answer: {{question}}", *figures]
    header += ["[anthropic:claude] Answer: {{question}}", *figures]
    rows = opened(
        "out.csv", table(header, ["d", "q?", "x", "PASS", "1", "{}", "", "", "y", "FAIL", "0", "{}", "bad", ""])
    )
    assert rows.mapping == {"task": "question", "a": header[2], "b": header[8]}
    (row,) = rows
    assert (row.case.task, row.case.a, row.case.b) == ("q?", "x", "y")
    assert row.systems == ("openai:gpt-4o", "anthropic:claude")
    assert (row.extra["Status"], row.extra["Status (2)"]) == ("PASS", "FAIL")


def test_promptfoo_csv_of_older_versions_says_in_the_cell_what_passed(opened):
    header = ["prompt", "[openai:gpt-4] p", "[openai:gpt-3.5] p"]
    row = opened.only("out.csv", table(header, ["q?", "[PASS] x", "[FAIL] Expected x\n---\ny"]))
    assert (row.case.a, row.case.b) == ("x", "y")


def test_of_three_providers_two_have_to_be_chosen(opened):
    header = ["question", "[p:1] q", "[p:2] q", "[p:3] q"]
    content = table(header, ["q?", "x", "y", "z"])
    assert "--map a='[p:1] q' b='[p:2] q' or --map a='[p:2] q' b='[p:3] q'" in opened.refused("out.csv", content)
    row = opened.only("out.csv", content, mapping={"a": "[p:1] q", "b": "[p:3] q"})
    assert (row.case.b, row.systems) == ("z", ("p:1", "p:3"))


def test_promptfoo_variables_in_json(opened):
    row = opened.only("o.jsonl", [{"vars": {"question": "q?", "tone": "dry"}, "output_a": "x", "output_b": "y"}])
    assert (row.case.task, row.extra) == ("q?", {"vars": '{"question":"q?","tone":"dry"}'})


DEEPEVAL = [
    {
        "input": "What if these shoes don't fit?",
        "actual_output": "We refund.",
        "expected_output": "A refund within 30 days.",
        "retrieval_context": ["Only shoes.", "30 days."],
    }
]


def test_deepevals_test_cases_are_for_grade_and_compared_only_if_asked_for(opened):
    told = opened.refused("cases.json", json.dumps(DEEPEVAL))
    assert "actual_output and expected_output are one answer and what was expected of it, not two answers" in told
    assert "adjudge run grade" in told
    mapping = {"a": "actual_output", "b": "expected_output"}
    row = opened.only("cases.json", json.dumps(DEEPEVAL), mapping=mapping)
    assert (row.case.task, row.case.a, row.case.b) == (
        "What if these shoes don't fit?", "We refund.", "A refund within 30 days."
    )  # fmt: skip
    assert row.case.context == "Only shoes.\n\n30 days."


def test_deepeval_arena_test_cases(opened):
    def contestant(name, answer):
        return {"name": name, "test_case": {"input": "Capital of France?", "actual_output": answer}}

    row = opened.only(
        "arena.jsonl", [{"contestants": [contestant("GPT-4", "Paris"), contestant("Claude-4", "Paris, it is.")]}]
    )
    assert (row.case.task, row.case.a, row.case.b) == ("Capital of France?", "Paris", "Paris, it is.")
    assert row.systems == ("GPT-4", "Claude-4")
