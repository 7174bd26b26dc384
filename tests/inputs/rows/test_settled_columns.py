"""Columns: named, guessed, ambiguous or missing; errors show the `--map` that would settle it."""

import pytest

ROW = {"q": "t", "one": "x", "two": "y"}


def test_columns_can_be_named(opened):
    rows = opened("p.jsonl", [ROW], mapping={"task": "q", "a": "one", "b": "two"})
    assert rows.mapping == {"task": "q", "a": "one", "b": "two"}
    (row,) = rows
    assert (row.case.task, row.case.a, row.case.b, row.extra) == ("t", "x", "y", {})


@pytest.mark.parametrize(
    ("columns", "more", "systems"),
    [
        (("gpt4_answer", "claude_answer"), {}, ("gpt4_answer", "claude_answer")),
        (("output v1", "output v2"), {}, ("output v1", "output v2")),
        (("gpt4_answer", "claude_answer"), {"system_a": "heron", "system_b": "wren"}, ("heron", "wren")),
        (("gpt4_answer", "claude_answer"), {"model_a": "", "model_b": ""}, None),
        (("Antwort A", "Antwort B"), {}, None),
        (("text1", "text2"), {}, None),
        (("answer1", "answer2"), {}, None),
        (("response_a", "response_b"), {}, None),
        (("Antwort 1", "Antwort 2"), {}, None),
        (("model1_output", "model2_output"), {}, None),
        (("x1", "x2"), {}, None),
        (("solution1", "solution2"), {}, None),
        (("回答1", "回答2"), {}, None),
        (("llama1", "llama2"), {}, ("llama1", "llama2")),
        (("answer_llama1", "answer_llama2"), {}, ("answer_llama1", "answer_llama2")),
        (("outputGPT1", "outputGPT2"), {}, ("outputGPT1", "outputGPT2")),
        (("firstReply", "secondReply"), {}, None),
        (("chosen", "rejected"), {}, None),
        (("model_b", "baseline"), {}, None),  # as a label it names the other side
        (("out.heron", "out.wren"), {"out": {"heron": "x", "wren": "y"}}, None),
    ],
)
def test_systems_are_named_after_the_chosen_columns_unless_these_only_tell_a_side(opened, columns, more, systems):
    given = {"task": "t", **({} if "out" in more else dict(zip(columns, "xy", strict=True))), **more}
    row = opened.only("p.jsonl", [given], mapping=dict(zip("ab", columns, strict=True)))
    assert (row.case.a, row.case.b, row.systems) == ("x", "y", systems)


def test_paths_lead_into_nested_values(opened):
    row = opened.only(
        "p.jsonl",
        [
            {
                "messages": [{"role": "user", "content": "t"}],
                "responses": {"a": {"text": "x", "n": 1}, "b": {"text": "y"}},
            }
        ],
        mapping={"task": "messages.0.content", "a": "responses.a.text", "b": "responses.b.text"},
    )
    assert (row.case.task, row.case.a, row.case.b) == ("t", "x", "y")
    assert row.extra == {
        "messages": '[{"role":"user","content":"t"}]',
        "responses": '{"a":{"text":"x","n":1},"b":{"text":"y"}}',
    }


def test_paths_count_from_the_end_and_into_json_in_a_cell(opened):
    content = 'm,a,b\n"[""first"",""last""]",x,y\n'
    assert opened.only("p.csv", content, mapping={"task": "m.-1"}).case.task == "last"


def test_a_column_with_dots_in_its_name_comes_before_a_path(opened):
    row = opened.only("p.jsonl", [{"x.y": "t", "x": {"y": "other"}, "a": "x", "b": "y"}], mapping={"task": "x.y"})
    assert row.case.task == "t"


def test_well_known_names_are_guessed(opened):
    for task, a, b in (
        ("userTask", "responseA", "responseB"),
        ("task", "a", "b"),
        ("Task", "Response A", "Response B"),
        ("prompt", "response_a", "response_b"),
        ("question", "answer_a", "answer_b"),
        ("instruction", "output_1", "output_2"),
        ("input", "output_1", "output_2"),
        ("query", "completion_a", "completion_b"),
        ("prompt", "chosen", "rejected"),
    ):
        assert opened("p.jsonl", [{task: "t", a: "x", b: "y"}]).mapping == {"task": task, "a": a, "b": b}


def test_a_later_row_may_bring_a_column_that_the_first_lacks(opened):
    rows = opened("p.jsonl", [{"task": "t", "a": "x", "b": "y"}, {"task": "t", "a": "x", "b": "y", "winner": "A"}])
    assert rows.mapping["label"] == "winner"
    assert [row.label for row in rows] == [None, "A"]


def test_of_two_columns_for_a_field_one_can_be_chosen_and_of_two_pairs_of_answers_one_half(opened):
    content = [{"prompt": "t", "question": "t", "a": "x", "b": "y"}]
    assert opened("p.jsonl", content, mapping={"task": "question"}).mapping["task"] == "question"
    content = [{"task": "t", "a": "x", "b": "y", "output_1": "x", "output_2": "y"}]
    rows = opened("p.jsonl", content, mapping={"a": "output_1"})
    assert (rows.mapping["a"], rows.mapping["b"]) == ("output_1", "output_2")


def test_an_empty_name_leaves_a_field_out(opened):
    content = [{"task": "t", "a": "x", "b": "y", "winner": "nobody knows", "label": "x"}]
    row = opened.only("p.jsonl", content, mapping={"label": ""})
    assert (row.label, row.extra) == (None, {"winner": "nobody knows", "label": "x"})


def test_of_several_ids_the_first_known_counts_and_one_may_repeat(opened):
    rows = opened.rows("p.jsonl", [{"question_id": 81, "id": "x", "task": "t", "a": "x", "b": "y"}] * 2)
    assert [row.case_id for row in rows] == ["x", "x"]
    assert rows[0].extra == {"question_id": 81}


def test_a_row_without_its_id_has_its_number(opened):
    rows = opened.rows("p.csv", "id,task,a,b\nx,t,x,y\n,t,x,y\n")
    assert [row.case_id for row in rows] == ["x", "2"]


def test_a_long_list_of_columns_is_cut(opened):
    said = opened.refused("p.jsonl", [{f"c{number}": 1 for number in range(100)}])
    assert "c39, … (100 in all)" in said
    assert "c40" not in said
