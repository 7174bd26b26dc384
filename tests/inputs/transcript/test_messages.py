"""JSON and CSV: ids, annotations and groups as the records have them, and errors at the line of the message or row."""

import json
import time

import pytest

from adjudge.errors import InputError
from adjudge.protocols.dialogue.transcript import read_dialogues, split_dialogues

MESSAGES = [{"role": "user", "content": "a", "act": "INFORM", "ratings": [3, 4]}, {"role": "assistant", "content": "b"}]


def read(value):
    return read_dialogues(json.dumps(value).encode(), "chat", first_id="given")


def ids(dialogues):
    return [dialogue.dialogue_id for dialogue in dialogues]


@pytest.mark.parametrize("key", ["messages", "turns", "dialogue"])
@pytest.mark.parametrize("own", ["id", "dialogue_id"])
def test_a_record_keeps_its_own_id_unless_another_is_given(key, own):
    raw = json.dumps({own: 335, key: MESSAGES}).encode()
    assert ids(read_dialogues(raw, "chat")) == [335]
    assert ids(read({own: 335, key: MESSAGES})) == ["given"]
    assert ids(read([{own: "x", key: MESSAGES}, {own: None, key: MESSAGES}])) == ["x", 2]
    assert ids(read({key: MESSAGES})) == ["given"]


def test_arrays_of_arrays_and_lines_of_either_are_dialogues():
    assert ids(read([MESSAGES, MESSAGES])) == [1, 2]
    lines = [MESSAGES, {"id": 9, "messages": MESSAGES}, MESSAGES]
    dialogues = read_dialogues("\n\n".join(map(json.dumps, lines)).encode(), "chat")
    assert ids(dialogues) == [1, 9, 3]
    assert [dialogue.turns[0].line for dialogue in dialogues] == [1, 3, 5]


def test_annotations_in_json_are_kept():
    (dialogue,) = read({"messages": MESSAGES, "overall_ratings": "4,5"})
    assert (dialogue.turns[0].act, dialogue.turns[0].ratings) == ("INFORM", (3, 4))
    assert dialogue.overall_ratings == (4, 5)


def test_parts_of_a_message_are_joined_and_what_is_not_text_is_a_placeholder():
    parts = [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {"url": "u"}}, "two"]
    (dialogue,) = read([{"role": "user", "content": parts}, {"role": "assistant", "content": "b"}])
    assert dialogue.turns[0].text == "one\n[image]\ntwo"


def test_thousands_of_doubled_keys_take_linear_time():
    doubled = ',"é":1' * 900
    raw = ('[{"role": "user", "content": "' + "é" * 700_000 + f'"{doubled}}}]').encode()
    start = time.process_time()
    with pytest.raises(InputError, match="the key 'é' appears twice"):
        read_dialogues(raw, "chat")
    assert time.process_time() - start < 1.5


def test_each_dialogue_names_its_first_doubled_key_at_its_own_line():
    talk = '{"messages": [{"role": "user", "content": "é"}],\n "é1": 1, "é1": 2,\n "x": 1, "x": 2}'
    records = split_dialogues(f"[{talk},\n{talk.replace('é1', 'é2')}]".encode(), "chat")
    problems = [(record.line, entry.line, entry.problem.found) for record in records for entry in record.entries]
    assert problems == [
        (1, 1, "the key 'é1' appears twice in an object"),
        (4, 4, "the key 'é2' appears twice in an object"),
    ]


@pytest.mark.parametrize("name", ["dialogue_id", "conversation_id", "id"])
def test_rows_are_grouped_by_their_id(name):
    raw = f"{name},role,text\n335,user,a\n007,user,c\n335,bot,b\n007,bot,d\n".encode()
    first, second = read_dialogues(raw, "chat")
    assert (first.dialogue_id, second.dialogue_id) == (335, "007")
    assert [(turn.text, turn.line) for turn in first.turns] == [("a", 2), ("b", 4)]


def test_annotations_in_csv_are_kept():
    raw = b'speaker,text,act,ratings\nuser,"a ""x""\nb",INFORM,"3,4"\nsystem,c,,\nuser,OVERALL,,5\n'
    (dialogue,) = read_dialogues(raw, "chat")
    user, system = dialogue.turns
    assert (user.text, user.act, user.ratings, user.line) == ('a "x"\nb', "INFORM", (3, 4), 2)
    assert (system.text, system.act, system.ratings, system.line) == ("c", None, (), 4)
    assert dialogue.overall_ratings == (5,)


def test_rows_without_an_id_are_separated_by_blank_lines():
    dialogues = read_dialogues(b"role,text\nuser,a\nbot,b\n\nuser,c\nbot,d\n", "chat")
    assert [dialogue.turns[0].text for dialogue in dialogues] == ["a", "c"]
