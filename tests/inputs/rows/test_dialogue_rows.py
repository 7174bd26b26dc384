"""Dialogues in rows: transcripts and messages in a column, several in one file, and what people rated them."""

import json

import pytest

from adjudge.inputs.rows import BadRow

TALK = "USER\tHi\nSYSTEM\tHello\n"
TURNS = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
]
SAID = [("USER", "Hi"), ("SYSTEM", "Hello")]


def said(row):
    return [(turn.speaker, turn.text) for turn in row.case.turns]


@pytest.fixture
def talks(opened):
    def open_talks(name, content, mapping=None, **how):
        return opened(name, content, "dialogue", mapping, **how)

    return open_talks


def test_a_transcript_stands_in_a_column(talks):
    rows = talks("d.jsonl", [{"id": "x", "transcript": TALK, "label": 4, "team": "red"}])
    assert rows.mapping == {"transcript": "transcript", "id": "id", "label": "label"}
    (row,) = rows
    assert said(row) == SAID
    assert (row.case_id, row.case.dialogue_id, row.label, row.extra) == ("x", "x", "4", {"team": "red"})
    assert row.case.overall_ratings == (4,)


@pytest.mark.parametrize("column", ["turns", "messages", "dialogue", "conversation"])
def test_messages_stand_in_a_column(talks, column):
    (row,) = talks("d.jsonl", [{column: TURNS}])
    assert said(row) == SAID
    assert (row.case_id, row.case.dialogue_id, row.label) == ("1", 1, None)


def test_a_line_that_is_a_list_of_messages_is_a_dialogue(talks):
    rows = talks("d.jsonl", json.dumps(TURNS) + "\n" + json.dumps(TURNS) + "\n")
    assert [said(row) for row in rows] == [SAID, SAID]


def test_messages_as_json_in_a_cell(talks):
    cell = json.dumps(TURNS).replace('"', '""')
    (row,) = talks("d.csv", f'conversation_id,messages,rating\nc7,"{cell}",3\n')
    assert (said(row), row.case_id, row.label) == (SAID, "c7", "3")


@pytest.mark.parametrize(("name", "around"), [("d.json", "[%s]"), ("d.jsonl", "%s")])
def test_a_dialogue_with_a_key_twice_is_a_bad_row_between_good_ones(talks, name, around):
    good = json.dumps({"id": "é", "messages": TURNS})
    doubled = good.replace('"content": "Hi"', '"content": "Hi", "content": "Ho"')
    joined = (",\n" if name == "d.json" else "\n").join([good, doubled, good])
    rows = list(talks(name, around % joined))
    assert [isinstance(row, BadRow) for row in rows] == [False, True, False]
    assert rows[1].place.endswith(f"{name}, line 2")
    assert "the key 'content' appears twice in an object" in rows[1].message


def test_openai_logs_are_reached_by_a_path(talks):
    (row,) = talks("d.jsonl", [{"request": {"messages": TURNS}, "id": 7}], {"turns": "request.messages"})
    assert (said(row), row.case_id, row.case.dialogue_id) == (SAID, "7", 7)


def test_deepeval_conversations(talks):
    turns = [{"role": "user", "content": "Hi", "tools_called": None}, {"role": "assistant", "content": "Hello"}]
    (row,) = talks("d.json", json.dumps([{"scenario": "Greeting", "turns": turns}]))
    assert said(row) == SAID


@pytest.mark.parametrize(
    ("label", "read", "ratings"),
    [
        ("4,3,5", "4", (4, 3, 5)),
        ([4, 3], "3.5", (4, 3)),
        (3.5, "3.5", ()),
        ("", None, ()),
        (None, None, ()),
        ([], None, ()),
    ],
)
def test_several_ratings_are_a_mean(talks, label, read, ratings):
    (row,) = talks("d.jsonl", [{"turns": TURNS, "overall_ratings": label}])
    assert (row.label, row.case.overall_ratings) == (read, ratings)


@pytest.mark.parametrize("label", ["good", 6, 0, [1, "x"], True, {"a": 1}])
def test_a_rating_off_the_scale_is_a_bad_row(talks, label):
    (_, row) = talks("d.jsonl", [{"turns": TURNS, "label": 1}, {"turns": TURNS, "label": label}])
    assert isinstance(row, BadRow)
    assert row.message.startswith("label: ")
    assert row.message.endswith("a number from 1 to 5, or several")


def test_a_text_file_holds_dialogues_between_blank_lines(talks):
    rows = list(talks("d.txt", TALK + "USER\tOVERALL\t\t4,5\n\n" + TALK + "\nUSER\tHi\tACT\tx y z\n"))
    assert [row.place.rpartition(", ")[2] for row in rows] == ["line 1", "line 5", "line 8"]
    assert [row.case_id for row in rows] == ["1", "2", "3"]
    assert (rows[0].label, rows[1].label) == ("4.5", None)
    assert isinstance(rows[2], BadRow)
    assert "cannot read" in rows[2].message


def test_utterances_in_a_table_are_joined_by_their_dialogue(talks):
    content = "dialogue_id,speaker,text\n7,USER,Hi\n7,SYSTEM,Hello\n8,USER,Hi\n8,SYSTEM,Hello\n"
    assert [(row.case_id, said(row)) for row in talks("d.csv", content)] == [("7", SAID), ("8", SAID)]


def test_messages_a_line_are_one_dialogue(talks):
    (row,) = talks("d.jsonl", TURNS)
    assert said(row) == SAID


def test_an_array_of_dialogues(talks):
    rows = talks("d.json", json.dumps([{"dialogue_id": "x", "turns": TURNS, "overall_ratings": [5]}, TURNS]))
    assert [(row.case_id, row.label) for row in rows] == [("x", "5"), ("2", None)]


@pytest.mark.parametrize(
    "text", [json.dumps([TURNS, TURNS], indent=1), json.dumps(TURNS, indent=1), "[" + json.dumps(TURNS)]
)
def test_an_array_over_several_lines_in_a_jsonl_file_is_refused_with_the_remedy(opened, text):
    assert opened.refused("d.jsonl", text, "dialogue") == (
        "d.jsonl, line 1: a JSON array, but one object per line is expected; "
        "rename the file to .json, or say --input-format json"
    )


def test_an_array_of_dialogues_in_one_row_is_refused_with_the_remedy(opened):
    said = opened.bad("d.jsonl", json.dumps([TURNS, TURNS]), "dialogue")
    assert said == [
        (
            "line 1",
            "turns: 2 dialogues in one row; one per row is allowed; an array of dialogues belongs in a .json file",
        )
    ]
