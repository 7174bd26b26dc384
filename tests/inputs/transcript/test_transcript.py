"""Every form of a dialogue reads to the same turns, and what cannot be read is refused in one line that says where."""

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.errors import InputError, TooLargeError
from adjudge.protocols.dialogue.case import Dialogue
from adjudge.protocols.dialogue.transcript import read_dialogues

TURNS = [("USER", "Where is my parcel?"), ("SYSTEM", "It arrives on Monday."), ("USER", "Thanks, bye")]
FORMS_OF_ONE_DIALOGUE = {
    "columns": "USER\tWhere is my parcel?\nSYSTEM\tIt arrives on Monday.\nUSER\tThanks, bye\n",
    "columns by spaces": "USER   Where is my parcel?\nSYSTEM It arrives on Monday.\nUSER   Thanks, bye",
    "labels": "User: Where is my parcel?\nAssistant: It arrives on Monday.\nUser: Thanks, bye",
    "labels, other names": "Customer: Where is my parcel?\nAgent:It arrives on Monday.\nCustomer: Thanks, bye",
    "labels, SYSTEM": "USER: Where is my parcel?\nSYSTEM: It arrives on Monday.\nUSER: Thanks, bye",
    "labels, spaced": "User: Where is my parcel?\n\nAssistant: It arrives on Monday.\n\nUser: Thanks, bye\n",
    "messages": """[{"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Where is my parcel?"},
        {"role": "assistant", "content": [{"type": "text", "text": "It arrives on Monday."}, {"type": "thinking"}]},
        {"role": "human", "content": "Thanks, bye"}]""",
    "object": """{"turns": [{"speaker": "USER", "utterance": "Where is my parcel?"},
        {"speaker": "SYSTEM", "utterance": "It arrives on Monday."}, {"speaker": "USER", "text": "Thanks, bye"}]}""",
    "a message a line": """{"role": "user", "content": "Where is my parcel?"}
        {"role": "bot", "content": "It arrives on Monday."}\n\n{"role": "user", "content": "Thanks, bye"}""",
    "CSV": 'role,content\nuser,Where is my parcel?\nassistant,It arrives on Monday.\nuser,"Thanks, bye"\n',
    "CSV, semicolons": "Speaker;Text\nuser;Where is my parcel?\nsystem;It arrives on Monday.\nuser;Thanks, bye\n",
    "TSV": "id\tspeaker\tutterance\n1\tuser\tWhere is my parcel?\n2\tbot\tIt arrives on Monday.\n3\tuser\tThanks, bye",
}


def said(dialogue):
    return [(turn.speaker, turn.text) for turn in dialogue.turns]


@pytest.mark.parametrize("form", FORMS_OF_ONE_DIALOGUE)
def test_each_form_reads_to_the_same_turns_which_know_the_line_they_begin_on(form):
    text = FORMS_OF_ONE_DIALOGUE[form]
    for written in (text, "\ufeff" + text, "\ufeff" + text.replace("\n", "\r\n")):
        (dialogue,) = read_dialogues(written.encode(), "chat")
        assert (dialogue.dialogue_id, said(dialogue)) == (1, TURNS)
        assert all(turn.text in text.split("\n")[turn.line - 1] for turn in dialogue.turns)


def test_a_line_separator_inside_an_utterance_ends_no_line():
    (dialogue,) = read_dialogues("USER\tone\u2028two\x0bthree\x85\nSYSTEM\tyes".encode(), "chat")
    assert said(dialogue) == [("USER", "one\u2028two\x0bthree\x85"), ("SYSTEM", "yes")]
    assert dialogue.turns[1].line == 2


@pytest.mark.parametrize("first_id", [335, "chat-7", 0])
def test_the_only_dialogue_of_a_file_takes_the_id_it_is_given(first_id):
    assert read_dialogues(b"USER\ta\nSYSTEM\tb", "chat", first_id=first_id)[0].dialogue_id == first_id


def test_of_several_dialogues_each_has_its_position():
    raw = b"\n\nUSER\ta\nSYSTEM\tb\n\n\nUSER\tc\nSYSTEM\td\n \nUSER\te\nSYSTEM\tf\n\n"
    dialogues = read_dialogues(raw, "chat", first_id=335)
    assert [dialogue.dialogue_id for dialogue in dialogues] == [1, 2, 3]
    assert [dialogue.turns[0].line for dialogue in dialogues] == [3, 7, 10]


def test_the_prompt_of_a_chat_api_is_not_a_turn():
    rows = "role,content\nsystem,Be kind.\nuser,Hello\nassistant,Hi\n"
    messages = (
        '[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"},'
        '{"role": "assistant", "tool_calls": []}, {"role": "assistant", "content": "Hi"}]'
    )
    for text in (rows, messages):
        (dialogue,) = read_dialogues(text.encode(), "chat")
        assert said(dialogue) == [("USER", "Hello"), ("SYSTEM", "Hi")]


def test_a_refusal_is_what_was_said():
    text = '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": null, "refusal": "I cannot."}]'
    (dialogue,) = read_dialogues(text.encode(), "chat")
    assert said(dialogue) == [("USER", "Hi"), ("SYSTEM", "I cannot.")]


