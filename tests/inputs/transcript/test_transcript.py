"""Every form of a dialogue reads to the same turns, and what cannot be read is refused in one line that says where."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError, TooLargeError
from adjudge.protocols.dialogue.case import Dialogue
from adjudge.protocols.dialogue.transcript import FORMS, read_dialogues

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
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_each_form_reads_to_the_same_turns(form, ending):
    text = FORMS_OF_ONE_DIALOGUE[form].replace("\n", ending)
    (dialogue,) = read_dialogues(("\ufeff" + text).encode(), "chat")
    assert said(dialogue) == TURNS
    assert dialogue.dialogue_id == 1


@pytest.mark.parametrize("form", FORMS_OF_ONE_DIALOGUE)
def test_each_turn_knows_the_line_it_begins_on(form):
    text = FORMS_OF_ONE_DIALOGUE[form]
    (dialogue,) = read_dialogues(text.encode(), "chat")
    for turn in dialogue.turns:
        assert turn.text in text.split("\n")[turn.line - 1]


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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "USER\tHi\nSYSTEM\tHello\nBOT\tYo",
            "chat:2: dialogue 1: 'SYSTEM' is a second name for the assistant, besides 'BOT' on line 3; use",
        ),
        (
            "User: Hi\nBot: Yo\nSystem: Hello",
            "chat:3: dialogue 1: 'System' is a second name for the assistant, besides 'Bot' on line 2",
        ),
        (
            "System: Be kind.\nUser: Hello\nAssistant: Hi",
            "chat:1: dialogue 1: 'System' is a second name for the assistant, besides 'Assistant'",
        ),
        (
            "speaker,text\nuser,Hi\nsystem,Hello\nbot,Yo",
            "chat:3: dialogue 1: 'system' is a second name for the assistant, besides 'bot' on line 4",
        ),
        (
            '[{"speaker": "USER", "text": "Hi"}, {"speaker": "SYSTEM", "text": "a"}, {"speaker": "BOT", "text": "b"}]',
            "chat:1: dialogue 1: 'SYSTEM' is a second name for the assistant, besides 'BOT'",
        ),
        ('[{"role": "user", "msg": "Hi"}, {"role": "bot", "content": "a"}]', "chat:1: dialogue 1: no text in '{\"role"),
        (
            '[{"role": "user", "content": [{"type": "hologram"}]}, {"role": "bot", "content": "a"}]',
            "chat:1: dialogue 1: content[0].type: unknown type 'hologram'; one of text, ",
        ),
        ("role,text,text\nuser,Hi,Ho\nbot,a,b", "chat:1: the column 'text' appears twice; each"),
        (
            '{"messages": [{"role": "user", "content": "Hi"}], "turns": [{"role": "bot", "content": "a"}]}',
            "chat:1: dialogue 1: both messages and turns; one of them is allowed",
        ),
        ("USER\tHi\nSYSTEM\tHello\nUSER\tOVERALL Good", "chat:3: dialogue 1: cannot read the ratings 'Good'; numbers"),
    ],
)
def test_no_turn_is_lost_silently(text, says):
    with pytest.raises(InputError) as caught:
        read_dialogues(text.encode(), "chat")
    assert str(caught.value).startswith(says)


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


SEVEN = b"USER\ta\nSYSTEM\tb\n\n" * 6


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", f"chat: no dialogue; {FORMS}"),
        (b"\xef\xbb\xbf \r\n\t\n", f"chat: no dialogue; {FORMS}"),
        (b"[]", f"chat: no dialogue; {FORMS}"),
        (b"speaker,text\n", f"chat: no dialogue; {FORMS}"),
        (b"\nDear all,\nUser: hi", f"chat:2: cannot read 'Dear all,'; {FORMS}"),
        (b"[10:03] hi", f"chat:1: cannot read '[10:03] hi'; {FORMS}"),
        (b"[10:03] Alice: hi\n[10:04] Bot: hello", "chat:1: dialogue 1: unknown role 'Alice'; SYSTEM"),
        (b"**Alice:** hi\n**Bot:** hello", "chat:1: dialogue 1: unknown role 'Alice'; SYSTEM"),
        (b"x" * 90, f"chat:1: cannot read '{'x' * 59}…'; {FORMS}"),
        (b"USER\ta\nSYSTEM\tb\xff", "chat:2: invalid UTF-8 at byte 15 (0xff); UTF-8 text is needed"),
        (b"\xef\xbb\xbfUSER\t\xe9", "chat:1: invalid UTF-8 at byte 8 (0xe9); UTF-8 text is needed"),
        (b"USER\ta\nUSER\tb", "chat:1: dialogue 1: no SYSTEM line; both SYSTEM and USER must speak"),
        (SEVEN + b"SYSTEM\tb", "chat:19: dialogue 7: no USER line; both SYSTEM and USER must speak"),
        (SEVEN + b"USER\tOVERALL\t\t3", "chat:19: dialogue 7: no utterance; at least one SYSTEM and one USER line"),
        (SEVEN + b"USER\ta\nSYSTEM\tb\nwell", "chat:21: dialogue 7: cannot read 'well'; SPEAKER <tab> utterance"),
        (b"USER\ta\n\nSYSTEM\tb\n\nwell\n", "chat:5: dialogue 1: cannot read 'well'; SPEAKER <tab> utterance"),
        (SEVEN + b"USER\ta\nWAITER\tb", "chat:20: dialogue 7: unknown role 'WAITER'; SYSTEM (or assistant, agent"),
        (b"Alice: hi\nBob: hi", "chat:1: dialogue 1: unknown role 'Alice'; SYSTEM (or assistant, agent, bot), "),
        (b"USER\ta\tb c d\nSYSTEM\td", "chat:1: dialogue 1: cannot read 'b c d' as ACT and ratings; SPEAKER"),
        (b"USER\ta\tINFORM\t3,x\nSYSTEM\td", "chat:1: dialogue 1: cannot read 'INFORM <tab> 3,x' as ACT and"),
        (b"USER\ta\tINFORM\t3\t4\nSYSTEM\td", "chat:1: dialogue 1: cannot read 'INFORM <tab> 3 <tab> 4' as ACT"),
        (b"USER\ta\tINFORM 3,3\t4\nSYSTEM\td", "chat:1: dialogue 1: cannot read 'INFORM 3,3 <tab> 4' as ACT"),
        (b"USER\t\tHello\nSYSTEM\td", "chat:1: dialogue 1: no utterance before the ACT 'Hello'; SPEAKER <tab>"),
        (
            b'[{"role": "user", "content": "a"},\n{"role": "bot", "content": "b", "ratings": [99999999999999999999]}]',
            "chat:2: dialogue 1: 99999999999999999999 is not a rating; -999 to 999 is allowed",
        ),
        (
            b'{"overall_ratings": [1000], "turns": [{"role": "user", "text": "a"}, {"role": "bot", "text": "b"}]}',
            "chat:1: dialogue 1: 1000 is not a rating; -999 to 999 is allowed",
        ),
        (b"USER\ta\nSYSTEM\tb\nUSER\tOVERALL\t\t3\nUSER\tOVERALL\t\t3", "chat:4: dialogue 1: a second OVERALL line"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(raw, says):
    with pytest.raises(InputError) as caught:
        read_dialogues(raw, "chat")
    assert str(caught.value).startswith(says)


def test_a_text_that_is_too_large_says_which():
    with pytest.raises(TooLargeError, match=r"^chat:2: dialogue 1: 1,000,001 bytes; at most 1,000,000 are allowed$"):
        read_dialogues(b"USER\ta\nSYSTEM\t" + b"x" * 1_000_001, "chat")


COLUMN_PIECES = [
    "USER",
    "SYSTEM",
    "OVERALL",
    "OTHER",
    "AB_CD+EF",
    "\t",
    " ",
    "  ",
    "\n",
    "\n\n",
    "3,3",
    "User:",
    "Agent:",
]
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
def test_a_megabyte_takes_seconds_not_minutes(form):
    head, unit = LARGE[form]
    raw = head + unit * (1_100_000 // len(unit))
    started = time.process_time()
    if form in ("one line of commas", "one line of words"):
        with pytest.raises(InputError):
            read_dialogues(raw, "chat")
    else:
        read_dialogues(raw + b"]" * (form == "JSON"), "chat")
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "said",
    [
        "A" * 900_000,
        "OVERALL" + " " * 900_000 + "c",
        "b" + " " * 900_000 + "c",
        "A," * 450_000,
        "A_" * 450_000,
        "3," * 450_000,
    ],
)
@pytest.mark.parametrize("end", ["", "\t3,3", " 3,3"])
def test_a_megabyte_in_one_utterance_takes_seconds_not_minutes(said, end):
    started = time.process_time()
    (dialogue,) = read_dialogues(f"SYSTEM\ta\nUSER\t{said}{end}\n".encode(), "chat")
    assert dialogue.turns[1].text.startswith(said[:100_000])
    assert time.process_time() - started < 10


def test_a_dialogue_of_five_hundred_turns_is_read():
    (dialogue,) = read_dialogues(b"USER\ta\tINFORM\t3\nSYSTEM\tb\tOFFER\n" * 250, "chat")
    assert len(dialogue.turns) == 500


@pytest.mark.parametrize(
    "line",
    [
        "USER OVERALL 4, 4, 5",
        "USER OVERALL OTHER 4, 4, 5",
        "USER\tOVERALL: 4,4,5",
        "USER\tOVERALL\tOTHER\t4,4,5",
        "USER\tOVERALL 4;4;5",
        "USER\tOVERALL \t\t4,4,5",
    ],
)
def test_the_humans_overall_rating_is_never_an_utterance_however_it_is_spelled(line):
    (dialogue,) = read_dialogues(f"SYSTEM\tHello.\nUSER\tHi.\n{line}\n".encode(), "chat")
    assert [turn.text for turn in dialogue.turns] == ["Hello.", "Hi."]
    assert dialogue.overall_ratings == (4, 4, 5)


def test_ratings_with_spaces_between_them_are_ratings():
    (dialogue,) = read_dialogues(b"SYSTEM\tHello.\nUSER\tThank you.    OTHER   3, 3, 4\n", "chat")
    assert (dialogue.turns[1].text, dialogue.turns[1].act, dialogue.turns[1].ratings) == (
        "Thank you.",
        "OTHER",
        (3, 3, 4),
    )
