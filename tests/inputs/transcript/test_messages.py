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


ONE = '{"messages": [{"role": "user", "content": "a"}, {"role": "bot", "content": "b"}]}\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '[{"role": "user",\n "content": }]',
            "chat:2: not JSON: Expecting value at column 13; the whole file is refused",
        ),
        (ONE * 6 + '{"messages": [}', "chat:7: dialogue 7: not JSON: Expecting value at column 15; one JSON value per"),
        (ONE * 6 + "9" * 5000, "chat:7: dialogue 7: JSON that is nested too deeply or holds too long a number; "),
        ("[" * 100_000, "chat:1: JSON that is nested too deeply or holds too long a number"),
        ('{\n"a": 1}\n{"b": 2}', "chat:1: dialogue 1: no messages in '{\"a\": 1}'"),
        ('{"role": "user", "content": "a"}', 'chat:1: dialogue 1: no messages in \'{"role": "user", "content": "a"}\''),
        (
            '[{"role": "user", "content": "a"},\n 5]',
            'chat:2: dialogue 1: expected a message, found \'5\'; {"role", "content"} is',
        ),
        ('[\n["a"], 5]', 'chat:2: dialogue 1: expected a message, found \'"a"\'; {"role", "content"} is allowed'),
        (ONE + "null", "chat:2: dialogue 2: expected a dialogue, found 'null'; an array of {"),
        (ONE * 6 + ONE.replace("bot", "waiter"), "chat:7: dialogue 7: unknown role 'waiter'; SYSTEM (or assistant"),
        ('[{"content": "a", "role": null}]', 'chat:1: dialogue 1: no role in \'{"content": "a", "role": null}\''),
        (
            '[{"role": "user", "content": 5}]',
            "chat:1: dialogue 1: content: expected text, found a number; text, or a list",
        ),
        (
            '[{"role": "user", "content": "a", "ratings": [3.5]}]',
            "chat:1: dialogue 1: the ratings are '[3.5]'; numbers such",
        ),
        ('[{"role": "user", "content": "a", "act": 7}]', "chat:1: dialogue 1: the act is '7'; text is allowed"),
        ('{"id": 1.5, "messages": []}', "chat:1: dialogue 1: the id is 1.5; a whole number or text is allowed"),
        (
            '{"id": "\\ud800", "messages": []}',
            "chat:1: dialogue 1: dialogue_id half of a surrogate pair; a whole number, or text",
        ),
        (
            '{"overall_ratings": "x", "messages": []}',
            "chat:1: dialogue 1: the overall_ratings are '\"x\"'; whole numbers",
        ),
        ('{"messages": []}', "chat:1: dialogue 1: no utterance; at least one SYSTEM and one USER line"),
        ('[\n{"role": "user", "content": "\\ud800"}]', "chat:2: dialogue 1: half of a surrogate pair (U+D800)"),
        ('{"role": "user", "content": "a"}\n{"role": ', "chat:2: dialogue 1: not JSON: Expecting value at column 10"),
        ("role,text\nuser,a\nbot,b, c", "chat:3: dialogue 1: 3 cells, but the header has 2; put a text"),
        ("role,text\nuser,a\nwaiter,b", "chat:3: dialogue 1: unknown role 'waiter'; SYSTEM (or assistant, agent"),
        (
            '[{"role": "user", "content": "é"},\n {"role": "user",\n "content": "a", "content": "b"}]',
            "chat:2: dialogue 1: the key 'content' appears twice in an object; each key once",
        ),
        ('{"messages": [], "id": 1,\n "messages": []}', "chat:1: dialogue 1: the key 'messages' appears twice"),
        (
            ONE + '{"messages": [{"role": "user", "content": "a", "x": {"y": 1, "y": 1}}]}',
            "chat:2: dialogue 2: the key 'y' appears twice",
        ),
        (
            '{"role": "user", "content": "a"}\n{"role": "user", "role": "assistant", "content": "b"}',
            "chat:2: dialogue 1: the key 'role' appears twice",
        ),
        ("id,role,text\n1,user,a\n1", "chat:3: dialogue 1: unknown role ''; SYSTEM (or assistant"),
        ("role,text\nuser", "chat:2: dialogue 1: no utterance; at least one SYSTEM and one USER line are needed"),
        (
            'role,text\nuser,"a\nb"\nbot,"b" c',
            "chat:4: dialogue 1: cannot read the row: ',' expected after '\"'; end lines",
        ),
        (
            'role,text\nuser,a\nbot,"b\n\n',
            "chat:3: cannot read the row: unexpected end of data; end lines",
        ),
        (
            "id,role,text,ratings\n1,user,a,\n1,bot,b,\n2,user,a,x",
            "chat:4: dialogue 2: the ratings are '\"x\"'; numbers such as 4,3,5",
        ),
    ],
)
def test_an_error_names_the_line_and_the_dialogue(text, says):
    with pytest.raises(InputError) as caught:
        read_dialogues(text.encode(), "chat")
    assert str(caught.value).startswith(says)


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