@pytest.mark.parametrize("text", ["USER\tHi\nSYSTEM\tHello", "用户: 你好吗\r\n客服: 我很好 谢谢\r\n" * 9])
@pytest.mark.parametrize(
    ("encoding", "name"), [("utf-16", "UTF-16"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE")]
)
def test_utf_16_is_refused_with_the_remedy(text, encoding, name):
    remedy = f"convert it to UTF-8: iconv -f {name} -t UTF-8 OLD > NEW"
    with pytest.raises(InputError, match=f"^chat: looks like UTF-16; {remedy}$"):
        read_dialogues(text.encode(encoding), "chat")


def test_a_line_that_says_nothing_is_a_turn_only_if_something_was_noted_beside_it():
    (dialogue,) = read_dialogues(b"USER\t\t\t3,3,4,3\nUSER\ta\nSYSTEM\nSYSTEM\t\t\t\nSYSTEM\tb\n", "chat")
    assert [(turn.text, turn.line) for turn in dialogue.turns] == [("", 1), ("a", 2), ("b", 5)]
    assert dialogue.turns[0].ratings == (3, 3, 4, 3)


def test_a_text_that_is_too_large_says_which():
    with pytest.raises(TooLargeError, match=r"^chat:2: dialogue 1: 1,000,001 bytes; at most 1,000,000 are allowed$"):
        read_dialogues(b"USER\ta\nSYSTEM\t" + b"x" * 1_000_001, "chat")


COLUMN_PIECES = ["USER", "SYSTEM", "OVERALL", "OTHER", "AB_CD+EF", "\t", " ", "  ", "\n", "\n\n", "3,3", "User:"]
COLUMN_PIECES += ["Agent:"]
CSV_PIECES = ["role,content\n", "id\tspeaker\ttext\tratings\n", "user,", "bot,", "user\t", '"', ",", ";", "\r", "\x00"]
JSON_PIECES = ["{", "}", "[", "]", ":", '"messages":', '"role"', '"id":', "null", "1e999", '"\\ud800"', "\u2028"]
MESSAGE_PIECES = ['{"role":"user","content":"a"}', '{"speaker":"SYSTEM","text":"b"}', '{"turns":[]}']
PIECES = st.sampled_from([*COLUMN_PIECES, *CSV_PIECES, *JSON_PIECES, *MESSAGE_PIECES])


@given(st.one_of(st.binary(), st.text().map(str.encode), st.lists(PIECES).map(lambda p: "".join(p).encode())))
def test_any_bytes_are_dialogues_or_an_input_error(raw):
    try:
        dialogues = read_dialogues(raw, "chat")
    except InputError as error:
        assert error.place.partition(":")[0] == "chat"
        assert "\n" not in str(error)
        str(error).encode()
    else:
        assert dialogues
        assert all(isinstance(dialogue, Dialogue) for dialogue in dialogues)


LONG = b"I would like to know where my parcel is, which I sent on Monday, " * 2
LARGE = {
    "columns": (b"", b"USER\t" + LONG + b"   \tINFORM  \t3,3,4\nSYSTEM\twhy? OTHER\n\n"),
    "labels": (b"", b"User: a\n" + LONG + b"\n\nand more\nAssistant: b\n\n"),
    "JSON": (
        b'[[{"role":"user","content":"a"},{"role":"bot","content":"b"}]\n',
        b',[{"role":"user","content":"' + LONG + b'"},\n{"role":"bot","content":"b"}]',
    ),
    "JSONL": (b"", b'[{"role":"user","content":"' + LONG + b'"},{"role":"bot","content":"b"}]\n'),
    "CSV": (b"role,text\n", b'user,"' + LONG + b'"\nbot,b\n\n'),
    "one line of spaces": (b"SYSTEM  a\nUSER  b", b" " * 100),
    "one line of commas": (b"SYSTEM\ta\nUSER\tb\t", b"A,B, " * 20),
    "one line of words": (b"SYSTEM  a\nUSER  b", b"_word " * 20),
}


@pytest.mark.parametrize("form", LARGE)
def test_a_long_file_takes_seconds_not_minutes(form):
    head, unit = LARGE[form]
    raw = head + unit * (400_000 // len(unit)) + b"]" * (form == "JSON")
    with within(5), pytest.raises(InputError) if form == "one line of commas" else nullcontext():
        read_dialogues(raw, "chat")


def test_a_long_utterance_takes_seconds_not_minutes():
    gap = " " * 300_000
    for said in ("A" * 300_000, f"OVERALL{gap}c", f"b{gap}c", "A," * 150_000, "A_" * 150_000, "3," * 150_000):
        for end in ("", "\t3,3", " 3,3"):
            with within(5):
                (dialogue,) = read_dialogues(f"SYSTEM\ta\nUSER\t{said}{end}\n".encode(), "chat")
            assert dialogue.turns[1].text.startswith(said[:100_000])


def test_a_dialogue_of_five_hundred_turns_is_read():
    (dialogue,) = read_dialogues(b"USER\ta\tINFORM\t3\nSYSTEM\tb\tOFFER\n" * 250, "chat")
    assert len(dialogue.turns) == 500
