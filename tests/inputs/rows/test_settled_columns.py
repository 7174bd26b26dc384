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
        (("firstReply", "secondReply"), {}, None),
        (("chosen", "rejected"), {}, None),
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


@pytest.mark.parametrize(
    "names",
    [
        ("userTask", "responseA", "responseB"),
        ("task", "a", "b"),
        ("Task", "Response A", "Response B"),
        ("prompt", "response_a", "response_b"),
        ("question", "answer_a", "answer_b"),
        ("instruction", "output_1", "output_2"),
        ("input", "output_1", "output_2"),
        ("query", "completion_a", "completion_b"),
        ("prompt", "chosen", "rejected"),
    ],
)
def test_well_known_names_are_guessed(opened, names):
    task, a, b = names
    assert opened("p.jsonl", [{task: "t", a: "x", b: "y"}]).mapping == {"task": task, "a": a, "b": b}


def test_a_later_row_may_bring_a_column_that_the_first_lacks(opened):
    rows = opened("p.jsonl", [{"task": "t", "a": "x", "b": "y"}, {"task": "t", "a": "x", "b": "y", "winner": "A"}])
    assert rows.mapping["label"] == "winner"
    assert [row.label for row in rows] == [None, "A"]


def test_two_columns_for_a_field_are_refused_with_both_ways_out(opened):
    content = [{"prompt": "t", "question": "t", "a": "x", "b": "y"}]
    assert opened.refused("p.jsonl", content) == (
        "p.jsonl: task could be prompt or question; say which: --map task=prompt or --map task=question"
    )
    assert opened("p.jsonl", content, mapping={"task": "question"}).mapping["task"] == "question"


def test_two_pairs_of_answers_are_refused_with_both_ways_out(opened):
    content = [{"task": "t", "a": "x", "b": "y", "output_1": "x", "output_2": "y"}]
    assert opened.refused("p.jsonl", content) == (
        "p.jsonl: a and b could be a, b or output_1, output_2; say which: --map a=a b=b or --map a=output_1 b=output_2"
    )
    rows = opened("p.jsonl", content, mapping={"a": "output_1"})
    assert (rows.mapping["a"], rows.mapping["b"]) == ("output_1", "output_2")


def test_names_that_differ_only_in_spelling_are_ambiguous(opened):
    said = opened.refused("p.jsonl", [{"task": "t", "responseA": "x", "response_a": "z", "responseB": "y"}])
    assert "a and b could be responseA, responseB or response_a, responseB" in said


def test_missing_columns_are_refused_with_those_found_and_an_example(opened):
    assert opened.refused("p.csv", "text 1,text 2,question\nx,y,t\n") == (
        "p.csv: no column for a and b; columns found: text 1, text 2, question; "
        "name them, such as --map a='text 1' b='text 2'"
    )


@pytest.mark.parametrize(
    ("there", "proposed"),
    [
        *[(name, f"a={name} b=other") for name in ("a", "output_1")],
        *[(name, f"a=other b={name}") for name in ("b", "responseB", "rejected")],
    ],
)
def test_one_of_two_answers_is_none(opened, there, proposed):
    assert opened.refused("p.jsonl", [{"task": "t", there: "x", "other": "y"}]) == (
        f"p.jsonl: no column for a and b; columns found: task, {there}, other; name them, such as --map {proposed}"
    )


def test_an_unknown_field_is_refused_with_the_allowed_ones(opened):
    said = opened.refused("p.jsonl", [ROW], mapping={"tusk": "q"})
    assert said == ("--map tusk: unknown field; one of task, a, b, context, weights, id, label, system_a, system_b")


def test_a_column_that_is_not_there_is_refused_with_those_found(opened):
    content = "question,out1,out2\nt,x,y\n"
    assert opened.refused("p.csv", content, mapping={"task": "questoin", "a": "out1", "b": "out2"}) == (
        "--map task=questoin: no such column; did you mean question? columns found: question, out1, out2"
    )


def test_an_empty_name_leaves_a_field_out(opened):
    content = [{"task": "t", "a": "x", "b": "y", "winner": "nobody knows", "label": "x"}]
    assert "label could be label or winner" in opened.refused("p.jsonl", content)
    row = opened.only("p.jsonl", content, mapping={"label": ""})
    assert (row.label, row.extra) == (None, {"winner": "nobody knows", "label": "x"})


def test_of_several_ids_the_first_known_counts_and_one_may_repeat(opened):
    rows = opened.rows("p.jsonl", [{"question_id": 81, "id": "x", "task": "t", "a": "x", "b": "y"}] * 2)
    assert [row.case_id for row in rows] == ["x", "x"]
    assert rows[0].extra == {"question_id": 81}


def test_a_row_without_its_id_has_its_number(opened):
    rows = opened.rows("p.csv", "id,task,a,b\nx,t,x,y\n,t,x,y\n")
    assert [row.case_id for row in rows] == ["x", "2"]


def test_one_system_alone_is_refused(opened):
    said = opened.refused("p.csv", "task,a,b,m\nt,x,y,gpt\n", mapping={"system_a": "m"})
    assert "no column for system_b" in said


def test_a_long_list_of_columns_is_cut(opened):
    said = opened.refused("p.jsonl", [{f"c{number}": 1 for number in range(100)}])
    assert "c39, … (100 in all)" in said
    assert "c40" not in said
